/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time from records of ends: the task that it belongs to, and no double counting. The processes
 * are simulated, with pids that are used again soon. They fork, work, end and are inspected in
 * random order. Their usage is known, so that a naive sum gives the expected result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/host/state.h"

#define PIDS 160
#define LEADER 2			/* leader of the task; its parent is a daemon, which has no row */
#define RECORDS 4096
#define TICK_NS 10000000u

enum flaw { NONE, CLAIMS_NOTHING, TAKES_ZOMBIES, FORGETS_LAST_LOOK, TRUSTS_NUMBERS };

struct made_up {
	enum { FREE, LIVING, ZOMBIE } state;
	pid_t parent;
	uint64_t start, own_ns;
	/* Additional threads, which have worked and ended when the process ends. */
	unsigned threads;
	uint64_t threads_ns;
	bool is_tasks;			/* has the task's group */
	uint64_t passed_up_ns;		/* time of descendants that were never inspected */
	bool looked;			/* inspected while it lived */
};

struct world {
	struct host h;
	struct host_task task;
	struct made_up all[PIDS];
	struct taskstats_record queue[RECORDS];
	size_t nqueue;
	/* due: the visible part of the usage of ended processes of the task */
	uint64_t now, due_ns, used_ns;
	enum flaw flaw;
};

static unsigned below(unsigned n)
{
	return (unsigned)random() % n;
}

static void world_make(struct world *world, enum flaw flaw)
{
	memset(world, 0, sizeof(*world));
	world->flaw = flaw;
	world->h.ticks_per_s = 100;
	world->h.second_meter = METER_PROC;		/* no socket: records come from here */
	world->h.exits.socket.fd = -1;
	world->task.used = true;
	world->h.tasks = &world->task;
	world->h.ntasks = 1;
	world->now = 1;
	world->all[LEADER] = (struct made_up){ .state = LIVING, .parent = 1, .start = world->now, .is_tasks = true };
	for (pid_t pid = 10; pid < 14; pid++)	/* processes that belong to no task */
		world->all[pid] = (struct made_up){ .state = LIVING, .parent = 1, .start = world->now };
}

static void world_end(struct world *world)
{
	free(world->h.processes);
	ids_free(&world->h.process_rows);
	exits_close(&world->h.exits);
}

/* Actions of processes */

static pid_t living_pick(const struct world *world)
{
	for (;;) {
		pid_t pid = (pid_t)below(PIDS);

		if (world->all[pid].state == LIVING)
			return pid;
	}
}

static void fork_one(struct world *world)
{
	pid_t parent = living_pick(world), pid = (pid_t)below(PIDS);

	if (pid > 1 && world->all[pid].state == FREE)
		world->all[pid] = (struct made_up){
			.state = LIVING, .parent = parent, .start = world->now, .is_tasks = world->all[parent].is_tasks
		};
}

static void work(struct world *world)
{
	struct made_up *up = &world->all[living_pick(world)];
	uint64_t ns = below(3 * TICK_NS);

	up->own_ns += ns;
	world->used_ns += up->is_tasks ? ns : 0;
	if (below(8) == 0) {
		up->threads++;
		up->threads_ns += ns;
	}
}

static void record_put(struct world *world, pid_t pid, uint64_t cpu_ns, bool last)
{
	assert_true(world->nqueue < RECORDS);
	world->queue[world->nqueue++] = (struct taskstats_record){
		.process = pid,
		.parent = world->all[pid].parent,
		.cpu_ns = cpu_ns,
		.began = world->all[pid].start + below(2),
		.last = last,
	};
}

/* End a process. If it was never inspected, its time is due when its parent's time is. */
static void end_one(struct world *world, pid_t pid)
{
	struct made_up *up = &world->all[pid];
	uint64_t all_ns = up->own_ns + up->passed_up_ns;

	if (up->threads)
		record_put(world, pid, up->threads_ns, false);
	record_put(world, pid, up->own_ns - up->threads_ns, true);
	if (up->looked && up->is_tasks)
		world->due_ns += all_ns;
	else if (up->parent > 1)
		world->all[up->parent].passed_up_ns += all_ns;
	for (pid_t child = 0; child < PIDS; child++)
		if (world->all[child].parent == pid)
			world->all[child].parent = 1;
	/* The parent ignores SIGCHLD, waits at once, or waits later. */
	up->state = below(3) ? FREE : ZOMBIE;
}

