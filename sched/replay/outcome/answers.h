/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of an outcome: utilisation of the machine, waiting times, and shares of users, groups and
 * projects. All are exact functions of the outcome.
 *
 * Waiting time: seconds from submission to the first start. Bounded slowdown: (waiting + run time)
 * / run time, where the run time is at least SLOWDOWN_BOUND_S and the quotient at least 1
 * (Feitelson and Rudolph, 1998). Run time is the one recorded in the trace. Both exist for jobs
 * that have started.
 */
#ifndef SCHED_REPLAY_OUTCOME_ANSWERS_H
#define SCHED_REPLAY_OUTCOME_ANSWERS_H

#include "sched/replay/outcome/classes.h"
#include "sched/replay/outcome/distribution.h"
#include "sched/replay/outcome/outcome.h"
#include "sched/replay/outcome/series.h"

#define SLOWDOWN_BOUND_S 10
#define LONGEST_WAITS 10
/* A job starves when it waits this multiple of the median of its class, and this long. */
#define STARVES_TIMES 10
#define STARVES_LEAST_S 3600

enum grouping { BY_USER, BY_GROUP, BY_PROJECT, BY_SIZE, BY_TIME, GROUPINGS };

struct group_answer {
	const char *name;		/* owned by the outcome; "" if the trace has none */
	uint32_t number;		/* in job->names[]; or the class */
	size_t jobs, started;		/* submitted; started */
	double slot_s;			/* slots x seconds that its jobs ran */
	double received;		/* part of the run time of all jobs, 0..1 */
	/*
	 * Average over all samples of promises, weighted by the use of the machine in the time of
	 * each: 0..1; 0 for classes.
	 */
	double promised, due;
	struct distribution wait, slowdown;
};

struct grouping_answer {
	/*
	 * Users, groups and projects by slot_s, largest first; classes in order. Entries without
	 * jobs are left out.
	 */
	struct group_answer *items;
	size_t n;
	uint32_t *places;		/* index in items, by number; INDEX_NONE: none */
	size_t numbers;
};

struct utilisation {
	int64_t begin, end;		/* epoch seconds */
	double slots;			/* average number of slots that existed */
	double used;			/* part of these that was used, 0..1 */
};

struct long_wait {
	size_t job;			/* in outcome_jobs() */
	int64_t wait_s;
	bool started;			/* false: it is still pending at the end */
};

/* comparison of promised and received shares of users or projects */
struct shares_answer {
	size_t samples;			/* 0: nothing was promised, or no samples were taken */
	/*
	 * Half the sum of |promised - received| over all, 0..1, as average over the samples,
	 * weighted by the use of the machine.
	 */
	double distance_lasting, distance_now;
	/*
	 * Part of the use of the machine that was promised to users or projects with pending jobs
	 * and went to others. For each one it is the lesser of two amounts: what was promised
	 * beyond what was received, and slots x seconds of its waiting jobs.
	 */
	double unmet;
};

struct answers {
	const struct outcome *outcome;	/* borrowed */
	/* Outcome whose promises are used for users and projects; borrowed. */
	const struct outcome *promiser;
	size_t jobs, started, ended, running, waiting, removed;	/* at the end; jobs = submitted */
	size_t backfilled;		/* started while a job before them had a reservation */
	/* Jobs that started, or are pending at the end, after a later submission started. */
	size_t overtaken;
	/* From the first submission to the last end; from 5 to 95 % of the time of submissions. */
	struct utilisation whole, inner;
	double lost_slot_s;		/* lost run times, which ended with the job vacated */
	struct distribution wait, slowdown;
	struct grouping_answer by[GROUPINGS];
	struct shares_answer users, projects;
	struct long_wait longest[LONGEST_WAITS];	/* longest first */
	size_t nlongest;
	size_t starving;		/* STARVES_TIMES; including pending ones */
};

/*
 * Compute the answers. `outcome` must live until answers_free(). -ENODATA: it has no job; -ENOMEM.
 * *answers is empty then.
 */
int answers_make(struct answers *answers, const struct outcome *outcome);
void answers_free(struct answers *answers);
/*
 * Measure shares given by a policy without shares, or by a recorded trace, against the promises of
 * another policy in its replay of the same trace. Fills users and projects if nothing was promised,
 * but not the members of groups. `promiser` must live as long as `answers`. -ENOMEM.
 */
int answers_measure(struct answers *answers, const struct outcome *promiser);

/* Return the bounded slowdown of a job that has started. */
double answers_slowdown(const struct outcome_job *job);
/* Return the answer of a group; NULL: it has no jobs. */
struct group_answer *answers_group(const struct answers *answers, enum grouping by, uint32_t number);

/* Figures over time */

/* Compute slots in use; pending jobs and their slots. Times seconds, settled. -ENOMEM. */
int answers_used(struct series *made, const struct answers *answers, const struct axis *axis);
int answers_waiting(struct series *jobs, struct series *slots, const struct answers *answers, const struct axis *axis);
/* Compute the number of slots that existed, times seconds. */
int answers_slots(struct series *made, const struct answers *answers, const struct axis *axis);
/* Compute slots in use by one of BY_USER, BY_GROUP, BY_PROJECT. */
int answers_received(struct series *made, const struct answers *answers, const struct axis *axis, enum grouping by,
		     uint32_t number);
/*
 * Compute the promised share of BY_USER or BY_PROJECT `number`, 0..1: the average of the samples
 * within each step, or the last one before. Fills axis->n values. PROMISED_ALL: the share of all.
 * False: there are no samples.
 */
#define PROMISED_ALL UINT32_MAX
bool answers_promised(double *values, const struct answers *answers, const struct axis *axis, enum grouping by,
		      uint32_t number);

/* Differences between two outcomes of the same trace, for jobs that have started in both. */

struct distance {
	size_t jobs;
	/* parts of the jobs that started earlier, ... in b than in a, 0..1 */
	double earlier, same, later;
	/* Waiting time in b minus that in a. */
	double mean_s, mean_absolute_s, median_absolute_s;
	/*
	 * Over about 100 steps of time: the sum of |received in a - received in b| divided by the
	 * sum of everything received in both, 0..1.
	 */
	double users, projects;
};

/* Compute the differences. -ENODATA: no job has started in both; -ENOMEM. */
int distance_between(struct distance *distance, const struct answers *a, const struct answers *b);

#endif
