/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "sched/cli/cluster/cluster_json.h"
#include "sched/cli/queues/queues.h"
#include "sched/process/json.h"
#include "sched/process/json_members.h"

static const struct json_member sum_members[] = {
	JSON_NAME(struct queue_sum, name, "name"),
	JSON_MEMBER(struct queue_sum, instances, "instances"),
	JSON_MEMBER(struct queue_sum, total, "slots"),
	JSON_MEMBER(struct queue_sum, used, "used"),
	JSON_MEMBER(struct queue_sum, reserved, "reserved"),
	JSON_MEMBER(struct queue_sum, available, "available"),
	JSON_MEMBER(struct queue_sum, busy, "aoACDS"),
	JSON_MEMBER(struct queue_sum, closed, "cdsuE"),
};

static void sum_write(struct out *out, const struct queue_sum *sum, bool first)
{
	JSON_WRITE_MEMBERS(out, first ? "{" : ",{", sum_members, sum);
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
	struct queue_sum *sums;
	size_t n;
	int code = queues_begin_sums(queues, view, &sums, &n);

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
