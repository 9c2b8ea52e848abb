/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that the qmaster has reported about jobs, as columns in shared memory. A generation shows
 * the mirror's own columns, without a copy (shm/facts.h). The results of a run are in
 * sched/run/records.h.
 */
#ifndef SCHED_MIRROR_FACTS_H
#define SCHED_MIRROR_FACTS_H

#include "sched/mirror/kept.h"
#include "shm/facts.h"

enum job_flags {
	JOB_PENDING = 1 << 0,			/* has tasks not started: listed in TABLE_ORDER */
	JOB_ELIGIBLE = 1 << 1,			/* was considered in the run as pending */
	JOB_RUNNING = 1 << 2,			/* was considered in the run with started tasks */
	JOB_HELD = 1 << 3,			/* JOB_ON_HOLD or JOB_PREDECESSOR: h of hqw */
	JOB_IN_ERROR = 1 << 4,			/* E of Eqw */
	JOB_ARRAY = 1 << 5,
	JOB_ON_HOLD = 1 << 6,			/* held: all tasks not started */
	JOB_PREDECESSOR = 1 << 7,		/* waits for another job to end */
	/* reached its limit of running tasks: max_aj_instances, -tc */
	JOB_TASK_LIMIT = 1 << 8,
	JOB_RANKED_AGAIN = 1 << 9,		/* prio is normalize_prio_again() */
};

enum job_wishes {
	JOB_WISHES_RESERVATION = 1 << 0,	/* -R y */
	/* not a request: the reported eligible_time is the submission time */
	JOB_ELIGIBLE_AT_SUBMISSION = 1 << 1,
};

/* numbers that few jobs have set; 0 for all others */
struct job_numbers {
	int64_t deadline, execution_time;	/* epoch seconds, 0 = none */
	/* reported time, epoch seconds; 0: submission or execution time */
	int64_t eligible_time;
	int32_t nice, site_factor;
	/* set by an operator, replaces all factors; 0 = none */
	uint32_t direct_priority;
	uint32_t pad;
};

/* A chunk. Rows that no table refers to are free and have any content. */
struct job_facts {
	uint32_t number[CHUNK_ROWS];		/* job number */
	uint32_t class_id[CHUNK_ROWS];		/* TABLE_CLASSES */
	uint32_t category[CHUNK_ROWS];		/* TABLE_CATEGORIES */
	uint32_t name[CHUNK_ROWS];		/* string id */
	uint32_t extra[CHUNK_ROWS];		/* TABLE_EXTRAS or NONE */
	uint16_t priority[CHUNK_ROWS];		/* 1024 + p */
	uint16_t wishes[CHUNK_ROWS];		/* enum job_wishes */
	int64_t submission[CHUNK_ROWS];		/* epoch seconds */
};

_Static_assert(sizeof(struct job_facts) == EXTENT_BYTES, "a chunk of facts is one extent");

/* Return the chunk of a row. Call facts_reserve() before writing. */
static inline struct job_facts *facts_of(const struct facts *facts, uint32_t row)
{
	return facts_chunk(facts, row);
}

#endif
