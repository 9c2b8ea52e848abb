/* SPDX-License-Identifier: Apache-2.0 */
/* Inside promises: what each policy's tables say, one promise after the other, in any order. */
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

/* What is not finite or not above 0 is no promise. 0 or -ENOMEM. */
int promise_add(struct promise_draft *draft, enum promise_kind kind, const char *name, double lasting, double now);

/* 0, -ENOMEM; nothing is added where the policy is another one. */
int promises_of_tree(struct promise_draft *draft, const struct fl_view *view);
int promises_of_associations(struct promise_draft *draft, const struct fl_view *view);
int promises_of_submitters(struct promise_draft *draft, const struct fl_view *view);

#endif
