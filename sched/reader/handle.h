/* SPDX-License-Identifier: Apache-2.0 */
/* What a handle and a view of libfairlead are made of. */
#ifndef READER_HANDLE_H
#define READER_HANDLE_H

#include "sched/reader/fairlead.h"
#include "sched/run/records.h"
#include "shm/attach.h"

/*
 * Hosts report the same names and many equal values, and equal texts have one id: what was read of
 * one in this generation is remembered.
 */
struct load_memo {
	uint64_t generation;
	struct load_name { uint32_t id; uint32_t field; } names[64];
	struct load_number { uint32_t id; bool known; double value; } numbers[256];
};

struct fl_view {
	struct view view;
	const struct fl_cell *cell;
	struct load_memo *memo;		/* the cell's */
};

struct fl_cell {
	struct attachment attachment;
	struct fl_view view;
	struct load_memo memo;
};

/* jobs.c: the row of a job, NONE when there is none of this number. */
uint32_t row_find(const struct fl_view *view, uint32_t number);

/*
 * Record `index` of a table, of the type that `to` points to, copied out; false when there is none.
 */
#define RECORD_COPY(view, id, index, to) record_copy(&(view)->view, id, index, to, sizeof(*(to)))

static inline bool record_copy(const struct view *view, unsigned id, uint64_t index, void *to, size_t bytes)
{
	const void *record = view_record(view, id, bytes, index);

	if (record)
		view_copy(to, record, bytes);
	return record != NULL;
}

struct why_record;
/* why.c */
int why_fill(const struct fl_view *view, const struct why_record *record, struct fl_why *why);
/*
 * why_negotiation.c: the k-th of what the last cycle found about a job that takes part. -ENOENT:
 * there are fewer, and *k is less by as many.
 */
int negotiation_reason(const struct fl_view *view, uint32_t row, size_t *k, struct fl_why *why);

#endif
