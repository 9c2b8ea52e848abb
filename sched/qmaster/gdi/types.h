/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the elements of a Grid Engine 8.1.9 qmaster consist of: field numbers, types, and the flags
 * that the qmaster's own descriptors carry. What it keeps of ours it keeps with the flags that we
 * send, and spools by them: so they are its own, to the bit.
 *
 * The numbers are constants by the field's own name, JB_job_number; fields.c has the tables.
 */
#ifndef SCHED_QMASTER_GDI_TYPES_H
#define SCHED_QMASTER_GDI_TYPES_H

#include <stddef.h>
#include <stdint.h>

enum gdi_kind {				/* the low byte of mt */
	GDI_DOUBLE = 2, GDI_U32 = 3, GDI_BOOL = 6, GDI_STRING = 8, GDI_LIST = 9, GDI_OBJECT = 10, GDI_REFERENCE = 11,
	GDI_HOST = 12, GDI_U64 = 13,
};
#define GDI_FIELDS_MOST 199		/* of a descriptor: the limit of 8.1.9 */
#define GDI_REDUCED 0x200000u		/* flag of mt: the descriptor has not all fields of its type */

struct gdi_field {
	uint32_t number;
	uint32_t mt;			/* flags << 8 | enum gdi_kind, as the qmaster sends it */
	const char *name;		/* "JB_job_number" */
};

struct gdi_type {
	const char *name;		/* "JB" */
	uint32_t first;			/* number of the field at position 0 */
	const struct gdi_field *fields;	/* all, by position: that of number first + i at i */
	size_t n;
};

/* All that are known, by their first number. */
extern const struct gdi_type gdi_types[];
extern const size_t gdi_types_count;

/* NULL: it is not known. */
const struct gdi_type *gdi_type(const char *name);
const struct gdi_type *gdi_type_of(uint32_t number);	/* the type that a field belongs to */
const struct gdi_field *gdi_field(uint32_t number);

/* "u32"; NULL: there is no such kind on the wire. */
const char *gdi_kind_name(uint32_t kind);

/* The field numbers: an enum for each type, JB_job_number = 50 and so on. */
#include "sched/qmaster/gdi/numbers.h"

#endif
