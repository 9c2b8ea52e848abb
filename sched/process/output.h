/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer before a descriptor. Formatting never fails: the first error (disk full, no memory)
 * sticks, what comes after it is dropped, and out_flush() tells.
 *
 *     char *p = out_room(o, 20);
 *     p = digits_u64(p, number);
 *     out_take(o, p);
 */
#ifndef SCHED_PROCESS_OUTPUT_H
#define SCHED_PROCESS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define OUT_HELD_BYTES (64u << 20)	/* held back before the first byte is written */
#define OUT_ROOM_BYTES (32u << 10)	/* most that out_room() may be asked for */

struct out {			/* private to output.c and the inline functions below */
	int fd;
	char *buffer;
	size_t used, capacity;
	bool written;		/* bytes have left: a new start is no longer possible */
	int error;		/* first one, -errno */
};

/* 0 or -ENOMEM. The caller closes. */
int out_open(struct out *o, int fd);
/* Writes nothing; frees. */
void out_close(struct out *o);

/* Forget what is held. */
void out_rewind(struct out *o);
/* Write all; the first error since out_open(). */
int out_flush(struct out *o);

/* Makes room by writing. For out_room(). */
void out_make_room(struct out *o);

static inline char *out_room(struct out *o, size_t bytes)
{
	if (o->capacity - o->used < bytes)
		out_make_room(o);
	return o->buffer + o->used;
}

static inline void out_take(struct out *o, const char *end)
{
	o->used = (size_t)(end - o->buffer);
}

/* Bytes as they are, any number. */
void out_bytes(struct out *o, const char *bytes, size_t n);

static inline void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

#endif
