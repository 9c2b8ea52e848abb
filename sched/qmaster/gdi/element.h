/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed buffers as they come from a qmaster: lists of elements, each list with the descriptor of
 * its elements in front. A buffer is checked once, as a whole; then it is read where it lies, and
 * no call can fail any more.
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
 * Checked are: lengths, counts and depth against what is there; that a string ends; types against
 * those that types.h knows for a field's number (a field that is not known there is passed over).
 *
 * The bytes belong to the caller, and must outlive what points into them. They lie in memory that
 * can be written to: the word "changed" of a list means nothing to who reads it, and the check
 * leaves there how long the list is, so that nobody need go through it to find what follows.
 */
#ifndef SCHED_QMASTER_GDI_ELEMENT_H
#define SCHED_QMASTER_GDI_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/error.h"
#include "sched/qmaster/gdi/types.h"

#define GDI_HEADER_BYTES 8		/* in front of a buffer, which gdi_take_header() takes */
#define GDI_DEPTH_MOST 128	/* lists in lists; a share tree is one more for each level */

struct gdi_buffer {			/* what is left of it */
	const unsigned char *at, *end;
};

struct gdi_descriptor {
	const unsigned char *words;	/* (number, mt) of each field */
	uint32_t n;
	uint32_t first;			/* the least field number there is */
	/* of the field first + k: its column + 1; 0: none. No type reaches further than this. */
	uint8_t columns[GDI_FIELDS_MOST + 1];
};

struct gdi_list {
	struct gdi_descriptor descriptor;
	uint32_t left;			/* elements that gdi_next() will still find */
	const unsigned char *at;	/* the next element */
	const char *name;
};

struct gdi_element {
	const struct gdi_descriptor *descriptor;	/* of the list, which must outlive it; or `own` */
	struct gdi_descriptor own;	/* of an element that stands alone; else not set */
	const unsigned char *values[GDI_FIELDS_MOST];	/* by column */
};

/*
 * Each takes what is next in the buffer, and moves behind it. 0, or -EPROTO with what was found and
 * what is allowed; then the buffer may be anywhere within itself.
 */
int gdi_take_header(struct gdi_buffer *buffer, struct error *error);	/* of 8.1.9; no other is understood */
int gdi_take_u32(struct gdi_buffer *buffer, uint32_t *value, struct error *error);
int gdi_take_text(struct gdi_buffer *buffer, const char **text, struct error *error);
int gdi_take_list(struct gdi_buffer *buffer, struct gdi_list *list, struct error *error);
int gdi_take_element(struct gdi_buffer *buffer, struct gdi_element *element, struct error *error);	/* a free one */
int gdi_take_condition(struct gdi_buffer *buffer, struct error *error);	/* passed over */
int gdi_take_enumeration(struct gdi_buffer *buffer, struct error *error);	/* passed over */
int gdi_take_end(const struct gdi_buffer *buffer, struct error *error);	/* nothing is left over */

/* A list that gdi_take_list() has taken from here before, perhaps for another thread: no check. */
struct gdi_list gdi_checked_list(const unsigned char *at);

/*
 * The next one; false: there is none. It is valid until the next call for this list, and as long as
 * the list, which has its descriptor, is where it is.
 */
bool gdi_next(struct gdi_list *list, struct gdi_element *element);
/* The same of a list that has not been begun, which stays as it is. */
bool gdi_first(const struct gdi_list *list, struct gdi_element *element);

/*
 * The values of an element, by the numbers of types.h. What it has no such field of, or NULL, is 0,
 * false, "", an empty list. A double that is no number or infinite is 0. Texts are as they came,
 * which may be any bytes but NUL: utf8.h.
 */
bool gdi_has(const struct gdi_element *element, uint32_t field);
uint32_t gdi_u32(const struct gdi_element *element, uint32_t field);	/* bool, too */
double gdi_double(const struct gdi_element *element, uint32_t field);
const char *gdi_text(const struct gdi_element *element, uint32_t field);	/* host, too */
struct gdi_list gdi_list(const struct gdi_element *element, uint32_t field);
bool gdi_object(const struct gdi_element *element, uint32_t field, struct gdi_element *object);	/* false: NULL */

#endif
