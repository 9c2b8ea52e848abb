/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/json/event.h"

#include <errno.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define AT(place) offsetof(struct event, place)
#define U32_MAX ((int64_t)UINT32_MAX)

#define JOB_NUMBER { "job_number", take_u32, AT(job.job_number), KEY, 1, U32_MAX, 0 }
#define TASK { "task", take_u32, AT(task), OPTIONAL, 1, U32_MAX, 0 }
#define SCALED_USAGE(due) { "scaled_usage", take_usage, AT(scaled_usage), due, 0, 0, GIVEN_USAGE }

#define SLURM(member) ((uint64_t)(member) << GIVEN_SLURM)

/* Each table is sorted by name. */
static const struct member job_members[] = {
	{ "account", take_name_or_none, AT(job.account), OPTIONAL, 0, 0, JOB_ACCOUNT },
	{ "accrue_time", take_i64, AT(job.slurm.accrue_time), OPTIONAL, 0, TIME_MAX_S, SLURM(SLURM_ACCRUE_TIME) },
	{ "checkpoint", take_name_or_none, AT(job.ckpt), OPTIONAL, 0, 0, JOB_CKPT },
	{ "cpus", take_u32, AT(job.slurm.cpus), OPTIONAL, 0, U32_MAX - 1, SLURM(SLURM_CPUS) },
	{ "deadline", take_i64, AT(job.deadline), OPTIONAL, 0, TIME_MAX_S, JOB_DEADLINE },
	{ "department", take_name_or_none, AT(job.department), OPTIONAL, 0, 0, JOB_DEPARTMENT },
	{ "direct_priority", take_u32, AT(job.slurm.direct_priority), OPTIONAL, 0, U32_MAX, SLURM(SLURM_DIRECT_PRIORITY) },
	{ "eligible_time", take_i64, AT(job.slurm.eligible_time), OPTIONAL, 0, TIME_MAX_S, SLURM(SLURM_ELIGIBLE_TIME) },
	{ "error", take_error, AT(job), OPTIONAL, 0, 0, JOB_ERROR },
	{ "execution_time", take_i64, AT(job.execution_time), OPTIONAL, 0, TIME_MAX_S, JOB_EXECUTION_TIME },
	{ "group", take_name_or_none, AT(job.group), OPTIONAL, 0, 0, JOB_GROUP },
	{ "hard_queue_list", take_text, AT(job.hard_queues), OPTIONAL, 0, 0, JOB_HARD_QUEUES },
	{ "hard_resource_list", take_text, AT(job.hard), OPTIONAL, 0, 0, JOB_HARD },
	{ "hold", take_hold, AT(job.hold), OPTIONAL, 0, 0, JOB_HOLD },
	{ "hold_jid", take_numbers, AT(hold_jid), OPTIONAL, 0, 0, JOB_HOLD_JID },
	{ "job_name", take_name_or_none, AT(job.name), OPTIONAL, 0, 0, JOB_NAME },
	JOB_NUMBER,
	{ "jobshare", take_u32, AT(job.jobshare), OPTIONAL, 0, U32_MAX, JOB_JOBSHARE },
	{ "master_queue_list", take_text, AT(job.master_queues), OPTIONAL, 0, 0, JOB_MASTER_QUEUES },
	{ "nice", take_i32, AT(job.slurm.nice), OPTIONAL, -SLURM_NICE_MOST, SLURM_NICE_MOST, SLURM(SLURM_NICE) },
	{ "nodes", take_u32, AT(job.slurm.nodes), OPTIONAL, 0, U32_MAX - 1, SLURM(SLURM_NODES) },
	{ "now", take_bool, AT(job.now), OPTIONAL, 0, 0, JOB_NOW },
	{ "override_tickets", take_u32, AT(job.override_tickets), OPTIONAL, 0, U32_MAX, JOB_OVERRIDE_TICKETS },
	{ "owner", take_name, AT(job.owner), REQUIRED, 0, 0, JOB_OWNER },
	{ "partition", take_text, AT(job.slurm.partition), OPTIONAL, 0, 0, SLURM(SLURM_PARTITION) },
	{ "pe", take_name_or_none, AT(job.pe), OPTIONAL, 0, 0, JOB_PE },
	{ "pe_range", take_pe_range, AT(job.pe_range), OPTIONAL, 0, 0, JOB_PE_RANGE },
	{ "priority", take_i32, AT(job.priority), OPTIONAL, -1023, 1024, JOB_PRIORITY },
	{ "project", take_name_or_none, AT(job.project), OPTIONAL, 0, 0, JOB_PROJECT },
	{ "qos", take_name_or_none, AT(job.slurm.qos), OPTIONAL, 0, 0, SLURM(SLURM_QOS) },
	{ "reserve", take_bool, AT(job.reserve), OPTIONAL, 0, 0, JOB_RESERVE },
	{ "site_factor", take_i32, AT(job.slurm.site_factor), OPTIONAL, -SLURM_NICE_MOST, SLURM_NICE_MOST, SLURM(SLURM_SITE_FACTOR) },
	{ "soft_queue_list", take_text, AT(job.soft_queues), OPTIONAL, 0, 0, JOB_SOFT_QUEUES },
	{ "soft_resource_list", take_text, AT(job.soft), OPTIONAL, 0, 0, JOB_SOFT },
	{ "submission_time", take_i64, AT(job.submission_time), REQUIRED, 0, TIME_MAX_S, JOB_SUBMISSION_TIME },
	{ "task_concurrency", take_u32, AT(job.task_concurrency), OPTIONAL, 0, U32_MAX, JOB_TC },
	{ "tasks", take_ranges, AT(job.tasks), OPTIONAL, 0, 0, JOB_TASKS },
	{ "time_limit", take_u32, AT(job.slurm.time_limit), OPTIONAL, 0, U32_MAX - 1, SLURM(SLURM_TIME_LIMIT) },
	{ "tres", take_text, AT(job.slurm.tres), OPTIONAL, 0, 0, SLURM(SLURM_TRES) },
};

