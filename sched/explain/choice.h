/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs by queue instances, as qstat(1) has them with -q, -l, -pe and -U: started tasks whose master
 * runs in one of those chosen, and waiting jobs that could go to one of them if nothing else were
 * there.
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
 * Of the view's run. -ENOENT: no instance is meant, -EINVAL: no such resource, the errors of
 * sched_detach(); with the sentence. *s is NULL then.
 */
int choice_open(struct choice **choice, const struct fl_view *view, const struct suit_wishes *wishes,
		struct error *error);
void choice_free(struct choice *choice);	/* NULL is a no-op */

/* A row of that run. What can't be found out, for lack of memory, is not meant. */
bool choice_has(struct choice *choice, const struct fl_view *view, const struct fl_job *job);

#endif
