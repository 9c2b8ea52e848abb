/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are ordered to vacate in a local cell: their time, their signals, and their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/local/inprocess.h"

#include "sched/mirror/tables.h"

#define TRAPS(name, then) "trap '" then "' " name "; echo begun; while :; do sleep 0.02; done"

static struct local_task *task(uint32_t number)
{
	struct local_task *local_task = local_task_find(local(), number, 1);

	assert_non_null(local_task);
	return local_task;
}

static uint32_t start(const char *line)
{
	uint32_t number = submit(line, "{}");

	run();
	TURN_UNTIL(strcmp(printed(number), "begun\n") == 0);
	return number;
}

static void vacate(uint32_t number, const char *signal, uint32_t retirement_s, uint32_t vacate_s)
{
	const struct order_vacate order = { .queue = local_task_queue(task(number)),
					    .reason = VACATE_PRIORITY,
					    .winner = "better@here",
					    .signal = signal,
					    .retirement_s = retirement_s,
					    .vacate_s = vacate_s };

	assert_true(orders_vacate(sched_orders(in.sched), number, 1, &order) > 0);
	turn();
}

static pid_t shepherd(uint32_t number)
{
	char name[DIRECTORY_BYTES];
	struct attempt a = { 0 };
	struct error error;
	int fd;

	local_task_directory(task(number), name);
	fd = openat(local()->active_fd, name, O_RDONLY | O_DIRECTORY);
	assert_int_equal(attempt_look(fd, &a, &error), 0);
	close(fd);
	return a.shepherd.pid;
}

/*
 * Return whether the job waits ("1" in the store, "" after its end, with or without booked usage).
 */
static bool waits(uint32_t number)
{
	struct stored_job stored;
	struct error error;

	assert_int_equal(store_job_find(local()->store, number, &stored, &error), 0);
	return strcmp(stored.waiting, "1") == 0;
}

static void test_a_vacated_task_waits_again_and_reports_how_it_ended(void **state)
{
	uint32_t number = start(TRAPS("USR1", "echo saved; exit 0"));

	(void)state;
	vacate(number, "SIGUSR1", 0, 600);
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_string_equal(printed(number), "begun\nsaved\n");
	assert_true(task(number)->ending.vacated);
	assert_int_equal(task(number)->ending.how, VACATED_SOFT);
	assert_true(waits(number));
}

static void test_a_vacated_job_starts_again_when_it_has_slots(void **state)
{
	uint32_t number = start(TRAPS("TERM", "exit 0"));

	(void)state;
	vacate(number, "15", 0, 600);
	TURN_UNTIL(local_task_has_ended(task(number)));
	run();
	run();
	TURN_UNTIL(strcmp(printed(number), "begun\nbegun\n") == 0);
}

static void test_a_job_that_ignores_its_signal_is_killed(void **state)
{
	uint32_t number = start(TRAPS("TERM", ""));
	struct timespec from, to;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &from);
	vacate(number, "SIGTERM", 0, 1);
	TURN_UNTIL(local_task_has_ended(task(number)));
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_int_equal(task(number)->ending.how, VACATED_HARD);
	assert_true((double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9 >= 0.99);
	assert_true(waits(number));
}

static void test_a_job_without_a_signal_is_killed_at_once(void **state)
{
	uint32_t number = start(TRAPS("TERM", "echo saved; exit 0"));

	(void)state;
	vacate(number, NULL, 0, 600);
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_int_equal(task(number)->ending.how, VACATED_HARD);
	assert_string_equal(printed(number), "begun\n");
}

static void test_a_job_that_ends_within_its_retirement_is_done(void **state)
{
	uint32_t number = start("trap 'echo signal' TERM; echo begun; sleep 0.3; exit 0");

	(void)state;
	vacate(number, "SIGTERM", 600, 600);
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_false(task(number)->ending.vacated);
	assert_string_equal(printed(number), "begun\n");
	assert_false(waits(number));
}

static void test_a_deleted_job_does_not_wait_again(void **state)
{
	uint32_t number = start(TRAPS("TERM", ""));
	char job[16];

	(void)state;
	vacate(number, "SIGTERM", 0, 600);
	snprintf(job, sizeof(job), "%u", number);
	json_decref(ask(json_pack("{s:s,s:[{s:s}],s:b}", "request", "delete", "jobs", "job", job, "force", 1)));
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_false(task(number)->ending.vacated);
	assert_false(waits(number));
}

static void test_the_next_scheduler_continues_and_reports_each_end_once(void **state)
{
	uint32_t number = start(TRAPS("TERM", "echo signal"));

	(void)state;
	vacate(number, "SIGTERM", 0, 600);
	TURN_UNTIL(strcmp(printed(number), "begun\nsignal\n") == 0);
	cell_restart();
	assert_true(task(number)->leave.is_due);
	vacate(number, "SIGTERM", 0, 1);
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_int_equal(task(number)->ending.how, VACATED_HARD);
	assert_string_equal(printed(number), "begun\nsignal\n");
	assert_true(waits(number));
}

