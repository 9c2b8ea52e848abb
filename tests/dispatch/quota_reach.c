/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that an exhausted resource quota rule excludes in 8.1.9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/quota/quota.h"
#include "tests/dispatch/quota_cell.h"

static const char *const queue_names[] = { "fast.q", "main.q", "bulk.q" };
static const char *const host_names[] = { "ada", "bly", "cox", "dry", "eve" };
static const struct quota_names names = { queue_names, 3, host_names, 5 };

static struct quotas *q;
static struct quota_view view;

static int setup(void **state)
{
	(void)state;
	cell_begin();
	add_userset("lab", "bob");
	add_hostgroup("@old", "ada,eve");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	quota_view_free(&view);
	quotas_destroy(q);
	q = NULL;
	cell_end();
	return 0;
}

/* Begin with a job of ann without project and PE. */
static void begin(void)
{
	assert_int_equal(quotas_create(&q, &cell, &names), 0);
	assert_int_equal(quota_view_make(q, &view, &(struct quota_who){ .user = "ann" }), 0);
}

/* Return the objects that an exhausted rule excludes, by number: "queues 012", "hosts 34", "". */
static const char *out_by(uint32_t rule)
{
	enum quota_reach reach = quota_reach(q, rule, &view);
	static char text[40];

	*text = '\0';
	if (reach == QUOTA_REACH_QUEUES)
		strcpy(text, "queues ");
	if (reach == QUOTA_REACH_HOSTS)
		strcpy(text, "hosts ");
	for (uint32_t i = 0; i < 5; i++)
		if (reach == QUOTA_REACH_QUEUES ? i < 3 && quota_puts_out_queue(q, rule, &view, i) :
		    reach == QUOTA_REACH_HOSTS && quota_puts_out_host(q, rule, &view, i))
			snprintf(text + strlen(text), 4, "%u", (unsigned)i);
	return text;
}

/* Return the objects that the second rule of a set excludes. */
static const char *out_after(const char *earlier, const char *rule)
{
	quota_view_free(&view);
	quotas_destroy(q);
	cell.nquotas = 0;
	add_set("s", true);
	add_rule(earlier, "slots=1");
	add_rule(rule, "slots=1");
	begin();
	return out_by(1);
}

static void test_a_rule_for_each_host_excludes_its_queues(void **state)
{
	(void)state;
	assert_string_equal(out_after("users @lab", "queues fast.q,bulk.q hosts {*}"), "queues 02");
	assert_string_equal(out_after("users @lab", "queues {*} hosts @old"), "hosts 04");
	assert_string_equal(out_after("users @lab", "queues fast.q hosts *"), "");
	assert_string_equal(out_after("users @lab", "queues {*} hosts {*}"), "");
	assert_string_equal(out_after("users @lab", "queues fast.q hosts {ada}"), "");
}

static void test_instances_of_an_earlier_rule_are_not_excluded(void **state)
{
	(void)state;
	assert_string_equal(out_after("users ann queues bulk.q", "queues fast.q,bulk.q hosts {*}"), "queues 0");
	assert_string_equal(out_after("users ann hosts {ada}", "queues {*} hosts @old"), "hosts 4");
	assert_string_equal(out_after("users @lab hosts {ada}", "queues {*} hosts @old"), "hosts 04");
	assert_string_equal(out_after("projects green hosts {ada}", "queues {*} hosts @old"), "hosts 04");
}

static void test_an_earlier_rule_prevents_exclusion(void **state)
{
	(void)state;
	assert_string_equal(out_after("users ann hosts cox", "queues fast.q,bulk.q hosts {*}"), "");
	assert_string_equal(out_after("users ann queues bulk.q", "queues {*} hosts @old"), "");
	assert_string_equal(out_after("users @lab queues bulk.q", "queues {*} hosts @old"), "hosts 04");
	assert_string_equal(out_after("pes * hosts cox", "queues fast.q,bulk.q hosts {*}"), "queues 02");
}

/* A rule knows only the rules of its own set. */
static void test_rules_of_other_sets_do_not_prevent_exclusion(void **state)
{
	(void)state;
	add_set("other", true);
	add_rule("hosts cox", "slots=1");
	add_set("s", true);
	add_rule("queues fast.q hosts {*}", "slots=1");
	begin();
	assert_string_equal(out_by(1), "queues 0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_rule_for_each_host_excludes_its_queues),
		TEST(test_instances_of_an_earlier_rule_are_not_excluded),
		TEST(test_an_earlier_rule_prevents_exclusion),
		TEST(test_rules_of_other_sets_do_not_prevent_exclusion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
