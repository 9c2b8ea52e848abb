/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV: RFC 4180. */
#ifndef SCHED_PROCESS_CSV_H
#define SCHED_PROCESS_CSV_H

#include "sched/process/output.h"

/*
 * Write `n` bytes of a text, in quotes if it needs them, and a comma. Control characters become
 * '?'.
 */
void csv_text(struct out *out, const char *text, size_t n);

#endif
