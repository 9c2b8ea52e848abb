/* SPDX-License-Identifier: Apache-2.0 */
/* Properties that few jobs have, as events set them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

static int copy_numbers(uint32_t **to, size_t *nto, const uint32_t *from, size_t n)
{
	if (n == 0)
		return 0;
	*to = malloc(n * sizeof(**to));
	if (!*to)
		return -ENOMEM;
	memcpy(*to, from, n * sizeof(**to));
	*nto = n;
	return 0;
}

static int copy_lists(struct job_extra *extra, const struct job_spec *spec)
{
	int rc = copy_numbers(&extra->hold_jid, &extra->nhold_jid, spec->hold_jid, spec->nhold_jid);

	if (rc == 0)
		rc = copy_numbers(&extra->hold_jid_ad, &extra->nhold_jid_ad, spec->hold_jid_ad, spec->nhold_jid_ad);
	if (rc == 0)
		rc = ranges_copy(&extra->waiting, &spec->tasks);
	for (int k = 0; rc == 0 && k < HOLD_KINDS; k++)
		rc = ranges_copy(&extra->sets[k], &spec->hold[k]);
	return rc;
}

/*
 * Swap the lists that the event sets with their copies. The copies, which are then the old lists,
 * are freed later.
 */
static void swap_lists(struct job_extra *extra, struct job_extra *copies, uint32_t given)
{
	struct job_extra old = *extra;

	if (given & JOB_HOLD_JID) {
		extra->hold_jid = copies->hold_jid;
		extra->nhold_jid = copies->nhold_jid;
		extra->depends |= copies->nhold_jid > 0;
		copies->hold_jid = old.hold_jid;
	}
	if (given & JOB_HOLD_JID_AD) {
		extra->hold_jid_ad = copies->hold_jid_ad;
		extra->nhold_jid_ad = copies->nhold_jid_ad;
		extra->depends |= copies->nhold_jid_ad > 0;
		copies->hold_jid_ad = old.hold_jid_ad;
	}
	if (given & JOB_TASKS) {
		extra->waiting = copies->waiting;
		copies->waiting = old.waiting;
	}
	for (int k = 0; given & JOB_HOLD && k < HOLD_KINDS; k++) {
		extra->sets[k] = copies->sets[k];
		copies->sets[k] = old.sets[k];
	}
}

/*
 * Remove tasks with an ordered start from the pending ids. The qmaster may still count them there.
 */
static int leave_ordered(const struct state *state, uint32_t row, struct ranges *waiting)
{
	const struct task *items = state->tasks.items;
	int rc = 0;

	for (uint32_t t = state->jobs.first_task[row]; rc == 0 && t != NONE; t = items[t].next)
		if (items[t].order && ranges_contain(waiting, items[t].id))
			rc = ranges_remove(waiting, items[t].id);
	return rc;
}

/* Remove ids that are not pending from the enrolled ids. Without memory all of them are removed. */
static void leave_enrolled(struct job_extra *extra)
{
	struct ranges *enrolled = &extra->sets[TASK_ENROLLED], *in_error = &extra->sets[TASK_ERROR];

	if (ranges_intersect(enrolled, &extra->waiting) == 0 && ranges_intersect(in_error, &extra->waiting) == 0)
		return;
	ranges_free(enrolled);
	ranges_free(in_error);
}

/* Set the error state. -ENOMEM changes nothing. */
static int set_error(struct mirror *mirror, struct job_extra *extra, const struct job_spec *spec)
{
	uint32_t reason = strings_hold(mirror->strings, spec->error_reason);

	if (spec->error_reason && reason == NONE)
		return -ENOMEM;
	strings_drop(mirror->strings, extra->error_reason);
	extra->error_reason = reason;
	extra->error = spec->error;
	return 0;
}

int extra_set(struct mirror *mirror, const struct state *state, uint32_t row, struct job_extra *extra,
	      const struct job_spec *spec)
{
	struct job_extra copies = { 0 };
	int rc = copy_lists(&copies, spec);

	if (rc == 0)
		rc = leave_ordered(state, row, &copies.waiting);
	if (rc == 0 && spec->given & JOB_ERROR)
		rc = set_error(mirror, extra, spec);
	if (rc == 0)
		swap_lists(extra, &copies, spec->given);
	job_extra_clear(&copies);
	if (rc != 0)
		return rc;
	if (spec->given & JOB_TASKS)
		leave_enrolled(extra);
	if (spec->given & JOB_DEADLINE)
		extra->numbers.deadline = spec->deadline;
	if (spec->given & JOB_EXECUTION_TIME)
		extra->numbers.execution_time = spec->execution_time;
	if (spec->given & JOB_TC)
		extra->task_concurrency = spec->task_concurrency;
	if (spec->given & JOB_DEPENDED)
		extra->depends = spec->depended;
	slurm_set_extra(extra, &spec->slurm);
	return 0;
}
