/* SPDX-License-Identifier: Apache-2.0 */
#include "urgency/multifactor.h"

static double clamped(double factor)
{
	return factor < 0.0 ? 0.0 : factor < 1.0 ? factor : 1.0;
}

/* The cpus that the job keeps others from, by minute of its time limit. */
static double relative_size(const struct size_rule *rule, const struct job_size *job)
{
	double nodes_cpus = (double)job->nodes * (double)rule->cpus / rule->nodes, cpus = (double)job->cpus;
	double size = (nodes_cpus > cpus ? nodes_cpus : cpus) / (job->time_limit > 0 ? job->time_limit : 1) / (double)rule->cpus;

	return rule->favor_small ? 1.0 - size : size;
}

static double part(const struct size_rule *rule, double wanted, double all)
{
	return (rule->favor_small ? all - wanted : wanted) / all;
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
	return clamped((nodes + part(rule, (double)job->cpus, (double)rule->cpus)) / 2.0);
}
