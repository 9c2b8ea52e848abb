/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cluster/cluster_json.h"
#include "sched/cli/cluster/hosts.h"
#include "sched/process/json.h"

static void queues_write(const struct host_list *hosts, struct out *out, const struct fl_view *view, size_t host)
{
	struct fl_instance instance;
	bool first = true;

	json_write_literal(out, ",\"queue_instances\":[");
	for (size_t k = hosts->first[host]; k != SIZE_MAX && !out->error && fl_instance(view, k, &instance) == 0;
	     k = hosts->next[k]) {
		if (!first)
			json_write_literal(out, ",");
		first = false;
		cluster_instance_json(out, view, k, &instance);
		if (hosts->jobs)
			cluster_jobs_json(out, view, &hosts->placed, k);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

int hosts_json(const struct fl_view *view, struct out *out, void *context)
{
	struct host_list *hosts = context;
	bool any, first = true;
	int code = hosts_begin(hosts, view, &any);
	size_t n = any ? fl_hosts(view) : 0;
	struct fl_host host;

	if (n == 0)
		return code;
	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_literal(out, ",\"hosts\":[");
	for (size_t k = 0; k < n && hosts->error == 0 && !out->error; k++) {
		if (!hosts_means(hosts, view, k, &host))
			continue;
		if (!first)
			json_write_literal(out, ",");
		first = false;
		cluster_host_json(out, view, k, &host);
		cluster_resources_json(out, view, k == 0 ? FL_GLOBAL : FL_HOST, k);
		if (hosts->attributes)
			cluster_attributes_json(out, &hosts->found);
		queues_write(hosts, out, view, k);
		json_write_literal(out, "}\n");
	}
	json_write_literal(out, "]}\n");
	return code;
}
