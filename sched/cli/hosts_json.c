/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cluster_json.h"
#include "sched/cli/hosts.h"
#include "sched/process/json.h"

static void queues_write(const struct host_list *h, struct out *o, const struct fl_view *view, size_t host)
{
	struct fl_instance i;
	bool first = true;

	json_write_literal(o, ",\"queue_instances\":[");
	for (size_t k = h->first[host]; k != SIZE_MAX && !o->error && fl_instance(view, k, &i) == 0; k = h->next[k]) {
		if (!first)
			json_write_literal(o, ",");
		first = false;
		cluster_instance_json(o, view, k, &i);
		if (h->jobs)
			cluster_jobs_json(o, view, &h->placed, k);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

int hosts_json(const struct fl_view *view, struct out *out, void *context)
{
	struct host_list *h = context;
	bool any, first = true;
	int code = hosts_begin(h, view, &any);
	size_t n = any ? fl_hosts(view) : 0;
	struct fl_host host;

	if (n == 0)
		return code;
	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_literal(out, ",\"hosts\":[");
	for (size_t k = 0; k < n && h->error == 0 && !out->error; k++) {
		if (!hosts_means(h, view, k, &host))
			continue;
		if (!first)
			json_write_literal(out, ",");
		first = false;
		cluster_host_json(out, view, k, &host);
		cluster_resources_json(out, view, k == 0 ? FL_GLOBAL : FL_HOST, k);
		if (h->attributes)
			cluster_attributes_json(out, &h->found);
		queues_write(h, out, view, k);
		json_write_literal(out, "}\n");
	}
	json_write_literal(out, "]}\n");
	return code;
}
