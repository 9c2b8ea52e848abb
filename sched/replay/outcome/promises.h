/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Promises of a policy, sampled during a replay: parts of the machine, 0..1, that users and
 * projects should get.
 *
 *     Grid Engine's    fl_node(): m_share as `lasting`, the part due now as `now`
 *     Slurm's          fl_association(): shares among siblings, from the root down. The part due now
 *                      is not reported, so it is the same
 *     HTCondor's       fl_submitter() of the last cycle: its slice of all slices as `now`; as
 *                      `lasting` the result of factors in the long run, 1 / sqrt(factor) within a
 *                      group, groups by their quotas
 *
 * For Grid Engine and HTCondor only users and projects with jobs count. Slurm's tables have all of
 * them, so promises are scaled here to those for which `is_active` is true. A policy without shares
 * has no promises.
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
	/* Number from promise_names.number; ascending within a sample, each once. */
	uint32_t who;
	float lasting, now;		/* 0..1 */
};

struct promise_sample {
	int64_t now;			/* epoch seconds */
	/* ranges in promises_items() */
	size_t begin[PROMISE_KINDS], end[PROMISE_KINDS];
};

struct promises;

/* Functions that return facts about names. */
struct promise_names {
	void *context;
	/* Return the number of a user's or project's name; UINT32_MAX: memory is exhausted. */
	uint32_t (*number)(void *context, enum promise_kind kind, const char *name);
	/* Return whether a node of a share tree, which has no type, is a project. */
	bool (*is_project)(void *context, const char *name);
	bool (*is_active)(void *context, enum promise_kind kind, const char *name);
};

/* Create promises. NULL: memory is exhausted. The caller destroys them. */
struct promises *promises_create(const struct promise_names *names);
void promises_destroy(struct promises *promises);

/* Take a sample of a view. 0 or -ENOMEM: nothing has been taken. */
int promises_take(struct promises *promises, int64_t now, const struct fl_view *view);

/* Return the samples in order of time. They live until the next promises_take(). */
const struct promise_sample *promises_samples(const struct promises *promises, size_t *n);
const struct promise *promises_items(const struct promises *promises);

#endif
