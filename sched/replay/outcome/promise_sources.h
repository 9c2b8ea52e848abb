/* SPDX-License-Identifier: Apache-2.0 */
/* Private to promises: collect the promises from the tables of each policy, in any order. */
#ifndef SCHED_REPLAY_OUTCOME_PROMISE_SOURCES_H
#define SCHED_REPLAY_OUTCOME_PROMISE_SOURCES_H

#include "sched/replay/outcome/promises.h"

struct promise_list {
	struct promise *items;
	size_t n, capacity;
};

struct promise_draft {
	const struct promise_names *names;
	struct promise_list lists[PROMISE_KINDS];
};

/* Add a promise if it is finite and above 0. 0 or -ENOMEM. */
int promise_add(struct promise_draft *draft, enum promise_kind kind, const char *name, double lasting, double now);

/* Add the promises of a policy; nothing if the view is of another policy. 0 or -ENOMEM. */
int promises_of_tree(struct promise_draft *draft, const struct fl_view *view);
int promises_of_associations(struct promise_draft *draft, const struct fl_view *view);
int promises_of_submitters(struct promise_draft *draft, const struct fl_view *view);

#endif
