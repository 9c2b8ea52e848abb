/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sched/qmaster/json/events.h"

#define BUFFER_BYTES (LINE_BYTES + (256u << 10))

int lines_create(struct lines *lines)
{
	*lines = (struct lines){ .buffer = malloc(BUFFER_BYTES) };
	return lines->buffer ? 0 : -ENOMEM;
}

void lines_destroy(struct lines *lines)
{
	free(lines->buffer);
	*lines = (struct lines){ 0 };
}

void lines_reset(struct lines *lines)
{
	lines->used = lines->scanned = 0;
	lines->skipping = false;
}

static void line_call(struct lines *lines, const char *line, size_t length, const struct lines_calls *calls)
{
	if (lines->skipping)
		return;
	if (length > LINE_BYTES)
		calls->long_line(calls->context, line, length);
	else
		calls->line(calls->context, line, length);
}

static void lines_cut(struct lines *lines, const struct lines_calls *calls)
{
	char *start = lines->buffer, *end = lines->buffer + lines->used, *newline;

	for (char *from = start + lines->scanned; (newline = memchr(from, '\n', (size_t)(end - from))); from = start) {
		line_call(lines, start, (size_t)(newline - start), calls);
		lines->skipping = false;
		start = newline + 1;
	}
	lines->used = (size_t)(end - start);
	if (lines->used > LINE_BYTES) {
		line_call(lines, start, lines->used, calls);
		lines->skipping = true;
	}
	if (lines->skipping)
		lines->used = 0;
	memmove(lines->buffer, start, lines->used);
	lines->scanned = lines->used;
}

ssize_t lines_read(struct lines *lines, int fd, bool is_socket, const struct lines_calls *calls)
{
	char *to = lines->buffer + lines->used;
	size_t room = BUFFER_BYTES - lines->used;
	ssize_t n = is_socket ? recv(fd, to, room, MSG_DONTWAIT) : read(fd, to, room);

	if (n < 0)
		return -errno;
	lines->used += (size_t)n;
	if (n > 0)
		lines_cut(lines, calls);
	return n;
}

void lines_finish(struct lines *lines, const struct lines_calls *calls)
{
	if (lines->used)
		line_call(lines, lines->buffer, lines->used, calls);
	lines_reset(lines);
}
