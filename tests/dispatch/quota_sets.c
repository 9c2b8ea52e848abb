/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource quota sets: single properties, and exhausted memory. tests/dispatch/quota_random.c has
 * random sets.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sched/dispatch/quota/quota.h"
#include "sched/dispatch/timeline/timeline.h"
#include "tests/failing_memory.h"
#include "tests/dispatch/quota_cell.h"

static const char *const queue_names[] = { "fast.q", "main.q", "bulk.q" };
static const char *const host_names[] = { "ada", "bly", "cox", "Dry.example", "eve" };
static const struct quota_names names = { queue_names, 3, host_names, 5 };
enum { FAST, MAIN, BULK };
enum { ADA, BLY, COX, DRY, EVE };

static struct quotas *q;
static struct quota_view view;
static int asked;			/* queries for values of hosts */

/* Return num_proc: 2, 4, 6 ... The last host has none. */
static double host_value(void *context, uint32_t host, const char *name, bool *known)
{
	assert_null(context);
	asked++;
	*known = !strcmp(name, "num_proc") && host != EVE;
	return *known ? 2 * (host + 1) : 0;
}

static int setup(void **state)
{
	(void)state;
	cell_begin();
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

static void begin(void)
{
	assert_int_equal(quotas_create(&q, &cell, &names), 0);
	quotas_begin(q, host_value, NULL);
}

static void view_of(const char *user, const char *group, const char *project, const char *pe)
{
	assert_int_equal(quota_view_make(q, &view, &(struct quota_who){ user, group, project, pe }), 0);
}

/* Return the rules that count at this queue and host for the view: "set/1 other/2". */
static const char *rules_at(uint32_t queue, uint32_t host)
{
	static char text[400];
	uint32_t hits[CELL_MANY];
	size_t n = quota_rules(q, &view, queue, host, hits), length = 0;

	assert_true(n <= quotas_sets(q));
	*text = '\0';
	for (size_t i = 0; i < n; i++) {
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s", i ? " " : "");
		length += (size_t)quota_rule_name(q, hits[i], text + length, sizeof(text) - length);
	}
	return text;
}

static const char *rules_of(const char *user, const char *group, const char *project, const char *pe)
{
	view_of(user, group, project, pe);
	return rules_at(MAIN, ADA);
}

static struct quota_limit_now limit_at(uint32_t rule, uint32_t queue, uint32_t host, size_t k)
{
	struct quota_limit_now limit;

	assert_int_equal(quota_limit(q, rule, &view, queue, host, k, &limit), 0);
	return limit;
}

static const char *key_at(uint32_t rule, uint32_t queue, uint32_t host)
{
	static char text[200];
	int length = quota_key_text(q, rule, &view, queue, host, text, sizeof(text));

	assert_int_equal(length, strlen(text));
	return text;
}

/* Selection of the rule */

static void test_without_sets_no_limit_exists(void **state)
{
	(void)state;
	begin();
	assert_int_equal(quotas_sets(q), 0);
	assert_string_equal(rules_of("ann", "staff", "red", "mpi"), "");
	assert_false(quotas_name_user(q, "ann", "staff"));
	assert_false(quotas_name_project(q, "red"));
}

static void test_a_disabled_set_does_not_count(void **state)
{
	(void)state;
	add_set("off", false);
	add_rule("users {ann}", "slots=1");
	add_set("on", true);
	add_rule("", "slots=1");
	begin();
	assert_int_equal(quotas_sets(q), 1);
	assert_string_equal(rules_of("ann", NULL, NULL, NULL), "on/1");
	assert_false(quotas_name_user(q, "ann", NULL));
}

static void test_the_first_rule_that_matches_counts_in_each_set(void **state)
{
	(void)state;
	add_set("one", true);
	add_rule("users ann,bob", "slots=1");
	add_rule("users bob,cal", "slots=2")->name = "second";
	add_rule("", "slots=3");
	add_set("two", true);
	add_rule("users cal", "slots=4");
	begin();
	assert_string_equal(rules_of("ann", NULL, NULL, NULL), "one/1");
	assert_string_equal(rules_of("bob", NULL, NULL, NULL), "one/1");
	assert_string_equal(rules_of("cal", NULL, NULL, NULL), "one/second two/1");
	assert_string_equal(rules_of("dee", NULL, NULL, NULL), "one/3");
}

static void test_users_are_matched_by_name_pattern_list_and_group(void **state)
{
	(void)state;
	add_userset("lab", "ann,bob");
	add_userset("labour", "@staff,fay");
	add_set("s", true);
	add_rule("users @lab", "slots=1");
	add_rule("users @labour", "slots=1");
	add_rule("users c*,d?|e?e", "slots=1");
	add_rule("users @nobody,gus", "slots=1");
	begin();
	assert_string_equal(rules_of("ann", "guests", NULL, NULL), "s/1");
	assert_string_equal(rules_of("bob", "staff", NULL, NULL), "s/1");
	assert_string_equal(rules_of("zed", "staff", NULL, NULL), "s/2");
	assert_string_equal(rules_of("fay", NULL, NULL, NULL), "s/2");
	assert_string_equal(rules_of("cal", "", NULL, NULL), "s/3");
	assert_string_equal(rules_of("di", NULL, NULL, NULL), "s/3");
	assert_string_equal(rules_of("eve", NULL, NULL, NULL), "s/3");
	assert_string_equal(rules_of("gus", NULL, NULL, NULL), "s/4");
	assert_string_equal(rules_of("Ann", NULL, NULL, NULL), "");
	assert_string_equal(rules_of("staff", "@staff", NULL, NULL), "");
}

static void test_lists_are_matched_by_a_pattern_of_their_names(void **state)
{
	(void)state;
	add_userset("lab", "ann");
	add_userset("labour", "fay");
	add_hostgroup("@old", "ada");
	add_hostgroup("@older", "bly");
	add_set("s", true);
	add_rule("users @lab* hosts @OLD*", "slots=1");
	begin();
	assert_string_equal(rules_of("fay", NULL, NULL, NULL), "s/1");
	assert_string_equal(rules_at(MAIN, BLY), "s/1");
	assert_string_equal(rules_at(MAIN, COX), "");
	assert_string_equal(rules_of("lab", NULL, NULL, NULL), "");
}

static void test_exclusions_win(void **state)
{
	(void)state;
	add_userset("lab", "ann,bob");
	add_set("s", true);
	add_rule("users a*,!@lab", "slots=1");
	add_rule("users !bob,!c*", "slots=1");
	begin();
	assert_string_equal(rules_of("abe", NULL, NULL, NULL), "s/1");
	assert_string_equal(rules_of("ann", NULL, NULL, NULL), "s/2");
	assert_string_equal(rules_of("bob", NULL, NULL, NULL), "");
	assert_string_equal(rules_of("cal", NULL, NULL, NULL), "");
	assert_string_equal(rules_of("dee", NULL, NULL, NULL), "s/2");
}

static void test_no_project_and_no_pe_are_in_no_list(void **state)
{
	(void)state;
	add_set("p", true);
	add_rule("projects red,b*", "slots=1");
	add_rule("projects *", "slots=1");
	add_rule("projects !*", "slots=1");
	add_set("e", true);
	add_rule("pes mpi*", "slots=1");
	add_rule("pes *,!smp", "slots=1");
	add_rule("pes !smp", "slots=1");
	begin();
	assert_string_equal(rules_of("ann", NULL, "red", "mpi"), "p/1 e/1");
	assert_string_equal(rules_of("ann", NULL, "blue", "mpich"), "p/1 e/1");
	assert_string_equal(rules_of("ann", NULL, "green", "fill"), "p/2 e/2");
	assert_string_equal(rules_of("ann", NULL, NULL, "smp"), "p/3");
	assert_string_equal(rules_of("ann", NULL, "", ""), "p/3 e/3");
}

static void test_queues_are_matched_by_name_and_pattern(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("queues fast.q", "slots=1");
	add_rule("queues *.q,!bulk.q", "slots=1");
	begin();
	view_of("ann", NULL, NULL, NULL);
	assert_string_equal(rules_at(FAST, ADA), "s/1");
	assert_string_equal(rules_at(MAIN, ADA), "s/2");
	assert_string_equal(rules_at(BULK, ADA), "");
}

static void test_hosts_are_matched_whatever_their_case_and_through_groups(void **state)
{
	(void)state;
	add_hostgroup("@all", "@some,COX,nowhere");
	add_hostgroup("@some", "dry.EXAMPLE,@all,@missing");
	add_set("s", true);
	add_rule("hosts @all,!cox", "slots=1");
	add_rule("hosts C*,EVE", "slots=1");
	add_rule("hosts !@all,!ada", "slots=1");
	begin();
	view_of("ann", NULL, NULL, NULL);
	assert_string_equal(rules_at(MAIN, DRY), "s/1");
	assert_string_equal(rules_at(MAIN, COX), "s/2");
	assert_string_equal(rules_at(MAIN, EVE), "s/2");
	assert_string_equal(rules_at(MAIN, BLY), "s/3");
	assert_string_equal(rules_at(MAIN, ADA), "");
}

static void test_users_with_the_same_rules_share_a_category(void **state)
{
	(void)state;
	add_userset("lab", "@staff");
	add_set("s", true);
	add_rule("users ann", "slots=1");
	add_rule("users @lab", "slots=1");
	add_rule("users *", "slots=1");
	begin();
	assert_true(quotas_name_user(q, "ann", NULL));
	assert_true(quotas_name_user(q, "bob", "staff"));
	assert_false(quotas_name_user(q, "bob", "guests"));
	quotas_destroy(q);
	add_rule("users {*}", "slots=1");
	begin();
	assert_true(quotas_name_user(q, "bob", "guests"));
}

static void test_projects_treated_like_no_project_need_no_category(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("projects red", "slots=1");
	add_rule("projects !blue", "slots=1");
	add_rule("users {ann}", "slots=1");
	begin();
	assert_true(quotas_name_project(q, "red"));
	assert_true(quotas_name_project(q, "blue"));
	assert_false(quotas_name_project(q, "green"));
	assert_false(quotas_name_project(q, NULL));
	quotas_destroy(q);
	add_rule("projects *", "slots=1");
	begin();
	assert_true(quotas_name_project(q, "green"));
}

static void test_a_project_is_named_by_any_matching_entry(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("projects b*,!blue", "slots=1");
	begin();
	assert_true(quotas_name_project(q, "black"));
	assert_true(quotas_name_project(q, "blue"));
	assert_false(quotas_name_project(q, "red"));
	quotas_destroy(q);
	add_rule("projects *,!red", "slots=1");
	begin();
	assert_true(quotas_name_project(q, "red"));
}

static void test_a_project_that_is_counted_by_itself_need_not_be_named(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("projects {!blue}", "slots=1");
	begin();
	assert_true(quotas_count_project(q, "red"));
	assert_false(quotas_name_project(q, "red"));
	assert_false(quotas_count_project(q, "blue"));
	assert_true(quotas_name_project(q, "blue"));
}

/* Limits and counts */

static void test_limits_on_missing_complexes_are_ignored(void **state)
{
	struct quota_limit_now limit;

	(void)state;
	add_set("s", true);
	add_rule("", "slots=4,gone=1,mem=2.5");
	add_rule("", "lic=9");
	begin();
	view_of("ann", NULL, NULL, NULL);
	limit = limit_at(0, MAIN, ADA, 0);
	assert_string_equal(limit.complex->name, "slots");
	assert_true(limit.value == 4 && limit.count->used == 0 && limit.count->line == TIMELINE_EMPTY);
	limit = limit_at(0, MAIN, ADA, 1);
	assert_string_equal(limit.complex->name, "mem");
	assert_true(limit.value == 2.5);
	assert_int_equal(quota_limit(q, 0, &view, MAIN, ADA, 2, &limit), -ENOENT);
}

static void test_without_braces_all_share_one_count(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("users ann,bob hosts *", "slots=4,mem=1");
	begin();
	view_of("ann", NULL, "red", "mpi");
	limit_at(0, MAIN, ADA, 0).count->used = 3;
	view_of("bob", NULL, NULL, NULL);
	assert_true(limit_at(0, BULK, COX, 0).count->used == 3);
	assert_true(limit_at(0, BULK, COX, 1).count->used == 0);
	assert_string_equal(key_at(0, BULK, COX), "/////");
}

static void test_names_in_braces_have_separate_counts(void **state)
{
	static const char *const whos[][3] = {
		{ "ann", "red", "mpi" }, { "bob", "red", "mpi" }, { "ann", "blue", "mpi" }, { "ann", "red", "smp" },
	};

	(void)state;
	add_set("s", true);
	add_rule("users {*} projects {*} pes {*} queues {*} hosts {*}", "slots=4");
	begin();
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 4 * 3 * 5; i++) {
			const char *const *who = whos[i / 15];

			view_of(who[0], NULL, who[1], who[2]);

			struct quota_limit_now limit = limit_at(0, i % 3, i / 3 % 5, 0);

			assert_true(limit.count->used == (round ? i + 1 : 0));
			limit.count->used = i + 1;
		}
	assert_string_equal(key_at(0, BULK, DRY), "ann/red/smp/bulk.q/Dry.example/");
	quotas_begin(q, host_value, NULL);
	assert_true(limit_at(0, BULK, EVE, 0).count->used == 0);
}

