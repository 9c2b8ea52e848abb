/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task ids in ascending order, written as ranges. Each range is as long as possible, from the first
 * id on; ids at a distance above 1 are a range if there are three of them.
 *
 *     struct range_writer w = { .to = &ranges, .most = 8192 };
 *     range_writer_put(&w, 1, 9, 2);
 *     range_writer_put(&w, 10, 10, 1);
 *     rc = range_writer_close(&w);		1-9:2,10
 */
#ifndef SCHED_PROCESS_RANGE_WRITER_H
#define SCHED_PROCESS_RANGE_WRITER_H

#include "sched/process/ranges.h"

struct range_writer {
	struct ranges *to;	/* owned by the caller */
	size_t most;		/* ranges that `to` may have */
	struct range open;	/* not yet appended */
	unsigned n;		/* ids of `open`; 3: three or more */
	int rc;			/* the first error: -ENOMEM, -E2BIG: more than `most`; -EINVAL: not ascending */
};

/* Append min, min + step, ..., max. The cost does not depend on how many ids they are. */
void range_writer_put(struct range_writer *writer, uint64_t min, uint64_t max, uint64_t step);
/* Append what is open. Returns `rc`. */
int range_writer_close(struct range_writer *writer);

#endif
