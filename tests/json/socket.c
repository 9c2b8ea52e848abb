/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead-schedd on a Unix socket to which qmasters connect and disconnect. */
#include "tests/daemon/process.h"

#include <sys/socket.h>
#include <sys/un.h>

static struct process *socket_serve(void)
{
	char source[300];
	struct process *process;

	configure("");
	snprintf(source, sizeof(source), "unix:%s", scratch_path("events"));
	process = serve(source);
	expect(process, process->err, "serving");
	return process;
}

static int socket_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(to.sun_path, scratch_path("events"));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void test_a_qmaster_may_leave_and_return(void **state)
{
	struct process *process = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, EVENT(1, snapshot_begin) JOB(2, 1) EVENT(3, snapshot_end));
	expect(process, fd, ACK(3));
	close(fd);
	expect(process, process->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(2, 1) JOB(4, 2));
	expect(process, fd, ACK(4));
	expect(process, process->err, "2 pending jobs");
	close(fd);
	assert_int_equal(process_stop(process), 0);
	assert_int_not_equal(access(scratch_path("events"), F_OK), 0);
}

static void test_a_broken_connection_drops_its_open_snapshot(void **state)
{
	struct process *process = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, JOB(1, 1) JOB(2, 2) EVENT(1, snapshot_begin) JOB(2, 9));
	expect(process, process->err, "2 pending jobs");
	close(fd);
	expect(process, process->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(3, 3));
	expect(process, fd,
	       "{\"answer\":\"error\",\"seq\":3,\"text\":\"the snapshot before it broke off\",\"request\":\"snapshot\"}");
	expect(process, fd, ACK(3));
	expect(process, process->err, "3 pending jobs");
	close(fd);
	assert_int_equal(process_stop(process), 0);
}

static void test_counting_continues_from_before_a_dropped_snapshot(void **state)
{
	struct process *process = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, JOB(1, 1) EVENT(2, snapshot_begin) JOB(3, 9));
	expect(process, process->err, "1 pending jobs");
	close(fd);
	expect(process, process->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(2, 2));
	expect(process, fd, ACK(2));
	send_text(fd, JOB(4, 4));
	expect(process, fd,
	       "{\"answer\":\"error\",\"seq\":4,\"text\":\"event 3 is missing before it\",\"request\":\"snapshot\"}");
	expect(process, process->err, "3 pending jobs");
	close(fd);
	assert_int_equal(process_stop(process), 0);
}

static void test_half_a_line_of_a_broken_connection_is_forgotten(void **state)
{
	struct process *process = socket_serve();
	int fd = socket_connect();

	(void)state;
	send_text(fd, JOB(1, 1) "{\"seq\":2,\"event\":\"job_delete\",\"job_number\":1}");
	expect(process, fd, ACK(1));
	close(fd);
	expect(process, process->err, "connection ended");
	fd = socket_connect();
	send_text(fd, JOB(2, 2));
	expect(process, fd, ACK(2));
	expect(process, process->err, "2 pending jobs");
	close(fd);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_second_connection_is_refused_with_a_message(void **state)
{
	struct process *process = socket_serve();
	int first = socket_connect(), second;
	char byte;

	(void)state;
	send_text(first, JOB(1, 1));
	expect(process, first, ACK(1));
	second = socket_connect();
	expect(process, second, "{\"answer\":\"error\",\"text\":\"another connection is being served\"}\n");
	assert_int_equal(read(second, &byte, 1), 0);
	send_text(first, JOB(2, 2));
	expect(process, first, ACK(2));
	close(first);
	close(second);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_peer_that_does_not_read_is_dropped(void **state)
{
	struct process *process = socket_serve();
	int fd = socket_connect();
	char byte;

	(void)state;
	for (int i = 0; i < 1 << 20; i++)	/* the answers are much longer than the requests */
		if (send(fd, "x\nx\nx\nx\n", 8, MSG_NOSIGNAL) < 0)
			break;
	expect(process, process->err, "the peer is dropped: it does not read its answers");
	while (recv(fd, &byte, 1, 0) > 0)
		;
	close(fd);
	fd = socket_connect();
	send_text(fd, JOB(1, 1));
	expect(process, fd, ACK(1));
	close(fd);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_stale_socket_is_replaced_and_a_living_one_is_not(void **state)
{
	struct process *process = socket_serve();
	char source[300];
	int fd;

	(void)state;
	assert_int_equal(kill(process->pid, SIGKILL), 0);
	assert_int_equal(process_end(process), -SIGKILL);
	assert_int_equal(access(scratch_path("events"), F_OK), 0);
	process = socket_serve();
	fd = socket_connect();
	send_text(fd, JOB(1, 1));
	expect(process, fd, ACK(1));
	close(fd);
	assert_int_equal(mkdir(scratch_path("other"), 0755), 0);
	scratch_write("other/sched_conf", "# the defaults\n");
	snprintf(source, sizeof(source), "unix:%s", scratch_path("events"));
	assert_int_equal(exit_of((const char *const[]){ "-c", scratch_path("other"), "--events", source, NULL },
				 "another process listens"),
			 4);
	assert_int_equal(process_stop(process), 0);
}

static void test_a_file_at_the_path_of_the_socket_is_left_unchanged(void **state)
{
	char source[300];

	(void)state;
	configure("");
	scratch_write("precious", "text\n");
	snprintf(source, sizeof(source), "unix:%s", scratch_path("precious"));
	assert_int_equal(exit_of((const char *const[]){ "--events", source, NULL }, "or it is not a socket"), 4);
	assert_int_equal(access(scratch_path("precious"), F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_qmaster_may_leave_and_return),
		TEST(test_a_broken_connection_drops_its_open_snapshot),
		TEST(test_counting_continues_from_before_a_dropped_snapshot),
		TEST(test_half_a_line_of_a_broken_connection_is_forgotten),
		TEST(test_a_second_connection_is_refused_with_a_message),
		TEST(test_a_peer_that_does_not_read_is_dropped),
		TEST(test_a_stale_socket_is_replaced_and_a_living_one_is_not),
		TEST(test_a_file_at_the_path_of_the_socket_is_left_unchanged),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
