/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-schedd --store: acknowledged events are on the disk, whenever the scheduler is killed.
 */
#include "tests/daemon/process.h"

#include <sqlite3.h>

#define START(seq, number) "{\"seq\":" #seq ",\"event\":\"task_start\",\"job_number\":" #number ",\"start_time\":2," \
	"\"granted\":[{\"queue\":\"all.q@node\",\"slots\":1}]}\n"
#define USAGE(seq, number, cpu) "{\"seq\":" #seq ",\"event\":\"usage\",\"job_number\":" #number ",\"scaled_usage\":{\"cpu\":" #cpu "}}\n"
#define FINISH(seq, number, cpu) "{\"seq\":" #seq ",\"event\":\"task_finish\",\"job_number\":" #number "," \
	"\"scaled_usage\":{\"cpu\":" #cpu "}}\n"

static const char *const serve_store[] = { "-v", "--no-dispatch", "--events", "-", "--store", NULL, NULL };

static struct process *serve_with_store(void)
{
	const char *arguments[sizeof(serve_store) / sizeof(*serve_store)];

	memcpy(arguments, serve_store, sizeof(arguments));
	arguments[5] = scratch_path("store");
	return process_start(arguments);
}

static void begin(void)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -f %s*; mkdir -p %s", scratch_path("store"), scratch_path("cell/users"));
	assert_int_equal(system(command), 0);
	configure("");
	scratch_write("cell/users/ann", "name ann\noticket 0\nfshare 100\ndelete_time 0\ndefault_project NONE\n");
}

