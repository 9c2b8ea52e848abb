/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/run/records.h"

static const size_t record_bytes[TABLES] = {
	[TABLE_TASKS] = sizeof(struct task_record),
	[TABLE_ORDER] = sizeof(uint32_t),
	[TABLE_INDEX] = sizeof(uint32_t),
	[TABLE_CLASSES] = sizeof(struct class_record),
	[TABLE_CATEGORIES] = sizeof(struct category_record),
	[TABLE_EXTRAS] = sizeof(struct extra_record),
	[TABLE_RANGES] = sizeof(struct range_record),
	[TABLE_KEPT] = sizeof(struct kept_record),
	[TABLE_NODES] = sizeof(struct node_record),
	[TABLE_USERS] = sizeof(struct sharer_record),
	[TABLE_PROJECTS] = sizeof(struct sharer_record),
	[TABLE_DEPARTMENTS] = sizeof(struct sharer_record),
	[TABLE_PROJECT_USAGE] = sizeof(struct project_usage_record),
	[TABLE_WHY_LISTS] = sizeof(struct why_list_record),
	[TABLE_WHY] = sizeof(struct why_record),
	[TABLE_MULTIFACTOR] = sizeof(struct multifactor_record),
	[TABLE_TRES] = sizeof(struct tres_record),
	[TABLE_ASSOCIATIONS] = sizeof(struct association_record),
	[TABLE_PARTITIONS] = sizeof(struct partition_record),
	[TABLE_SHAPES] = sizeof(struct shape_record),
	[TABLE_SHAPE_PARTITIONS] = sizeof(struct shape_partition_record),
	[TABLE_TRES_FACTORS] = sizeof(double),
	[TABLE_TRES_KINDS] = sizeof(uint32_t),
	[TABLE_RUN_MINUTES] = sizeof(uint64_t),
	[TABLE_NEGOTIATION] = sizeof(struct negotiation_record),
	[TABLE_CUSTOMERS] = sizeof(struct customer_record),
	[TABLE_SUBMITTERS] = sizeof(struct submitter_record),
	[TABLE_GROUPS] = sizeof(struct group_record),
	[TABLE_SLOTS] = sizeof(struct slot_record),
	[TABLE_LIMITS] = sizeof(struct limit_record),
	[TABLE_REFUSALS] = sizeof(struct refusal_record),
	[TABLE_CONTACTS] = sizeof(struct contact_record),
	[TABLE_MATCHES] = sizeof(struct match_record),
	[TABLE_EXEC_HOSTS] = sizeof(struct exec_host_record),
	[TABLE_INSTANCES] = sizeof(struct shown_instance_record),
	[TABLE_RESOURCES] = sizeof(struct resource_record),
	[TABLE_ALARMS] = sizeof(struct alarm_record),
	[TABLE_QUOTAS] = sizeof(struct quota_use_record),
	[TABLE_PARAMS] = 1,
	[TABLE_STATE] = 1,
};

size_t records_bytes_each(enum table_id id)
{
	return record_bytes[id];
}

void *records_table(struct generation_writer *writer, enum table_id id, uint64_t count)
{
	return generation_table(writer, id, count, record_bytes[id]);
}
