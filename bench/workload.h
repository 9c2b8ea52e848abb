/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated workload to replay. Users are in groups, and some users work much more than others.
 * Sizes are mostly powers of two. Run times are from seconds to a day, and users request somewhat
 * more than they need. Arrivals load the machine as `load` says. The cell has a share tree of
 * groups; the leaf "default" of each group is for any user.
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
	/* requested slots over time, divided by the slots of the machine */
	double load;
	uint32_t seed;
};

struct workload_jobs {
	const struct workload *shape;
	size_t n;			/* jobs so far */
	uint32_t random;
	double at;			/* time of the last submission, s */
	char user[16], group[16];
};

void workload_begin(struct workload_jobs *jobs, const struct workload *shape);
/* Make the next job. Returns 1 at the end. Its strings are valid until the next call. */
int workload_next(struct workload_jobs *jobs, struct trace_job *job);

/* Groups of the share tree. */
struct workload_groups {		/* zero-initialize */
	char **items;
	const char **seen;		/* texts of a trace: equal texts have equal addresses */
	size_t n, nseen;
};

/*
 * Collect the groups. Returns 0, -ENOMEM, or for a log an error of trace_next(). Call
 * workload_groups_free() in each case.
 */
int workload_groups_made(const struct workload *shape, struct workload_groups *groups);
/*
 * Collect the groups of a log by reading all of it. If shape->slots is 0, it is set to the size of
 * the log's machine.
 */
int workload_groups_of_trace(struct workload *shape, const char *path, struct workload_groups *groups,
			     struct error *error);
void workload_groups_free(struct workload_groups *groups);

struct workload_policy {
	/* schedule_interval; flush_submit_sec and flush_finish_sec */
	uint32_t interval, flush;
	uint32_t reservations;		/* max_reservation */
};

/*
 * Make a cell with this policy whose share tree has these groups, as projects. It is for
 * sched_create_detached() or replay_cell_of_slots(), and the caller frees it. Returns 0 or -ENOMEM.
 */
int workload_cell(struct cell_files *made, const struct workload_policy *policy, const char *const *groups,
		  size_t ngroups);

#endif
