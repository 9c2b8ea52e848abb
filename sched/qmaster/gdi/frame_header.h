/* SPDX-License-Identifier: Apache-2.0 */
/* The texts in front of messages, read: frame.c's own. */
#ifndef SCHED_QMASTER_GDI_FRAME_HEADER_H
#define SCHED_QMASTER_GDI_FRAME_HEADER_H

#include "sched/qmaster/gdi/frame.h"

/* The length of the header, and how many bytes say so. 1; 0: more bytes are needed; -EPROTO. */
int gdi_header_length(const char *text, size_t n, size_t *used, size_t *length, struct error *error);
/* CRM or MIH, whole. `data_bytes`: what follows it. 0, -EPROTO, -EMSGSIZE. */
int gdi_header_parse(const char *text, size_t n, struct gdi_frame *frame, size_t *data_bytes, struct error *error);
/* A message that is not for the application is what it says it is. 0, -EPROTO. */
int gdi_control_parse(struct gdi_frame *frame, struct error *error);

#endif
