/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journal entries besides plain events: a new configuration, snapshots, answers of a store, gaps.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/mirror/ledger.h"
#include "tests/journal/kept.h"
#include "tests/run/story.h"

static struct kept_runs kept;

static struct story begin(struct fixture *fixture)
{
	struct story story = { fixture, 88172645463325252u, 0, NOW };

	make_cell(fixture);
	kept_begin(&kept, fixture, 0, true);
	return story;
}

static void some_runs(struct story *story, unsigned n)
{
	while (n-- > 0) {
		go_on(story);
		kept_run(&kept, story->now);
	}
}

static void end(uint64_t runs, const char *what)
{
	kept_end(&kept);
	kept_same(&kept, 0, runs, 1, what);
	kept_remove(&kept);
}

static void test_a_configuration_that_is_read_again(void **state)
{
	struct story story = begin(*state);

	some_runs(&story, 3);
	set_sched_conf(story.f, "weight_urgency", "0.7");
	put(story.f, "queue/odd.q", "qname odd.q\nhostlist ada\nseq_no 3\nslots 2\n# no UTF-8: \xe9\xff\n");
	reload(story.f);
	some_runs(&story, 3);
	end(6, "a configuration that is read again");
}

static void test_another_algorithm_in_between(void **state)
{
	struct story story = begin(*state);

	some_runs(&story, 3);
	put_away(story.f, "sched_conf");
	put(story.f, "condor_config", "UID_DOMAIN = pool\n");
	reload(story.f);
	some_runs(&story, 4);
	end(7, "another algorithm in between");
}

static void test_a_snapshot_that_breaks_off(void **state)
{
	struct story story = begin(*state);

	some_runs(&story, 2);
	TELL(story.f, "{'event':'snapshot_begin'}");
	TELL(story.f, ADD "7,'owner':'ann'}");
	kept_run(&kept, story.now + 1);
	mirror_snapshot_abort(sched_mirror(story.f->sched));
	some_runs(&story, 2);
	TELL(story.f, "{'event':'snapshot_begin'}");
	mirror_snapshot_abort(sched_mirror(story.f->sched));
	TELL(story.f, "{'event':'snapshot_begin'}");
	TELL(story.f, ADD "1,'owner':'bob'}");
	TELL(story.f, "{'event':'snapshot_end'}");
	story.jobs = 1;
	some_runs(&story, 2);
	end(7, "a snapshot that breaks off");
}

static void test_untaken_orders_are_in_the_journal(void **state)
{
	struct story story = begin(*state);
	struct orders *orders = sched_orders(story.f->sched);

	some_runs(&story, 3);
	for (uint64_t number = 2; number <= orders->last; number += 3)
		orders_carried_out(orders, number);
	some_runs(&story, 3);
	orders_void(orders);
	some_runs(&story, 2);
	end(8, "orders that are not taken");
}

static void test_runs_without_orders_are_in_the_journal(void **state)
{
	struct story story = begin(*state);

	some_runs(&story, 2);
	sched_dispatch(story.f->sched, false);
	some_runs(&story, 2);
	sched_dispatch(story.f->sched, true);
	some_runs(&story, 2);
	end(6, "runs that order nothing");
}

/* Answers of a store to the ledger: each job was booked before, and each third end. */
static int debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *d)
{
	struct mirror *mirror = context;
	const struct usage_value values[] = { { "cpu", 10.0 + job_number }, { "io", 0.1 } };
	const struct usage_values reported = { values, 2 };

	(void)submission_time;
	if (job_number % 4 == 0)
		return job_number % 8 ? 2 : -EIO;
	assert_int_equal(usage_from(&d->usage, &mirror->usage_names, mirror->strings, &reported), 0);
	d->reported = job_number;
	return 1;
}

static int ended(void *context, const struct ledger_task *end_of)
{
	(void)context;
	return end_of->job_number % 3 == 0;
}

static void test_answers_of_a_store_are_in_the_journal(void **state)
{
	struct fixture *fixture = *state;
	struct mirror *mirror = sched_mirror(fixture->sched);
	const struct ledger_calls calls = { mirror, debited, ended };
	struct story story = { fixture, 4711, 0, NOW };
	struct rerun_outcome outcome;
	struct error error = { "" };

	make_cell(fixture);
	mirror->ledger = ledger_create(&calls, mirror->strings);
	kept_begin(&kept, fixture, 0, true);
	for (unsigned k = 0; k < 12; k++) {
		go_on(&story);
		kept_run(&kept, story.now);
		if (k % 2)
			ledger_clear(mirror->ledger);
	}
	kept_end(&kept);
	if (rerun(&(struct rerun_options){ .path = kept.path }, &outcome, &error))
		fail_msg("%s", error.text);
	if (outcome.differs)
		fail_msg("run %llu: %s %s %s: %s, and now %s", (unsigned long long)outcome.difference.run,
			 outcome.difference.table, outcome.difference.of, outcome.difference.column,
			 outcome.difference.live, outcome.difference.again);
	assert_true(outcome.runs >= 11);
	kept_remove(&kept);
}

static void test_a_run_that_fails_is_a_gap(void **state)
{
	struct story story = begin(*state);
	struct rerun_outcome outcome;
	struct error error = { "" };

	some_runs(&story, 3);
	journal_prepared(kept.journal);
	journal_ran(kept.journal, -ENOMEM, false);
	go_on(&story);
	journal_drain(kept.journal);
	some_runs(&story, 3);
	kept_end(&kept);
	assert_int_equal(rerun(&(struct rerun_options){ .path = kept.path }, &outcome, &error), 0);
	assert_false(outcome.differs);
	assert_int_equal(outcome.runs, 6);
	assert_int_equal(outcome.gaps, 1);
	assert_string_equal(outcome.gap, "a run failed");
	kept_remove(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_configuration_that_is_read_again),
		DISPATCH_TEST(test_another_algorithm_in_between),
		DISPATCH_TEST(test_a_snapshot_that_breaks_off),
		DISPATCH_TEST(test_untaken_orders_are_in_the_journal),
		DISPATCH_TEST(test_runs_without_orders_are_in_the_journal),
		DISPATCH_TEST(test_answers_of_a_store_are_in_the_journal),
		DISPATCH_TEST(test_a_run_that_fails_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
