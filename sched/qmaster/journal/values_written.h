/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a run (columns.h), as far as they are not those of the run before: lines. */
#ifndef SCHED_QMASTER_JOURNAL_VALUES_WRITTEN_H
#define SCHED_QMASTER_JOURNAL_VALUES_WRITTEN_H

#include "sched/process/json.h"
#include "shm/read.h"

struct values_written;

int values_written_make(struct values_written **values);	/* -ENOMEM */
void values_written_free(struct values_written *values);	/* NULL is a no-op */

/* The next run is written whole. */
void values_written_forget(struct values_written *values);

/*
 * {"values":"share tree","at":3,"of":["...",...]} for each record; of a job "at" is its number.
 * What there is no memory for is left out. `flush` is called when much is in `o`, and empties it;
 * what it returns, if that is not 0, ends this.
 */
int values_written_put(struct values_written *values, struct out *out, const struct view *view,
		       int (*flush)(void *context), void *context);

#endif
