/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of the elements of a Grid Engine 8.1.9 qmaster: field numbers, kinds, and the flags in the
 * qmaster's own descriptors. The qmaster stores and spools our elements with the flags that we
 * send, so the flags are identical to its own.
 *
 * Field numbers are constants with the name of the field, such as JB_job_number. The tables are in
 * fields.c.
 */
#ifndef SCHED_QMASTER_GDI_TYPES_H
#define SCHED_QMASTER_GDI_TYPES_H

#include <stddef.h>
#include <stdint.h>

enum gdi_kind {				/* low byte of mt */
	GDI_DOUBLE = 2, GDI_U32 = 3, GDI_BOOL = 6, GDI_STRING = 8, GDI_LIST = 9, GDI_OBJECT = 10, GDI_REFERENCE = 11,
	GDI_HOST = 12, GDI_U64 = 13,
};
#define GDI_FIELDS_MOST 199		/* fields of a descriptor: the limit of 8.1.9 */
/* Flag of mt: the descriptor does not have all fields of its type. */
#define GDI_REDUCED 0x200000u

struct gdi_field {
	uint32_t number;
	uint32_t mt;			/* flags << 8 | enum gdi_kind, as sent by the qmaster */
	const char *name;		/* "JB_job_number" */
};

struct gdi_type {
	const char *name;		/* "JB" */
	uint32_t first;			/* number of the field at position 0 */
	const struct gdi_field *fields;	/* indexed by position; position i has the number first + i */
	size_t n;
};

/* Known types, sorted by their first number. */
extern const struct gdi_type gdi_types[];
extern const size_t gdi_types_count;

/* Find a type. NULL: not known. */
const struct gdi_type *gdi_type(const char *name);
const struct gdi_type *gdi_type_of(uint32_t number);	/* type to which a field belongs */
const struct gdi_field *gdi_field(uint32_t number);

/* Return a name such as "u32". NULL: the kind does not exist on the wire. */
const char *gdi_kind_name(uint32_t kind);

/* Field numbers: an enum for each type, JB_job_number = 50 and so on. */
#include "sched/qmaster/gdi/numbers.h"

#endif
