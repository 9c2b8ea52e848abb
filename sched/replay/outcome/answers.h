/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers that an outcome has: how well the machine was used, how long whom it made wait, and
 * who got how much of it. Functions of the outcome alone; all of it is exact.
 *
 * Waiting time: from submission to the first start, seconds. Bounded slowdown: (waiting + run time)
 * / run time, where the run time is at least SLOWDOWN_BOUND_S and the quotient at least 1
 * (Feitelson and Rudolph, 1998); run time is that which the trace has recorded. Both are of jobs
 * that started.
 */
#ifndef SCHED_REPLAY_OUTCOME_ANSWERS_H
#define SCHED_REPLAY_OUTCOME_ANSWERS_H

#include "sched/replay/outcome/classes.h"
#include "sched/replay/outcome/distribution.h"
#include "sched/replay/outcome/outcome.h"
#include "sched/replay/outcome/series.h"

#define SLOWDOWN_BOUND_S 10
#define LONGEST_WAITS 10
/* A job starves when it waits so many times the median of its class, and at least so long. */
#define STARVES_TIMES 10
#define STARVES_LEAST_S 3600

enum grouping { BY_USER, BY_GROUP, BY_PROJECT, BY_SIZE, BY_TIME, GROUPINGS };

struct group_answer {
	const char *name;		/* the outcome's; "" where the trace has none */
	uint32_t number;		/* in job->names[]; or the class */
	size_t jobs, started;		/* submitted; of those started */
	double slot_s;			/* slots x seconds that its jobs ran */
	double received;		/* of what all jobs ran, 0..1 */
	/*
	 * over all samples of promises, by what the machine did in the time of each: 0..1; 0 for
	 * classes
	 */
	double promised, due;
	struct distribution wait, slowdown;
};

struct grouping_answer {
	/* users, groups, projects by slot_s, most first; classes in order; none without jobs */
	struct group_answer *items;
	size_t n;
	uint32_t *places;		/* in items, by number; INDEX_NONE: not there */
	size_t numbers;
};

struct utilisation {
	int64_t begin, end;		/* epoch seconds */
	double slots;			/* there were, on the average */
	double used;			/* 0..1 of them */
};

struct long_wait {
	size_t job;			/* in outcome_jobs() */
	int64_t wait_s;
	bool started;			/* false: it still waits at the end */
};

struct shares_answer {			/* promised against received, of users or projects */
	size_t samples;			/* 0: nothing was promised, or nobody looked */
	/*
	 * half the sum of |promised - received| over all, 0..1: on the average over the samples, by
	 * what the machine did
	 */
	double distance_lasting, distance_now;
	/*
	 * of what the machine did, how much was promised to some who waited for it, and went to
	 * others: for each the least of what he was promised beyond what he received, and of slots
	 * x seconds that he waited for
	 */
	double unmet;
};

struct answers {
	const struct outcome *outcome;	/* borrowed */
	/* whose promises users and projects are measured by; borrowed */
	const struct outcome *promiser;
	size_t jobs, started, ended, running, waiting, removed;	/* at the end; jobs = submitted */
	size_t backfilled;		/* while a job before it had a reservation */
	/* one that was submitted later started before them; with those that wait at the end */
	size_t overtaken;
	/*
	 * from the first submission to the last end; and from 5 to 95 % of the time of submissions
	 */
	struct utilisation whole, inner;
	double lost_slot_s;		/* of times that ended with the job vacated */
	struct distribution wait, slowdown;
	struct grouping_answer by[GROUPINGS];
	struct shares_answer users, projects;
	struct long_wait longest[LONGEST_WAITS];	/* longest first */
	size_t nlongest;
	size_t starving;		/* STARVES_TIMES; with those that still wait */
};

/* `o` stays until answers_free(). -ENODATA: it has no job; -ENOMEM. *a is empty then. */
int answers_make(struct answers *answers, const struct outcome *outcome);
void answers_free(struct answers *answers);
/*
 * What a policy without shares, or nobody's policy, has given, measured by what another one has
 * promised in its replay of the same trace: fills users and projects, where nothing was promised,
 * but not what is said of groups. `promiser` stays as long as `a`. -ENOMEM.
 */
int answers_measure(struct answers *answers, const struct outcome *promiser);

/* Of a job that has started. */
double answers_slowdown(const struct outcome_job *job);
/* NULL: it has no jobs. */
struct group_answer *answers_group(const struct answers *answers, enum grouping by, uint32_t number);

/* Over time */

/*
 * Slots in use, times seconds; jobs that wait, times seconds; and what slots they wait for, times
 * seconds. Settled. -ENOMEM.
 */
int answers_used(struct series *made, const struct answers *answers, const struct axis *axis);
int answers_waiting(struct series *jobs, struct series *slots, const struct answers *answers, const struct axis *axis);
/* The number of slots there were, times seconds. */
int answers_slots(struct series *made, const struct answers *answers, const struct axis *axis);
/* Slots in use by one of BY_USER, BY_GROUP, BY_PROJECT. */
int answers_received(struct series *made, const struct answers *answers, const struct axis *axis, enum grouping by,
		     uint32_t number);
/*
 * What BY_USER or BY_PROJECT `number` was promised, 0..1: on the average of the samples within each
 * step, or the last one before; axis->n values. PROMISED_ALL: what all were. False: there are no
 * samples.
 */
#define PROMISED_ALL UINT32_MAX
bool answers_promised(double *values, const struct answers *answers, const struct axis *axis, enum grouping by,
		      uint32_t number);

/* Between two outcomes of the same trace; jobs that have started in both */

struct distance {
	size_t jobs;
	double earlier, same, later;	/* 0..1 of them: in b, compared with a */
	/* of the waiting time in b less that in a */
	double mean_s, mean_absolute_s, median_absolute_s;
	/*
	 * in each of some 100 steps of time: the sum of |received in a - received in b| by that of
	 * all that was received in both, 0..1
	 */
	double users, projects;
};

/* -ENODATA: no job has started in both; -ENOMEM. */
int distance_between(struct distance *distance, const struct answers *a, const struct answers *b);

#endif
