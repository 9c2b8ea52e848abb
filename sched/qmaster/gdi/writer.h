/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing packed buffers for a qmaster, from the front, with values in the order of the descriptor.
 *
 *     struct gdi_writer writer = { 0 };
 *     static const struct gdi_word words[] = { { OR_type, 0x3 }, ... };
 *
 *     gdi_write_header(&writer);
 *     size_t list = gdi_list_begin(&writer, "orderlist", words, n);
 *     gdi_element_begin(&writer, list);
 *     gdi_write_u32(&writer, 1);
 *     ...
 *     gdi_list_end(&writer, list);	(a list without elements becomes NULL, as in the qmaster)
 *     if (writer.rc == 0) send(writer.bytes, writer.n)
 *     gdi_writer_free(&writer);
 *
 * After memory is exhausted, calls have no effect, and rc is -ENOMEM.
 */
#ifndef SCHED_QMASTER_GDI_WRITER_H
#define SCHED_QMASTER_GDI_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/qmaster/gdi/types.h"

struct gdi_word {			/* word of a descriptor that we send */
	uint32_t number, mt;
};

struct gdi_writer {			/* zero-initialise */
	unsigned char *bytes;
	size_t n, capacity;
	int rc;
	uint32_t packet;		/* number of the packet in each of its tasks: packet.h */
};

void gdi_writer_free(struct gdi_writer *writer);

void gdi_write_header(struct gdi_writer *writer);
void gdi_write_u32(struct gdi_writer *writer, uint32_t value);	/* also for bool */
void gdi_write_double(struct gdi_writer *writer, double value);
/* Also for host; NULL is "" */
void gdi_write_text(struct gdi_writer *writer, const char *text);
void gdi_write_bytes(struct gdi_writer *writer, const void *bytes, size_t n);
void gdi_write_null(struct gdi_writer *writer);			/* list or object */

/*
 * Begin a list. The result is passed to the other two calls. `words` is only used during the call.
 */
size_t gdi_list_begin(struct gdi_writer *writer, const char *name, const struct gdi_word *words, size_t n);
void gdi_element_begin(struct gdi_writer *writer, size_t list);	/* values follow */
void gdi_list_end(struct gdi_writer *writer, size_t list);

/* Begin an object in a field, or an element without a list. Its values follow. */
void gdi_object_begin(struct gdi_writer *writer, const struct gdi_word *words, size_t n);
void gdi_free_element_begin(struct gdi_writer *writer, const struct gdi_word *words, size_t n);

/*
 * Write which fields are wanted, in this order, with the positions and flags of their full types.
 * NULL: all.
 */
struct gdi_wanted {
	uint32_t number;
	/* List field: wanted fields of its elements; NULL: all. */
	const struct gdi_wanted *inside;
	size_t ninside;
};
void gdi_write_wanted(struct gdi_writer *writer, const struct gdi_wanted *wanted, size_t n);

/* Write the condition that all elements meet. */
void gdi_write_everywhere(struct gdi_writer *writer);

#endif
