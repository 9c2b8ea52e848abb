/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed buffers to a qmaster, written from the front: values in the order of the descriptor.
 *
 *     struct gdi_writer w = { 0 };
 *     static const struct gdi_word words[] = { { OR_type, 0x3 }, ... };
 *
 *     gdi_write_header(&w);
 *     size_t list = gdi_list_begin(&w, "orderlist", words, n);
 *     gdi_element_begin(&w, list);
 *     gdi_write_u32(&w, 1);
 *     ...
 *     gdi_list_end(&w, list);		(a list without an element becomes NULL, as the qmaster does it)
 *     if (w.rc == 0) send(w.bytes, w.n)
 *     gdi_writer_free(&w);
 *
 * Calls go on after a lack of memory, and do nothing: rc is -ENOMEM then.
 */
#ifndef SCHED_QMASTER_GDI_WRITER_H
#define SCHED_QMASTER_GDI_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/qmaster/gdi/types.h"

struct gdi_word {			/* of a descriptor that we send */
	uint32_t number, mt;
};

struct gdi_writer {			/* zero-initialise */
	unsigned char *bytes;
	size_t n, capacity;
	int rc;
	uint32_t packet;		/* number of the packet, which each of its tasks carries: packet.h */
};

void gdi_writer_free(struct gdi_writer *writer);

void gdi_write_header(struct gdi_writer *writer);
void gdi_write_u32(struct gdi_writer *writer, uint32_t value);	/* bool, too */
void gdi_write_double(struct gdi_writer *writer, double value);
void gdi_write_text(struct gdi_writer *writer, const char *text);	/* host, too; NULL is "" */
void gdi_write_bytes(struct gdi_writer *writer, const void *bytes, size_t n);
void gdi_write_null(struct gdi_writer *writer);			/* list or object */

/* Returns what the other two calls need. `words` need only live during the call. */
size_t gdi_list_begin(struct gdi_writer *writer, const char *name, const struct gdi_word *words, size_t n);
void gdi_element_begin(struct gdi_writer *writer, size_t list);	/* its values follow */
void gdi_list_end(struct gdi_writer *writer, size_t list);

/* An object in a field, and an element that stands alone; its values follow. */
void gdi_object_begin(struct gdi_writer *writer, const struct gdi_word *words, size_t n);
void gdi_free_element_begin(struct gdi_writer *writer, const struct gdi_word *words, size_t n);

/* Which fields: NULL = all; in this order, with the positions and flags of their full types. */
struct gdi_wanted {
	uint32_t number;
	const struct gdi_wanted *inside;	/* of a list field: which of its elements; NULL: all */
	size_t ninside;
};
void gdi_write_wanted(struct gdi_writer *writer, const struct gdi_wanted *wanted, size_t n);

/* A condition: field = value; and none. */
void gdi_write_where_u32(struct gdi_writer *writer, uint32_t field, uint32_t value);
void gdi_write_where_text(struct gdi_writer *writer, uint32_t field, const char *value);
void gdi_write_everywhere(struct gdi_writer *writer);

#endif
