/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-schedd as a service: signals, the service manager, one scheduler per cell, runs and
 * configuration.
 */
#include "tests/daemon/process.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "sched/reader/fairlead.h"

/* Starting and stopping */

static void test_usage_errors_exit_with_2(void **state)
{
	(void)state;
	assert_int_equal(exit_of((const char *const[]){ "--frequency", NULL }, "--help"), 2);
	assert_int_equal(exit_of((const char *const[]){ "here", NULL }, "only options"), 2);
	assert_int_equal(exit_of((const char *const[]){ "--once", "--now", "today", NULL }, "--now \"today\""), 2);
	assert_int_equal(exit_of((const char *const[]){ "--now", "5", NULL }, "only with --once"), 2);
	assert_int_equal(exit_of((const char *const[]){ "--mode", "0777", NULL }, "--mode"), 2);
	assert_int_equal(exit_of((const char *const[]){ "--mode", "8", NULL }, "--mode"), 2);
	assert_int_equal(exit_of((const char *const[]){ "--group", "no such group", NULL }, "--group"), 2);
	assert_int_equal(exit_of((const char *const[]){ "--segment-bytes", "lots", NULL }, "--segment-bytes"), 2);
	assert_int_equal(exit_of((const char *const[]){ "--once", "--events", "unix:/tmp/x", NULL }, "has no end"), 2);
	assert_int_equal(exit_of((const char *const[]){ "-c", "", NULL }, "FAIRLEAD_CELL"), 2);
}

static void test_a_missing_cell_or_source_exits_with_3(void **state)
{
	(void)state;
	configure("");
	assert_int_equal(exit_of((const char *const[]){ "-c", scratch_path("nowhere"), NULL }, "nowhere"), 3);
	assert_int_equal(exit_of((const char *const[]){ "--events", scratch_path("nothing"), NULL }, "nothing"), 3);
	assert_int_equal(exit_of((const char *const[]){ "--events", "fd:77", NULL }, "descriptor 77 is not open"), 3);
	configure("halftime never\n");
	assert_int_equal(exit_of((const char *const[]){ NULL }, "value \"never\" of halftime"), 3);
}

static void test_a_second_scheduler_on_a_cell_exits_with_4(void **state)
{
	struct process *first;

	(void)state;
	configure("");
	first = serve("-");
	expect(first, first->err, "serving");
	assert_int_equal(exit_of((const char *const[]){ "--once", NULL }, "a scheduler runs on this cell already"), 4);
	send_text(first->in, JOB(1, 1));
	expect(first, first->out, ACK(1));
	assert_int_equal(process_stop(first), 0);
}

static void test_the_end_of_a_stream_is_not_the_end_of_the_scheduler(void **state)
{
	struct process *process;

	(void)state;
	configure("");
	process = serve("-");
	send_text(process->in, JOB(1, 1));
	close(process->in);
	process->in = -1;
	expect(process, process->err, "no more events");
	expect(process, process->err, "run at ");
	expect(process, process->err, "1 pending jobs");
	assert_int_equal(process_stop(process), 0);
}

static void test_runs_follow_each_other_when_only_time_passes(void **state)
{
	struct process *process;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	process = serve("-");
	for (int run = 0; run < 3; run++)
		expect(process, process->err, "run at ");
	assert_int_equal(process_stop(process), 0);
}

static struct fl_run run_seen(void)
{
	struct fl_cell *cell;
	struct fl_run run;

	assert_int_equal(fl_attach(&cell, scratch_path("cell")), 0);
	fl_run(fl_begin(cell), &run);
	assert_int_equal(fl_end(cell), 0);
	fl_detach(cell);
	return run;
}

static void test_a_run_during_a_snapshot_shows_the_state_before_it(void **state)
{
	struct process *process;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	process = serve("-");
	send_text(process->in, JOB(1, 1) JOB(2, 2));
	expect(process, process->out, ACK(2));
	send_text(process->in, EVENT(3, snapshot_begin) JOB(4, 9));
	for (int i = 0; i < 3; i++)
		expect(process, process->err, "2 pending jobs");
	assert_int_equal(run_seen().event, 2);
	assert_int_equal(run_seen().pending, 2);
	send_text(process->in, EVENT(5, snapshot_end));
	expect(process, process->out, ACK(5));
	expect(process, process->err, "1 pending jobs");
	assert_int_equal(process_stop(process), 0);
}

static void test_a_successor_keeps_the_last_run_until_it_has_a_snapshot(void **state)
{
	struct process *process;
	uint64_t generation;

	(void)state;
	configure("schedule_interval 0:10:0\n");
	process = serve("-");
	send_text(process->in, EVENT(1, snapshot_begin) JOB(2, 1) JOB(3, 2) EVENT(4, snapshot_end));
	expect(process, process->err, "2 pending jobs");
	generation = run_seen().generation;
	assert_int_equal(process_stop(process), 0);

	process = serve("-");
	expect(process, process->err, "serving");
	assert_int_equal(run_seen().pending, 2);
	assert_true(run_seen().generation == generation);
	send_text(process->in, EVENT(1, snapshot_begin) JOB(2, 7) EVENT(3, snapshot_end));
	expect(process, process->err, "1 pending jobs");
	assert_int_equal(run_seen().pending, 1);
	assert_true(run_seen().generation > generation);
	assert_int_equal(process_stop(process), 0);
}

