/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs in memory, sorted by submission, then number and task, then line. A row has 80 bytes. Values
 * that many jobs have in common, mostly texts, are stored once for all of them.
 */
#ifndef SCHED_TRACE_ROWS_H
#define SCHED_TRACE_ROWS_H

#include "conf/base/index.h"
#include "sched/trace/trace.h"

struct rows {				/* zero-initialise; private to rows.c */
	struct trace_row *items;
	uint32_t *order;
	size_t n, capacity, next;
	struct trace_common *common;
	uint32_t *hashes;
	size_t ncommon, common_capacity;
	struct index index;
};

/* Add a job. Returns 0, -ENOMEM, or -E2BIG: there are too many. */
int rows_add(struct rows *rows, const struct trace_job *job);
/* Sort after the last rows_add(). Returns 0 or -ENOMEM. */
int rows_sort(struct rows *rows);
/*
 * Return the next job. False: there is none. `again`: the row after it is of the same job, which
 * was started again.
 */
bool rows_next(struct rows *rows, struct trace_job *job, bool *again);
void rows_free(struct rows *rows);

#endif
