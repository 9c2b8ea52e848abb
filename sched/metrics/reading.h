/* SPDX-License-Identifier: Apache-2.0 */
/* A section on a run, the counts of its jobs, and the writers of its families. */
#ifndef SCHED_METRICS_READING_H
#define SCHED_METRICS_READING_H

#include "sched/metrics/inventory.h"
#include "sched/metrics/exposition.h"
#include "sched/metrics/tally.h"
#include "sched/reader/fairlead.h"

struct run_reading {
	const struct fl_view *view;
	const struct tally *tally;
	const struct inventory *inventory;
	size_t nusers; /* users of the tally that are shown one by one */
	bool all_users;
	size_t users_most; /* limit of nusers */
	struct text_set shown; /* names of the users that are shown one by one */
};

/* Label value of all users that are not shown one by one. No user has this name. */
#define OTHER_USERS "(others)"

#define COUNT_OF(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))

/* Return true if the user has series of its own. */
static inline bool reading_shows(const struct run_reading *reading, const char *user)
{
	return reading->all_users || text_set_find(&reading->shown, user) != INDEX_NONE;
}

static inline size_t label_put(struct label *labels, size_t n, const char *name, const char *value)
{
	labels[n] = (struct label){ name, value };
	return n + 1;
}

/* Write a part of the families. Return 0 or -ENOMEM. */
int write_scheduler(struct exposition *page, const struct run_reading *reading);
int write_jobs(struct exposition *page, const struct run_reading *reading);
int write_users(struct exposition *page, const struct run_reading *reading);
int write_cluster(struct exposition *page, const struct run_reading *reading);
int write_quotas(struct exposition *page, const struct run_reading *reading);
int write_tree(struct exposition *page, const struct run_reading *reading);
int write_associations(struct exposition *page, const struct run_reading *reading);
int write_negotiation(struct exposition *page, const struct run_reading *reading);

/* Write the same values under names of other exporters. */
int write_slurm_names(struct exposition *page, const struct run_reading *reading);
int write_grid_names(struct exposition *page, const struct run_reading *reading);

#endif
