/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/frame_header.h"

#define LENGTH_MOST 40			/* "<gmsh><dl>N</dl></gmsh>" */
#define DATA_FIRST ((size_t)1 << 16)	/* initial room, doubled when it is full */

void gdi_frames_free(struct gdi_frames *frames)
{
	free(frames->frame.data);
	*frames = (struct gdi_frames){ .nhead = 0 };
}

/*
 * Double the room for data; the kernel moves it by its page tables. Huge pages are not used,
 * because they would have to be split for that.
 */
static int data_grow(struct gdi_frames *frames)
{
	size_t capacity = frames->capacity ? 2 * frames->capacity : DATA_FIRST;
	unsigned char *larger;

	if (capacity > frames->wanted)
		capacity = frames->wanted;
	larger = realloc(frames->frame.data, capacity + 1);
	if (!larger)
		return -ENOMEM;
	frames->frame.data = larger;
	frames->capacity = capacity;
	return 0;
}

void *gdi_frames_room(struct gdi_frames *frames, size_t *bytes)
{
	if (!frames->in_data) {
		*bytes = GDI_HEADER_MOST - frames->nhead;
		return frames->head + frames->nhead;
	}
	if (frames->frame.n == frames->capacity && data_grow(frames))
		return NULL;
	*bytes = frames->capacity - frames->frame.n;
	return frames->frame.data + frames->frame.n;
}

void gdi_frames_took(struct gdi_frames *frames, size_t bytes)
{
	frames->bytes += bytes;
	if (frames->in_data)
		frames->frame.n += bytes;
	else
		frames->nhead += bytes;
}

static void head_drop(struct gdi_frames *frames, size_t bytes)
{
	memmove(frames->head, frames->head + bytes, frames->nhead - bytes);
	frames->nhead -= bytes;
}

/*
 * Take the header at the front, if it is complete. The bytes after it are its data. 1, 0, -errno.
 */
static int head_take(struct gdi_frames *frames, struct error *error)
{
	size_t length = 0, used = 0;
	int rc;

	frames->head[frames->nhead] = '\0';
	rc = gdi_header_length(frames->head, frames->nhead < LENGTH_MOST ? frames->nhead : LENGTH_MOST, &used, &length,
			       error);
	if (rc <= 0)
		return rc;
	if (length > GDI_HEADER_MOST - used)
		return error_set(error, -EMSGSIZE, "a header of %zu bytes: at most %d are allowed", length,
				 GDI_HEADER_MOST);
	if (frames->nhead - used < length)
		return 0;
	frames->frame = (struct gdi_frame){ .data = NULL };
	rc = gdi_header_parse(frames->head + used, length, &frames->frame, &frames->wanted, error);
	if (rc)
		return rc;
	head_drop(frames, used + length);
	frames->in_data = true;
	frames->capacity = 0;
	return 1;
}

/* Copy the data that were received together with the header. */
static int data_begin(struct gdi_frames *frames)
{
	size_t n = frames->nhead < frames->wanted ? frames->nhead : frames->wanted;

	if (data_grow(frames))
		return -ENOMEM;
	memcpy(frames->frame.data, frames->head, n);
	frames->frame.n = n;
	head_drop(frames, n);
	return 0;
}

int gdi_frames_next(struct gdi_frames *frames, struct gdi_frame *frame, struct error *error)
{
	int rc = 1;

	if (!frames->in_data)
		rc = head_take(frames, error);
	if (rc > 0 && frames->capacity == 0 && !frames->frame.data && data_begin(frames))
		rc = error_set(error, -ENOMEM, "out of memory for a message of %zu bytes", frames->wanted);
	if (rc <= 0 || frames->frame.n < frames->wanted)
		return rc < 0 ? rc : 0;
	frames->frame.data[frames->frame.n] = '\0';
	*frame = frames->frame;
	frames->frame = (struct gdi_frame){ .data = NULL };
	frames->in_data = false;
	rc = gdi_control_parse(frame, error);
	if (rc) {
		free(frame->data);
		frame->data = NULL;
	}
	return rc ? rc : 1;
}