static void test_the_next_scheduler_kills_when_the_time_is_over(void **state)
{
	uint32_t number = start(TRAPS("TERM", ""));

	(void)state;
	vacate(number, "SIGTERM", 0, 1);
	cell_restart();
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_int_equal(task(number)->ending.how, VACATED_HARD);
	assert_true(waits(number));
}

static void test_the_next_scheduler_does_not_cut_a_retirement_short(void **state)
{
	uint32_t number = start(TRAPS("TERM", "echo signal; exit 0"));

	(void)state;
	vacate(number, "SIGTERM", 600, 600);
	cell_restart();
	for (int i = 0; i < 30; i++)
		turn();
	assert_string_equal(printed(number), "begun\n");
	assert_true(task(number)->leave.is_due);
}

static void test_a_retirement_outlasts_the_scheduler(void **state)
{
	uint32_t number = start(TRAPS("TERM", "echo signal; exit 0"));

	(void)state;
	vacate(number, "SIGTERM", 1, 600);
	cell_restart();
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_int_equal(task(number)->ending.how, VACATED_SOFT);
	assert_string_equal(printed(number), "begun\nsignal\n");
}

/*
 * The way in which the task ended is in the store by then. It is reported again to a scheduler that
 * has not booked it.
 */
static void test_a_vacated_ending_is_known_after_a_restart(void **state)
{
	uint32_t number = start(TRAPS("TERM", "exit 0"));

	(void)state;
	vacate(number, "SIGTERM", 0, 600);
	TURN_UNTIL(local_task_has_ended(task(number)));
	cell_restart();
	assert_true(task(number)->ending.vacated);
	assert_int_equal(task(number)->ending.how, VACATED_SOFT);
	assert_true(waits(number));
}

static void test_an_earlier_order_counts(void **state)
{
	uint32_t number = start(TRAPS("TERM", "exit 0"));

	(void)state;
	vacate(number, "SIGTERM", UINT32_MAX, 600);
	vacate(number, "SIGTERM", 600, 600);
	vacate(number, NULL, 0, 0);
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_int_equal(task(number)->ending.how, VACATED_HARD);
}

static void test_a_later_order_gives_no_time_back(void **state)
{
	uint32_t number = start(TRAPS("TERM", "exit 0"));

	(void)state;
	vacate(number, "SIGTERM", 1, 600);
	vacate(number, "SIGTERM", UINT32_MAX, 600);
	TURN_UNTIL(local_task_has_ended(task(number)));
	assert_int_equal(task(number)->ending.how, VACATED_SOFT);
}

/* A shepherd that hangs: KILLING_TIMEOUT is over, and all processes of the task are killed. */
static void test_a_stuck_shepherd_is_killed_with_its_task(void **state)
{
	struct cell *cell = (struct cell *)(uintptr_t)sched_cell(in.sched);
	uint32_t number = start(TRAPS("TERM", "")), timeout = cell->condor.killing_timeout;
	pid_t leader, pid = shepherd(number);
	FILE *children;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	children = fopen(path, "r");
	assert_int_equal(fscanf(children, "%d", &leader), 1);
	fclose(children);
	cell->condor.killing_timeout = 1;
	kill(pid, SIGSTOP);
	vacate(number, "SIGTERM", 0, 0);
	TURN_UNTIL(local_task_has_ended(task(number)));
	cell->condor.killing_timeout = timeout;
	assert_int_equal(task(number)->ending.how, VACATED_HARD);
	assert_true(waits(number));
	assert_true(kill(leader, 0) || waitpid(leader, NULL, WNOHANG) == leader);
}

/* Start the task, wait until it has begun, delete it, and wait for its end. */
static void end_by_deletion(uint32_t number)
{
	char job[16];

	run();
	TURN_UNTIL(strcmp(printed(number), "begun\n") == 0);
	snprintf(job, sizeof(job), "%u", number);
	json_decref(ask(json_pack("{s:s,s:[{s:s}]}", "request", "delete", "jobs", "job", job)));
	TURN_UNTIL(local_task_has_ended(task(number)));
}

/* The signal of the job has priority over terminate_method of the queue, which is SIGTERM here. */
static void test_a_deleted_job_gets_the_signal_that_it_has_requested(void **state)
{
	uint32_t number = submit(TRAPS("USR2", "echo removed; exit 0"),
				 "{\"kill_sig\":\"SIGUSR1\",\"remove_kill_sig\":\"USR2\"}");

	(void)state;
	end_by_deletion(number);
	assert_string_equal(printed(number), "begun\nremoved\n");
	assert_false(waits(number));
}

/* Return whether the job had time to report its signal before it was killed. */
static bool is_killed_after(unsigned seconds)
{
	char members[100];
	uint32_t number;

	snprintf(members, sizeof(members), "{\"kill_sig\":\"SIGTERM\",\"job_max_vacate_time\":%u}", seconds);
	number = submit(TRAPS("TERM", "echo signal"), members);
	end_by_deletion(number);
	assert_int_equal(task(number)->ending.signal, SIGKILL);
	return strcmp(printed(number), "begun\nsignal\n") == 0;
}

