/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's multifactor priority (slurm.conf(5) Priority*, sprio(1)): the factors of a job itself,
 * and the sum. Pure arithmetic, as in Slurm 22.05, or as in Slurm 2.0 of 2009. The scheduler and
 * readers use this code; readers break a sum down with the functions that made it.
 */
#ifndef URGENCY_MULTIFACTOR_H
#define URGENCY_MULTIFACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Limit of the sum, which NICE and site factors may exceed. */
#define PRIORITY_MOST 4294967295.0

/*
 * Return the age factor: min(1, (now - accrue) / max_age), 0 before `accrue`. 0 if accrue is 0.
 * Otherwise 1 if max_age is 0, even before `accrue`.
 */
static inline double age_factor(int64_t now, int64_t accrue, uint32_t max_age)
{
	uint64_t age = now > accrue ? (uint64_t)now - (uint64_t)accrue : 0;

	if (accrue == 0)
		return 0.0;
	return age < max_age ? (double)age / max_age : 1.0;
}

/* Job size */
struct job_size {
	uint32_t nodes;			/* smallest number requested; 1 if the job requests none */
	uint64_t cpus;			/* 0: unknown */
	uint32_t time_limit;		/* minutes, at least 1 */
};

struct size_rule {
	uint32_t nodes;			/* nodes of the cluster */
	uint64_t cpus;
	bool favor_small, relative_to_time, nodes_only;	/* nodes_only: 2009 */
};

/* multifactor.c: Return the size factor, 0..1. */
double size_factor(const struct size_rule *rule, const struct job_size *job);

/*
 * Return the factor of a partition, QOS or association: value / largest of all, or the value itself
 * (NO_NORMAL_*). 0 if the largest is 0.
 */
static inline double rank_factor(uint32_t value, uint32_t largest, bool raw)
{
	if (raw)
		return (double)value;
	return largest > 0 ? (double)value / largest : 0.0;
}

/* Return the factor of a TRES: count / total of the partition, or the count itself. */
static inline double tres_factor(double count, double total, bool raw)
{
	if (raw)
		return count;
	return total > 0.0 ? count / total : 0.0;
}

/* The sum */
struct multifactor_terms {		/* weight * factor each */
	double age, assoc, fairshare, job_size, partition, qos;
	double tres;			/* sum over the kinds, in their order */
	int64_t site, nice;
};

/* Return the sum before it is limited. The order of addition affects the result. */
static inline double multifactor_sum(const struct multifactor_terms *terms)
{
	return terms->age + terms->assoc + terms->fairshare + terms->job_size + terms->partition + terms->qos +
	       terms->tres + (double)terms->site - (double)terms->nice;
}

/* Return the lowest priority of a job that is not held. */
static inline uint32_t multifactor_least(bool is_2009)
{
	return is_2009 ? 2 : 1;
}

/* Return a job's priority: truncated, at least `least` (1; 2 in 2009), at most 2^32 - 1. */
static inline uint32_t multifactor_priority(double sum, uint32_t least)
{
	if (!(sum >= (double)least))
		return least;
	return sum < PRIORITY_MOST ? (uint32_t)sum : UINT32_MAX;
}

#endif
