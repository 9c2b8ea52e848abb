/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slurm's multifactor priority: the factors that a job brings itself, and the sum: slurm.conf(5)
 * Priority*, sprio(1). Pure; as Slurm 22.05, or as Slurm 2.0 did it in 2009. One place for the
 * scheduler and for readers, who take a sum apart with the functions that made it.
 */
#ifndef URGENCY_MULTIFACTOR_H
#define URGENCY_MULTIFACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* NICE and site factors may push the sum beyond: it is cut */
#define PRIORITY_MOST 4294967295.0

/*
 * Age: min(1, (now - accrue) / max_age), 0 before; 0 while accrue is 0; else 1 when max_age is 0,
 * even before
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
	uint32_t nodes;			/* least number requested; 1 when the job says none */
	uint64_t cpus;			/* 0: unknown */
	uint32_t time_limit;		/* minutes, at least 1 */
};

struct size_rule {
	uint32_t nodes;			/* of the cluster */
	uint64_t cpus;
	bool favor_small, relative_to_time, nodes_only;	/* nodes_only: 2009 */
};

/* 0..1. multifactor.c */
double size_factor(const struct size_rule *rule, const struct job_size *job);

/*
 * Partition, QOS, association: value / largest of all, or the value itself (NO_NORMAL_*); 0 when
 * the largest is 0
 */
static inline double rank_factor(uint32_t value, uint32_t largest, bool as_it_is)
{
	if (as_it_is)
		return (double)value;
	return largest > 0 ? (double)value / largest : 0.0;
}

/* TRES: count / what the partition has, or the count itself */
static inline double tres_factor(double count, double total, bool as_it_is)
{
	if (as_it_is)
		return count;
	return total > 0.0 ? count / total : 0.0;
}

/* The sum */
struct multifactor_terms {		/* weight * factor each */
	double age, assoc, fairshare, job_size, partition, qos;
	double tres;			/* sum over the kinds, in their order */
	int64_t site, nice;
};

/* Before it is cut. The order of addition is part of the result. */
static inline double multifactor_sum(const struct multifactor_terms *terms)
{
	return terms->age + terms->assoc + terms->fairshare + terms->job_size + terms->partition + terms->qos +
	       terms->tres + (double)terms->site - (double)terms->nice;
}

/* The least priority of a job that is not held. */
static inline uint32_t multifactor_least(bool is_2009)
{
	return is_2009 ? 2 : 1;
}

/* A job's priority: truncated, at least `least` (1; 2 in 2009), at most 2^32 - 1. */
static inline uint32_t multifactor_priority(double sum, uint32_t least)
{
	if (!(sum >= (double)least))
		return least;
	return sum < PRIORITY_MOST ? (uint32_t)sum : UINT32_MAX;
}

#endif
