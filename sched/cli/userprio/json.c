/* SPDX-License-Identifier: Apache-2.0 */
/* JSON output with all values, for programs. */
#include "sched/cli/userprio/show.h"

#include "sched/process/json.h"
#include "sched/process/json_members.h"

static const struct json_member group_members[] = {
	JSON_MEMBER(struct userprio_record, config_quota, "config_quota"),
	JSON_MEMBER(struct userprio_record, effective_quota, "effective_quota"),
	JSON_MEMBER(struct userprio_record, subtree_quota, "subtree_quota"),
	JSON_MEMBER(struct userprio_record, requested, "requested"),
	JSON_MEMBER(struct userprio_record, sort_key, "sort_key"),
	JSON_MEMBER(struct userprio_record, tree_used, "tree_weight_used"),
	JSON_NAME(struct userprio_record, surplus, "surplus_policy"),
};

static const struct json_member usage_members[] = {
	JSON_MEMBER(struct userprio_record, used, "used"),
	JSON_MEMBER(struct userprio_record, weight_used, "weight_used"),
	JSON_MEMBER(struct userprio_record, accumulated, "accumulated_s"),
	JSON_MEMBER(struct userprio_record, weight_accumulated, "weight_accumulated_s"),
	JSON_MEMBER_AS(JSON_TIME, struct userprio_record, begin, "begin_usage_time"),
	JSON_MEMBER_AS(JSON_TIME, struct userprio_record, last, "last_usage_time"),
};

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
		JSON_WRITE_MEMBERS(out, ",", group_members, record);
	else
		submitter_write(out, record);
	JSON_WRITE_MEMBERS(out, ",", usage_members, record);
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
