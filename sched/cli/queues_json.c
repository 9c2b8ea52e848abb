/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sched/cli/cluster_json.h"
#include "sched/cli/queues.h"
#include "sched/process/json.h"

static void sum_write(struct out *o, const struct queue_sum *s, bool first)
{
	json_write_string_or_null(o, first ? "{\"name\":" : ",{\"name\":", s->name);
	json_write_number(o, ",\"instances\":", s->instances);
	json_write_number(o, ",\"slots\":", (int64_t)s->total);
	json_write_number(o, ",\"used\":", (int64_t)s->used);
	json_write_number(o, ",\"reserved\":", (int64_t)s->reserved);
	json_write_number(o, ",\"available\":", (int64_t)s->available);
	json_write_number(o, ",\"aoACDS\":", (int64_t)s->busy);
	json_write_number(o, ",\"cdsuE\":", (int64_t)s->closed);
	json_write_exact(o, ",\"np_load_avg\":", s->loads ? s->load / s->loads : NAN);
	json_write_literal(o, "}\n");
}

static void instances_write(struct queues *q, struct out *o, const struct fl_view *view)
{
	json_write_literal(o, ",\"queue_instances\":[");
	for (size_t k = 0; k < q->nrows && q->error == 0 && !o->error; k++) {
		size_t number = q->rows[k].number;

		if (k > 0)
			json_write_literal(o, ",");
		cluster_instance_json(o, view, number, &q->rows[k].instance);
		if (q->attributes) {
			q->error = attributes_of(&q->found, view, &q->cell.cell, q->rows[k].instance.host, &number);
			cluster_attributes_json(o, &q->found);
		}
		cluster_jobs_json(o, view, &q->placed, number);
		json_write_literal(o, "}\n");
	}
	json_write_literal(o, "]");
}

int queues_json(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *q = context;
	bool any;
	int code = queues_begin(q, view, &any);
	size_t n = 0;
	struct queue_sum *sums = any ? queues_sum(q, &n) : NULL;

	if (any && !sums)
		q->error = -ENOMEM;
	if (sums) {
		json_write_literal(out, "{");
		cli_json_run(out, view);
		json_write_literal(out, ",\"queues\":[");
		for (size_t k = 0; k < n; k++)
			sum_write(out, &sums[k], k == 0);
		json_write_literal(out, "]");
		if (!q->summary)
			instances_write(q, out, view);
		json_write_literal(out, "}\n");
	}
	free(sums);
	return code;
}