static void zombies_wait(struct world *world)
{
	for (pid_t pid = 0; pid < PIDS; pid++)
		if (world->all[pid].state == ZOMBIE && below(3) == 0)
			world->all[pid].state = FREE;
}

static void live(struct world *world, unsigned deeds)
{
	for (; deeds; deeds--, world->now++) {
		pid_t pid = living_pick(world);

		switch (below(4)) {
		case 0:
			fork_one(world);
			break;
		case 1:
			if (pid != LEADER && (pid < 10 || pid > 13))
				end_one(world, pid);
			break;
		default:
			work(world);
		}
	}
	zombies_wait(world);
}

/* Observations of the host */

static void records_read(struct world *world)
{
	for (size_t k = 0; k < world->nqueue; k++)
		exits_take(&world->h, &world->queue[k]);
	world->nqueue = 0;
}

/* Inspect a process like process_look(). */
static void look(struct world *world, pid_t pid)
{
	struct made_up *up = &world->all[pid];
	struct process *process;

	if (world->flaw == CLAIMS_NOTHING)
		exits_claim(&world->h, pid);
	process = process_meet(&world->h, pid);
	if (process->dead)
		return;
	if (process->start ? process->start != up->start : process->ended && up->state == LIVING) {
		process_die(&world->h, process);
		return;
	}
	if (!process->start) {
		world->h.unlooked--;
		process->start = up->start;
		if (world->flaw != TRUSTS_NUMBERS)
			exits_begun(&world->h, process);
		if (up->state == ZOMBIE && world->flaw != TAKES_ZOMBIES)
			exits_pass_by(&world->h, process);
		process->task = up->is_tasks ? 0 : NO_TASK;
	}
	up->looked |= up->state == LIVING;
	process->ticks = up->own_ns / TICK_NS;
}

static void looks(struct world *world)
{
	world->h.round++;
	for (pid_t pid = 0; pid < PIDS; pid++) {
		struct process *process = process_find(&world->h, pid);

		if (process && (world->all[pid].state == FREE || below(8) == 0) && !process->dead && process->start)
			process_die(&world->h, process);	/* ended, or inspected as it ends: below */
		if (process && process->dead && world->all[pid].state == LIVING &&
		    process->start == world->all[pid].start) {
			if (pid == LEADER || (pid > 9 && pid < 14)) {
				process->dead = false;
				continue;
			}
			end_one(world, pid);
		}
		if (world->all[pid].state != FREE && (process || below(3)))
			look(world, pid);
	}
}

static void round_make(struct world *world)
{
	if (below(2))
		records_read(world);
	looks(world);
	if (world->all[LEADER].state == LIVING && below(2))
		live(world, 5);
	records_read(world);
	for (size_t k = 0; world->flaw == FORGETS_LAST_LOOK && k < world->h.nprocesses; k++)
		world->h.processes[k].passed_by |= world->h.processes[k].dead;
	exits_sum_up(&world->h);
	processes_remove_dead(&world->h);
	exits_sweep(&world->h);
}

/* End all processes, leaves first, and compare the time that is due. Return whether it is right. */
static bool history(unsigned seed, enum flaw flaw)
{
	static struct world world;
	bool well = true;

	srandom(seed);
	world_make(&world, flaw);
	round_make(&world);
	for (int k = 0; k < 60; k++) {
		uint64_t before = world.task.exits_ns;

		live(&world, below(60));
		round_make(&world);
		well = well && world.task.exits_ns <= world.used_ns && world.task.exits_ns + TICK_NS >= before;
	}
	for (pid_t pid = PIDS; pid-- > 0;)
		if (world.all[pid].state == LIVING && pid != LEADER)
			end_one(&world, pid);
	end_one(&world, LEADER);
	for (int k = 0; k < EXITS_ROUNDS + 2; k++) {
		for (pid_t pid = 0; pid < PIDS; pid++)
			world.all[pid].state = FREE;
		round_make(&world);
	}
	well = well && world.task.exits_ns == world.due_ns && world.due_ns <= world.used_ns &&
	       world.h.exits.nunseen == 0;
	world_end(&world);
	return well;
}

