/* SPDX-License-Identifier: Apache-2.0 */
/* JSON output with all values, for programs. */
#include "sched/cli/userprio/show.h"

#include "sched/process/json.h"

static void group_write(struct out *out, const struct userprio_record *record)
{
	json_write_exact(out, ",\"config_quota\":", record->config_quota);
	json_write_exact(out, ",\"effective_quota\":", record->effective_quota);
	json_write_exact(out, ",\"subtree_quota\":", record->subtree_quota);
	json_write_exact(out, ",\"requested\":", record->requested);
	json_write_exact(out, ",\"sort_key\":", record->sort_key);
	json_write_exact(out, ",\"tree_weight_used\":", record->tree_used);
	json_write_string_or_null(out, ",\"surplus_policy\":", record->surplus);
}

static void submitter_write(struct out *out, const struct userprio_record *record)
{
	json_write_exact(out, ",\"effective_priority\":", record->priority);
	json_write_exact(
		out, ",\"real_priority\":", record->factor > 0 ? record->priority / record->factor : record->priority);
	json_write_literal(out, ",\"ceiling\":");
	if (record->ceiling >= 0)
		json_write_number(out, "", record->ceiling);
	else
		json_write_literal(out, "null");
	json_write_number(out, ",\"floor\":", record->floor > 0 ? record->floor : 0);
	json_write_exact(out, ",\"share\":", record->share);
	json_write_exact(out, ",\"limit\":", record->limit);
}

static void leases_write(struct out *out, const struct userprio_record *record)
{
	static const char *const keys[3] = { "\"factor\":{\"until\":", "\"ceiling\":{\"until\":",
					     "\"floor\":{\"until\":" };
	bool follows = false;

	json_write_literal(out, ",\"leases\":{");
	for (size_t i = 0; i < 3; i++) {
		if (record->leases[i].until <= 0)
			continue;
		json_write_literal(out, follows ? "," : "");
		json_write_number(out, keys[i], record->leases[i].until);
		json_write_exact(out, ",\"before\":", record->leases[i].before);
		json_write_literal(out, "}");
		follows = true;
	}
	json_write_literal(out, "}");
}

static void record_write(struct out *out, const struct userprio_record *record)
{
	json_write_string(out, "{\"name\":", record->name);
	json_write_bool(out, ",\"is_group\":", record->is_group);
	json_write_string_or_null(out, ",\"group\":", record->group);
	json_write_literal(out, ",\"factor\":");
	if (record->factor > 0)
		json_write_exact(out, "", record->factor);
	else
		json_write_literal(out, "null");
	if (record->is_group)
		group_write(out, record);
	else
		submitter_write(out, record);
	json_write_exact(out, ",\"used\":", record->used);
	json_write_exact(out, ",\"weight_used\":", record->weight_used);
	json_write_exact(out, ",\"accumulated_s\":", record->accumulated);
	json_write_exact(out, ",\"weight_accumulated_s\":", record->weight_accumulated);
	out_take(out, json_put_time(out_room(out, 64), ",\"begin_usage_time\":", record->begin));
	out_take(out, json_put_time(out_room(out, 64), ",\"last_usage_time\":", record->last));
	leases_write(out, record);
	json_write_literal(out, "}");
}

int userprio_json(const struct userprio_records *records, const struct userprio_query *query, struct out *out)
{
	(void)query;
	json_write_literal(out, "{");
	if (records->view) {
		cli_json_run(out, records->view);
		json_write_literal(out, ",\n");
	}
	out_take(out, json_put_time(out_room(out, 64), "\"last_update\":", records->last_update));
	json_write_literal(out, ",\"customers\":[");
	for (size_t i = 0; i < records->n && !out->error; i++) {
		json_write_literal(out, i > 0 ? ",\n" : "\n");
		record_write(out, &records->items[i]);
	}
	json_write_literal(out, records->n > 0 ? "\n]}\n" : "]}\n");
	return 0;
}
