/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed buffers from a qmaster. They contain lists of elements, and each list begins with the
 * descriptor of its elements. A buffer is checked once as a whole. After that it is read in place,
 * and no call can fail.
 *
 *     struct gdi_buffer buffer = { bytes, bytes + n };
 *     struct gdi_list jobs;
 *     struct gdi_element job;
 *
 *     rc = gdi_take_header(&buffer, &error);
 *     if (rc == 0)
 *             rc = gdi_take_list(&buffer, &jobs, &error);
 *     while (rc == 0 && gdi_next(&jobs, &job))
 *             printf("%u %s\n", gdi_u32(&job, JB_job_number), gdi_text(&job, JB_owner));
 *
 * Lengths, counts and depth are checked against the bytes available, strings for their NUL, and the
 * kinds of fields against types.h. A field that types.h does not have is skipped.
 *
 * The bytes belong to the caller and must outlive all pointers to them. The memory must be
 * writable. The word "changed" of a list has no meaning for a reader. The check stores the length
 * of the list there, so that a list can be skipped without reading it.
 */
#ifndef SCHED_QMASTER_GDI_ELEMENT_H
#define SCHED_QMASTER_GDI_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"
#include "sched/qmaster/gdi/types.h"

#define GDI_HEADER_BYTES 8		/* header of a buffer, see gdi_take_header() */
#define GDI_DEPTH_MOST 128	/* most lists in lists; each level of a share tree is one more */

struct gdi_buffer {			/* the rest of a buffer */
	const unsigned char *at, *end;
};

struct gdi_descriptor {
	const unsigned char *words;	/* (number, mt) of each field */
	uint32_t n;
	uint32_t first;			/* smallest field number */
	/* Column + 1 of the field first + k; 0: none. No type has more fields than this. */
	uint8_t columns[GDI_FIELDS_MOST + 1];
};

struct gdi_list {
	struct gdi_descriptor descriptor;
	uint32_t left;			/* elements that gdi_next() has not returned */
	const unsigned char *at;	/* next element */
	const char *name;
};

struct gdi_element {
	/* Descriptor of the list, which must outlive the element; or `own`. */
	const struct gdi_descriptor *descriptor;
	/* Descriptor of an element without a list; otherwise not set. */
	struct gdi_descriptor own;
	const unsigned char *values[GDI_FIELDS_MOST];	/* by column */
};

/*
 * Take what is next in the buffer and move past it. Return 0, or -EPROTO with what was found and
 * what is allowed. After an error the position in the buffer is undefined.
 */
/* Take the header. Only that of 8.1.9 is accepted. */
int gdi_take_header(struct gdi_buffer *buffer, struct error *error);
int gdi_take_u32(struct gdi_buffer *buffer, uint32_t *value, struct error *error);
int gdi_take_text(struct gdi_buffer *buffer, const char **text, struct error *error);
int gdi_take_list(struct gdi_buffer *buffer, struct gdi_list *list, struct error *error);
/* Take an element without a list. */
int gdi_take_element(struct gdi_buffer *buffer, struct gdi_element *element, struct error *error);
int gdi_take_condition(struct gdi_buffer *buffer, struct error *error);	/* skipped */
int gdi_take_enumeration(struct gdi_buffer *buffer, struct error *error);	/* skipped */
/* Check that no bytes are left. */
int gdi_take_end(const struct gdi_buffer *buffer, struct error *error);

/*
 * Return the list at `at` without a check. gdi_take_list() must have taken it before, perhaps in
 * another thread.
 */
struct gdi_list gdi_checked_list(const unsigned char *at);

/*
 * Read the next element. false: there is none. The element is valid until the next call for this
 * list, and only while the list, which holds the descriptor, is not moved.
 */
bool gdi_next(struct gdi_list *list, struct gdi_element *element);
/* Read the first element of a list that has not been read yet. The list is not changed. */
bool gdi_first(const struct gdi_list *list, struct gdi_element *element);

/*
 * Return a value of an element, by a number of types.h. A missing field or NULL is 0, false, "" or
 * an empty list. A double that is infinite or not a number is 0. Texts are returned unchecked and
 * may contain any bytes except NUL; see utf8.h.
 */
bool gdi_has(const struct gdi_element *element, uint32_t field);
uint32_t gdi_u32(const struct gdi_element *element, uint32_t field);	/* also for bool */
double gdi_double(const struct gdi_element *element, uint32_t field);
const char *gdi_text(const struct gdi_element *element, uint32_t field);	/* also for host */
struct gdi_list gdi_list(const struct gdi_element *element, uint32_t field);
/* Get an object. false: the field is NULL. */
bool gdi_object(const struct gdi_element *element, uint32_t field, struct gdi_element *object);

#endif
