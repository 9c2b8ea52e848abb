/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output to a descriptor, or a text that grows in memory. Formatting never fails. The
 * first error (disk full, no memory, too long) is kept, and everything after it is dropped.
 * out_flush() or out_held() returns the error.
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

/* bytes that are held back before the first one is written */
#define OUT_HELD_BYTES (64u << 20)
#define OUT_PUT_BYTES 4096u		/* longest text of one out_put() */
#define OUT_ROOM_BYTES (32u << 10)	/* largest request of out_room() */

struct out {			/* private to output.c and the inline functions below */
	int fd;
	char *buffer;
	size_t used, capacity;
	size_t most;		/* in memory: longest text, bytes; 0: there is a descriptor */
	/* bytes have been written: the output cannot be discarded any more */
	bool written;
	int error;		/* first one, -errno */
};

/* Open the output to a descriptor. Returns 0 or -ENOMEM. The caller closes. */
int out_open(struct out *out, int fd);
/* Open a text in memory of at most `most` bytes. Returns 0 or -ENOMEM. The caller closes. */
int out_open_memory(struct out *out, size_t most);
/* Free the buffer without writing it. */
void out_close(struct out *out);

/* Discard the buffer. In memory also the error is cleared: a new text begins in the old buffer. */
void out_rewind(struct out *out);
/* Write the buffer and return the first error since out_open(). Not for a text in memory. */
int out_flush(struct out *out);
/*
 * Return the text in memory, without a NUL, valid until the next call. Returns 0, -ENOMEM, or
 * -EMSGSIZE if it is longer than `most`.
 */
int out_held(struct out *out, const char **text, size_t *bytes);

/*
 * Close a text in memory and return it with a NUL, or NULL if it is not complete. The caller frees
 * it. Also for a text that could not be opened.
 */
char *out_detach(struct out *out);

/* Make room by writing or by growing. For out_room(). */
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

/* Write any number of bytes unchanged. */
void out_bytes(struct out *out, const char *bytes, size_t n);

static inline void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

/* Write as printf does. Longer texts are cut at OUT_PUT_BYTES. */
void out_put(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
