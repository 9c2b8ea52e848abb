/* SPDX-License-Identifier: Apache-2.0 */
/* Orders on their way to qmasters that are slow, stop reading, leave, die or begin again: the scheduler's loop over a queue that is full. */
#include "tests/daemon_process.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "sched/daemon/log.h"
#include "sched/daemon/loop.h"

#define MANY 30000		/* orders, of 10 MB together */
#define LARGE 15000		/* one of them has nearly as many bytes as a line may have */

/* ---- a scheduler with orders ---------------------------------------------------------------------------------------- */

static void order_start(struct orders *o, size_t instances, const char *queue)
{
	static struct order_granted granted[6000];
	const struct order_start start = { .job_number = 1, .task = 1, .granted = granted, .ngranted = instances, .prio = 1. / 3 };

	for (size_t i = 0; i < instances; i++)
		granted[i] = (struct order_granted){ queue, 64, 123.1, 0, 99.1, 0.1 };
	assert_int_not_equal(orders_start(o, &start), 0);
}

static void order_many(struct orders *o)
{
	for (int i = 1; i <= MANY; i++)
		order_start(o, i == LARGE ? 6000 : 2, "all.q@node000000000000");
}

static void order_three(struct orders *o)
{
	for (int i = 0; i < 3; i++)
		order_start(o, 1, "all.q@node");
}

