/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Write task ids in ascending order as ranges. Each range is as long as possible, beginning at the
 * first id. Ids at a distance above 1 become a range if there are at least three of them.
 *
 *     struct range_writer w = { .to = &ranges, .most = 8192 };
 *     range_writer_put(&w, 1, 9, 2);
 *     range_writer_put(&w, 10, 10, 1);
 *     rc = range_writer_close(&w);            1-9:2,10
 */
#ifndef SCHED_PROCESS_RANGE_WRITER_H
#define SCHED_PROCESS_RANGE_WRITER_H

#include "sched/process/ranges.h"

struct range_writer {
	struct ranges *to;	/* owned by the caller */
	size_t most;		/* largest number of ranges */
	struct range open;	/* not yet appended */
	unsigned n;		/* number of ids in `open`; 3: three or more */
	/* First error: -ENOMEM, -E2BIG: more than `most`; -EINVAL: not ascending. */
	int rc;
};

/* Append min, min + step, ..., max. The cost does not depend on the number of ids. */
void range_writer_put(struct range_writer *writer, uint64_t min, uint64_t max, uint64_t step);
/* Append the open range. Returns `rc`. */
int range_writer_close(struct range_writer *writer);

#endif
