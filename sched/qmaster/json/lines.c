/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/qmaster/json/events.h"

#define BUFFER_BYTES (LINE_BYTES + (256u << 10))

int lines_create(struct lines *l)
{
	*l = (struct lines){ .buffer = malloc(BUFFER_BYTES) };
	return l->buffer ? 0 : -ENOMEM;
}

void lines_destroy(struct lines *l)
{
	free(l->buffer);
	*l = (struct lines){ 0 };
}

void lines_reset(struct lines *l)
{
	l->used = l->scanned = 0;
	l->skipping = false;
}

static void line_call(struct lines *l, const char *line, size_t length, const struct lines_calls *calls)
{
	if (l->skipping)
		return;
	if (length > LINE_BYTES)
		calls->long_line(calls->context, line, length);
	else
		calls->line(calls->context, line, length);
}

static void lines_cut(struct lines *l, const struct lines_calls *calls)
{
	char *start = l->buffer, *end = l->buffer + l->used, *newline;

	for (char *from = start + l->scanned; (newline = memchr(from, '\n', (size_t)(end - from))); from = start) {
		line_call(l, start, (size_t)(newline - start), calls);
		l->skipping = false;
		start = newline + 1;
	}
	l->used = (size_t)(end - start);
	if (l->used > LINE_BYTES) {
		line_call(l, start, l->used, calls);
		l->skipping = true;
	}
	if (l->skipping)
		l->used = 0;
	memmove(l->buffer, start, l->used);
	l->scanned = l->used;
}

ssize_t lines_read(struct lines *l, int fd, bool is_socket, const struct lines_calls *calls)
{
	char *to = l->buffer + l->used;
	size_t room = BUFFER_BYTES - l->used;
	ssize_t n = is_socket ? recv(fd, to, room, MSG_DONTWAIT) : read(fd, to, room);

	if (n < 0)
		return -errno;
	l->used += (size_t)n;
	if (n > 0)
		lines_cut(l, calls);
	return n;
}

void lines_finish(struct lines *l, const struct lines_calls *calls)
{
	if (l->used)
		line_call(l, l->buffer, l->used, calls);
	lines_reset(l);
}
