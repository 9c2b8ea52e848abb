/* SPDX-License-Identifier: Apache-2.0 */
/* Values as a journal has them (values_written.h): the latest of each record. */
#ifndef SCHED_QMASTER_JOURNAL_VALUES_READ_H
#define SCHED_QMASTER_JOURNAL_VALUES_READ_H

#include "sched/qmaster/journal/rerun.h"
#include "sched/qmaster/members/values.h"
#include "shm/read.h"

struct values_kept;

int values_kept_make(struct values_kept **values);	/* -ENOMEM */
void values_kept_free(struct values_kept *values);	/* NULL is a no-op */
bool values_kept_are_there(const struct values_kept *values);
void values_kept_forget(struct values_kept *values);

/* {"values":...}. -EINVAL with the reason; -ENOMEM. */
int values_kept_take(struct values_kept *values, const struct value *object, struct error *error);

/*
 * The first value of this table that is another one in the view's run: which, and both. false:
 * none is, of those that are there.
 */
bool values_kept_compare(const struct values_kept *values, const struct view *view, const char *table,
			 struct rerun_difference *difference);

#endif
