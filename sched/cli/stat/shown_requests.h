/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requested resources of a job as Grid Engine's clients show them. Names are in full, times are in
 * seconds. Hard requests have the contribution of each to the urgency.
 */
#ifndef CLI_STAT_SHOWN_REQUESTS_H
#define CLI_STAT_SHOWN_REQUESTS_H

#include "conf/gridengine/resource_list.h"
#include "sched/cli/cluster/cluster.h"

#define SHOWN_VALUE_BYTES 32u		/* bytes of a time in seconds */

struct shown_requests {
	struct resource_list list;
	uint32_t slots;			/* slots that the job is assumed to get */
	bool weighed;			/* the contributions are known */
};

/*
 * Read a job's list, "a=1,b". If the cell is not loaded, resources are unknown, and names and
 * values are shown as they were submitted. Return 0, or -ENOMEM with an empty list.
 */
int shown_requests_read(struct shown_requests *shown, const struct cluster_cell *cell, const struct fl_job *job,
			const char *list);
void shown_requests_free(struct shown_requests *shown);

/* Return the value, which may be in `text`. */
const char *shown_request_value(const struct resource *request, char text[SHOWN_VALUE_BYTES]);
double shown_request_contribution(const struct shown_requests *shown, const struct resource *request);

#endif
