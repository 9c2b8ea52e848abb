/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/cli/cluster/cluster_json.h"
#include "sched/cli/queues/queues.h"
#include "sched/process/json.h"

static void sum_write(struct out *out, const struct queue_sum *sum, bool first)
{
	json_write_string_or_null(out, first ? "{\"name\":" : ",{\"name\":", sum->name);
	json_write_number(out, ",\"instances\":", sum->instances);
	json_write_number(out, ",\"slots\":", (int64_t)sum->total);
	json_write_number(out, ",\"used\":", (int64_t)sum->used);
	json_write_number(out, ",\"reserved\":", (int64_t)sum->reserved);
	json_write_number(out, ",\"available\":", (int64_t)sum->available);
	json_write_number(out, ",\"aoACDS\":", (int64_t)sum->busy);
	json_write_number(out, ",\"cdsuE\":", (int64_t)sum->closed);
	json_write_exact(out, ",\"np_load_avg\":", sum->loads ? sum->load / sum->loads : NAN);
	json_write_literal(out, "}\n");
}

static void instances_write(struct queues *queues, struct out *out, const struct fl_view *view)
{
	json_write_literal(out, ",\"queue_instances\":[");
	for (size_t k = 0; k < queues->nrows && queues->error == 0 && !out->error; k++) {
		size_t number = queues->rows[k].number;

		if (k > 0)
			json_write_literal(out, ",");
		cluster_instance_json(out, view, number, &queues->rows[k].instance);
		if (queues->attributes) {
			queues->error = attributes_of(&queues->found, view, &queues->cell.cell,
						      queues->rows[k].instance.host, &number);
			cluster_attributes_json(out, &queues->found);
		}
		cluster_jobs_json(out, view, &queues->placed, number);
		json_write_literal(out, "}\n");
	}
	json_write_literal(out, "]");
}

int queues_json(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *queues = context;
	bool any;
	int code = queues_begin(queues, view, &any);
	size_t n = 0;
	struct queue_sum *sums = any ? queues_sum(queues, &n) : NULL;

	if (any && !sums)
		queues->error = -ENOMEM;
	if (sums) {
		json_write_literal(out, "{");
		cli_json_run(out, view);
		json_write_literal(out, ",\"queues\":[");
		for (size_t k = 0; k < n; k++)
			sum_write(out, &sums[k], k == 0);
		json_write_literal(out, "]");
		if (!queues->summary)
			instances_write(queues, out, view);
		json_write_literal(out, "}\n");
	}
	free(sums);
	return code;
}