/* In the child: it never comes back. */
static void scheduler_live(const char *source, void (*order)(struct orders *o), bool once)
{
	struct segment_options options = { .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	struct sched *sched;
	struct loop loop;
	int rc;

	log_open("fairlead-schedd", true);
	if (sched_create(&sched, scratch_path("cell"), &options, &report, &error))
		_exit(100);
	order(sched_orders(sched));
	rc = loop_open(&loop, sched, source, &error);
	rc = rc ? rc : once ? loop_once(&loop, 1, &error) : loop_serve(&loop, &error);
	loop_close(&loop);
	sched_destroy(sched);
	_exit(-rc);
}

static struct process *scheduler_start(const char *source, void (*order)(struct orders *o), bool once)
{
	struct process *p = calloc(1, sizeof(*p));
	int in[2], out[2], err[2];

	assert_true(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	p->pid = fork();
	if (p->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		close(in[1]);
		scheduler_live(source, order, once);
	}
	running_replace(0, p->pid);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	p->in = in[1];
	p->out = out[0];
	p->err = err[0];
	return p;
}

static struct process *socket_serve(void (*order)(struct orders *o))
{
	char source[300];
	struct process *p;

	snprintf(source, sizeof(source), "unix:%s", scratch_path("events"));
	p = scheduler_start(source, order, false);
	expect(p, p->err, "serving");
	return p;
}

/* ---- a qmaster ------------------------------------------------------------------------------------------------------ */

struct peer {
	int fd;
	size_t used, taken;		/* bytes there; those of lines already given */
	size_t bytes_each;		/* at most, from one read(2) */
	char text[3u << 20];
};

static struct peer *peer_on(int fd)
{
	struct peer *peer = calloc(1, sizeof(*peer));

	peer->fd = fd;
	peer->bytes_each = 65536;
	return peer;
}

static struct peer *peer_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(to.sun_path, scratch_path("events"));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return peer_on(fd);
}

static void peer_leave(struct peer *peer)
{
	close(peer->fd);
	free(peer);
}

/* More bytes; false at the end. */
static bool peer_read(struct peer *peer)
{
	struct pollfd p = { .fd = peer->fd, .events = POLLIN };
	ssize_t n;

	memmove(peer->text, peer->text + peer->taken, peer->used - peer->taken);
	peer->used -= peer->taken;
	peer->taken = 0;
	assert_true(peer->used + peer->bytes_each < sizeof(peer->text));
	if (poll(&p, 1, PATIENCE_S * 1000) != 1)
		fail_msg("nothing came");
	n = read(peer->fd, peer->text + peer->used, peer->bytes_each);
	peer->used += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* The next line, without its newline, until the next call; NULL at the end. */
static const char *peer_line(struct peer *peer)
{
	char *newline, *line;

	while (!(newline = memchr(peer->text + peer->taken, '\n', peer->used - peer->taken)))
		if (!peer_read(peer))
			return NULL;
	*newline = '\0';
	line = peer->text + peer->taken;
	peer->taken = (size_t)(newline + 1 - peer->text);
	return line;
}

/* The number of the order on the line; 0: it is an answer. */
static uint64_t order_number(const char *line)
{
	unsigned long long number = 0;

	assert_non_null(line);
	assert_true(sscanf(line, "{\"order\":\"start\",\"number\":%llu,", &number) == 1 || strncmp(line, "{\"answer\":", 10) == 0);
	assert_int_equal(line[strlen(line) - 1], '}');
	return number;
}

/* These orders come, one after the other; answers in between are passed over. */
static void expect_orders(struct peer *peer, uint64_t first, uint64_t last)
{
	for (uint64_t due = first; due <= last;) {
		uint64_t number = order_number(peer_line(peer));

		if (number)
			assert_int_equal(number, due++);
	}
}

/* This answer comes before any order; or, with `orders`, behind any. */
static void expect_answer(struct peer *peer, const char *wanted, bool orders)
{
	const char *line;

	do {
		line = peer_line(peer);
		if (order_number(line) && !orders)
			fail_msg("an order came before %s: %.60s", wanted, line);
	} while (strncmp(line, wanted, strlen(wanted)) != 0);
}

#define ACKNOWLEDGED(seq) "{\"answer\":\"ack\",\"seq\":" #seq "}"
#define NO_JSON "{\"answer\":\"error\",\"text\":\"no JSON object"

/* ---- flow control --------------------------------------------------------------------------------------------------- */

static void test_a_slow_peer_gets_all_orders_once_and_in_order(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer = peer_connect();
	uint64_t due = 1;

	(void)state;
	peer->bytes_each = 3000;
	send_text(peer->fd, JOB(1, 1));
	for (int lines = 0; due <= MANY; lines++) {
		uint64_t number = order_number(peer_line(peer));

		if (number)
			assert_int_equal(number, due++);
		if (lines % 100 == 0)
			usleep(1000);
	}
	send_text(peer->fd, JOB(2, 2));
	expect_answer(peer, ACKNOWLEDGED(2), false);	/* it is not repeated within the hour */
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

static void test_answers_come_between_orders(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer = peer_connect();
	bool between;

	(void)state;
	expect_orders(peer, 1, 10);
	send_text(peer->fd, JOB(1, 1));
	do
		between = order_number(peer_line(peer)) == 0;
	while (!between);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

static void test_a_peer_that_asks_and_does_not_read_is_dropped(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	for (int i = 0; i < 1 << 20; i++)	/* each is answered with far more bytes */
		if (send(peer->fd, "x\nx\nx\nx\n", 8, MSG_NOSIGNAL) < 0)
			break;
	expect(p, p->err, "the peer is dropped: it does not read its answers");
	peer_leave(peer);
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

static void test_a_peer_that_does_nothing_is_dropped(void **state)
{
	struct process *p;
	struct peer *peer;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	p = socket_serve(order_many);
	peer = peer_connect();
	expect(p, p->err, "the peer is dropped: it has read nothing for ten intervals");
	expect(p, p->err, "connection ended");
	peer_leave(peer);
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

/* ---- repetition ----------------------------------------------------------------------------------------------------- */

static void test_whoever_connects_next_gets_all_orders(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	expect_orders(peer, 1, 10000);
	peer_leave(peer);
	expect(p, p->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

static void test_orders_survive_a_qmaster_that_is_killed(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer;
	int status, told[2];
	pid_t qmaster;
	char byte;

	(void)state;
	assert_int_equal(pipe(told), 0);
	qmaster = fork();
	if (qmaster == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		peer = peer_connect();
		expect_orders(peer, 1, 5000);
		(void)!write(told[1], "", 1);
		expect_orders(peer, 5001, MANY);
		pause();
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	kill(qmaster, SIGKILL);
	waitpid(qmaster, &status, 0);
	expect(p, p->err, "connection ended");
	peer = peer_connect();
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	close(told[0]);
	close(told[1]);
	assert_int_equal(process_stop(p), 0);
}

static void test_what_is_not_acknowledged_is_repeated_after_an_interval(void **state)
{
	struct process *p;
	struct peer *peer;

	(void)state;
	configure("schedule_interval 0:0:1\n");
	p = socket_serve(order_three);
	peer = peer_connect();
	for (int i = 0; i < 3; i++)
		expect_orders(peer, 1, 3);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

static void test_no_order_goes_out_during_a_snapshot(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	send_text(peer->fd, EVENT(1, snapshot_begin) "x\n");
	expect_answer(peer, NO_JSON, true);
	for (int i = 0; i < 10; i++) {
		send_text(peer->fd, "x\n");
		expect_answer(peer, NO_JSON, false);
	}
	peer_leave(peer);
	expect(p, p->err, "connection ended");
	peer = peer_connect();		/* the snapshot is gone, the orders are not */
	expect_orders(peer, 1, MANY);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

static void test_the_end_of_a_snapshot_voids_all_orders(void **state)
{
	struct process *p = socket_serve(order_many);
	struct peer *peer = peer_connect();

	(void)state;
	expect_orders(peer, 1, 10);
	send_text(peer->fd, EVENT(1, snapshot_begin) EVENT(2, snapshot_end));
	expect_answer(peer, ACKNOWLEDGED(2), true);
	send_text(peer->fd, JOB(3, 1));
	expect_answer(peer, ACKNOWLEDGED(3), false);
	peer_leave(peer);
	expect(p, p->err, "connection ended");
	peer = peer_connect();
	send_text(peer->fd, JOB(4, 2));
	expect_answer(peer, ACKNOWLEDGED(4), false);
	peer_leave(peer);
	assert_int_equal(process_stop(p), 0);
}

/* ---- streams -------------------------------------------------------------------------------------------------------- */

static void test_a_stream_gets_orders_on_standard_output(void **state)
{
	struct process *p = scheduler_start("-", order_many, false);
	struct peer *peer = peer_on(p->out);

	(void)state;
	expect_orders(peer, 1, 10000);
	close(p->in);		/* that no more events come is no reason to begin again */
	p->in = -1;
	expect_orders(peer, 10001, MANY);
	free(peer);
	assert_int_equal(process_stop(p), 0);
}

static void test_one_run_ends_when_all_orders_are_out(void **state)
{
	struct process *p;
	struct peer *peer;

	(void)state;
	scratch_write("jobs", JOB(1, 1));
	p = scheduler_start(scratch_path("jobs"), order_many, true);
	peer = peer_on(p->out);
	expect_answer(peer, ACKNOWLEDGED(1), false);
	expect_orders(peer, 1, MANY);
	assert_null(peer_line(peer));
	free(peer);
	assert_int_equal(process_end(p), 0);
}

static int cell_begin(void **state)
{
	(void)state;
	configure("");
	return 0;
}

#define ORDERS_TEST(name) cmocka_unit_test_setup_teardown(name, cell_begin, process_kill_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ORDERS_TEST(test_a_slow_peer_gets_all_orders_once_and_in_order),
		ORDERS_TEST(test_answers_come_between_orders),
		ORDERS_TEST(test_a_peer_that_asks_and_does_not_read_is_dropped),
		ORDERS_TEST(test_a_peer_that_does_nothing_is_dropped),
		ORDERS_TEST(test_whoever_connects_next_gets_all_orders),
		ORDERS_TEST(test_orders_survive_a_qmaster_that_is_killed),
		ORDERS_TEST(test_what_is_not_acknowledged_is_repeated_after_an_interval),
		ORDERS_TEST(test_no_order_goes_out_during_a_snapshot),
		ORDERS_TEST(test_the_end_of_a_snapshot_voids_all_orders),
		ORDERS_TEST(test_a_stream_gets_orders_on_standard_output),
		ORDERS_TEST(test_one_run_ends_when_all_orders_are_out),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
