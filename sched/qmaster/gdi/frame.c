/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gdi/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/gdi/frame_header.h"

#define LENGTH_MOST 40			/* "<gmsh><dl>N</dl></gmsh>" */
#define DATA_FIRST ((size_t)1 << 16)	/* room at first; doubled when it is full */

void gdi_frames_free(struct gdi_frames *f)
{
	free(f->frame.data);
	*f = (struct gdi_frames){ .nhead = 0 };
}

/*
 * Room for more of the data: twice as much each time, which the kernel moves by its page tables. No
 * huge pages: they would have to be taken apart for that.
 */
static int data_grow(struct gdi_frames *f)
{
	size_t capacity = f->capacity ? 2 * f->capacity : DATA_FIRST;
	unsigned char *larger;

	if (capacity > f->wanted)
		capacity = f->wanted;
	larger = realloc(f->frame.data, capacity + 1);
	if (!larger)
		return -ENOMEM;
	f->frame.data = larger;
	f->capacity = capacity;
	return 0;
}

void *gdi_frames_room(struct gdi_frames *f, size_t *bytes)
{
	if (!f->in_data) {
		*bytes = GDI_HEADER_MOST - f->nhead;
		return f->head + f->nhead;
	}
	if (f->frame.n == f->capacity && data_grow(f))
		return NULL;
	*bytes = f->capacity - f->frame.n;
	return f->frame.data + f->frame.n;
}

void gdi_frames_took(struct gdi_frames *f, size_t bytes)
{
	f->bytes += bytes;
	if (f->in_data)
		f->frame.n += bytes;
	else
		f->nhead += bytes;
}

static void head_drop(struct gdi_frames *f, size_t bytes)
{
	memmove(f->head, f->head + bytes, f->nhead - bytes);
	f->nhead -= bytes;
}

/*
 * The header at the front, if it is there as a whole; then what is behind it are its data. 1, 0,
 * -errno
 */
static int head_take(struct gdi_frames *f, struct error *error)
{
	size_t length = 0, used = 0;
	int rc;

	f->head[f->nhead] = '\0';
	rc = gdi_header_length(f->head, f->nhead < LENGTH_MOST ? f->nhead : LENGTH_MOST, &used, &length, error);
	if (rc <= 0)
		return rc;
	if (length > GDI_HEADER_MOST - used)
		return error_set(error, -EMSGSIZE, "a header of %zu bytes: at most %d are allowed", length, GDI_HEADER_MOST);
	if (f->nhead - used < length)
		return 0;
	f->frame = (struct gdi_frame){ .data = NULL };
	rc = gdi_header_parse(f->head + used, length, &f->frame, &f->wanted, error);
	if (rc)
		return rc;
	head_drop(f, used + length);
	f->in_data = true;
	f->capacity = 0;
	return 1;
}

/* What came together with the header and belongs to the data. */
static int data_begin(struct gdi_frames *f)
{
	size_t n = f->nhead < f->wanted ? f->nhead : f->wanted;

	if (data_grow(f))
		return -ENOMEM;
	memcpy(f->frame.data, f->head, n);
	f->frame.n = n;
	head_drop(f, n);
	return 0;
}

int gdi_frames_next(struct gdi_frames *f, struct gdi_frame *frame, struct error *error)
{
	int rc = 1;

	if (!f->in_data)
		rc = head_take(f, error);
	if (rc > 0 && f->capacity == 0 && !f->frame.data && data_begin(f))
		rc = error_set(error, -ENOMEM, "no memory for a message of %zu bytes", f->wanted);
	if (rc <= 0 || f->frame.n < f->wanted)
		return rc < 0 ? rc : 0;
	f->frame.data[f->frame.n] = '\0';
	*frame = f->frame;
	f->frame = (struct gdi_frame){ .data = NULL };
	f->in_data = false;
	rc = gdi_control_parse(frame, error);
	if (rc) {
		free(frame->data);
		frame->data = NULL;
	}
	return rc ? rc : 1;
}
