/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a second of a Slurm job: TRESBillingWeights, and MAX_TRES and MAX_TRES_GRES of
 * PriorityFlags, slurm.conf(5). Pure arithmetic.
 */
#ifndef TICKETS_BILLABLE_H
#define TICKETS_BILLABLE_H

#include <stdbool.h>
#include <stddef.h>

struct billable_rule {
	size_t n;			/* number of kinds of TRES */
	const char *const *names;	/* "cpu", "mem", "node", "gres/gpu" ... */
	const double *weights;
	/* Use the most expensive of cpu, mem, node and each gres, plus all other kinds. */
	bool max;
	bool max_with_gres_added;	/* like `max`, but each gres is one of the other kinds */
};

/* Return the cost of `counts`, given by kind; mem in MiB. Kinds are summed in their order. */
double billable(const struct billable_rule *rule, const double *counts);

#endif
