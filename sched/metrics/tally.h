/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of all jobs of a run, made in one pass. The counts are numbers of tasks: each task of an
 * array counts, and a job that is not an array counts as one. Only reasons count jobs.
 */
#ifndef SCHED_METRICS_TALLY_H
#define SCHED_METRICS_TALLY_H

#include "conf/base/text_set.h"
#include "sched/metrics/buckets.h"
#include "sched/reader/fairlead.h"

enum tally_state {
	TALLY_PENDING,
	TALLY_HELD,
	TALLY_ERROR,
	TALLY_RUNNING,
	TALLY_SUSPENDED,
	TALLY_TRANSFERRING, /* started, not yet confirmed by the host */
	TALLY_DELETING,
	TALLY_STATES
};

extern const char *const tally_state_names[TALLY_STATES];

struct tally_counts {
	uint64_t tasks[TALLY_STATES], slots[TALLY_STATES];
};

#define TALLY_REASONS 96u /* greater than any number of a reason; the last number: no reason */

struct tally_cell { /* a queue and a project */
	uint32_t queue, project; /* numbers in the sets of names */
	struct tally_counts counts;
	uint64_t ages[BUCKETS_MOST + 1]; /* pending tasks by age, not cumulated */
	double age_sum; /* seconds */
	uint32_t reasons[TALLY_REASONS]; /* jobs by the number of their first reason */
};

struct tally_user {
	struct tally_counts counts;
	uint32_t number; /* in the set of names */
};

struct tally {
	const struct fl_view *view;
	const struct buckets *limits;
	int64_t now; /* clock of the run, epoch seconds */
	struct text_set users, projects, queues; /* names that jobs have; "" = none */
	struct tally_cell *cells;
	size_t ncells;
	struct tally_user *by_user; /* in the order of `users` */
	size_t nby_user;
	/* Private to tally.c */
	struct index index; /* cells by queue and project */
	uint32_t *keys;
	struct tally_group {
		uint32_t user, project;
	} *groups;
	struct tally_request {
		uint32_t queue, slots;
	} *requests;
	size_t ngroups, nrequests, cell_capacity;
	uint32_t last; /* cell of the previous job */
	bool has_accounts; /* `project` is an account of Slurm */
	int rc;
};

/*
 * Count the jobs of a section. Returns 0 or -ENOMEM. Call tally_free() in any case. If the section
 * was evicted, the counts have no meaning.
 */
int tally_make(struct tally *tally, const struct fl_view *view, const struct buckets *limits);
void tally_free(struct tally *tally);

/*
 * Order users by their started slots, then by their pending tasks, and return the number of the
 * first `most` users. The users after these are shown together. `most` < 0: all.
 */
size_t tally_rank_users(struct tally *tally, int64_t most);

/* Return the word for a reason of a cell. NULL: there is no such reason. */
const char *tally_reason_name(uint16_t number);

/* Add the counts of `from` to `to`. */
void tally_counts_add(struct tally_counts *to, const struct tally_counts *from);

#endif
