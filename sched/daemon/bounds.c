/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/bounds.h"

#include <stdio.h>

static double at_most(double known, double most)
{
	return known > 0 && known < most ? known : most;
}

/* Compute the bounds. `mem` of usage is the memory in use, multiplied by CPU time. */
static struct wire_usage bounds_for(const struct bounds_of *of)
{
	double elapsed = of->now > of->start_time ? (double)(of->now - of->start_time) : 0.0,
	       seconds = elapsed + BOUNDS_SLACK_S;
	double cpu = seconds * at_most(of->processors, BOUNDS_PROCESSORS);

	return (struct wire_usage){
		.cpu = cpu,
		.mem = cpu * at_most(of->memory_gb * BOUNDS_MEMORY_SHARED, BOUNDS_MEMORY_GB),
		.io = seconds * BOUNDS_IO_GB_S,
		.vmem = BOUNDS_VMEM_BYTES,
		.maxvmem = BOUNDS_VMEM_BYTES,
	};
}

bool bounds_keep(struct wire_usage *usage, const struct bounds_of *of, char *text, size_t size)
{
	const struct wire_usage most = bounds_for(of);
	const char *const names[] = { "cpu", "mem", "io", "vmem", "maxvmem" };
	double *const values[] = { &usage->cpu, &usage->mem, &usage->io, &usage->vmem, &usage->maxvmem };
	const double bounds[] = { most.cpu, most.mem, most.io, most.vmem, most.maxvmem };
	bool all = true;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		if (*values[i] >= 0 && *values[i] <= bounds[i])
			continue;
		if (all)
			snprintf(
				text, size,
				"%s of task %u.%u is %g, which is ignored: it started %lld s ago, so %g is the limit",
				names[i], usage->job_number, usage->task, *values[i],
				(long long)(of->now - of->start_time), bounds[i]);
		all = false;
		*values[i] = 0.0;
	}
	return all;
}
