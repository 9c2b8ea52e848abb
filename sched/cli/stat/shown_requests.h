/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources that a job asks for as Grid Engine's clients show them: names in full, times in seconds,
 * and of hard requests how much each adds to the urgency.
 */
#ifndef CLI_STAT_SHOWN_REQUESTS_H
#define CLI_STAT_SHOWN_REQUESTS_H

#include "conf/gridengine/resource_list.h"
#include "sched/cli/cluster/cluster.h"

#define SHOWN_VALUE_BYTES 32u		/* of a time in seconds */

struct shown_requests {
	struct resource_list list;
	uint32_t slots;			/* that the job is assumed to get */
	bool weighed;			/* the contributions are known */
};

/*
 * Read a job's list, "a=1,b". A cell that is not loaded knows no resources: names and values are then shown as they were given.
 * -ENOMEM: the list is empty.
 */
int shown_requests_read(struct shown_requests *shown, const struct cluster_cell *cell, const struct fl_job *job,
			const char *list);
void shown_requests_free(struct shown_requests *shown);

/* Return the value, which may be in `text`. */
const char *shown_request_value(const struct resource *request, char text[SHOWN_VALUE_BYTES]);
double shown_request_contribution(const struct shown_requests *shown, const struct resource *request);

#endif
