/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs below hosts, like qhost -j. */
#ifndef CLI_CLUSTER_INSTANCE_JOBS_H
#define CLI_CLUSTER_INSTANCE_JOBS_H

#include "conf/base/wildcard.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/text.h"
#include "sched/process/digits.h"

struct job_lines {			/* zero-initialised by the caller */
	struct local_clock clock;
};

/*
 * Print a job like qhost -j, a line per slot. `extra_slave`: job_is_first_task of its parallel
 * environment is FALSE.
 */
void job_lines_host(struct job_lines *lines, struct out *out, const struct fl_view *view, const struct placed *placed,
		    const char *queue, bool with_queue, bool extra_slave);

/* Write "resv/used/tot." in 14 columns, or wider if needed. */
static inline char *slots_put(char *p, const struct fl_instance *instance)
{
	char *begin = p;

	p = digits_u64(p, instance->reserved);
	*p++ = '/';
	p = digits_u64(p, instance->used);
	*p++ = '/';
	p = digits_u64(p, instance->slots);
	return text_pad(begin, p, 14);
}

#endif