/* Return the CPU time of ann that is committed on the disk. */
static double stored_cpu(void)
{
	sqlite3 *db;
	sqlite3_stmt *s = NULL;
	double cpu;

	assert_int_equal(sqlite3_open_v2(scratch_path("store"), &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT long_term_usage ->> 'cpu' FROM usage WHERE name = 'ann'", -1, &s, NULL),
		SQLITE_OK);
	cpu = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_double(s, 0) : -1;
	sqlite3_finalize(s);
	sqlite3_close(db);
	return cpu;
}

static void kill_now(struct process *process)
{
	assert_int_equal(kill(process->pid, SIGKILL), 0);
	assert_int_equal(process_end(process), -SIGKILL);
}

/* Return the beginning of the first unread answer. */
static const char *first_answer(const struct process *process)
{
	static char text[18];

	assert_int_equal(read(process->out, text, sizeof(text) - 1), sizeof(text) - 1);
	return text;
}

#define BEGIN(seq) EVENT(seq, snapshot_begin)
#define END(seq) EVENT(seq, snapshot_end)

static void test_acknowledged_usage_survives_a_kill_and_is_booked_once(void **state)
{
	struct process *process;

	(void)state;
	begin();
	process = serve_with_store();
	send_text(process->in, BEGIN(1) JOB(2, 1) START(3, 1) USAGE(4, 1, 10) END(5));
	expect(process, process->out, ACK(5));
	assert_true(stored_cpu() == 10);
	send_text(process->in, FINISH(6, 1, 12));
	expect(process, process->out, ACK(6));
	assert_true(stored_cpu() == 12);
	kill_now(process);
	assert_true(stored_cpu() == 12);
	process = serve_with_store();
	send_text(process->in, BEGIN(1) JOB(2, 1) START(3, 1) USAGE(4, 1, 11) JOB(5, 2) START(6, 2) USAGE(7, 2, 5)
				       END(8) FINISH(9, 1, 12));
	expect(process, process->out, ACK(9));
	assert_true(stored_cpu() == 17);
	assert_int_equal(process_stop(process), 0);
	assert_true(stored_cpu() == 17);
}

static void test_events_are_acknowledged_only_after_they_are_stored(void **state)
{
	struct process *process;
	sqlite3 *other;

	(void)state;
	begin();
	process = serve_with_store();
	expect(process, process->err, "serving");
	assert_int_equal(sqlite3_open(scratch_path("store"), &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	send_text(process->in, BEGIN(1) JOB(2, 1) START(3, 1) USAGE(4, 1, 10) END(5));
	expect(process, process->err, "usage cannot be stored and is not acknowledged until it is: cannot write the store");
	send_text(process->in, JOB(5, 7));	/* processed already, but not on the disk */
	send_text(process->in, USAGE(6, 1, 12) JOB(7, 2));
	expect(process, process->err, "1 pending jobs, 1 pending and 1 started");
	send_text(process->in, EVENT(8, nonsense));
	assert_string_equal(first_answer(process), "{\"answer\":\"error\"");
	sqlite3_close(other);
	send_text(process->in, JOB(9, 3));
	expect(process, process->err, "usage is stored again");
	expect(process, process->out, ACK(9));
	assert_true(stored_cpu() == 12);
	assert_int_equal(process_stop(process), 0);
}

static void change_store(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(scratch_path("store"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void test_usage_that_cannot_be_booked_is_reported_and_not_acknowledged(void **state)
{
	struct process *process;

	(void)state;
	begin();
	process = serve_with_store();
	send_text(process->in, BEGIN(1) JOB(2, 1) START(3, 1) USAGE(4, 1, 10) END(5));
	expect(process, process->out, ACK(5));
	kill_now(process);
	change_store("UPDATE debited SET usage = '?'; VACUUM");
	process = serve_with_store();
	send_text(process->in, BEGIN(1) JOB(2, 1) START(3, 1) USAGE(4, 1, 11) END(5));
	expect(process, process->err,
	       "usage of 1 jobs or tasks is not booked: the earlier usage cannot be read: the store");
	send_text(process->in, EVENT(6, nonsense));
	assert_string_equal(first_answer(process), "{\"answer\":\"error\"");
	change_store("UPDATE debited SET usage = '{\"cpu\":10}'");
	send_text(process->in, JOB(7, 3));
	expect(process, process->err, "the delayed usage is booked");
	expect(process, process->out, ACK(7));
	assert_true(stored_cpu() == 11);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_single_run_over_a_file_keeps_usage(void **state)
{
	(void)state;
	begin();
	scratch_write("events", JOB(1, 1) START(2, 1) FINISH(3, 1, 8));
	for (int i = 0; i < 2; i++) {	/* a repetition gives the same result */
		struct process *process = process_start(
			(const char *const[]){ "--once", "--no-dispatch", "--now", "1000", "--events",
					       scratch_path("events"), "--store", scratch_path("store"), NULL });

		expect(process, process->out, ACK(3));
		assert_int_equal(process_end(process), 0);
		assert_true(stored_cpu() == 8);
	}
}

static void test_a_store_that_can_not_be_used_ends_the_scheduler(void **state)
{
	struct process *process;

	(void)state;
	begin();
	process = serve_with_store();
	expect(process, process->err, "serving");
	assert_int_equal(mkdir(scratch_path("other"), 0755), 0);
	assert_int_equal(setenv("FAIRLEAD_SHM", scratch_path("other"), 1), 0);
	assert_int_equal(exit_of((const char *const[]){ "--once", "--store", scratch_path("store"), NULL },
				 "another process has"),
			 4);
	assert_int_equal(setenv("FAIRLEAD_SHM", scratch_path("shm"), 1), 0);
	assert_int_equal(process_stop(process), 0);
	assert_int_equal(
		exit_of((const char *const[]){ "--once", "--store", scratch_path("no/store"), NULL }, "No such file"),
		3);
	assert_int_equal(
		exit_of((const char *const[]){ "--once", "--store", scratch_path("cell"), NULL }, "Is a directory"), 3);
	scratch_write("text",
		      "this is no database, and it is long enough to be seen as one that is not: a header would have\n"
		      "a hundred bytes\n");
	assert_int_equal(
		exit_of((const char *const[]){ "--once", "--store", scratch_path("text"), NULL }, "is not a database"),
		3);
	assert_int_equal(exit_of((const char *const[]){ "--history-days", "0", NULL }, "--history-days"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_acknowledged_usage_survives_a_kill_and_is_booked_once),
		TEST(test_events_are_acknowledged_only_after_they_are_stored),
		TEST(test_usage_that_cannot_be_booked_is_reported_and_not_acknowledged),
		TEST(test_a_single_run_over_a_file_keeps_usage),
		TEST(test_a_store_that_can_not_be_used_ends_the_scheduler),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
