/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/output.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE_BYTES (256u << 10)
#define HUGE_BYTES (2u << 20)

_Static_assert(PIECE_BYTES >= OUT_ROOM_BYTES, "an empty buffer always has room");
_Static_assert(OUT_HELD_BYTES % HUGE_BYTES == 0, "whole huge pages");

int out_open(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd, .capacity = OUT_HELD_BYTES };
	o->buffer = aligned_alloc(HUGE_BYTES, o->capacity);
	if (!o->buffer)
		return -ENOMEM;
	/*
	 * What is not touched costs nothing. Small outputs are spared the clearing of a huge page,
	 * large ones thousands of small ones.
	 */
	madvise(o->buffer + HUGE_BYTES, o->capacity - HUGE_BYTES, MADV_HUGEPAGE);
	return 0;
}

int out_open_memory(struct out *o, size_t most)
{
	*o = (struct out){ .fd = -1, .capacity = OUT_ROOM_BYTES, .most = most };
	o->buffer = malloc(o->capacity);
	return o->buffer ? 0 : -ENOMEM;
}

void out_close(struct out *o)
{
	free(o->buffer);
	*o = (struct out){ .fd = -1 };
}

void out_rewind(struct out *o)
{
	o->used = 0;
	if (o->most)
		o->error = 0;
}

int out_flush(struct out *o)
{
	size_t done = 0;

	while (done < o->used && !o->error) {
		ssize_t n = write(o->fd, o->buffer + done, o->used - done);

		/* somebody made a shared terminal non-blocking */
		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = o->fd, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			o->error = -errno;
		if (n > 0) {
			done += (size_t)n;
			o->written = true;
		}
	}
	o->used = 0;
	return o->error;
}

/* What can't grow begins anew, so that there is room for whatever else comes and is dropped. */
static void out_grow(struct out *o, size_t bytes)
{
	size_t capacity = o->capacity;
	char *buffer;

	while (capacity - o->used < bytes)
		capacity *= 2;
	buffer = o->error || o->used > o->most ? NULL : realloc(o->buffer, capacity);
	if (!buffer) {
		o->error = o->error ? o->error : o->used > o->most ? -EMSGSIZE : -ENOMEM;
		o->used = 0;
		return;
	}
	o->buffer = buffer;
	o->capacity = capacity;
}

int out_held(struct out *o, const char **text, size_t *bytes)
{
	*text = o->buffer;
	*bytes = o->used;
	return o->error ? o->error : o->used > o->most ? -EMSGSIZE : 0;
}

void out_make_room(struct out *o, size_t bytes)
{
	if (o->most) {
		out_grow(o, bytes);
		return;
	}
	out_flush(o);
	/* from now on in pieces that stay in the processor's cache */
	o->capacity = PIECE_BYTES;
}

void out_bytes(struct out *o, const char *bytes, size_t n)
{
	while (n) {
		size_t piece = n < OUT_ROOM_BYTES ? n : OUT_ROOM_BYTES;

		memcpy(out_room(o, piece), bytes, piece);
		o->used += piece;
		bytes += piece;
		n -= piece;
	}
}

void out_put(struct out *o, const char *format, ...)
{
	char *p = out_room(o, OUT_PUT_BYTES);
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(p, OUT_PUT_BYTES, format, arguments);
	va_end(arguments);
	out_take(o, p + (n < 0 ? 0 : n < (int)OUT_PUT_BYTES ? n : (int)OUT_PUT_BYTES - 1));
}
