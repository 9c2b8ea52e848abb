/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at any single allocation of a run that starts jobs, the run can be repeated.
 * At the end each task has started once, where it would have started with enough memory, no order
 * is duplicated, and no memory leaks.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/dispatch/cell.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

/*
 * Write a cell that uses every part of dispatch: access, patterns, quotas, ranges, soft requests,
 * arrays, loads, reservations.
 */
static void put_cell(struct fixture *fixture)
{
	put_text(fixture, "usersets/crew", "name crew\ntype ACL\nfshare 0\noticket 0\nentries ann @staff\n");
	put(fixture, "rqs",
	    "{\n name each\n description NONE\n enabled TRUE\n limit users {*} hosts {ada} to slots=3\n limit users * to lic=4\n}\n");
	put_queue(fixture, "big.q", "ada bly cor", "2", "load_thresholds np_load_avg=1.75\nuser_lists crew\n");
	put_pe(fixture, "mpa", 6, "$round_robin");
	set_sched_conf(fixture, "max_reservation", "5");
	set_sched_conf(fixture, "default_duration", "0:10:0");
	set_sched_conf(fixture, "maxujobs", "9");
	set_sched_conf(fixture, "params", "MONITOR=1");
	set_sched_conf(fixture, "job_load_adjustments", "np_load_avg=0.5");
	set_sched_conf(fixture, "load_adjustment_decay_time", "0:7:30");
	reload(fixture);
	for (int i = 0; i < 3; i++) {
		char name[20];

		snprintf(name, sizeof(name), "big.q@%s", (const char *const[]){ "ada", "bly", "cor" }[i]);
		report_instance(fixture, name, 2);
	}
	TELL(fixture, "{'event':'host_load','host':'cor','load_values':{'np_load_avg':0.25,'num_proc':2}}");
}

static void report_jobs(struct fixture *fixture, uint32_t first)
{
	TELL(fixture, ADD "%u,'owner':'ann','tasks':'1-20','hard_resource_list':'lic=1,mem=100M'}", first);
	TELL(fixture, ADD "%u,'owner':'bob','pe':'mp*','pe_range':'2-9,12','hard_resource_list':'h_rt=60'}", first + 1);
	TELL(fixture,
	     ADD
	     "%u,'owner':'cal','hard_queue_list':'big.q@ada,*@bly','soft_resource_list':'arch=lx*','group':'staff'}",
	     first + 2);
	TELL(fixture, ADD "%u,'owner':'bob','pe':'mpi','pe_range':'7','reserve':true}", first + 3);
	TELL(fixture, ADD "%u,'owner':'bob','pe':'mpi','pe_range':'2-4','soft_queue_list':'big.q','group':'staff'}",
	     first + 4);
	TELL(fixture, ADD "%u,'owner':'cal','reserve':true,'hard_resource_list':'lic=2'}", first + 5);
	TELL(fixture, ADD "%u,'owner':'cal','hard_resource_list':'nothing=2'}", first + 6);
	TELL(fixture, ADD "%u,'owner':'bob'}", first + 7);
}

/*
 * Repeat a run until it succeeds, with each of its allocations failing once. The state of earlier
 * runs is dropped with the cell, so that each run begins in the same state.
 */
static void run_with_failures(struct fixture *fixture, int64_t now, bool with_failures)
{
	bool none_has_failed;
	long n = 0;

	do {
		int code;

		if (with_failures)
			reload(fixture);
		left = with_failures ? n++ : LONG_MAX;
		code = sched_run(fixture->sched, now, 1, &fixture->error);
		none_has_failed = left >= 0;
		left = -1;
		if (code != 0 && code != -ENOMEM)
			fail_msg("allocation %ld: %s", n, fixture->error.text);
	} while (!none_has_failed);
	if (with_failures)
		print_message("%ld allocations\n", n - 1);
	assert_true(!with_failures || n > 100);
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List all ordered starts, sorted and without start times. Fails if a task is among them twice. */
static void describe(struct fixture *fixture, char *text)
{
	const struct orders *orders = sched_orders(fixture->sched);
	const struct state *state = sched_mirror(fixture->sched)->state;
	char *lines[200];
	const char *line, *granted;
	struct out out;
	size_t n = 0, length;

	for (const struct order *order = orders_after(orders, 0); order; order = orders_after(orders, order->number)) {
		assert_int_equal(order->kind, ORDER_START);
		for (const struct order *other = orders_after(orders, order->number); other;
		     other = orders_after(orders, other->number))
			assert_false(order->job_number == other->job_number && order->task == other->task);
		assert_true(n < 200);
		line = line_of(order, &out, &length);
		granted = memmem(line, length, "\"granted\"", 9);
		assert_non_null(granted);
		assert_int_not_equal(asprintf(&lines[n++], "%u.%u %.*s", order->job_number, order->task,
					      (int)(line + length - granted), granted), -1);
		out_close(&out);
	}
	assert_int_equal(n, state->tasks.pool.used);
	qsort(lines, n, sizeof(*lines), names_compare);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		strcat(text, lines[i]);
		free(lines[i]);
	}
}

static void one_life(bool with_failures, char *text, long *kept)
{
	long before = alive;
	struct schedule_lines lines = { 0 };
	struct fixture *fixture;

	assert_int_equal(dispatch_setup((void **)&fixture), 0);
	put_cell(fixture);
	sched_schedule(fixture->sched, &lines);
	report_jobs(fixture, 1);
	schedule_begin(&lines);
	run_with_failures(fixture, NOW, with_failures);
	report_jobs(fixture, 11);
	schedule_begin(&lines);
	run_with_failures(fixture, NOW + 10, with_failures);
	describe(fixture, text);
	sched_schedule(fixture->sched, NULL);
	schedule_free(&lines);
	assert_int_equal(teardown((void **)&fixture), 0);
	*kept = alive - before;
}

static void test_no_allocation_that_fails_loses_or_doubles_a_start(void **state)
{
	static char expected[100000], text[100000];
	long kept[3];			/* the first round fills the library's own caches */

	(void)state;
	one_life(false, expected, &kept[0]);
	one_life(false, expected, &kept[1]);
	one_life(true, text, &kept[2]);
	assert_true(strlen(expected) > 1000);
	assert_string_equal(text, expected);
	assert_int_equal(kept[2], kept[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_allocation_that_fails_loses_or_doubles_a_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
