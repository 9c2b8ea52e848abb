/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a packed buffer is what it says: in one pass from front to back, with memory of its own
 * for nothing but the depth. For this room alone: element.h is what others take it through.
 */
#ifndef SCHED_QMASTER_GDI_CHECK_H
#define SCHED_QMASTER_GDI_CHECK_H

#include <stdint.h>

#include "conf/error.h"

/*
 * Descriptors come again and again, with the same bytes: those that have been checked are known by
 * where they lie, in the place that their first field's number gives them.
 */
#define CHECK_KNOWN 64

struct gdi_check {
	const unsigned char *at, *end;	/* what is left */
	struct error *error;
	const unsigned char *known[CHECK_KNOWN];	/* each at its count; NULL: none */
};

/* 0 and behind it, or -EPROTO with the reason. */
int check_u32(struct gdi_check *check, uint32_t *value);
int check_text(struct gdi_check *check);
int check_list(struct gdi_check *check, unsigned depth);
int check_free_element(struct gdi_check *check);
int check_condition(struct gdi_check *check, unsigned depth);
int check_enumeration(struct gdi_check *check, unsigned depth);

#endif
