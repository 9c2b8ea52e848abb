/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/outbox.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int outbox_create(struct outbox *o)
{
	*o = (struct outbox){ .buffer = malloc(OUTBOX_BYTES) };
	return o->buffer ? 0 : -ENOMEM;
}

void outbox_destroy(struct outbox *o)
{
	free(o->buffer);
	*o = (struct outbox){ 0 };
}

void outbox_reset(struct outbox *o)
{
	o->used = o->sent = 0;
}

bool outbox_empty(const struct outbox *o)
{
	return o->sent == o->used;
}

size_t outbox_bytes(const struct outbox *o)
{
	return o->used - o->sent;
}

int outbox_put(struct outbox *o, const char *text, size_t length)
{
	if (o->sent && length > OUTBOX_BYTES - o->used) {
		o->used -= o->sent;
		memmove(o->buffer, o->buffer + o->sent, o->used);
		o->sent = 0;
	}
	if (length > OUTBOX_BYTES - o->used)
		return -ENOBUFS;
	memcpy(o->buffer + o->used, text, length);
	o->used += length;
	return 0;
}

/*
 * The descriptor may be shared with others, so it is not made non-blocking. A socket is asked not
 * to wait; a pipe that poll(2) calls writable takes PIPE_BUF bytes at once.
 */
static ssize_t outbox_write(const struct outbox *o, int fd, bool is_socket, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	size_t left = o->used - o->sent;
	int ready = poll(&p, 1, timeout_ms);
	ssize_t n;

	if (ready <= 0)
		return ready < 0 ? -errno : -EAGAIN;
	if (is_socket)
		n = send(fd, o->buffer + o->sent, left, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		n = write(fd, o->buffer + o->sent, left < PIPE_BUF ? left : PIPE_BUF);
	return n < 0 ? -errno : n;
}

static int outbox_push(struct outbox *o, int fd, bool is_socket, int timeout_ms)
{
	while (!outbox_empty(o)) {
		ssize_t n = outbox_write(o, fd, is_socket, timeout_ms);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		o->sent += (size_t)n;
		o->moved |= n > 0;
	}
	outbox_reset(o);
	return 0;
}

int outbox_send(struct outbox *o, int fd, bool is_socket)
{
	int rc = outbox_push(o, fd, is_socket, 0);

	return rc == -EAGAIN ? 0 : rc;
}

int outbox_drain(struct outbox *o, int fd, bool is_socket, int timeout_ms)
{
	int rc = outbox_push(o, fd, is_socket, timeout_ms);

	return rc == -EAGAIN ? -ETIMEDOUT : rc;
}
