/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload of our own making to replay: users in groups, some of whom work much more than others;
 * sizes that are mostly powers of two; run times from seconds to a day, of which users ask for
 * somewhat more than they need; arrivals so that the machine is loaded as said. And a cell with a
 * share tree of groups, with whoever is in them below.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "conf/cell_source.h"
#include "sched/trace/trace.h"

#define WORKLOAD_BEGIN INT64_C(1700000000)

struct workload {
	size_t jobs, users, groups;
	uint64_t slots;
	double load;			/* slots asked for, over time, by slots that there are */
	uint32_t seed;
};

struct workload_jobs {
	const struct workload *shape;
	size_t n;			/* so far */
	uint32_t random;
	double at;			/* of the last submission, s */
	char user[16], group[16];
};

void workload_begin(struct workload_jobs *jobs, const struct workload *shape);
/* 1: there is none any more. Its strings are good until the next one. */
int workload_next(struct workload_jobs *jobs, struct trace_job *job);

/* Who is in the share tree. */
struct workload_groups {		/* zero-initialise */
	char **items;
	const char **seen;		/* texts of a trace: equal ones have equal addresses */
	size_t n, nseen;
};

/* -ENOMEM; of a log what trace_next() says. workload_groups_free() in any case. */
int workload_groups_made(const struct workload *shape, struct workload_groups *groups);
/* The whole log is read; its machine is shape->slots, where that is 0. */
int workload_groups_of_trace(struct workload *shape, const char *path, struct workload_groups *groups,
			     struct error *error);
void workload_groups_free(struct workload_groups *groups);

struct workload_policy {
	/* schedule_interval; flush_submit_sec and flush_finish_sec */
	uint32_t interval, flush;
	uint32_t reservations;		/* max_reservation */
};

/*
 * A cell of that policy whose share tree has these groups, as projects. For
 * sched_create_detached() or replay_cell_of_slots(); the caller frees. -ENOMEM.
 */
int workload_cell(struct cell_files *made, const struct workload_policy *policy, const char *const *groups,
		  size_t ngroups);

#endif