static const struct member job_delete_members[] = {
	JOB_NUMBER,
};

static const struct member task_start_members[] = {
	{ "granted", take_granted, AT(granted), REQUIRED, 0, 0, 0 },
	{ "granted_pe", take_name_or_none, AT(granted_pe), OPTIONAL, 0, 0, 0 },
	JOB_NUMBER,
	{ "partition", take_name_or_none, AT(allocated.partition), OPTIONAL, 0, 0, 0 },
	{ "start_time", take_i64, AT(start_time), REQUIRED, 0, TIME_MAX_S, 0 },
	TASK,
	{ "tres", take_text, AT(allocated.tres), OPTIONAL, 0, 0, 0 },
};

static const struct member task_state_members[] = {
	JOB_NUMBER,
	{ "state", take_task_state, AT(state), REQUIRED, 0, 0, 0 },
	TASK,
};

static const struct member task_finish_members[] = {
	{ "end_time", take_i64, AT(end_time), OPTIONAL, 0, TIME_MAX_S, 0 },
	JOB_NUMBER,
	SCALED_USAGE(OPTIONAL),
	TASK,
};

static const struct member task_requeue_members[] = {
	JOB_NUMBER,
	TASK,
};

static const struct member usage_members[] = {
	JOB_NUMBER,
	SCALED_USAGE(REQUIRED),
	TASK,
};

static const struct member association_usage_members[] = {
	{ "account", take_name, AT(job.account), REQUIRED, 0, 0, 0 },
	{ "partition", take_name_or_none, AT(job.slurm.partition), OPTIONAL, 0, 0, 0 },
	{ "time_stamp", take_i64, AT(object.time_stamp), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "usage_raw", take_amount, AT(usage_raw), REQUIRED, 0, 0, 0 },
	{ "user", take_name_or_none, AT(job.owner), OPTIONAL, 0, 0, 0 },
};

