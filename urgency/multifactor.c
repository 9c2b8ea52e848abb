/* SPDX-License-Identifier: Apache-2.0 */
#include "urgency/multifactor.h"

static double clamped(double factor)
{
	return factor < 0.0 ? 0.0 : factor < 1.0 ? factor : 1.0;
}

/* Return the size by time: the cpus that the job occupies, per minute of its time limit. */
static double relative_size(const struct size_rule *rule, const struct job_size *job)
{
	double nodes_cpus = (double)job->nodes * (double)rule->cpus / rule->nodes, cpus = (double)job->cpus;
	double size = (nodes_cpus > cpus ? nodes_cpus : cpus) / (job->time_limit > 0 ? job->time_limit : 1) /
		      (double)rule->cpus;

	return rule->favor_small ? 1.0 - size : size;
}

/*
 * Return the requested part. Slurm subtracts unsigned 32-bit numbers. Therefore a request for more
 * than exists gives a result as if it were for almost nothing.
 */
static double part(const struct size_rule *rule, uint32_t requested, uint32_t all)
{
	return (double)(rule->favor_small ? all - requested : requested) / all;
}

static uint32_t narrow(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

double size_factor(const struct size_rule *rule, const struct job_size *job)
{
	double nodes;

	if (rule->nodes == 0 || (rule->cpus == 0 && !rule->nodes_only))
		return 0.0;
	if (rule->relative_to_time && !rule->nodes_only)
		return clamped(relative_size(rule, job));
	nodes = part(rule, job->nodes, rule->nodes);
	if (rule->nodes_only || job->cpus == 0)
		return clamped(nodes);
	return clamped((nodes + part(rule, narrow(job->cpus), narrow(rule->cpus))) / 2.0);
}
