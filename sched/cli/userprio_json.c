/* SPDX-License-Identifier: Apache-2.0 */
/* Everything, for programs. */
#include "sched/cli/userprio_show.h"

#include "sched/process/json.h"

static void group_write(struct out *o, const struct userprio_record *r)
{
	json_write_exact(o, ",\"config_quota\":", r->config_quota);
	json_write_exact(o, ",\"effective_quota\":", r->effective_quota);
	json_write_exact(o, ",\"subtree_quota\":", r->subtree_quota);
	json_write_exact(o, ",\"requested\":", r->requested);
	json_write_exact(o, ",\"sort_key\":", r->sort_key);
	json_write_exact(o, ",\"tree_weight_used\":", r->tree_used);
	json_write_string_or_null(o, ",\"surplus_policy\":", r->surplus);
}

static void submitter_write(struct out *o, const struct userprio_record *r)
{
	json_write_exact(o, ",\"effective_priority\":", r->priority);
	json_write_exact(o, ",\"real_priority\":", r->factor > 0 ? r->priority / r->factor : r->priority);
	json_write_literal(o, ",\"ceiling\":");
	if (r->ceiling >= 0)
		json_write_number(o, "", r->ceiling);
	else
		json_write_literal(o, "null");
	json_write_number(o, ",\"floor\":", r->floor > 0 ? r->floor : 0);
	json_write_exact(o, ",\"share\":", r->share);
	json_write_exact(o, ",\"limit\":", r->limit);
}

static void leases_write(struct out *o, const struct userprio_record *r)
{
	static const char *const keys[3] = { "\"factor\":{\"until\":", "\"ceiling\":{\"until\":", "\"floor\":{\"until\":" };
	bool follows = false;

	json_write_literal(o, ",\"leases\":{");
	for (size_t i = 0; i < 3; i++) {
		if (r->leases[i].until <= 0)
			continue;
		json_write_literal(o, follows ? "," : "");
		json_write_number(o, keys[i], r->leases[i].until);
		json_write_exact(o, ",\"before\":", r->leases[i].before);
		json_write_literal(o, "}");
		follows = true;
	}
	json_write_literal(o, "}");
}

static void record_write(struct out *o, const struct userprio_record *r)
{
	json_write_string(o, "{\"name\":", r->name);
	json_write_bool(o, ",\"is_group\":", r->is_group);
	json_write_string_or_null(o, ",\"group\":", r->group);
	json_write_literal(o, ",\"factor\":");
	if (r->factor > 0)
		json_write_exact(o, "", r->factor);
	else
		json_write_literal(o, "null");
	if (r->is_group)
		group_write(o, r);
	else
		submitter_write(o, r);
	json_write_exact(o, ",\"used\":", r->used);
	json_write_exact(o, ",\"weight_used\":", r->weight_used);
	json_write_exact(o, ",\"accumulated_s\":", r->accumulated);
	json_write_exact(o, ",\"weight_accumulated_s\":", r->weight_accumulated);
	out_take(o, json_put_time(out_room(o, 64), ",\"begin_usage_time\":", r->begin));
	out_take(o, json_put_time(out_room(o, 64), ",\"last_usage_time\":", r->last));
	leases_write(o, r);
	json_write_literal(o, "}");
}

int userprio_json(const struct userprio_records *r, const struct userprio_query *q, struct out *o)
{
	(void)q;
	json_write_literal(o, "{");
	if (r->view) {
		cli_json_run(o, r->view);
		json_write_literal(o, ",\n");
	}
	out_take(o, json_put_time(out_room(o, 64), "\"last_update\":", r->last_update));
	json_write_literal(o, ",\"customers\":[");
	for (size_t i = 0; i < r->n && !o->error; i++) {
		json_write_literal(o, i > 0 ? ",\n" : "\n");
		record_write(o, &r->items[i]);
	}
	json_write_literal(o, r->n > 0 ? "\n]}\n" : "]}\n");
	return 0;
}