static const struct member user_usage_members[] = {
	{ "debited_job_usage", take_debited, AT(object), OPTIONAL, 0, 0, 0 },
	{ "long_term_usage", take_usage, AT(object.long_term), OPTIONAL, 0, 0, 0 },
	{ "project", take_projects, AT(object), OPTIONAL, 0, 0, 0 },
	{ "time_stamp", take_i64, AT(object.time_stamp), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "usage", take_usage, AT(object.usage), OPTIONAL, 0, 0, 0 },
	{ "user", take_name, AT(object.name), REQUIRED, 0, 0, 0 },
};

static const struct member project_usage_members[] = {
	{ "debited_job_usage", take_debited, AT(object), OPTIONAL, 0, 0, 0 },
	{ "long_term_usage", take_usage, AT(object.long_term), OPTIONAL, 0, 0, 0 },
	{ "project", take_name, AT(object.name), REQUIRED, 0, 0, 0 },
	{ "time_stamp", take_i64, AT(object.time_stamp), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "usage", take_usage, AT(object.usage), OPTIONAL, 0, 0, 0 },
};

static const struct member queue_instance_members[] = {
	{ "queue", take_instance, AT(queue), REQUIRED, 0, 0, 0 },
	{ "slots", take_u32, AT(slots), OPTIONAL, 0, U32_MAX - 1, 0 },
	{ "state", take_letters, AT(state), OPTIONAL, 0, 0, 0 },
};

static const struct member queue_instance_delete_members[] = {
	{ "queue", take_instance, AT(queue), REQUIRED, 0, 0, 0 },
};

static const struct member host_load_members[] = {
	{ "host", take_name, AT(host), REQUIRED, 0, 0, 0 },
	{ "load_values", take_load, AT(load), REQUIRED, 0, 0, 0 },
};

static const struct member host_state_members[] = {
	{ "available", take_bool, AT(available), REQUIRED, 0, 0, 0 },
	{ "host", take_name, AT(host), REQUIRED, 0, 0, 0 },
};

static const struct member orders_taken_members[] = {
	{ "up_to", take_i64, AT(order), REQUIRED, 1, SEQ_MAX, 0 },
};

static const struct member order_refused_members[] = {
	JOB_NUMBER,
	{ "number", take_i64, AT(order), REQUIRED, 1, SEQ_MAX, 0 },
	TASK,
	{ "text", take_text, AT(text), OPTIONAL, 0, 0, 0 },
};

static int apply_job_add(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	if (e->job.pe && *e->job.pe && !(e->job.pe_range && *e->job.pe_range))
		return error_set(error, -EINVAL, "pe_range: missing; it is required with pe");
	return mirror_job_add(m, &e->job, error);
}

static int apply_job_modify(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	e->job.given &= ~(uint32_t)JOB_OWNER;	/* as a member that the event does not have */
	e->job.owner = NULL;
	return mirror_job_modify(m, &e->job, error);
}

static int apply_job_delete(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_job_delete(m, e->job.job_number, error);
}

static int apply_task_start(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_task_start(m, e->job.job_number, e->task, e->start_time, e->granted.items, e->granted.n, e->granted_pe,
				 &e->allocated, error);
}

static int apply_task_state(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_task_state(m, e->job.job_number, e->task, e->state, error);
}

static int apply_task_finish(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	return mirror_task_finish(m, e->job.job_number, e->task, e->end_time, given & GIVEN_USAGE ? &e->scaled_usage : NULL, error);
}

static int apply_task_requeue(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_task_requeue(m, e->job.job_number, e->task, error);
}

static int apply_usage(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_usage(m, e->job.job_number, e->task, &e->scaled_usage, error);
}

static int apply_association_usage(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_association_usage(m, e->job.account, e->job.owner, e->job.slurm.partition, e->usage_raw, e->object.time_stamp, error);
}

static int apply_user_usage(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_user_usage(m, &e->object, error);
}

static int apply_project_usage(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_project_usage(m, &e->object, error);
}

static int apply_queue_instance(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_queue_instance(m, e->queue, e->slots, e->state ? e->state : "", error);
}

static int apply_queue_instance_delete(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_queue_instance_delete(m, e->queue, error);
}

