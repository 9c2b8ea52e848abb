/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler's loop over a queue with existing orders, and a qmaster that reads them. */
#ifndef TESTS_JSON_ORDERS_H
#define TESTS_JSON_ORDERS_H

#include "tests/daemon/process.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "sched/process/log.h"
#include "sched/daemon/loop.h"

/* A scheduler with orders */

HELPER void order_start(struct orders *orders, size_t instances, const char *queue)
{
	static struct granted granted[5000];
	const struct order start = { .job_number = 1,
				     .task = 1,
				     .start = { .granted = { granted, instances }, .prio = 1. / 3 } };

	for (size_t i = 0; i < instances; i++)
		granted[i] = (struct granted){ queue, 64, 123.1, 0, 99.1, 0.1 };
	assert_int_not_equal(orders_start(orders, &start), 0);
}

HELPER void order_three(struct sched *sched)
{
	for (int i = 0; i < 3; i++)
		order_start(sched_orders(sched), 1, "all.q@node");
}

/* Run the scheduler in the child. Does not return. */
HELPER void scheduler_live(const char *source, void (*order)(struct sched *sched), bool once)
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
	order(sched);
	rc = loop_open(&loop, sched, source, NULL, &error);
	rc = rc ? rc : once ? loop_once(&loop, 1, &error) : loop_serve(&loop, &error);
	loop_close(&loop);
	sched_destroy(sched);
	_exit(-rc);
}

HELPER struct process *scheduler_start(const char *source, void (*order)(struct sched *sched), bool once)
{
	struct process *process = process_fork();

	if (!process)
		scheduler_live(source, order, once);
	return process;
}

HELPER struct process *socket_serve(void (*order)(struct sched *sched))
{
	char source[300];
	struct process *process;

	snprintf(source, sizeof(source), "unix:%s", scratch_path("events"));
	process = scheduler_start(source, order, false);
	expect(process, process->err, "serving");
	return process;
}

/* A qmaster */

struct peer {
	int fd;
	size_t used, taken;		/* bytes present; bytes of lines already returned */
	size_t bytes_each;		/* maximum bytes of one read(2) */
	char text[3u << 20];
};

HELPER struct peer *peer_on(int fd)
{
	struct peer *peer = calloc(1, sizeof(*peer));

	peer->fd = fd;
	peer->bytes_each = 65536;
	return peer;
}

HELPER struct peer *peer_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(to.sun_path, scratch_path("events"));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return peer_on(fd);
}

HELPER void peer_leave(struct peer *peer)
{
	close(peer->fd);
	free(peer);
}

/* Read more bytes; false at the end. */
HELPER bool peer_read(struct peer *peer)
{
	struct pollfd pollfd = { .fd = peer->fd, .events = POLLIN };
	ssize_t n;

	memmove(peer->text, peer->text + peer->taken, peer->used - peer->taken);
	peer->used -= peer->taken;
	peer->taken = 0;
	assert_true(peer->used + peer->bytes_each < sizeof(peer->text));
	if (poll(&pollfd, 1, PATIENCE_S * 1000) != 1)
		fail_msg("no line has arrived");
	n = read(peer->fd, peer->text + peer->used, peer->bytes_each);
	peer->used += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Return the next line without its newline, valid until the next call; NULL at the end. */
HELPER const char *peer_line(struct peer *peer)
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

/* Return the number of the order on the line; 0: an answer. */
HELPER uint64_t order_number(const char *line)
{
	unsigned long long number = 0;

	assert_non_null(line);
	assert_true(sscanf(line, "{\"order\":\"%*[a-z]\",\"number\":%llu,", &number) == 1 ||
		    strncmp(line, "{\"answer\":", 10) == 0);
	assert_int_equal(line[strlen(line) - 1], '}');
	return number;
}

/* Expect these orders in sequence. Answers between them are skipped. */
HELPER void expect_orders(struct peer *peer, uint64_t first, uint64_t last)
{
	for (uint64_t due = first; due <= last;) {
		uint64_t number = order_number(peer_line(peer));

		if (number)
			assert_int_equal(number, due++);
	}
}

/* Expect this answer before any order. With `orders`, orders may come first. */
HELPER void expect_answer(struct peer *peer, const char *wanted, bool orders)
{
	const char *line;

	do {
		line = peer_line(peer);
		if (order_number(line) && !orders)
			fail_msg("an order came before %s: %.60s", wanted, line);
	} while (strncmp(line, wanted, strlen(wanted)) != 0);
}

#define ACKNOWLEDGED(seq) "{\"answer\":\"ack\",\"seq\":" #seq "}"
#define NO_JSON "{\"answer\":\"error\",\"text\":\"not a JSON object"

/* Tests */

HELPER int cell_begin(void **state)
{
	(void)state;
	configure("");
	return 0;
}

#define ORDERS_TEST(name) cmocka_unit_test_setup_teardown(name, cell_begin, process_kill_all)

#endif
