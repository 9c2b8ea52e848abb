/* SPDX-License-Identifier: Apache-2.0 */
/* What is told besides plain events: another configuration, snapshots, what a store knows, gaps. */
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

static struct story begin(struct fixture *f)
{
	struct story s = { f, 88172645463325252u, 0, NOW };

	make_cell(f);
	kept_begin(&kept, f, 0, true);
	return s;
}

static void some_runs(struct story *s, unsigned n)
{
	while (n-- > 0) {
		go_on(s);
		kept_run(&kept, s->now);
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
	struct story s = begin(*state);

	some_runs(&s, 3);
	set_sched_conf(s.f, "weight_urgency", "0.7");
	put(s.f, "queue/odd.q", "qname odd.q\nhostlist ada\nseq_no 3\nslots 2\n# no UTF-8: \xe9\xff\n");
	reload(s.f);
	some_runs(&s, 3);
	end(6, "a configuration that is read again");
}

static void test_another_algorithm_in_between(void **state)
{
	struct story s = begin(*state);

	some_runs(&s, 3);
	put_away(s.f, "sched_conf");
	put(s.f, "condor_config", "UID_DOMAIN = pool\n");
	reload(s.f);
	some_runs(&s, 4);
	end(7, "another algorithm in between");
}

static void test_a_snapshot_that_breaks_off(void **state)
{
	struct story s = begin(*state);

	some_runs(&s, 2);
	TELL(s.f, "{'event':'snapshot_begin'}");
	TELL(s.f, ADD "7,'owner':'ann'}");
	kept_run(&kept, s.now + 1);
	mirror_snapshot_abort(sched_mirror(s.f->sched));
	some_runs(&s, 2);
	TELL(s.f, "{'event':'snapshot_begin'}");
	mirror_snapshot_abort(sched_mirror(s.f->sched));
	TELL(s.f, "{'event':'snapshot_begin'}");
	TELL(s.f, ADD "1,'owner':'bob'}");
	TELL(s.f, "{'event':'snapshot_end'}");
	s.jobs = 1;
	some_runs(&s, 2);
	end(7, "a snapshot that breaks off");
}

static void test_orders_that_nobody_takes(void **state)
{
	struct story s = begin(*state);
	struct orders *orders = sched_orders(s.f->sched);

	some_runs(&s, 3);
	for (uint64_t number = 2; number <= orders->last; number += 3)
		orders_carried_out(orders, number);
	some_runs(&s, 3);
	orders_void(orders);
	some_runs(&s, 2);
	end(8, "orders that nobody takes");
}

static void test_runs_that_order_nothing(void **state)
{
	struct story s = begin(*state);

	some_runs(&s, 2);
	sched_dispatch(s.f->sched, false);
	some_runs(&s, 2);
	sched_dispatch(s.f->sched, true);
	some_runs(&s, 2);
	end(6, "runs that order nothing");
}

/* A store, as far as the ledger asks it: each job was booked before, and each third end. */
static int debited(void *context, uint32_t job_number, int64_t submission_time, struct debited *d)
{
	struct mirror *m = context;
	const struct usage_value values[] = { { "cpu", 10.0 + job_number }, { "io", 0.1 } };
	const struct usage_values told = { values, 2 };

	(void)submission_time;
	if (job_number % 4 == 0)
		return job_number % 8 ? 2 : -EIO;
	assert_int_equal(usage_from(&d->usage, &m->usage_names, m->strings, &told), 0);
	d->told = job_number;
	return 1;
}

static int ended(void *context, const struct ledger_task *end_of)
{
	(void)context;
	return end_of->job_number % 3 == 0;
}

static void test_what_a_store_has_said(void **state)
{
	struct fixture *f = *state;
	struct mirror *m = sched_mirror(f->sched);
	const struct ledger_calls calls = { m, debited, ended };
	struct story s = { f, 4711, 0, NOW };
	struct rerun_outcome o;
	struct error error = { "" };

	make_cell(f);
	m->ledger = ledger_create(&calls, m->strings);
	kept_begin(&kept, f, 0, true);
	for (unsigned k = 0; k < 12; k++) {
		go_on(&s);
		kept_run(&kept, s.now);
		if (k % 2)
			ledger_clear(m->ledger);
	}
	kept_end(&kept);
	if (rerun(&(struct rerun_options){ .path = kept.path }, &o, &error))
		fail_msg("%s", error.text);
	if (o.differs)
		fail_msg("run %llu: %s %s %s: %s, and now %s", (unsigned long long)o.difference.run, o.difference.table, o.difference.of, o.difference.column,
			 o.difference.live, o.difference.again);
	assert_true(o.runs >= 11);
	kept_remove(&kept);
}

static void test_a_run_that_fails_is_a_gap(void **state)
{
	struct story s = begin(*state);
	struct rerun_outcome o;
	struct error error = { "" };

	some_runs(&s, 3);
	journal_prepared(kept.journal);
	journal_ran(kept.journal, -ENOMEM, false);
	go_on(&s);
	journal_drain(kept.journal);
	some_runs(&s, 3);
	kept_end(&kept);
	assert_int_equal(rerun(&(struct rerun_options){ .path = kept.path }, &o, &error), 0);
	assert_false(o.differs);
	assert_int_equal(o.runs, 6);
	assert_int_equal(o.gaps, 1);
	assert_string_equal(o.gap, "a run failed");
	kept_remove(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH_TEST(test_a_configuration_that_is_read_again),
		DISPATCH_TEST(test_another_algorithm_in_between),
		DISPATCH_TEST(test_a_snapshot_that_breaks_off),
		DISPATCH_TEST(test_orders_that_nobody_takes),
		DISPATCH_TEST(test_runs_that_order_nothing),
		DISPATCH_TEST(test_what_a_store_has_said),
		DISPATCH_TEST(test_a_run_that_fails_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
