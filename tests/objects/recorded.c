/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of a real qmaster are written byte for byte as its own qconf prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/objects/text.h"

#define RECORDED "tests/reference/objects"

static struct {
	unsigned char *bytes;		/* answers to all GETs */
	size_t n;
} recorded;
static struct error why;

static char *content(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t capacity = 0;

	if (!file)
		fail_msg("no %s", path);
	if (getdelim(&text, &capacity, EOF, file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

static int recorded_read(void **state)
{
	char *hex = content(RECORDED "/objects.hex");

	(void)state;
	recorded.bytes = malloc(strlen(hex) / 2);
	for (const char *at = hex; *at; at++)
		if (isxdigit((unsigned char)*at)) {
			recorded.bytes[recorded.n++] = (unsigned char)strtoul((char[]) { at[0], at[1], 0 }, NULL, 16);
			at++;
		}
	free(hex);
	return 0;
}

static int recorded_free(void **state)
{
	(void)state;
	free(recorded.bytes);
	return 0;
}

/* Return the objects of a GET. */
static struct gdi_list objects_of(enum gdi_target target)
{
	struct gdi_buffer buffer = { recorded.bytes, recorded.bytes + recorded.n };
	struct gdi_answer answer = { .more = true };

	assert_int_equal(gdi_take_header(&buffer, &why), 0);
	while (answer.more) {
		assert_int_equal(gdi_take_answer(&buffer, &answer, &why), 0);
		if (answer.target == target)
			return answer.data;
	}
	fail_msg("there is no recorded answer for target %d", target);
	return answer.data;
}

/* Check that the page equals the file, and that it is empty afterwards. */
static void page_compare(struct page *page, const char *name)
{
	char path[512], *text;

	snprintf(path, sizeof(path), RECORDED "/%s", name);
	text = content(path);
	assert_int_equal(page->rc, 0);
	assert_null(page->odd);
	if (strcmp(page->bytes, text) != 0)
		print_error("%s:\n", path);
	assert_string_equal(page->bytes, text);
	free(text);
	page_free(page);
	*page = (struct page){ .n = 0 };
}

/* Check that each object equals the file of its name in this directory. `n`: number of objects. */
static void each_is(enum gdi_target target, const char *directory, uint32_t name,
		    void (*text)(struct page *page, const struct gdi_element *element), unsigned n)
{
	struct gdi_list list = objects_of(target);
	struct gdi_element gdi_element;
	struct page page = { .n = 0 };
	char file[300];

	for (; gdi_next(&list, &gdi_element); n--) {
		snprintf(file, sizeof(file), "%s/%s", directory, gdi_text(&gdi_element, name));
		text(&page, &gdi_element);
		page_compare(&page, file);
	}
	assert_int_equal(n, 0);
}

static void test_queues_with_values_for_hosts_and_groups(void **state)
{
	(void)state;
	each_is(GDI_CLUSTER_QUEUES, "queue", CQ_name, text_queue, 10);
}

static void test_parallel_environments(void **state)
{
	(void)state;
	each_is(GDI_PES, "pe", PE_name, text_pe, 14);
}

static void test_checkpointing_environments(void **state)
{
	(void)state;
	each_is(GDI_CHECKPOINTS, "ckpt", CK_name, text_checkpoint, 5);
}

static void test_calendars(void **state)
{
	(void)state;
	each_is(GDI_CALENDARS, "calendar", CAL_name, text_calendar, 6);
}

static void test_host_groups(void **state)
{
	(void)state;
	each_is(GDI_HOST_GROUPS, "hgrp", HGRP_name, text_hostgroup, 6);
}

static void test_user_sets(void **state)
{
	(void)state;
	each_is(GDI_USERSETS, "usersets", US_name, text_userset, 16);
}

static void test_users(void **state)
{
	(void)state;
	each_is(GDI_USERS, "users", UU_name, text_user, 4);
}

static void test_projects(void **state)
{
	(void)state;
	each_is(GDI_PROJECTS, "projects", PR_name, text_project, 11);
}

static void host_reported(struct page *page, const struct gdi_element *host)
{
	text_host(page, host, true);
}

/* The qmaster keeps a host "template" that is not visible. */
static void test_hosts_have_the_values_that_they_report(void **state)
{
	struct gdi_list list = objects_of(GDI_EXEC_HOSTS);
	struct gdi_element element;
	struct page page = { .n = 0 };
	char file[300];
	unsigned n = 0;

	(void)state;
	while (gdi_next(&list, &element)) {
		if (strcmp(gdi_text(&element, EH_name), "template") == 0)
			continue;
		snprintf(file, sizeof(file), "hosts/%s", gdi_text(&element, EH_name));
		host_reported(&page, &element);
		page_compare(&page, file);
		n++;
	}
	assert_int_equal(n, 4);
}

static void test_complexes_as_a_table(void **state)
{
	struct gdi_list list = objects_of(GDI_COMPLEXES);
	struct page page = { .n = 0 };

	(void)state;
	text_complexes(&page, &list);
	page_compare(&page, "complex");
}

static void test_quotas_one_after_the_other(void **state)
{
	struct gdi_list list = objects_of(GDI_QUOTAS);
	struct gdi_element element;
	struct page page = { .n = 0 };

	(void)state;
	while (gdi_next(&list, &element))
		text_quota(&page, &element);
	page_compare(&page, "rqs");
}

static void test_the_share_tree(void **state)
{
	struct gdi_list list = objects_of(GDI_SHARE_TREE);
	struct gdi_element element;
	struct page page = { .n = 0 };

	(void)state;
	assert_true(gdi_next(&list, &element));
	text_tree(&page, &element);
	page_compare(&page, "share_tree");
}

static void test_the_scheduler_s_configuration(void **state)
{
	struct gdi_list list = objects_of(GDI_SCHED_CONF);
	struct gdi_element element;
	struct page page = { .n = 0 };

	(void)state;
	assert_true(gdi_next(&list, &element));
	text_sched_conf(&page, &element);
	page_compare(&page, "sched_conf");
}

/* qconf ends the configuration of the cell with an additional empty line. */
static void test_configurations_of_the_cell_and_of_hosts(void **state)
{
	struct gdi_list list = objects_of(GDI_CONFIGURATIONS);
	struct gdi_element element;
	struct page page = { .n = 0 };
	unsigned n = 0;

	(void)state;
	for (; gdi_next(&list, &element); n++) {
		bool global = strcmp(gdi_text(&element, CONF_name), "global") == 0;
		char file[300];

		snprintf(file, sizeof(file), "conf/%s", gdi_text(&element, CONF_name));
		text_configuration(&page, &element);
		page_put(&page, "\n");
		page_compare(&page, global ? "global_conf" : file);
	}
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queues_with_values_for_hosts_and_groups),
		cmocka_unit_test(test_parallel_environments),
		cmocka_unit_test(test_checkpointing_environments),
		cmocka_unit_test(test_calendars),
		cmocka_unit_test(test_host_groups),
		cmocka_unit_test(test_user_sets),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_projects),
		cmocka_unit_test(test_hosts_have_the_values_that_they_report),
		cmocka_unit_test(test_complexes_as_a_table),
		cmocka_unit_test(test_quotas_one_after_the_other),
		cmocka_unit_test(test_the_share_tree),
		cmocka_unit_test(test_the_scheduler_s_configuration),
		cmocka_unit_test(test_configurations_of_the_cell_and_of_hosts),
	};

	return cmocka_run_group_tests(tests, recorded_read, recorded_free);
}
