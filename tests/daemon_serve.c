/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead-schedd as a service: signals, the service manager, one scheduler a cell, a socket that qmasters come to and leave. */
#include "tests/daemon_process.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "sched/reader/fairlead.h"

#define JOB(seq, number) "{\"seq\":" #seq ",\"event\":\"job_add\",\"job_number\":" #number ",\"owner\":\"ann\",\"submission_time\":1}\n"
#define EVENT(seq, name) "{\"seq\":" #seq ",\"event\":\"" #name "\"}\n"
#define ACK(seq) "{\"answer\":\"ack\",\"seq\":" #seq "}\n"

/*
 * The default sched_conf, where runs come from what happens and not from the interval, and with `line` for the parameter it begins with.
 */
static void configure(const char *line)
{
	const char *const changes[] = { "schedule_interval 1:0:0\n", "flush_submit_sec 1\n", "flush_finish_sec 1\n", line };
	char text[8192] = "", row[1000];
	FILE *from = fopen("conf/default/sched_conf", "r");

	assert_non_null(from);
	while (fgets(row, sizeof(row), from)) {
		const char *use = row;

		for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
			if (*changes[i] && strncmp(row, changes[i], strcspn(changes[i], " ") + 1) == 0)
				use = changes[i];
		strcat(text, use);
	}
	fclose(from);
	scratch_write("cell/sched_conf", text);
}

static struct process *serve(const char *source)
{
	return process_start((const char *const[]){ "-v", "--events", source, NULL });
}

static int exit_of(const char *const *arguments, const char *complaint)
{
	struct process *p = process_start(arguments);

	expect(p, p->err, complaint);
	return process_end(p);
}

/* ---- starting and stopping ---------------------------------------------------------------------------------------- */

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
	struct process *p;

	(void)state;
	configure("");
	p = serve("-");
	send_text(p->in, JOB(1, 1));
	close(p->in);
	p->in = -1;
	expect(p, p->err, "no more events");
	expect(p, p->err, "run at ");
	expect(p, p->err, "1 pending jobs");
	assert_int_equal(process_stop(p), 0);
}

static void test_runs_follow_each_other_when_only_time_passes(void **state)
{
	struct process *p;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	p = serve("-");
	for (int run = 0; run < 3; run++)
		expect(p, p->err, "run at ");
	assert_int_equal(process_stop(p), 0);
}

static void test_a_run_during_a_snapshot_shows_the_state_before_it(void **state)
{
	struct fl_cell *cell;
	struct fl_run run;
	struct process *p;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	p = serve("-");
	send_text(p->in, JOB(1, 1) JOB(2, 2));
	expect(p, p->out, ACK(2));
	send_text(p->in, EVENT(3, snapshot_begin) JOB(4, 9));
	for (int i = 0; i < 3; i++)
		expect(p, p->err, "2 pending jobs");
	assert_int_equal(fl_attach(&cell, scratch_path("cell")), 0);
	fl_run(fl_begin(cell), &run);
	assert_int_equal(fl_end(cell), 0);
	fl_detach(cell);
	assert_int_equal(run.event, 2);
	assert_int_equal(run.pending, 2);
	send_text(p->in, EVENT(5, snapshot_end));
	expect(p, p->out, ACK(5));
	expect(p, p->err, "1 pending jobs");
	assert_int_equal(process_stop(p), 0);
}

static void test_profile_prints_the_phases_of_each_run(void **state)
{
	struct process *p;

	(void)state;
	configure("params PROFILE=1\n");
	p = process_start((const char *const[]){ "--events", "-", NULL });
	expect(p, p->err, "0 started tasks; ms: ");
	expect(p, p->err, "publish ");
	assert_int_equal(process_stop(p), 0);
}

/* ---- configuration ------------------------------------------------------------------------------------------------ */

static void test_a_broken_file_keeps_the_running_configuration(void **state)
{
	struct process *p;

	(void)state;
	configure("");
	p = serve("-");
	expect(p, p->err, "serving");
	configure("halftime never\n");
	assert_int_equal(kill(p->pid, SIGHUP), 0);
	expect(p, p->err, "value \"never\" of halftime");
	expect(p, p->err, "the running configuration stays in force");
	expect(p, p->out, "{\"answer\":\"error\",\"text\":\"");
	expect(p, p->out, "of halftime");
	send_text(p->in, JOB(1, 1) EVENT(2, config_changed));
	expect(p, p->out, "{\"answer\":\"error\",\"seq\":2,\"text\":\"");
	expect(p, p->out, "of halftime");
	expect(p, p->out, ACK(2));
	configure("halftime 100\n");
	assert_int_equal(kill(p->pid, SIGHUP), 0);
	expect(p, p->err, "configuration read again");
	expect(p, p->err, "run at ");
	assert_int_equal(process_stop(p), 0);
}

