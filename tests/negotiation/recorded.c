/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of HTCondor's own matchmaker, cycle by cycle: the cases of kind allocation,
 * allocation-set, limit, preemption and job-order in tests/reference/condor. The last test changes
 * each value that a case expects, one after the other, and must detect each change.
 */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/negotiation/play.h"

#define CASES "tests/reference/condor/"
#define CYCLES_OF_FINALLY 8		/* "running_finally": after some cycles */

static char complaint[512];

static bool differ(const char *what, size_t cycle, json_t *expected, json_t *found)
{
	size_t flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS;
	char *a = json_dumps(expected, flags), *b = json_dumps(found, flags);

	snprintf(complaint, sizeof(complaint), "%s of cycle %zu: %.200s expected, %.200s found", what, cycle + 1,
		 a ? a : "-", b ? b : "-");
	free(a);
	free(b);
	return false;
}

static bool same_number(json_t *expected, json_t *found)
{
	double a = json_number_value(expected), b = json_number_value(found);

	return fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

/* Compare numbers by name. A missing one is 0. */
static bool same_counts(json_t *expected, json_t *found)
{
	const char *name;
	json_t *value;

	json_object_foreach(expected, name, value)
		if (!same_number(value, json_object_get(found, name)))
			return false;
	json_object_foreach(found, name, value)
		if (!same_number(json_object_get(expected, name), value))
			return false;
	return true;
}

static bool same_preemptions(json_t *expected, json_t *found)
{
	const char *name;
	json_t *value;

	json_object_foreach(expected, name, value)
		if (!same_counts(value, json_object_get(found, name)))
			return false;
	return json_object_size(expected) == json_object_size(found);
}

static bool same_texts(json_t *expected, json_t *found)
{
	return json_equal(expected, found);
}

/* Compare only the expected members. */
static bool same_groups(json_t *expected, json_t *found)
{
	const char *name, *member;
	json_t *group, *value;

	json_object_foreach(expected, name, group)
		json_object_foreach(group, member, value)
			if (!json_object_get(json_object_get(found, name), member) ||
			    !same_number(value, json_object_get(json_object_get(found, name), member)))
				return false;
	return true;
}

static bool same_service(json_t *expected, json_t *found)
{
	json_t *one, *other;
	const char *member;
	json_t *value;
	size_t i;

	if (json_array_size(expected) != json_array_size(found))
		return false;
	json_array_foreach(expected, i, one) {
		other = json_array_get(found, i);
		json_object_foreach(one, member, value)
			if (json_is_string(value) ? !json_equal(value, json_object_get(other, member)) :
						    !same_number(value, json_object_get(other, member)))
				return false;
	}
	return true;
}

static const struct {
	const char *expected, *reported;	/* members of "expect" and of play_all() */
	bool (*same)(json_t *expected, json_t *found);
	bool each;			/* a value for each cycle; false: only for the first */
} members[] = {
	{ "running_after_cycle", "running_after_cycle", same_counts, true },
	{ "slots_after_cycle", "running_after_cycle", same_counts, true },
	{ "weight_after_cycle", "weight_after_cycle", same_counts, true },
	{ "preempted_in_cycle", "preempted_in_cycle", same_preemptions, true },
	{ "negotiated", "negotiated", same_texts, true },
	{ "groups_last_round", "groups", same_groups, true },
	{ "groups_first_cycle", "groups", same_groups, false },
	{ "served_first_cycle", "served", same_service, false },
};
#define NMEMBERS (sizeof(members) / sizeof(*members))

static size_t cycles_of(json_t *expect)
{
	size_t most = json_object_get(expect, "running_finally") ? CYCLES_OF_FINALLY : 1;

	for (size_t i = 0; i < NMEMBERS; i++) {
		size_t n = members[i].each ? json_array_size(json_object_get(expect, members[i].expected)) : 0;

		most = n > most ? n : most;
	}
	return most;
}

static bool same_member(json_t *expect, json_t *reported, size_t which)
{
	json_t *expected = json_object_get(expect, members[which].expected),
	       *found = json_object_get(reported, members[which].reported), *value;
	size_t cycle;

	if (!expected)
		return true;
	if (!members[which].each)
		return members[which].same(expected, json_array_get(found, 0)) ||
			differ(members[which].expected, 0, expected, json_array_get(found, 0));
	json_array_foreach(expected, cycle, value)
		if (!members[which].same(value, json_array_get(found, cycle)))
			return differ(members[which].expected, cycle, value, json_array_get(found, cycle));
	return true;
}

static bool same(json_t *expect, json_t *reported)
{
	json_t *running = json_object_get(reported, "running_after_cycle"),
	       *finally = json_object_get(expect, "running_finally");

	for (size_t i = 0; i < NMEMBERS; i++)
		if (!same_member(expect, reported, i))
			return false;
	return !finally || same_counts(finally, json_array_get(running, json_array_size(running) - 1)) ||
	       differ("running_finally", json_array_size(running) - 1, finally,
		      json_array_get(running, json_array_size(running) - 1));
}

/* Changes */

/* Change one of the values of a case: `at` counts down to it. Return true if it was changed. */
static bool change(json_t *in, size_t *at)
{
	const char *name;
	json_t *value;
	size_t i;
	void *next;

	json_object_foreach_safe(in, next, name, value) {
		if (json_is_object(value) || json_is_array(value)) {
			if (change(value, at))
				return true;
		} else if ((*at)-- == 0) {
			json_object_set_new(in, name,
					    json_is_string(value) ? json_string("nobody")
								  : json_real(json_number_value(value) + 1));
			return true;
		}
	}
	json_array_foreach(in, i, value) {
		if (json_is_object(value) || json_is_array(value)) {
			if (change(value, at))
				return true;
		} else if ((*at)-- == 0) {
			json_array_set_new(in, i,
					   json_is_string(value) ? json_string("nobody")
								 : json_real(json_number_value(value) + 1));
			return true;
		}
	}
	return false;
}

/* Remove members that are not compared, because their changes cannot be detected. */
static json_t *compared(json_t *expect)
{
	json_t *copy = json_object();

	for (size_t i = 0; i < NMEMBERS; i++)
		if (json_object_get(expect, members[i].expected))
			json_object_set(copy, members[i].expected, json_object_get(expect, members[i].expected));
	if (json_object_get(expect, "running_finally"))
		json_object_set(copy, "running_finally", json_object_get(expect, "running_finally"));
	return copy;
}

static size_t changes_missed(json_t *expect, json_t *reported, size_t *changes)
{
	json_t *all = compared(expect);
	size_t missed = 0;

	for (size_t i = 0;; i++) {
		json_t *lie = json_deep_copy(all);
		size_t at = i;
		bool changed = change(lie, &at);

		missed += changed && same(lie, reported);
		json_decref(lie);
		if (!changed)
			break;
		++*changes;
	}
	json_decref(all);
	return missed;
}

/* Cases */

struct tally {
	size_t cases, changes, missed, different;
	bool control;
};

static void allocation(json_t *of, const char *id, struct tally *tally)
{
	json_t *expect = json_object_get(of, "expect"), *reported = play_all(of, cycles_of(expect), NULL);

	assert_non_null(reported);
	tally->cases++;
	if (!same(expect, reported)) {
		print_error("%s: %s\n", id, complaint);
		tally->different++;
	}
	if (tally->control)
		tally->missed += changes_missed(expect, reported, &tally->changes);
	json_decref(reported);
}

static void file(const char *path, struct tally *tally)
{
	json_error_t error;
	json_t *of = json_load_file(path, 0, &error), *run;
	const char *kind;
	char id[128];
	size_t i;

	assert_non_null(of);
	kind = json_string_value(json_object_get(of, "kind"));
	if (strcmp(kind, "allocation") == 0 && json_object_get(of, "submitters"))
		allocation(of, json_string_value(json_object_get(of, "id")), tally);
	else if (strcmp(kind, "allocation-set") == 0)
		json_array_foreach(json_object_get(of, "runs"), i, run) {
			snprintf(id, sizeof(id), "%s, run %zu", json_string_value(json_object_get(of, "id")), i + 1);
			allocation(run, id, tally);
		}
	json_decref(of);
}

static struct tally all(bool control)
{
	struct tally tally = { .control = control };
	glob_t found;

	assert_int_equal(glob(CASES "p*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		file(found.gl_pathv[i], &tally);
	globfree(&found);
	return tally;
}

static void test_pools_are_allocated_as_the_real_matchmaker_does(void **state)
{
	struct tally tally = all(false);

	(void)state;
	assert_true(tally.cases >= 60);
	assert_int_equal(tally.different, 0);
}

static void test_each_value_that_is_changed_is_found(void **state)
{
	struct tally tally = all(true);

	(void)state;
	assert_true(tally.changes > 1500);
	assert_int_equal(tally.missed, 0);
}

static json_t *load(const char *name)
{
	json_error_t error;
	json_t *of = json_load_file(name, 0, &error);

	assert_non_null(of);
	return of;
}

/* Make a pool for a row: slots, submitters, jobs. */
static json_t *play_pool(json_t *pool, size_t cycles)
{
	json_t *reported = play_all(pool, cycles, NULL);

	assert_non_null(reported);
	json_decref(pool);
	return reported;
}

static double running(json_t *reported, const char *submitter)
{
	json_t *cycles = json_object_get(reported, "running_after_cycle");

	return json_number_value(json_object_get(json_array_get(cycles, json_array_size(cycles) - 1), submitter));
}

static void test_no_more_run_than_a_concurrency_limit_has(void **state)
{
	json_t *of = load(CASES "p16-peer-concurrency-limits.json"), *row, *reported;
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(of, "rows"), i, row) {
		double most = json_number_value(json_object_get(row, "max_running"));

		reported = play_pool(json_pack("{s:O,s:{s:i},s:[{s:s,s:i,s:i,s:O}]}", "config",
					   json_object_get(row, "config"), "pool", "slots", 12, "submitters", "name",
					   "u@pool", "idle", (int)(2 * (most + 1)), "running", 0, "concurrency_limits",
					   json_object_get(row, "job")),
				 3);
		assert_true(running(reported, "u@pool") == most);
		json_decref(reported);
	}
	json_decref(of);
}

static void test_the_expression_alone_decides_on_preemption_by_priority(void **state)
{
	static const char *const policies[] = {
		"(time() - EnteredCurrentState > 3600) && (RemoteUserPrio > SubmitterUserPrio * 1.2)", "True", "False"
	};
	json_t *of = load(CASES "p25-preemption-measured.json"), *row, *reported, *ads;
	size_t i;

	(void)state;
	json_array_foreach(json_object_get(of, "rows"), i, row) {
		const char *name = json_string_value(json_object_get(row, "expression"));
		const char *policy = policies[strcmp(name, "policy") == 0 ? 0 : strcmp(name, "True") == 0 ? 1 : 2];

		ads = json_array();
		for (int slot = 0; slot < 10; slot++)
			json_array_append_new(
				ads, json_pack("{s:s,s:I}", "RemoteUser", "\"worse@pool\"", "EnteredCurrentState",
					       (json_int_t)PLAY_BEGIN -
						       json_integer_value(json_object_get(row, "seconds_in_state"))));
		reported = play_pool(json_pack("{s:{s:s},s:{s:i,s:o},s:[{s:s,s:O,s:i,s:f,s:i}],s:[{s:s,s:f,s:i}]}",
					   "config", "PREEMPTION_REQUIREMENTS", policy, "pool", "slots", 10, "ads", ads,
					   "submitters", "name", "better@pool", "idle", json_object_get(row, "jobs"),
					   "running", 0, "rup",
					   json_number_value(json_object_get(row, "eup_submitter")), "factor", 1,
					   "others", "name", "worse@pool", "rup",
					   json_number_value(json_object_get(row, "eup_running")), "factor", 1),
				 1);
		assert_true(running(reported, "better@pool") == json_number_value(json_object_get(row, "preempted")));
		json_decref(reported);
	}
	json_decref(of);
}

static void test_machine_rank_preempts_even_for_the_same_user(void **state)
{
	json_t *reported =
		play_pool(json_pack("{s:{s:b},s:{s:i,s:[{s:s,s:s}]},s:[{s:s,s:i,s:i,s:[{s:i,s:{s:b}}]}]}", "config",
				    "PREEMPTION_REQUIREMENTS", 0, "pool", "slots", 1, "ads", "RemoteUser", "\"u@pool\"",
				    "Rank", "TARGET.TimeSensitive =?= True", "submitters", "name", "u@pool", "idle", 1,
				    "running", 0, "jobs", "count", 1, "ad", "TimeSensitive", 1),
			  1);

	(void)state;
	assert_true(json_number_value(json_object_get(
			    json_object_get(json_array_get(json_object_get(reported, "preempted_in_cycle"), 0), "u@pool"),
			    "u@pool")) == 1);
	json_decref(reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pools_are_allocated_as_the_real_matchmaker_does),
		cmocka_unit_test(test_each_value_that_is_changed_is_found),
		cmocka_unit_test(test_no_more_run_than_a_concurrency_limit_has),
		cmocka_unit_test(test_the_expression_alone_decides_on_preemption_by_priority),
		cmocka_unit_test(test_machine_rank_preempts_even_for_the_same_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