static unsigned wrong_of(unsigned n, unsigned first, enum flaw flaw)
{
	unsigned wrong = 0;

	for (unsigned k = 0; k < n; k++)
		wrong += !history(first + k, flaw);
	return wrong;
}

static void test_each_end_counts_once_and_for_its_own_task(void **state)
{
	const char *text = getenv("SEED"), *many = getenv("HISTORIES");
	unsigned seed = text ? (unsigned)atoi(text) : (unsigned)time(NULL), n = many ? (unsigned)atoi(many) : 300;

	(void)state;
	print_message("SEED=%u HISTORIES=%u\n", seed, n);
	for (unsigned k = 0; k < n; k++)
		if (!history(seed + k, NONE))
			fail_msg("with SEED=%u", seed + k);
}

static void test_histories_detect_omitted_usage(void **state)
{
	(void)state;
	assert_true(wrong_of(20, 1, CLAIMS_NOTHING) > 0);
	assert_true(wrong_of(20, 1, TAKES_ZOMBIES) > 0);
	assert_true(wrong_of(20, 1, FORGETS_LAST_LOOK) > 0);
	/* A reused number between two inspections is rare. */
	assert_true(wrong_of(1, 1795407978, TRUSTS_NUMBERS) > 0);
}

static void take(struct world *world, pid_t process, pid_t parent, uint64_t cpu_ns, bool last)
{
	exits_take(&world->h, &(struct taskstats_record){ process, parent, cpu_ns, world->now, last });
}

static void test_a_storm_of_parents_that_are_never_met_is_bounded_and_counted(void **state)
{
	static struct world world;

	(void)state;
	world_make(&world, NONE);
	for (pid_t pid = 0; pid < EXITS_UNSEEN_MOST + 100; pid++)
		take(&world, 1000000 + pid, 2000000 + pid, 7, true);
	assert_int_equal(world.h.exits.nunseen, EXITS_UNSEEN_MOST);
	assert_int_equal(world.h.exits.given_up_ns, 700);
	for (int k = 0; k < EXITS_ROUNDS; k++) {
		assert_int_equal(world.h.exits.nunseen, EXITS_UNSEEN_MOST);
		world.h.round++;
		exits_sweep(&world.h);
	}
	assert_int_equal(world.h.exits.nunseen, 0);
	assert_int_equal(world.h.exits.given_up_ns, 7 * (EXITS_UNSEEN_MOST + 100));
	world_end(&world);
}

static void test_usage_from_proc_is_the_minimum_when_records_were_lost(void **state)
{
	static struct world world;

	(void)state;
	world_make(&world, NONE);
	world.all[LEADER].own_ns = 5 * TICK_NS;
	look(&world, LEADER);
	world.task.ticks = 12;		/* seven of them belong to children that it has waited for */
	exits_sum_up(&world.h);
	assert_int_equal(world.task.exits_ns, 5 * TICK_NS);
	world.h.exits.has_lost = true;
	exits_sum_up(&world.h);
	assert_int_equal(world.task.exits_ns, 12 * TICK_NS);
	take(&world, 50, LEADER, 3, true);	/* from there on */
	exits_sum_up(&world.h);
	assert_int_equal(world.task.exits_ns, 12 * TICK_NS + 3);
	world_end(&world);
}

static void test_a_process_that_began_after_the_record_is_not_matched(void **state)
{
	static struct world world;

	(void)state;
	world_make(&world, NONE);
	world.now = 9;
	world.all[LEADER].start = 9;
	look(&world, LEADER);
	exits_take(&world.h, &(struct taskstats_record){ LEADER, 1, 5, 8, true });
	exits_sum_up(&world.h);
	assert_int_equal(world.task.exits_ns, 0);
	exits_take(&world.h, &(struct taskstats_record){ LEADER, 1, 5, 9, true });
	exits_sum_up(&world.h);
	assert_int_equal(world.task.exits_ns, 5);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_end_counts_once_and_for_its_own_task),
		cmocka_unit_test(test_histories_detect_omitted_usage),
		cmocka_unit_test(test_a_storm_of_parents_that_are_never_met_is_bounded_and_counted),
		cmocka_unit_test(test_usage_from_proc_is_the_minimum_when_records_were_lost),
		cmocka_unit_test(test_a_process_that_began_after_the_record_is_not_matched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