/* ---- the service manager ------------------------------------------------------------------------------------------ */

/* A datagram socket as systemd's; `name` begins with '@' when it is abstract. */
static int manager_open(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(at.sun_path, name);
	if (*name == '@')
		at.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))), 0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

/* Datagrams until one that begins with `wanted` comes. */
static void manager_expect(int fd, const char *wanted)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[1000];
	ssize_t n;

	do {
		if (poll(&p, 1, PATIENCE_S * 1000) != 1)
			fail_msg("%s did not come", wanted);
		n = recv(fd, text, sizeof(text) - 1, 0);
		assert_true(n >= 0);
		text[n] = '\0';
	} while (strncmp(text, wanted, strlen(wanted)) != 0);
}

static void check_manager(const char *name)
{
	int fd = manager_open(name);
	struct process *p;
	struct stat st;
	char segment[300];

	configure("");
	p = serve("-");
	manager_expect(fd, "STATUS=0 pending jobs");
	manager_expect(fd, "READY=1");
	snprintf(segment, sizeof(segment), "ls %s/*.state >/dev/null", scratch_path("shm"));
	assert_int_equal(system(segment), 0);	/* readers have something to read */
	assert_int_equal(kill(p->pid, SIGHUP), 0);
	manager_expect(fd, "RELOADING=1\nMONOTONIC_USEC=");
	manager_expect(fd, "READY=1");
	assert_int_equal(kill(p->pid, SIGTERM), 0);
	manager_expect(fd, "STOPPING=1");
	assert_int_equal(process_end(p), 0);
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	if (stat(name, &st) == 0)
		unlink(name);
}

static void test_the_service_manager_is_told_of_readiness_reload_and_stop(void **state)
{
	char abstract[64];

	(void)state;
	check_manager(scratch_path("notify"));
	snprintf(abstract, sizeof(abstract), "@fairlead-test-%d", getpid());
	check_manager(abstract);
}

/* ---- a socket ----------------------------------------------------------------------------------------------------- */

static struct process *socket_serve(void)
{
	char source[300];
	struct process *p;

	configure("");
	snprintf(source, sizeof(source), "unix:%s", scratch_path("events"));
	p = serve(source);
	expect(p, p->err, "serving");
	return p;
}

static int socket_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(to.sun_path, scratch_path("events"));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void test_a_qmaster_may_leave_and_come_again(void **state)
{
	struct process *p = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, EVENT(1, snapshot_begin) JOB(2, 1) EVENT(3, snapshot_end));
	expect(p, fd, ACK(3));
	close(fd);
	expect(p, p->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(2, 1) JOB(4, 2));
	expect(p, fd, ACK(4));
	expect(p, p->err, "2 pending jobs");
	close(fd);
	assert_int_equal(process_stop(p), 0);
	assert_int_not_equal(access(scratch_path("events"), F_OK), 0);
}

static void test_a_connection_that_breaks_drops_its_open_snapshot(void **state)
{
	struct process *p = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, JOB(1, 1) JOB(2, 2) EVENT(1, snapshot_begin) JOB(2, 9));
	expect(p, p->err, "2 pending jobs");
	close(fd);
	expect(p, p->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(3, 3));
	expect(p, fd, "{\"answer\":\"error\",\"seq\":3,\"text\":\"the snapshot before it broke off\",\"request\":\"snapshot\"}");
	expect(p, fd, ACK(3));
	expect(p, p->err, "3 pending jobs");
	close(fd);
	assert_int_equal(process_stop(p), 0);
}

static void test_counting_goes_on_from_before_a_dropped_snapshot(void **state)
{
	struct process *p = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, JOB(1, 1) EVENT(2, snapshot_begin) JOB(3, 9));
	expect(p, p->err, "1 pending jobs");
	close(fd);
	expect(p, p->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(2, 2));
	expect(p, fd, ACK(2));
	send_text(fd, JOB(4, 4));
	expect(p, fd, "{\"answer\":\"error\",\"seq\":4,\"text\":\"event 3 is missing before it\",\"request\":\"snapshot\"}");
	expect(p, p->err, "3 pending jobs");
	close(fd);
	assert_int_equal(process_stop(p), 0);
}