static int apply_host_load(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_host_load(m, e->host, e->load.items, e->load.n, error);
}

static int apply_host_state(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)given;
	return mirror_host_state(m, e->host, e->available, error);
}

static int apply_snapshot_begin(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)e;
	(void)given;
	return mirror_snapshot_begin(m, error);
}

static int apply_snapshot_end(struct mirror *m, struct event *e, uint64_t given, struct error *error)
{
	(void)e;
	(void)given;
	return mirror_snapshot_end(m, error);
}

#define TABLE(table) table, LENGTH(table)

static const struct event_type types[] = {	/* sorted by name */
	{ "association_usage", EFFECT_NONE, false, TABLE(association_usage_members), apply_association_usage },
	{ "config_changed", EFFECT_RELOAD, false, NULL, 0, NULL },
	{ "host_load", EFFECT_NONE, false, TABLE(host_load_members), apply_host_load },
	{ "host_state", EFFECT_NONE, false, TABLE(host_state_members), apply_host_state },
	{ "job_add", EFFECT_SUBMITTED, false, TABLE(job_members), apply_job_add },
	{ "job_delete", EFFECT_NONE, false, TABLE(job_delete_members), apply_job_delete },
	{ "job_modify", EFFECT_NONE, true, TABLE(job_members), apply_job_modify },
	{ "order_refused", EFFECT_ORDER_REFUSED, false, TABLE(order_refused_members), NULL },
	{ "orders_taken", EFFECT_ORDERS_TAKEN, false, TABLE(orders_taken_members), NULL },
	{ "project_usage", EFFECT_NONE, false, TABLE(project_usage_members), apply_project_usage },
	{ "queue_instance", EFFECT_NONE, false, TABLE(queue_instance_members), apply_queue_instance },
	{ "queue_instance_delete", EFFECT_NONE, false, TABLE(queue_instance_delete_members), apply_queue_instance_delete },
	{ "snapshot_begin", EFFECT_SNAPSHOT_BEGIN, false, NULL, 0, apply_snapshot_begin },
	{ "snapshot_end", EFFECT_SNAPSHOT_END, false, NULL, 0, apply_snapshot_end },
	{ "task_finish", EFFECT_FINISHED, false, TABLE(task_finish_members), apply_task_finish },
	{ "task_requeue", EFFECT_NONE, false, TABLE(task_requeue_members), apply_task_requeue },
	{ "task_start", EFFECT_NONE, false, TABLE(task_start_members), apply_task_start },
	{ "task_state", EFFECT_NONE, false, TABLE(task_state_members), apply_task_state },
	{ "usage", EFFECT_NONE, false, TABLE(usage_members), apply_usage },
	{ "user_usage", EFFECT_NONE, false, TABLE(user_usage_members), apply_user_usage },
};

const struct event_type *event_type(const char *name)
{
	size_t low = 0, high = LENGTH(types);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, types[middle].name);

		if (order == 0)
			return &types[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

int event_apply(const struct event_type *type, const struct value *object, struct mirror *m, struct order_answer *answer,
		struct error *error)
{
	struct event event = { .task = 1, .slots = UINT32_MAX };
	struct taking t = { 0 };
	int rc = members_take(&t, type->members, type->nmembers, type->partial, object, &event);

	if (rc) {
		*error = t.error;
	} else if (type->apply) {
		event.job.given = (uint32_t)t.given;
		event.job.slurm.given = (uint32_t)(t.given >> GIVEN_SLURM & ~(GIVEN_USAGE >> GIVEN_SLURM));
		event.job.hold_jid = event.hold_jid.items;
		event.job.nhold_jid = event.hold_jid.n;
		rc = type->apply(m, &event, t.given, error);
	} else {
		*answer = (struct order_answer){ (uint64_t)event.order, event.job.job_number, event.task, event.text ? event.text : "" };
	}
	ranges_free(&event.job.tasks);
	for (int kind = 0; kind < HOLD_KINDS; kind++)
		ranges_free(&event.job.hold[kind]);
	taking_clear(&t);
	return rc;
}
