/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs below hosts, as qhost -j lists them. */
#ifndef CLI_CLUSTER_INSTANCE_JOBS_H
#define CLI_CLUSTER_INSTANCE_JOBS_H

#include "conf/base/wildcard.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/text.h"
#include "sched/process/digits.h"

struct job_lines {			/* zero-initialise */
	struct local_clock clock;
};

/* One of qhost -j: a line a slot. `extra_slave`: job_is_first_task of its PE is FALSE. */
void job_lines_host(struct job_lines *lines, struct out *out, const struct fl_view *view, const struct placed *placed,
		    const char *queue, bool with_queue, bool extra_slave);

/* "resv/used/tot." in 14 columns, if it fits. */
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
