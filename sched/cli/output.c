/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_BYTES (256u << 10)

_Static_assert(FIRST_BYTES >= OUT_ROOM_BYTES, "an empty buffer always has room");

int out_open(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd, .capacity = FIRST_BYTES };
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
}

int out_flush(struct out *o)
{
	size_t done = 0;

	while (done < o->used && !o->error) {
		ssize_t n = write(o->fd, o->buffer + done, o->used - done);

		if (n < 0 && errno == EAGAIN)		/* somebody made a shared terminal non-blocking */
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

void out_make_room(struct out *o)
{
	size_t more = o->capacity * 2;

	char *larger = o->written || o->error || more > OUT_HELD_BYTES ? NULL : realloc(o->buffer, more);

	if (larger) {
		o->buffer = larger;
		o->capacity = more;
	} else {
		out_flush(o);
		o->capacity = FIRST_BYTES;	/* from now on in pieces that stay in the processor's cache */
	}
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
