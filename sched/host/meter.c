/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "sched/host/state.h"

static const char *const names[METERS] = { [METER_CGROUP] = "cgroup", [METER_PROC] = "proc" };

const char *meter_name(enum meter meter)
{
	return names[meter];
}

void meter_choose(struct host *h, const struct host_options *options)
{
	struct error error = { "" };
	bool counts = h->cgroup.weighs || cgroup_count(&h->cgroup, options->cgroup_root, &error) == 0;

	h->meter = counts ? METER_CGROUP : METER_PROC;
	if (counts)
		snprintf(h->meter_reasons[METER_CGROUP], sizeof(h->meter_reasons[0]), "each task that we start has a cgroup below %.120s",
			 h->cgroup.root);
	else
		snprintf(h->meter_reasons[METER_CGROUP], sizeof(h->meter_reasons[0]), "%s", error.text);
	snprintf(h->meter_reasons[METER_PROC], sizeof(h->meter_reasons[0]), "%s",
		 counts ? "for tasks without a cgroup" :
		 "what short processes use whose parent ignores SIGCHLD, or has ended, is not found");
}

enum meter host_meter(const struct host *h, const char **reason)
{
	if (reason)
		*reason = h->meter_reasons[h->meter];
	return h->meter;
}

const char *host_meter_reason(const struct host *h, enum meter meter)
{
	return h->meter_reasons[meter];
}
