/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of a handle and a view of libfairlead. */
#ifndef READER_HANDLE_H
#define READER_HANDLE_H

#include "sched/reader/fairlead.h"
#include "sched/run/records.h"
#include "shm/attach.h"

/*
 * Cache of load values of one generation. Hosts report the same names and many equal values, and
 * equal texts have the same string id.
 */
struct load_memo {
	uint64_t generation;
	struct load_name { uint32_t id; uint32_t field; } names[64];
	struct load_number { uint32_t id; bool known; double value; } numbers[256];
};

struct fl_view {
	struct view view;
	const struct fl_cell *cell;
	struct load_memo *memo;		/* part of the cell */
};

struct fl_cell {
	struct attachment attachment;
	struct fl_view view;
	struct load_memo memo;
};

/* Return the row of a job, NONE if there is none with this number. In jobs.c. */
uint32_t row_find(const struct fl_view *view, uint32_t number);

/*
 * Copy record `index` of a table to `to`, whose type is that of the record. False if there is none.
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
/* Fill in a reason from its record. In why.c. */
int why_fill(const struct fl_view *view, const struct why_record *record, struct fl_why *why);
/*
 * Return reason `k` of the last cycle about a job that is eligible. -ENOENT: there are fewer, and
 * *k is reduced by their number. In why_negotiation.c.
 */
int negotiation_reason(const struct fl_view *view, uint32_t row, size_t *k, struct fl_why *why);

#endif
