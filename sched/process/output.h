/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer before a descriptor, or a text that grows in memory. Formatting never fails: the first
 * error (disk full, no memory, too long) sticks, what comes after it is dropped, and out_flush() or
 * out_held() tells.
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
#define OUT_PUT_BYTES 4096u		/* most that out_put() takes at a time */
#define OUT_ROOM_BYTES (32u << 10)	/* most that out_room() may be asked for */

struct out {			/* private to output.c and the inline functions below */
	int fd;
	char *buffer;
	size_t used, capacity;
	size_t most;		/* in memory: of the text, bytes; 0: there is a descriptor */
	bool written;		/* bytes have left: a new start is no longer possible */
	int error;		/* first one, -errno */
};

/* 0 or -ENOMEM. The caller closes. */
int out_open(struct out *out, int fd);
/* A text in memory, of at most `most` bytes. 0 or -ENOMEM. The caller closes. */
int out_open_memory(struct out *out, size_t most);
/* Writes nothing; frees. */
void out_close(struct out *out);

/* Forget what is held; in memory also an error: a new text begins, in the memory of the old one. */
void out_rewind(struct out *out);
/* Write all; the first error since out_open(). Not in memory. */
int out_flush(struct out *out);
/*
 * In memory: the text, without a NUL, valid until the next call. 0, -ENOMEM, or -EMSGSIZE: it is
 * longer than `most`.
 */
int out_held(struct out *out, const char **text, size_t *bytes);

/* Makes room, by writing or by growing. For out_room(). */
void out_make_room(struct out *out, size_t bytes);

static inline char *out_room(struct out *out, size_t bytes)
{
	if (out->capacity - out->used < bytes)
		out_make_room(out, bytes);
	return out->buffer + out->used;
}

static inline void out_take(struct out *out, const char *end)
{
	out->used = (size_t)(end - out->buffer);
}

/* Bytes as they are, any number. */
void out_bytes(struct out *out, const char *bytes, size_t n);

static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* As printf; what is longer than OUT_PUT_BYTES is cut. */
void out_put(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
