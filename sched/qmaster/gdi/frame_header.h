/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing the texts in front of messages. Used only by frame.c. */
#ifndef SCHED_QMASTER_GDI_FRAME_HEADER_H
#define SCHED_QMASTER_GDI_FRAME_HEADER_H

#include "sched/qmaster/gdi/frame.h"

/*
 * Read the length of a header; `used` is the size of this length. Returns 1, 0 if more bytes are
 * needed, or -EPROTO.
 */
int gdi_header_length(const char *text, size_t n, size_t *used, size_t *length, struct error *error);
/*
 * Parse a complete CRM or MIH. `data_bytes` is the size of the data after it. 0, -EPROTO,
 * -EMSGSIZE.
 */
int gdi_header_parse(const char *text, size_t n, struct gdi_frame *frame, size_t *data_bytes, struct error *error);
/* Check the data of a message about the connection itself. 0, -EPROTO. */
int gdi_control_parse(struct gdi_frame *frame, struct error *error);

#endif