static void test_a_vacated_job_is_killed_when_its_requested_time_is_over(void **state)
{
	(void)state;
	assert_true(is_killed_after(1) || is_killed_after(5) ||
		    is_killed_after(25)); /* a slow machine needs more time */
}

static void is_refused(const char *members, const char *words)
{
	json_t *result = ask(json_pack("{s:s,s:o,s:{s:[s]}}", "request", "submit", "job", json_loads(members, 0, NULL),
				       "execution", "command", "true"));
	const char *text = json_string_value(json_object_get(result, "text"));

	assert_int_equal(json_integer_value(json_object_get(result, "code")), 2);
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in: %s", words, text);
	json_decref(result);
}

static void test_invalid_htcondor_members_are_refused_with_a_reason(void **state)
{
	(void)state;
	is_refused("{\"kill_sig\":\"SIGNAL\"}", "kill_sig");
	is_refused("{\"remove_kill_sig\":\"STOP\"}", "other than SIGSTOP");
	is_refused("{\"hold_kill_sig\":17}", "a string is expected");
	is_refused("{\"requirements\":\"1 +\"}", "requirements");
	is_refused("{\"ad\":{\"1x\":1}}", "ad");
	is_refused("{\"ad\":{\"KillSig\":\"SIGTERM\"}}", "kill_sig");
	is_refused("{\"job_prio\":3000000000}", "job_prio");
	is_refused("{\"accounting_group\":\"a b\"}", "accounting_group");
	is_refused("{\"uid_domain\":\"elsewhere\"}", "uid_domain");
	is_refused("{\"cluster\":1}", "cluster");
}

/* The store and the mirror have the same values, also after a restart. */
static void test_htcondor_members_of_a_job_are_kept_and_reported(void **state)
{
	uint32_t number = submit(
		"exit 0",
		"{\"hold\":{\"u\":\"1\"},\"accounting_group\":\"physics.hep\",\"accounting_group_user\":\"ann\",\"job_prio\":-7,\"kill_sig\":\"SIGUSR1\","
		"\"requirements\":\"TARGET.Memory > 5\",\"rank\":\"Mips\",\"ad\":{\"Project\":{\"expr\":\"1 + 1\"},\"Kind\":\"x\"}}");

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct state *s = in.intake.mirror->state;
		uint32_t row = jobs_find(&s->jobs, number);
		struct stored_job stored;
		struct error error;

		assert_int_not_equal(row, INDEX_NONE);
		assert_int_equal(job_condor(&s->jobs, row).job_prio, -7);
		assert_int_equal(store_job_find(local()->store, number, &stored, &error), 0);
		assert_non_null(strstr(stored.job, "\"accounting_group\":\"physics.hep\""));
		assert_non_null(strstr(stored.job, "\"ad\":{\"Project\":{\"expr\":\"1 + 1\"},\"Kind\":\"x\"}"));
		cell_restart();
	}
}

static void test_an_order_that_names_no_signal_is_refused(void **state)
{
	uint32_t number = start(TRAPS("TERM", "exit 0"));
	uint64_t refused = sched_orders(in.sched)->refused;

	(void)state;
	vacate(number, "SIGNAL", 0, 600);
	assert_false(task(number)->leave.is_due);
	assert_int_equal(sched_orders(in.sched)->refused, refused + 1);
}

static void test_a_pending_job_is_not_vacated(void **state)
{
	const struct order_vacate order = { .queue = "all.q@here", .signal = "SIGTERM" };
	uint32_t number = submit("exit 0", "{}");
	uint64_t refused = sched_orders(in.sched)->refused;

	(void)state;
	assert_true(orders_vacate(sched_orders(in.sched), number, 1, &order) > 0);
	turn();
	assert_int_equal(sched_orders(in.sched)->refused, refused + 1);
	assert_true(waits(number));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cell_make, cell_destroy)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_vacated_task_waits_again_and_reports_how_it_ended),
		TEST(test_a_vacated_job_starts_again_when_it_has_slots),
		TEST(test_a_job_that_ignores_its_signal_is_killed),
		TEST(test_a_job_without_a_signal_is_killed_at_once),
		TEST(test_a_job_that_ends_within_its_retirement_is_done),
		TEST(test_a_deleted_job_does_not_wait_again),
		TEST(test_the_next_scheduler_continues_and_reports_each_end_once),
		TEST(test_the_next_scheduler_kills_when_the_time_is_over),
		TEST(test_the_next_scheduler_does_not_cut_a_retirement_short),
		TEST(test_a_retirement_outlasts_the_scheduler),
		TEST(test_a_vacated_ending_is_known_after_a_restart),
		TEST(test_an_earlier_order_counts),
		TEST(test_a_later_order_gives_no_time_back),
		TEST(test_a_stuck_shepherd_is_killed_with_its_task),
		TEST(test_a_deleted_job_gets_the_signal_that_it_has_requested),
		TEST(test_a_vacated_job_is_killed_when_its_requested_time_is_over),
		TEST(test_invalid_htcondor_members_are_refused_with_a_reason),
		TEST(test_htcondor_members_of_a_job_are_kept_and_reported),
		TEST(test_an_order_that_names_no_signal_is_refused),
		TEST(test_a_pending_job_is_not_vacated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
