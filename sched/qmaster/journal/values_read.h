/* SPDX-License-Identifier: Apache-2.0 */
/* Values recorded in a journal (values_written.h): the latest ones of each record. */
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

/* Take a line {"values":...}. -EINVAL with the reason, -ENOMEM. */
int values_kept_take(struct values_kept *values, const struct value *object, struct error *error);

/*
 * Find the first value of this table that differs in the view's run, and describe the difference.
 * false: no recorded value differs.
 */
bool values_kept_compare(const struct values_kept *values, const struct view *view, const char *table,
			 struct rerun_difference *difference);

#endif
