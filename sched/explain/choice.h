/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Select jobs by queue instances, as qstat(1) does with -q, -l, -pe and -U: started tasks whose
 * master runs in a chosen instance, and waiting jobs that could run in one if the cluster were
 * empty.
 *
 *     if (choice_open(&s, view, &wishes, &error) == 0) {
 *             choice_has(s, view, &job)
 *             choice_free(s);
 *     }
 */
#ifndef SCHED_EXPLAIN_CHOICE_H
#define SCHED_EXPLAIN_CHOICE_H

#include "conf/base/error.h"
#include "sched/reader/fairlead.h"

struct choice;
struct suit_wishes;			/* sched/dispatch/suit.h */

/*
 * Choose instances of the view's run. -ENOENT: no instance matches. -EINVAL: no such resource.
 * Otherwise the errors of sched_detach(). `error` has the sentence, and *choice is NULL.
 */
int choice_open(struct choice **choice, const struct fl_view *view, const struct suit_wishes *wishes,
		struct error *error);
void choice_free(struct choice *choice);	/* NULL is a no-op */

/* Return whether a row of that run is selected. False also if memory is exhausted. */
bool choice_has(struct choice *choice, const struct fl_view *view, const struct fl_job *job);

#endif