static void test_profile_prints_the_phases_of_each_run(void **state)
{
	struct process *process;

	(void)state;
	configure("params PROFILE=1\n");
	process = process_start((const char *const[]){ "--events", "-", NULL });
	expect(process, process->err, "0 started tasks; ms: ");
	expect(process, process->err, "publish ");
	assert_int_equal(process_stop(process), 0);
}

/* Configuration */

static void test_a_broken_file_keeps_the_running_configuration(void **state)
{
	struct process *process;

	(void)state;
	configure("");
	process = serve("-");
	expect(process, process->err, "serving");
	configure("halftime never\n");
	assert_int_equal(kill(process->pid, SIGHUP), 0);
	expect(process, process->err, "value \"never\" of halftime");
	expect(process, process->err, "the old configuration stays in use");
	expect(process, process->out, "{\"answer\":\"error\",\"text\":\"");
	expect(process, process->out, "of halftime");
	send_text(process->in, JOB(1, 1) EVENT(2, config_changed));
	expect(process, process->out, "{\"answer\":\"error\",\"seq\":2,\"text\":\"");
	expect(process, process->out, "of halftime");
	expect(process, process->out, ACK(2));
	configure("halftime 100\n");
	assert_int_equal(kill(process->pid, SIGHUP), 0);
	expect(process, process->err, "configuration read again");
	expect(process, process->err, "run at ");
	assert_int_equal(process_stop(process), 0);
}

/* The service manager */

/* Open a datagram socket like systemd's. `name` begins with '@' if it is abstract. */
static int manager_open(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(at.sun_path, name);
	if (*name == '@')
		at.sun_path[0] = '\0';
	assert_int_equal(
		bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
		0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

/* Read datagrams until one begins with `wanted`. */
static void manager_expect(int fd, const char *wanted)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	char text[1000];
	ssize_t n;

	do {
		if (poll(&pollfd, 1, PATIENCE_S * 1000) != 1)
			fail_msg("%s did not come", wanted);
		n = recv(fd, text, sizeof(text) - 1, 0);
		assert_true(n >= 0);
		text[n] = '\0';
	} while (strncmp(text, wanted, strlen(wanted)) != 0);
}

static void check_manager(const char *name)
{
	int fd = manager_open(name);
	struct process *process;
	struct stat st;
	char segment[300];

	configure("");
	process = serve("-");
	manager_expect(fd, "STATUS=0 pending jobs");
	manager_expect(fd, "READY=1");
	snprintf(segment, sizeof(segment), "ls %s/*/state >/dev/null", scratch_path("shm"));
	assert_int_equal(system(segment), 0);	/* readers have a published run */
	assert_int_equal(kill(process->pid, SIGHUP), 0);
	manager_expect(fd, "RELOADING=1\nMONOTONIC_USEC=");
	manager_expect(fd, "READY=1");
	assert_int_equal(kill(process->pid, SIGTERM), 0);
	manager_expect(fd, "STOPPING=1");
	assert_int_equal(process_end(process), 0);
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	if (stat(name, &st) == 0)
		unlink(name);
}

static void test_the_service_manager_receives_readiness_reload_and_stop(void **state)
{
	char abstract[64];

	(void)state;
	check_manager(scratch_path("notify"));
	scratch_forget();
	snprintf(abstract, sizeof(abstract), "@fairlead-test-%d", getpid());
	check_manager(abstract);
}

static void test_a_loop_that_hangs_does_not_feed_the_watchdog(void **state)
{
	const char *name = scratch_path("watchdog");
	struct pollfd pollfd = { .events = POLLIN };
	struct process *process;
	siginfo_t info;
	char text[1000];

	(void)state;
	pollfd.fd = manager_open(name);
	setenv("WATCHDOG_USEC", "100000", 1);
	configure("");
	process = serve("-");
	unsetenv("WATCHDOG_USEC");
	manager_expect(pollfd.fd, "READY=1");
	for (int i = 0; i < 3; i++)
		manager_expect(pollfd.fd, "WATCHDOG=1");
	assert_int_equal(kill(process->pid, SIGSTOP), 0);
	assert_int_equal(waitid(P_PID, (id_t)process->pid, &info, WSTOPPED | WNOWAIT), 0);
	while (recv(pollfd.fd, text, sizeof(text), MSG_DONTWAIT) >= 0)
		;
	assert_int_equal(poll(&pollfd, 1, 500), 0);	/* ten intervals */
	assert_int_equal(kill(process->pid, SIGCONT), 0);
	manager_expect(pollfd.fd, "WATCHDOG=1");
	assert_int_equal(kill(process->pid, SIGTERM), 0);
	manager_expect(pollfd.fd, "STOPPING=1");
	assert_int_equal(process_end(process), 0);
	unsetenv("NOTIFY_SOCKET");
	close(pollfd.fd);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_usage_errors_exit_with_2),
		TEST(test_a_missing_cell_or_source_exits_with_3),
		TEST(test_a_second_scheduler_on_a_cell_exits_with_4),
		TEST(test_the_end_of_a_stream_is_not_the_end_of_the_scheduler),
		TEST(test_runs_follow_each_other_when_only_time_passes),
		TEST(test_a_run_during_a_snapshot_shows_the_state_before_it),
		TEST(test_a_successor_keeps_the_last_run_until_it_has_a_snapshot),
		TEST(test_profile_prints_the_phases_of_each_run),
		TEST(test_a_broken_file_keeps_the_running_configuration),
		TEST(test_the_service_manager_receives_readiness_reload_and_stop),
		TEST(test_a_loop_that_hangs_does_not_feed_the_watchdog),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