static void test_only_lists_in_braces_are_counted_separately(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("users {!cal} queues fast.q,main.q hosts {ada,bly}", "slots=4");
	add_rule("projects {!*}", "slots=4");
	begin();
	view_of("ann", NULL, "red", NULL);
	limit_at(0, FAST, ADA, 0).count->used = 1;
	assert_true(limit_at(0, MAIN, ADA, 0).count->used == 1);
	assert_true(limit_at(0, MAIN, BLY, 0).count->used == 0);
	assert_string_equal(key_at(0, MAIN, BLY), "ann////bly/");
	view_of("cal", NULL, NULL, NULL);
	assert_string_equal(rules_at(MAIN, ADA), "s/2");
	assert_string_equal(key_at(1, MAIN, ADA), "/////");
}

static void test_dynamic_limits_are_computed_once_a_host_and_run(void **state)
{
	(void)state;
	add_set("s", true);
	add_rule("hosts {@old}", "slots=$num_proc*2");
	add_rule("", "slots=$num_proc*1.5+1,mem=$num_proc-$mystery");
	begin();
	view_of("ann", NULL, NULL, NULL);
	asked = 0;
	for (int i = 0; i < 3; i++) {
		assert_true(limit_at(0, MAIN, ADA, 0).value == 4);
		assert_true(limit_at(0, BULK, BLY, 0).value == 8);
		assert_true(limit_at(1, MAIN, BLY, 0).value == 7);
		assert_true(limit_at(1, MAIN, BLY, 1).value == QUOTA_UNKNOWN);
		assert_true(limit_at(0, MAIN, EVE, 0).value == QUOTA_UNKNOWN);
	}
	assert_int_equal(asked, 6);
	/* The limit belongs to the host, the use to all hosts. */
	limit_at(1, MAIN, BLY, 0).count->used = 5;
	assert_true(limit_at(1, MAIN, COX, 0).count->used == 5 && limit_at(1, MAIN, COX, 0).value == 10);
	quotas_begin(q, host_value, NULL);
	assert_true(limit_at(0, MAIN, ADA, 0).value == 4);
	assert_int_equal(asked, 8);
}