static void test_half_a_line_of_a_broken_connection_is_forgotten(void **state)
{
	struct process *p = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, JOB(1, 1) "{\"seq\":2,\"event\":\"job_delete\",\"job_number\":1}");
	expect(p, fd, ACK(1));
	close(fd);
	expect(p, p->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(2, 2));
	expect(p, fd, ACK(2));
	expect(p, p->err, "2 pending jobs");
	close(fd);
	assert_int_equal(process_stop(p), 0);
}

static void test_a_second_connection_is_told_so(void **state)
{
	struct process *p = socket_serve();
	int first = socket_connect(), second;
	char byte;

	(void)state;
	send_text(first, JOB(1, 1));
	expect(p, first, ACK(1));
	second = socket_connect();
	expect(p, second, "{\"answer\":\"error\",\"text\":\"another connection is being served\"}\n");
	assert_int_equal(read(second, &byte, 1), 0);
	send_text(first, JOB(2, 2));
	expect(p, first, ACK(2));
	close(first);
	close(second);
	assert_int_equal(process_stop(p), 0);
}

static void test_a_peer_that_does_not_read_is_dropped(void **state)
{
	struct process *p = socket_serve();
	int fd = socket_connect();
	char byte;

	(void)state;
	for (int i = 0; i < 1 << 20; i++)	/* each is answered with far more bytes */
		if (send(fd, "x\nx\nx\nx\n", 8, MSG_NOSIGNAL) < 0)
			break;
	expect(p, p->err, "the peer is dropped: it does not read its answers");
	while (recv(fd, &byte, 1, 0) > 0)
		;
	close(fd);
	fd = socket_connect();
	send_text(fd, JOB(1, 1));
	expect(p, fd, ACK(1));
	close(fd);
	assert_int_equal(process_stop(p), 0);
}

static void test_a_stale_socket_is_replaced_and_a_living_one_is_not(void **state)
{
	struct process *p = socket_serve();
	char source[300];
	int fd;

	(void)state;
	assert_int_equal(kill(p->pid, SIGKILL), 0);
	assert_int_equal(process_end(p), -SIGKILL);
	assert_int_equal(access(scratch_path("events"), F_OK), 0);
	p = socket_serve();
	fd = socket_connect();
	send_text(fd, JOB(1, 1));
	expect(p, fd, ACK(1));
	close(fd);
	assert_int_equal(mkdir(scratch_path("other"), 0755), 0);
	snprintf(source, sizeof(source), "unix:%s", scratch_path("events"));
	assert_int_equal(exit_of((const char *const[]){ "-c", scratch_path("other"), "--events", source, NULL }, "another process listens"), 4);
	assert_int_equal(process_stop(p), 0);
}

static void test_a_file_in_the_place_of_the_socket_is_left_alone(void **state)
{
	char source[300];

	(void)state;
	configure("");
	scratch_write("precious", "text\n");
	snprintf(source, sizeof(source), "unix:%s", scratch_path("precious"));
	assert_int_equal(exit_of((const char *const[]){ "--events", source, NULL }, "or it is no socket"), 4);
	assert_int_equal(access(scratch_path("precious"), F_OK), 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, process_kill_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_usage_errors_exit_with_2),
		TEST(test_a_missing_cell_or_source_exits_with_3),
		TEST(test_a_second_scheduler_on_a_cell_exits_with_4),
		TEST(test_the_end_of_a_stream_is_not_the_end_of_the_scheduler),
		TEST(test_runs_follow_each_other_when_only_time_passes),
		TEST(test_a_run_during_a_snapshot_shows_the_state_before_it),
		TEST(test_profile_prints_the_phases_of_each_run),
		TEST(test_a_broken_file_keeps_the_running_configuration),
		TEST(test_the_service_manager_is_told_of_readiness_reload_and_stop),
		TEST(test_a_qmaster_may_leave_and_come_again),
		TEST(test_a_connection_that_breaks_drops_its_open_snapshot),
		TEST(test_counting_goes_on_from_before_a_dropped_snapshot),
		TEST(test_half_a_line_of_a_broken_connection_is_forgotten),
		TEST(test_a_second_connection_is_told_so),
		TEST(test_a_peer_that_does_not_read_is_dropped),
		TEST(test_a_stale_socket_is_replaced_and_a_living_one_is_not),
		TEST(test_a_file_in_the_place_of_the_socket_is_left_alone),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
