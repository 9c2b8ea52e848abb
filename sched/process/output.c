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

int out_open(struct out *out, int fd)
{
	*out = (struct out){ .fd = fd, .capacity = OUT_HELD_BYTES };
	out->buffer = aligned_alloc(HUGE_BYTES, out->capacity);
	if (!out->buffer)
		return -ENOMEM;
	/*
	 * Untouched pages cost nothing. Small outputs need not clear a huge page, and large ones
	 * need not clear thousands of small ones.
	 */
	madvise(out->buffer + HUGE_BYTES, out->capacity - HUGE_BYTES, MADV_HUGEPAGE);
	return 0;
}

int out_open_memory(struct out *out, size_t most)
{
	*out = (struct out){ .fd = -1, .capacity = OUT_ROOM_BYTES, .most = most };
	out->buffer = malloc(out->capacity);
	return out->buffer ? 0 : -ENOMEM;
}

void out_close(struct out *out)
{
	free(out->buffer);
	*out = (struct out){ .fd = -1 };
}

void out_rewind(struct out *out)
{
	out->used = 0;
	if (out->most)
		out->error = 0;
}

int out_flush(struct out *out)
{
	size_t done = 0;

	while (done < out->used && !out->error) {
		ssize_t n = write(out->fd, out->buffer + done, out->used - done);

		/* another process has made a shared terminal non-blocking */
		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = out->fd, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			out->error = -errno;
		if (n > 0) {
			done += (size_t)n;
			out->written = true;
		}
	}
	out->used = 0;
	return out->error;
}

/*
 * Make room in memory. If the buffer cannot grow, it is reused from its beginning, and everything
 * written from now on is dropped.
 */
static void out_grow(struct out *out, size_t bytes)
{
	size_t capacity = out->capacity;
	char *buffer;

	while (capacity - out->used < bytes)
		capacity *= 2;
	buffer = out->error || out->used > out->most ? NULL : realloc(out->buffer, capacity);
	if (!buffer) {
		out->error = out->error ? out->error : out->used > out->most ? -EMSGSIZE : -ENOMEM;
		out->used = 0;
		return;
	}
	out->buffer = buffer;
	out->capacity = capacity;
}

int out_held(struct out *out, const char **text, size_t *bytes)
{
	*text = out->buffer;
	*bytes = out->used;
	return out->error ? out->error : out->used > out->most ? -EMSGSIZE : 0;
}

char *out_detach(struct out *out)
{
	size_t bytes = out->used;
	char *text = NULL;

	if (out->buffer && !out->error && bytes <= out->most)
		text = realloc(out->buffer, bytes + 1);
	if (text) {
		text[bytes] = '\0';
		out->buffer = NULL;
	}
	out_close(out);
	return text;
}

void out_make_room(struct out *out, size_t bytes)
{
	if (out->most) {
		out_grow(out, bytes);
		return;
	}
	out_flush(out);
	/* now in pieces that stay in the processor's cache */
	out->capacity = PIECE_BYTES;
}

void out_bytes(struct out *out, const char *bytes, size_t n)
{
	while (n) {
		size_t piece = n < OUT_ROOM_BYTES ? n : OUT_ROOM_BYTES;

		memcpy(out_room(out, piece), bytes, piece);
		out->used += piece;
		bytes += piece;
		n -= piece;
	}
}

void out_put(struct out *out, const char *format, ...)
{
	char *p = out_room(out, OUT_PUT_BYTES);
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(p, OUT_PUT_BYTES, format, arguments);
	va_end(arguments);
	out_take(out, p + (n < 0 ? 0 : n < (int)OUT_PUT_BYTES ? n : (int)OUT_PUT_BYTES - 1));
}
