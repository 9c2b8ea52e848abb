/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When memory runs out at an allocation while orders are made, sent or settled, they are made
 * later: each job starts, usage is booked once, each finished task is removed, and no memory leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/gridengine/scripted.h"
#include "tests/failing_memory.h"

#ifndef CAN_FAIL

int main(void)
{
	printf("allocations cannot be made to fail in this build\n");
	return 77;
}

#else

#define PENDING 3u			/* jobs 1 to PENDING wait */
#define ENDED 10u			/* this job has ended */

static struct fixture *f;
static bool gone, removing;		/* job ENDED was removed; it still must be reported */

static void removed(uint32_t job_number, uint32_t task)
{
	(void)task;
	assert_int_equal(job_number, ENDED);
	removing = !gone;
	gone = true;
}

/* Allow n allocations in the calls until memory_back(). */
static void memory_ends(long n)
{
	left = n;
}

/* Return whether memory has run out. */
static bool memory_back(void)
{
	bool ran_out = left == -1;

	left = -1;
	return ran_out;
}

/* Report the effects of the orders that have been carried out, as the qmaster does. */
static void effects_report(void)
{
	for (uint32_t i = 1; i <= PENDING; i++) {
		const struct task *task = mirror_find_task(q.f->intake.mirror, i, 1);

		if (count_seen(PACKED_START, i) > 0 && task && task->order) {
			TELL(f, START "%u}", i);
			settlement_started(&q.g, i, 1);
		}
	}
	if (removing) {
		TELL(f, DELETE "%u}", ENDED);
		settlement_removed(&q.g, ENDED, 0);
		removing = false;
	}
}

static void orders_work(void)
{
	while (carry_out())
		;
	effects_report();
	answer();
	deliver();
	settlement_send(&q.g);
}

static void begin(void)
{
	void *state;

	assert_int_equal(scripted_setup(&state), 0);
	f = q.f;
	q.removed = removed;
	gone = removing = false;
	put(f, "share_tree",
	    "id=0\nname=Root\ntype=0\nshares=1\nchildnodes=1,2\nid=1\nname=ann\ntype=0\nshares=10\nchildnodes=NONE\n"
	    "id=2\nname=bob\ntype=0\nshares=10\nchildnodes=NONE\n");
	set_sched_conf(f, "schedd_job_info", "true");
	reload(f);
	sched_dispatch(f->sched, true);
	TELL(f, "{'event':'queue_instance','queue':'all.q@node','slots':9}");
	TELL(f, ADD "%u,'owner':'ann','project':'red'}", ENDED);
	TELL(f, START "%u}", ENDED);
	TELL(f, USAGE "%u,'scaled_usage':{'cpu':10,'mem':1,'io':0}}", ENDED);
	TELL(f, ADD "%u,'owner':'bob'}", ENDED + 1);
	TELL(f, START "%u}", ENDED + 1);
	TELL(f, USAGE "%u,'scaled_usage':{'cpu':5,'mem':1,'io':0}}", ENDED + 1);
	for (uint32_t i = 1; i <= PENDING; i++)
		TELL(f, ADD "%u,'owner':'ann'}", i);
}

/* Play the life with memory that ends at allocation n of `part`. Returns whether it has ended. */
static bool live(unsigned part, long n)
{
	bool ran_out = false;
	void *state;

	begin();
	state = f;
	run(f, NOW);
	if (part == 0)
		memory_ends(n);
	settlement_ran(&q.g, NOW, true);
	settlement_send(&q.g);
	ran_out |= part == 0 && memory_back();
	orders_work();
	if (part == 1)
		memory_ends(n);
	settlement_finished(&q.g, ENDED, 1, true);
	ran_out |= part == 1 && memory_back();
	TELL(f, FINISH "%u,'kept':true,'scaled_usage':{'cpu':12,'mem':1,'io':0}}", ENDED);
	if (ran_out && part == 1)		/* the delivery is repeated */
		settlement_finished(&q.g, ENDED, 1, true);
	for (int k = 1; k < 8; k++) {
		run(f, NOW + k);
		if (part == 2 && k == 1)
			memory_ends(n);
		settlement_ran(&q.g, NOW + k, true);
		settlement_send(&q.g);
		ran_out |= part == 2 && k == 1 && memory_back();
		orders_work();
		orders_work();
	}
	if (count_seen(PACKED_START, 1) + count_seen(PACKED_START, 2) + count_seen(PACKED_START, 3) != 3)
		fail_msg("part %u, allocation %ld: %zu starts", part, n, count_seen(PACKED_START, 0));
	CHECK(scripted_value(&q.users[0].in_project_ever, "cpu"), 12);
	CHECK(scripted_value(&q.users[1].long_term, "cpu"), 5);
	CHECK(scripted_value(&q.users[2].long_term, "cpu"), 12);
	if (!gone)
		fail_msg("part %u, allocation %ld: the ended task was not removed", part, n);
	assert_int_equal(scripted_teardown(&state), 0);
	return ran_out;
}

/* Return how many blocks of memory a life leaves. `ran_out`: memory has ended in it. */
static long blocks_left(unsigned part, long n, bool *ran_out)
{
	long before = alive;

	*ran_out = live(part, n);
	return alive - before;
}

static void test_orders_without_memory_are_made_later(void **state)
{
	bool ran_out;
	long usual;

	(void)state;
	blocks_left(0, 0, &ran_out);		/* the first line of the log takes memory of the C library */
	usual = blocks_left(0, -1, &ran_out);	/* the environment of the test's cell */
	for (unsigned part = 0; part < 3; part++) {
		long n = 0, blocks = blocks_left(part, 0, &ran_out);

		while (ran_out) {
			if (blocks != usual)
				fail_msg("part %u, allocation %ld: %ld blocks are left", part, n, blocks - usual);
			blocks = blocks_left(part, ++n, &ran_out);
		}
		print_message("part %u: %ld allocations\n", part, n);
		assert_true(n > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders_without_memory_are_made_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
