/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration of a recorded cell, as events: its texts, and the treatment of unusable
 * objects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/objects/objects.h"
#include "tests/objects/out.h"

#define RECORDED "tests/reference/objects"
#define ODD_SET "off-one"		/* not enabled, with an empty name in a list */
#define CLOSED "user_lists fairlead:nobody"

static const struct { enum gdi_target target; enum gdi_event list; } kinds[] = {
	{ GDI_CLUSTER_QUEUES, GDI_EV_CQUEUE_LIST }, { GDI_PES, GDI_EV_PE_LIST }, { GDI_EXEC_HOSTS, GDI_EV_EXECHOST_LIST },
	{ GDI_HOST_GROUPS, GDI_EV_HGROUP_LIST }, { GDI_USERSETS, GDI_EV_USERSET_LIST }, { GDI_PROJECTS, GDI_EV_PROJECT_LIST },
	{ GDI_USERS, GDI_EV_USER_LIST }, { GDI_CHECKPOINTS, GDI_EV_CKPT_LIST }, { GDI_CALENDARS, GDI_EV_CALENDAR_LIST },
	{ GDI_COMPLEXES, GDI_EV_CENTRY_LIST }, { GDI_QUOTAS, GDI_EV_RQS_LIST }, { GDI_SHARE_TREE, GDI_EV_NEW_SHARETREE },
	{ GDI_SCHED_CONF, GDI_EV_SCHED_CONF }, { GDI_CONFIGURATIONS, GDI_EV_CONFIG_LIST },
};

struct fixture {
	unsigned char *bytes;		/* answers to all GETs */
	size_t n;
	struct cell_objects *objects;
	struct error error;
};