static void test_texts_are_cut_at_the_end_of_the_buffer(void **state)
{
	char text[4];

	(void)state;
	add_set("long", true);
	add_rule("users {*}", "slots=1")->name = "name";
	begin();
	view_of("ann", NULL, NULL, NULL);
	assert_int_equal(quota_rule_name(q, 0, text, sizeof(text)), 9);
	assert_string_equal(text, "lon");
	assert_int_equal(quota_key_text(q, 0, &view, MAIN, ADA, text, sizeof(text)), 8);
	assert_string_equal(text, "ann");
}

/* Memory */

#ifdef CAN_FAIL
/* Use every function once, with new names and keys each time. */
static int use(void)
{
	struct quota_limit_now limit;
	char user[20];
	int error = quotas_create(&q, &cell, &names);

	if (error)
		return error;
	quotas_begin(q, host_value, NULL);
	for (int i = 0; i < 80 && !error; i++) {
		snprintf(user, sizeof(user), "user%d", i);
		error = quota_view_make(q, &view, &(struct quota_who){ user, "staff", "red", "mpi" });
		error = error ? error : quota_limit(q, 0, &view, MAIN, ADA, 0, &limit);
	}
	return error;
}

static void test_exhausted_memory_causes_no_leak(void **state)
{
	long before = alive, n;
	int error = -ENOMEM;

	(void)state;
	add_hostgroup("@old", "ada");
	add_set("s", true);
	add_rule("users {*} hosts {@old}", "slots=$num_proc");
	before = alive;
	for (n = 0; error; n++) {
		left = n;
		error = use();
		left = -1;
		if (error)
			assert_int_equal(error, -ENOMEM);
		quota_view_free(&view);
		quotas_destroy(q);
		q = NULL;
		assert_int_equal(alive, before);
	}
	assert_true(n > 90);
}
#else
static void test_exhausted_memory_causes_no_leak(void **state)
{
	(void)state;
	skip();
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_without_sets_no_limit_exists),
		TEST(test_a_disabled_set_does_not_count),
		TEST(test_the_first_rule_that_matches_counts_in_each_set),
		TEST(test_users_are_matched_by_name_pattern_list_and_group),
		TEST(test_lists_are_matched_by_a_pattern_of_their_names),
		TEST(test_exclusions_win),
		TEST(test_no_project_and_no_pe_are_in_no_list),
		TEST(test_queues_are_matched_by_name_and_pattern),
		TEST(test_hosts_are_matched_whatever_their_case_and_through_groups),
		TEST(test_users_with_the_same_rules_share_a_category),
		TEST(test_projects_treated_like_no_project_need_no_category),
		TEST(test_a_project_is_named_by_any_matching_entry),
		TEST(test_a_project_that_is_counted_by_itself_need_not_be_named),
		TEST(test_limits_on_missing_complexes_are_ignored),
		TEST(test_without_braces_all_share_one_count),
		TEST(test_names_in_braces_have_separate_counts),
		TEST(test_only_lists_in_braces_are_counted_separately),
		TEST(test_dynamic_limits_are_computed_once_a_host_and_run),
		TEST(test_texts_are_cut_at_the_end_of_the_buffer),
		TEST(test_exhausted_memory_causes_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
