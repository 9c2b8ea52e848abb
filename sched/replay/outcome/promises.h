/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy promises to whom, looked at again and again while a replay goes on: parts of the
 * machine, 0..1, of users and of projects.
 *
 *     Grid Engine's    fl_node(): m_share as `lasting`, what is due now as `now`
 *     Slurm's          fl_association(): shares among siblings, down from the root. What is due now
 *                      is not told, so it is the same
 *     HTCondor's       fl_submitter() of the last cycle: its slice of all slices as `now`; as
 *                      `lasting` what factors lead to in the long run, 1 / sqrt(factor) within a
 *                      group, groups by their quotas
 *
 * Of Grid Engine's and HTCondor's only those count that have jobs; of Slurm's all do, so they are
 * scaled here to those that `is_active` says. Of a policy without shares there is nothing.
 */
#ifndef SCHED_REPLAY_OUTCOME_PROMISES_H
#define SCHED_REPLAY_OUTCOME_PROMISES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

#define PROMISE_SAMPLES 1024u

enum promise_kind { PROMISE_USER, PROMISE_PROJECT, PROMISE_KINDS };

struct promise {
	/* a number of whoever fills it; ascending within a sample, none twice */
	uint32_t who;
	float lasting, now;		/* 0..1 */
};

struct promise_sample {
	int64_t now;			/* epoch seconds */
	/* in the items of promises_of() */
	size_t begin[PROMISE_KINDS], end[PROMISE_KINDS];
};

struct promises;

/* What they need to know of who there is. */
struct promise_names {
	void *context;
	/* of a user's or project's name; UINT32_MAX: no memory */
	uint32_t (*number)(void *context, enum promise_kind kind, const char *name);
	/* is it the name of a project, for nodes of a share tree, which does not say */
	bool (*is_project)(void *context, const char *name);
	bool (*is_active)(void *context, enum promise_kind kind, const char *name);
};

/* NULL: no memory. The caller destroys. */
struct promises *promises_create(const struct promise_names *names);
void promises_destroy(struct promises *promises);

/* Takes what this view says. 0 or -ENOMEM: nothing has been taken. */
int promises_take(struct promises *promises, int64_t now, const struct fl_view *view);

/* In order of time; items belong to `p` and live until the next call of promises_take(). */
const struct promise_sample *promises_samples(const struct promises *promises, size_t *n);
const struct promise *promises_items(const struct promises *promises);

#endif