static char *content(const char *name)
{
	char path[512], *text = NULL;
	size_t capacity = 0;
	FILE *file;

	snprintf(path, sizeof(path), RECORDED "/%s", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("no %s", path);
	if (getdelim(&text, &capacity, EOF, file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

/*
 * Send an event about a list of objects as it was packed, or, with a key, about a deleted object.
 */
static int tell(struct fixture *fixture, enum gdi_event type, const unsigned char *list, size_t n, const char *key)
{
	static const struct gdi_word words[] = { { ET_strkey, GDI_STRING }, { ET_new_version, GDI_LIST } };
	struct gdi_writer writer = { 0 };
	struct gdi_buffer buffer;
	struct gdi_element event;
	int rc;

	gdi_free_element_begin(&writer, words, 2);
	gdi_write_text(&writer, key);
	if (list)
		gdi_write_bytes(&writer, list, n);
	else
		gdi_write_null(&writer);
	assert_int_equal(writer.rc, 0);
	buffer = (struct gdi_buffer){ writer.bytes, writer.bytes + writer.n };
	assert_int_equal(gdi_take_element(&buffer, &event, &fixture->error), 0);
	rc = cell_objects_event(fixture->objects, type, &event, &fixture->error);
	gdi_writer_free(&writer);
	return rc;
}

/* Return the recorded list of a kind; NULL: it is at the end. */
static const unsigned char *recorded_list(const struct fixture *fixture, enum gdi_target target, size_t *n)
{
	enum { TASK_HEAD = 12 };
	struct gdi_buffer buffer = { fixture->bytes, fixture->bytes + fixture->n }, list;
	struct gdi_answer answer = { .more = true };
	struct error error;

	assert_int_equal(gdi_take_header(&buffer, &error), 0);
	while (answer.more) {
		const unsigned char *at = buffer.at + TASK_HEAD;

		assert_int_equal(gdi_take_answer(&buffer, &answer, &error), 0);
		if (answer.target != target)
			continue;
		list = (struct gdi_buffer){ at, buffer.at };
		assert_int_equal(gdi_take_list(&list, &answer.data, &error), 0);
		*n = (size_t)(list.at - at);
		return at;
	}
	return NULL;
}

static void report_all(struct fixture *fixture)
{
	assert_int_equal(cell_objects_update_begin(fixture->objects), 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t n;
		const unsigned char *list = recorded_list(fixture, kinds[i].target, &n);

		assert_non_null(list);
		assert_int_equal(tell(fixture, kinds[i].list, list, n, ""), 0);
	}
	assert_int_equal(cell_objects_update_end(fixture->objects), 0);
}

static int begin(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	char *hex = content("objects.hex");

	fixture->bytes = malloc(strlen(hex) / 2);
	for (const char *at = hex; *at; at++)
		if (isxdigit((unsigned char)*at)) {
			fixture->bytes[fixture->n++] = (unsigned char)strtoul((char[]) { at[0], at[1], 0 }, NULL, 16);
			at++;
		}
	free(hex);
	fixture->objects = cell_objects_create();
	assert_non_null(fixture->objects);
	report_all(fixture);
	*state = fixture;
	return 0;
}

/* Begin without a set that has an empty name, which is a fault by itself. */
static int begin_sound(void **state)
{
	struct fixture *fixture;

	begin(state);
	fixture = *state;
	assert_int_equal(tell(fixture, GDI_EV_RQS_DEL, NULL, 0, ODD_SET), 0);
	return 0;
}

static int end(void **state)
{
	struct fixture *fixture = *state;

	cell_objects_destroy(fixture->objects);
	free(fixture->bytes);
	free(fixture);
	return 0;
}

static const char *text_of(struct fixture *fixture, const char *name)
{
	const struct cell_files *files = cell_objects_files(fixture->objects);

	assert_non_null(files);
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->items[i].name, name) == 0)
			return files->items[i].text;
	return NULL;
}

static size_t faults(struct fixture *fixture)
{
	struct report report = { 0 };
	struct cell cell;
	size_t n;

	assert_int_equal(cell_load_files(&cell, "/cell", cell_objects_files(fixture->objects), &report), 0);
	n = report.faults;
	if (n > 0)
		report_print(&report, stderr);
	report_free(&report);
	cell_free(&cell);
	return n;
}

/* Take out the object of each fault until there is no fault, as before a run. */
static void settle(struct fixture *fixture)
{
	size_t left = 1;

	while (left > 0) {
		struct report report = { 0 };
		struct cell cell;

		assert_int_equal(cell_load_files(&cell, "/cell", cell_objects_files(fixture->objects), &report), 0);
		left = report.faults;
		for (size_t i = 0; i < report.n; i++)
			if (report.findings[i].severity == FAULT)
				cell_objects_take_out(fixture->objects, report.findings[i].file + strlen("/cell/"),
						      report.findings[i].line, report.findings[i].text);
		report_free(&report);
		cell_free(&cell);
	}
}

static void take_out(struct fixture *fixture, const char *name, int line)
{
	assert_int_equal(cell_objects_take_out(fixture->objects, name, line, "it has a fault"), 0);
}

static bool is_out(struct fixture *fixture, const char *name)
{
	const char *why, *out;

	for (size_t n = 0; (out = object_out(fixture->objects, n, &why)); n++)
		if (strcmp(out, name) == 0)
			return true;
	return false;
}

/* Remove the reported values of a host from its text. */
static void loads_cut(char *text)
{
	char *from = strstr(text, "\nload_values "), *to = strstr(text, "\nprocessors ");

	if (!from || !to)
		return;
	memcpy(from + 23, "NONE", 4);
	memmove(from + 27, to, strlen(to) + 1);
}

static void test_the_texts_equal_those_of_qconf(void **state)
{
	struct fixture *fixture = *state;
	const struct cell_files *files = cell_objects_files(fixture->objects);
	size_t compared = 0;

	assert_non_null(files);
	for (size_t i = 0; i < files->n; i++) {
		char *text;

		if (strcmp(files->items[i].name, CELL_ABOUT) == 0)
			continue;
		text = content(files->items[i].name);
		loads_cut(text);
		assert_string_equal(files->items[i].text, text);
		free(text);
		compared++;
	}
	assert_int_equal(compared, 81);
	assert_string_equal(text_of(fixture, CELL_ABOUT), CELL_ABOUT_HEAD);
}

static void test_a_disabled_set_is_left_out(void **state)
{
	struct fixture *fixture = *state;
	const char *text = text_of(fixture, "rqs"), *at = strstr(text, "ada,!");
	int line = 1;

	assert_non_null(at);
	for (const char *c = text; c < at; c++)
		line += *c == '\n';
	assert_int_equal(faults(fixture), 1);
	take_out(fixture, "rqs", line);
	assert_true(is_out(fixture, "rqs/" ODD_SET));
	assert_int_equal(faults(fixture), 0);
	assert_null(strstr(text_of(fixture, "rqs"), ODD_SET));
	assert_null(strstr(text_of(fixture, "rqs"), "to slots=0\n"));
}

static void test_a_repeated_report_is_no_change(void **state)
{
	struct fixture *fixture = *state;

	assert_true(cell_objects_changed(fixture->objects));
	cell_objects_files(fixture->objects);
	assert_false(cell_objects_changed(fixture->objects));
	report_all(fixture);
	assert_true(cell_objects_changed(fixture->objects));		/* the set has returned */
	cell_objects_files(fixture->objects);
	report_all(fixture);
	assert_false(cell_objects_changed(fixture->objects));
	assert_int_equal(tell(fixture, GDI_EV_PE_DEL, NULL, 0, "smp"), 0);
	assert_true(cell_objects_changed(fixture->objects));
	assert_null(text_of(fixture, "pe/smp"));
}

static void test_a_modified_quota_set_moves_to_the_end(void **state)
{
	static const struct gdi_word words[] = { { RQS_name, GDI_STRING } };
	struct fixture *fixture = *state;
	struct gdi_writer writer = { 0 };
	size_t list = gdi_list_begin(&writer, "", words, 1);
	const char *text = text_of(fixture, "rqs");

	assert_true(strstr(text, " slots_of_users\n") < strstr(text, " odd-one\n"));
	gdi_element_begin(&writer, list);
	gdi_write_text(&writer, "slots_of_users");
	gdi_list_end(&writer, list);
	assert_int_equal(tell(fixture, GDI_EV_RQS_MOD, writer.bytes, writer.n, ""), 0);
	gdi_writer_free(&writer);
	text = text_of(fixture, "rqs");
	assert_true(strstr(text, " slots_of_users\n") > strstr(text, " odd-one\n"));
}

/* Return the first position after `from` where the text is found. */
static unsigned char *bytes_find(unsigned char *from, size_t n, const char *text)
{
	unsigned char *at = memmem(from, n, text, strlen(text));

	assert_non_null(at);
	return at;
}

static void test_a_load_report_has_no_effect_but_a_change_of_a_host_s_resources_has(void **state)
{
	struct fixture *fixture = *state;
	size_t n;
	const unsigned char *hosts = recorded_list(fixture, GDI_EXEC_HOSTS, &n);
	unsigned char *copy = malloc(n);

	memcpy(copy, hosts, n);
	cell_objects_files(fixture->objects);
	bytes_find(copy, n, "23327.121094M")[0] = '1';
	assert_int_equal(tell(fixture, GDI_EV_EXECHOST_MOD, copy, n, ""), 0);
	assert_false(cell_objects_changed(fixture->objects));
	bytes_find(copy, n, "/a*b/c")[1] = 'B';
	assert_int_equal(tell(fixture, GDI_EV_EXECHOST_MOD, copy, n, ""), 0);
	assert_true(cell_objects_changed(fixture->objects));
	free(copy);
}

static void test_the_rest_stays_usable_without_any_object(void **state)
{
	struct fixture *fixture = *state;
	const struct cell_files *files = cell_objects_files(fixture->objects);
	size_t n = files->n;
	char **names = calloc(n, sizeof(*names));

	cell_objects_accept(fixture->objects);
	for (size_t i = 0; i < n; i++)
		names[i] = strdup(files->items[i].name);
	for (size_t i = 0; i < n; i++) {
		if (!strchr(names[i], '/'))
			continue;
		take_out(fixture, names[i], 0);
		settle(fixture);
		assert_true(is_out(fixture, names[i]));
		cell_objects_try_again(fixture->objects);
		assert_false(is_out(fixture, names[i]));
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	assert_int_equal(faults(fixture), 0);
}

static void test_queues_hosts_and_pes_are_closed(void **state)
{
	struct fixture *fixture = *state;

	take_out(fixture, "queue/all.q", 3);
	take_out(fixture, "hosts/ada", 0);
	take_out(fixture, "pe/smp", 0);
	assert_non_null(strstr(text_of(fixture, "queue/all.q"), CLOSED));
	assert_non_null(strstr(text_of(fixture, "hosts/ada"), CLOSED));
	assert_non_null(strstr(text_of(fixture, "pe/smp"), CLOSED));
	assert_null(strstr(text_of(fixture, "hosts/bly"), CLOSED));
	assert_int_equal(cell_objects_take_out(fixture->objects, "pe/smp", 0, "once more"), -EALREADY);
	assert_int_equal(cell_objects_take_out(fixture->objects, "pe/none", 0, "no such"), -ENOENT);
}

static void test_objects_that_name_a_left_out_user_set_are_closed(void **state)
{
	struct fixture *fixture = *state;

	assert_non_null(strstr(text_of(fixture, "queue/high.q"), " night\n"));
	take_out(fixture, "usersets/night", 0);
	assert_null(text_of(fixture, "usersets/night"));
	assert_non_null(strstr(text_of(fixture, "queue/high.q"), CLOSED));
	assert_null(strstr(text_of(fixture, "queue/wide.q"), CLOSED));	/* the calendar is "nights" */
	/* the set is in a list of excluded users */
	take_out(fixture, "usersets/team_number_6", 0);
	assert_non_null(strstr(text_of(fixture, "hosts/ada"), CLOSED));
	assert_int_equal(faults(fixture), 0);
}

static void test_a_host_group_that_is_left_out_closes_queues_and_quotas(void **state)
{
	struct fixture *fixture = *state;

	assert_non_null(strstr(text_of(fixture, "rqs"), "{@allhosts}"));
	take_out(fixture, "hgrp/@allhosts", 0);
	assert_non_null(strstr(text_of(fixture, "queue/all.q"), CLOSED));
	assert_null(strstr(text_of(fixture, "rqs"), "@allhosts"));
	assert_non_null(strstr(text_of(fixture, "rqs"), "to slots=0"));
	cell_objects_try_again(fixture->objects);
	assert_null(strstr(text_of(fixture, "queue/all.q"), CLOSED));
	assert_non_null(strstr(text_of(fixture, "rqs"), "{@allhosts}"));
}

static void test_the_line_of_a_fault_selects_its_quota(void **state)
{
	struct fixture *fixture = *state;
	const char *before = text_of(fixture, "rqs"), *limit = strstr(before, "limit"),
		   *second = strstr(limit, "   name ");
	int line = 1;
	char name[100];

	for (const char *c = before; c < second; c++)
		line += *c == '\n';
	assert_int_equal(sscanf(second, " name %90s", name), 1);
	take_out(fixture, "rqs", line + 2);
	memmove(name + 4, name, strlen(name) + 1);
	memcpy(name, "rqs/", 4);
	assert_true(is_out(fixture, name));
	assert_null(object_out(fixture->objects, 1, &(const char *){ NULL }));
	assert_int_equal(faults(fixture), 0);
}

static void test_a_complex_that_is_left_out_closes_objects_that_use_it(void **state)
{
	struct fixture *fixture = *state;
	const char *before, *row;
	int line = 1;

	assert_non_null(strstr(text_of(fixture, "hosts/ada"), "disk2="));
	before = text_of(fixture, "complex");
	row = strstr(before, "\ndisk2 ") + 1;
	for (const char *c = before; c < row; c++)
		line += *c == '\n';
	take_out(fixture, "complex", line);
	assert_true(is_out(fixture, "complex/disk2"));
	assert_null(strstr(text_of(fixture, "complex"), "\ndisk2 "));
	assert_non_null(strstr(text_of(fixture, "hosts/ada"), CLOSED));
	assert_int_equal(faults(fixture), 0);
}

static void test_the_scheduler_s_configuration_is_unchanged(void **state)
{
	struct fixture *fixture = *state;
	size_t n;
	const unsigned char *conf = recorded_list(fixture, GDI_SCHED_CONF, &n);
	unsigned char *copy = malloc(n);
	char *before = content("sched_conf");

	memcpy(copy, conf, n);
	cell_objects_files(fixture->objects);
	cell_objects_accept(fixture->objects);
	memcpy(bytes_find(copy, n, "default"), "nothing", 7);
	assert_int_equal(tell(fixture, GDI_EV_SCHED_CONF, copy, n, ""), 0);
	assert_int_equal(faults(fixture), 1);
	take_out(fixture, "sched_conf", 1);
	assert_string_equal(text_of(fixture, "sched_conf"), before);
	free(before);
	free(copy);
}

static void test_values_that_would_be_more_than_they_are_take_their_host_out(void **state)
{
	struct fixture *fixture = *state;
	size_t n;
	const unsigned char *hosts = recorded_list(fixture, GDI_EXEC_HOSTS, &n);
	unsigned char *copy = malloc(n);
	const char *why;

	memcpy(copy, hosts, n);
	cell_objects_files(fixture->objects);
	bytes_find(copy, n, "/a*b/c")[3] = '\n';
	assert_int_equal(tell(fixture, GDI_EV_EXECHOST_MOD, copy, n, ""), 0);
	assert_int_equal(faults(fixture), 0);
	assert_non_null(object_out(fixture->objects, 0, &why));
	assert_non_null(strstr(why, "complex_values"));
	/* a retry after changes of other objects does not help */
	cell_objects_try_again(fixture->objects);
	assert_non_null(object_out(fixture->objects, 0, &why));
	assert_int_equal(tell(fixture, GDI_EV_EXECHOST_LIST, hosts, n, ""), 0);
	assert_null(object_out(fixture->objects, 0, &why));
	free(copy);
}

static void test_a_load_value_too_long_for_a_line_closes_no_queue(void **state)
{
	struct fixture *fixture = *state;
	size_t n;
	const unsigned char *hosts = recorded_list(fixture, GDI_EXEC_HOSTS, &n);
	unsigned char *copy = malloc(n);
	const char *why;

	memcpy(copy, hosts, n);
	bytes_find(copy, n, "lx-amd64")[2] = '\n';
	cell_objects_update_begin(fixture->objects);
	assert_int_equal(tell(fixture, GDI_EV_EXECHOST_LIST, copy, n, ""), 0);
	cell_objects_update_end(fixture->objects);
	assert_null(object_out(fixture->objects, 0, &why));
	assert_int_equal(faults(fixture), 0);
	free(copy);
}

static void test_each_object_left_out_is_reported_once(void **state)
{
	struct fixture *fixture = *state;
	const char *why;

	take_out(fixture, "pe/smp", 0);
	assert_string_equal(cell_objects_report(fixture->objects, &why), "pe/smp");
	assert_string_equal(why, "it has a fault");
	assert_null(cell_objects_report(fixture->objects, &why));
	cell_objects_try_again(fixture->objects);
	take_out(fixture, "pe/smp", 0);
	assert_null(cell_objects_report(fixture->objects, &why));
	assert_non_null(strstr(text_of(fixture, CELL_ABOUT), "\npe/smp: it has a fault\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_sound, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_texts_equal_those_of_qconf, begin, end),
		cmocka_unit_test_setup_teardown(test_a_disabled_set_is_left_out, begin, end),
		TEST(test_a_repeated_report_is_no_change),
		TEST(test_a_modified_quota_set_moves_to_the_end),
		TEST(test_a_load_report_has_no_effect_but_a_change_of_a_host_s_resources_has),
		TEST(test_the_rest_stays_usable_without_any_object),
		TEST(test_queues_hosts_and_pes_are_closed),
		TEST(test_objects_that_name_a_left_out_user_set_are_closed),
		TEST(test_a_host_group_that_is_left_out_closes_queues_and_quotas),
		TEST(test_the_line_of_a_fault_selects_its_quota),
		TEST(test_a_complex_that_is_left_out_closes_objects_that_use_it),
		TEST(test_the_scheduler_s_configuration_is_unchanged),
		TEST(test_values_that_would_be_more_than_they_are_take_their_host_out),
		TEST(test_a_load_value_too_long_for_a_line_closes_no_queue),
		TEST(test_each_object_left_out_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
