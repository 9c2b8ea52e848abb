/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a second of a Slurm job costs: TRESBillingWeights, and MAX_TRES and MAX_TRES_GRES of
 * PriorityFlags, slurm.conf(5). Pure.
 */
#ifndef TICKETS_BILLABLE_H
#define TICKETS_BILLABLE_H

#include <stdbool.h>
#include <stddef.h>

struct billable_rule {
	size_t n;			/* kinds of TRES */
	const char *const *names;	/* "cpu", "mem", "node", "gres/gpu" ... */
	const double *weights;
	/* the dearest of cpu, mem, node and each gres, and all others besides */
	bool max;
	bool max_with_gres_added;	/* the same, but each gres is one of the others */
};

/* `counts` by kind; mem in MiB. The sum goes in the order of the kinds. */
double billable(const struct billable_rule *rule, const double *counts);

#endif
