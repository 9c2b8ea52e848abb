/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checking a packed buffer in one pass from front to back. The only memory used is the stack, for
 * nested lists. Used only in this directory; see element.h for other callers.
 */
#ifndef SCHED_QMASTER_GDI_CHECK_H
#define SCHED_QMASTER_GDI_CHECK_H

#include <stdint.h>

#include "conf/base/error.h"

/*
 * Known descriptors. The same descriptors come repeatedly with the same bytes. The address of one
 * that was checked is kept, in the entry given by the number of its first field.
 */
#define CHECK_KNOWN 64

struct gdi_check {
	const unsigned char *at, *end;	/* remaining bytes */
	struct error *error;
	const unsigned char *known[CHECK_KNOWN];	/* address of the field count; NULL: none */
};

/* Check what is next in the buffer and move past it. Returns 0, or -EPROTO with the reason. */
int check_u32(struct gdi_check *check, uint32_t *value);
int check_text(struct gdi_check *check);
int check_list(struct gdi_check *check, unsigned depth);
int check_free_element(struct gdi_check *check);
int check_condition(struct gdi_check *check, unsigned depth);
int check_enumeration(struct gdi_check *check, unsigned depth);

#endif
