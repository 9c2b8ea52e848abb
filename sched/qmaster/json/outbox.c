/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/outbox.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int outbox_create(struct outbox *outbox)
{
	*outbox = (struct outbox){ .buffer = malloc(OUTBOX_BYTES) };
	return outbox->buffer ? 0 : -ENOMEM;
}

void outbox_destroy(struct outbox *outbox)
{
	free(outbox->buffer);
	*outbox = (struct outbox){ 0 };
}

void outbox_reset(struct outbox *outbox)
{
	outbox->used = outbox->sent = 0;
}

bool outbox_empty(const struct outbox *outbox)
{
	return outbox->sent == outbox->used;
}

size_t outbox_bytes(const struct outbox *outbox)
{
	return outbox->used - outbox->sent;
}

int outbox_put(struct outbox *outbox, const char *text, size_t length)
{
	if (outbox->sent && length > OUTBOX_BYTES - outbox->used) {
		outbox->used -= outbox->sent;
		memmove(outbox->buffer, outbox->buffer + outbox->sent, outbox->used);
		outbox->sent = 0;
	}
	if (length > OUTBOX_BYTES - outbox->used)
		return -ENOBUFS;
	memcpy(outbox->buffer + outbox->used, text, length);
	outbox->used += length;
	return 0;
}

/*
 * Write once. Other processes may share the descriptor, so it is not made non-blocking. A socket is
 * written with MSG_DONTWAIT. A pipe that poll(2) reports as writable takes PIPE_BUF bytes at once.
 */
static ssize_t outbox_write(const struct outbox *outbox, int fd, bool is_socket, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	size_t left = outbox->used - outbox->sent;
	int ready = poll(&pollfd, 1, timeout_ms);
	ssize_t n;

	if (ready <= 0)
		return ready < 0 ? -errno : -EAGAIN;
	if (is_socket)
		n = send(fd, outbox->buffer + outbox->sent, left, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		n = write(fd, outbox->buffer + outbox->sent, left < PIPE_BUF ? left : PIPE_BUF);
	return n < 0 ? -errno : n;
}

static int outbox_push(struct outbox *outbox, int fd, bool is_socket, int timeout_ms)
{
	while (!outbox_empty(outbox)) {
		ssize_t n = outbox_write(outbox, fd, is_socket, timeout_ms);

		if (n == -EINTR)
			continue;
		if (n < 0)
			return (int)n;
		outbox->sent += (size_t)n;
		outbox->moved |= n > 0;
	}
	outbox_reset(outbox);
	return 0;
}

int outbox_send(struct outbox *outbox, int fd, bool is_socket)
{
	int rc = outbox_push(outbox, fd, is_socket, 0);

	return rc == -EAGAIN ? 0 : rc;
}

int outbox_drain(struct outbox *outbox, int fd, bool is_socket, int timeout_ms)
{
	int rc = outbox_push(outbox, fd, is_socket, timeout_ms);

	return rc == -EAGAIN ? -ETIMEDOUT : rc;
}
