/* SPDX-License-Identifier: Apache-2.0 */
/* Writing, as lines, the values of a run (columns.h) that differ from the run before. */
#ifndef SCHED_QMASTER_JOURNAL_VALUES_WRITTEN_H
#define SCHED_QMASTER_JOURNAL_VALUES_WRITTEN_H

#include "sched/process/json.h"
#include "shm/read.h"

struct values_written;

int values_written_make(struct values_written **values);	/* -ENOMEM */
void values_written_free(struct values_written *values);	/* NULL is a no-op */

/* Write all values of the next run. */
void values_written_forget(struct values_written *values);

/*
 * Write {"values":"share tree","at":3,"of":["...",...]} for each record; for a job, "at" is its
 * number. Values for which there is no memory are left out. `flush` is called when `out` holds much
 * text, and empties it. If it returns a value other than 0, writing ends.
 */
int values_written_put(struct values_written *values, struct out *out, const struct view *view,
		       int (*flush)(void *context), void *context);

#endif
