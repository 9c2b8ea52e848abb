/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/event.h"

#include <errno.h>
#include <string.h>

#include "conf/search.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define AT(place) offsetof(struct event, place)
#define U32_MAX ((int64_t)UINT32_MAX)
#define ORDERS_MAX (SEQ_MAX / 2 + 1)	/* of those before: numbers of more have to be exact, too */

#define JOB_NUMBER(of) { "job_number", take_u32, AT(of.job_number), KEY, 1, U32_MAX, 0 }
#define TASK(of) { "task", take_u32, AT(of.task), OPTIONAL, 1, U32_MAX, 0 }
#define SCALED_USAGE(due) { "scaled_usage", take_usage, AT(task.usage), due, 0, 0, GIVEN_USAGE }

/* What was given of a job: enum job_member bits, and from here on enum slurm_member bits. */
#define GIVEN_SLURM 32
#define GIVEN_USAGE 1		/* of a task */
#define SLURM(member) ((uint64_t)(member) << GIVEN_SLURM)

/* Each table is sorted by name. */
static const struct event_member job_members[] = {
	{ "account", take_name_or_none, AT(job.account), OPTIONAL, 0, 0, JOB_ACCOUNT },
	{ "accrue_time", take_i64, AT(job.slurm.accrue_time), OPTIONAL, 0, TIME_MAX_S, SLURM(SLURM_ACCRUE_TIME) },
	{ "allocated", take_allocated, AT(job.slurm.allocated), OPTIONAL, 0, 0, SLURM(SLURM_ALLOCATED) },
	{ "ar", take_u32, AT(job.ar), OPTIONAL, 0, U32_MAX, JOB_AR },
	{ "checkpoint", take_name_or_none, AT(job.ckpt), OPTIONAL, 0, 0, JOB_CKPT },
	{ "complete", take_bool, AT(job.complete), OPTIONAL, 0, 0, JOB_COMPLETE },
	{ "cpus", take_u32, AT(job.slurm.cpus), OPTIONAL, 0, U32_MAX - 1, SLURM(SLURM_CPUS) },
	{ "deadline", take_i64, AT(job.deadline), OPTIONAL, 0, TIME_MAX_S, JOB_DEADLINE },
	{ "department", take_name_or_none, AT(job.department), OPTIONAL, 0, 0, JOB_DEPARTMENT },
	{ "depended", take_bool, AT(job.depended), OPTIONAL, 0, 0, JOB_DEPENDED },
	{ "direct_priority", take_u32, AT(job.slurm.direct_priority), OPTIONAL, 0, U32_MAX, SLURM(SLURM_DIRECT_PRIORITY) },
	{ "eligible_time", take_i64, AT(job.slurm.eligible_time), OPTIONAL, 0, TIME_MAX_S, SLURM(SLURM_ELIGIBLE_TIME) },
	{ "error", take_error, AT(job), OPTIONAL, 0, 0, JOB_ERROR },
	{ "execution_time", take_i64, AT(job.execution_time), OPTIONAL, 0, TIME_MAX_S, JOB_EXECUTION_TIME },
	{ "group", take_name_or_none, AT(job.group), OPTIONAL, 0, 0, JOB_GROUP },
	{ "hard_queue_list", take_text, AT(job.hard_queues), OPTIONAL, 0, 0, JOB_HARD_QUEUES },
	{ "hard_resource_list", take_text, AT(job.hard), OPTIONAL, 0, 0, JOB_HARD },
	{ "hold", take_hold, AT(job.hold), OPTIONAL, 0, 0, JOB_HOLD },
	{ "hold_jid", take_hold_jid, AT(job), OPTIONAL, 0, 0, JOB_HOLD_JID },
	{ "hold_jid_ad", take_hold_jid_ad, AT(job), OPTIONAL, 0, 0, JOB_HOLD_JID_AD },
	{ "job_name", take_name_or_none, AT(job.name), OPTIONAL, 0, 0, JOB_NAME },
	JOB_NUMBER(job),
	{ "jobshare", take_u32, AT(job.jobshare), OPTIONAL, 0, U32_MAX, JOB_JOBSHARE },
	{ "master_queue_list", take_text, AT(job.master_queues), OPTIONAL, 0, 0, JOB_MASTER_QUEUES },
	{ "multifactor_priority", take_u32, AT(job.slurm.priority), OPTIONAL, 0, U32_MAX, SLURM(SLURM_PRIORITY) },
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
	{ "requests_as_typed", take_bool, AT(job.as_typed), OPTIONAL, 0, 0, JOB_AS_TYPED },
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

static const struct event_member job_delete_members[] = {
	JOB_NUMBER(task),
};

static const struct event_member task_start_members[] = {
	{ "booked", take_bool, AT(task.booked), OPTIONAL, 0, 0, 0 },
	{ "charged_from", take_i64, AT(task.charged_from), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "charged_until", take_i64, AT(task.charged_until), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "granted", take_granted, AT(task.granted), REQUIRED, 0, 0, 0 },
	{ "granted_pe", take_name_or_none, AT(task.granted_pe), OPTIONAL, 0, 0, 0 },
	JOB_NUMBER(task),
	{ "order", take_i64, AT(task.order), OPTIONAL, 1, SEQ_MAX, 0 },
	{ "partition", take_name_or_none, AT(task.allocated.partition), OPTIONAL, 0, 0, 0 },
	{ "start_time", take_i64, AT(task.start_time), REQUIRED, 0, TIME_MAX_S, 0 },
	TASK(task),
	{ "tres", take_text, AT(task.allocated.tres), OPTIONAL, 0, 0, 0 },
	{ "wallclock_limit", take_u32, AT(task.wallclock_limit), OPTIONAL, 0, U32_MAX, 0 },
};

static const struct event_member task_state_members[] = {
	JOB_NUMBER(task),
	{ "state", take_task_state, AT(task.state), REQUIRED, 0, 0, 0 },
	TASK(task),
	{ "values", take_task_values, AT(task.values), OPTIONAL, 0, 0, 0 },
};

static const struct event_member task_finish_members[] = {
	{ "end_time", take_i64, AT(task.end_time), OPTIONAL, 0, TIME_MAX_S, 0 },
	JOB_NUMBER(task),
	{ "kept", take_bool, AT(task.kept), OPTIONAL, 0, 0, 0 },
	SCALED_USAGE(OPTIONAL),
	{ "start_time", take_i64, AT(task.start_time), OPTIONAL, 0, TIME_MAX_S, 0 },
	TASK(task),
};

static const struct event_member task_requeue_members[] = {
	JOB_NUMBER(task),
	TASK(task),
};

static const struct event_member tasks_enrolled_members[] = {
	{ "error", take_ranges, AT(enrolled.error), OPTIONAL, 0, 0, 0 },
	{ "error_reason", take_text, AT(enrolled.error_reason), OPTIONAL, 0, 0, 0 },
	JOB_NUMBER(enrolled),
	{ "tasks", take_ranges, AT(enrolled.tasks), REQUIRED, 0, 0, 0 },
};

static const struct event_member usage_members[] = {
	JOB_NUMBER(task),
	SCALED_USAGE(REQUIRED),
	TASK(task),
};

static const struct event_member advance_reservation_members[] = {
	{ "access_list", take_text, AT(advance.access), OPTIONAL, 0, 0, 0 },
	{ "account", take_name_or_none, AT(advance.account), OPTIONAL, 0, 0, 0 },
	{ "checkpoint", take_name_or_none, AT(advance.ckpt), OPTIONAL, 0, 0, 0 },
	{ "end_time", take_i64, AT(advance.end_time), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "granted", take_granted, AT(advance.granted), REQUIRED, 0, 0, 0 },
	{ "granted_pe", take_name_or_none, AT(advance.granted_pe), OPTIONAL, 0, 0, 0 },
	{ "hard_error", take_bool, AT(advance.hard_error), OPTIONAL, 0, 0, 0 },
	{ "hard_queue_list", take_text, AT(advance.hard_queues), OPTIONAL, 0, 0, 0 },
	{ "hard_resource_list", take_text, AT(advance.hard), OPTIONAL, 0, 0, 0 },
	{ "master_queue_list", take_text, AT(advance.master_queues), OPTIONAL, 0, 0, 0 },
	{ "name", take_name_or_none, AT(advance.name), OPTIONAL, 0, 0, 0 },
	{ "number", take_u32, AT(advance.number), KEY, 1, U32_MAX, 0 },
	{ "owner", take_name, AT(advance.owner), REQUIRED, 0, 0, 0 },
	{ "pe", take_name_or_none, AT(advance.pe), OPTIONAL, 0, 0, 0 },
	{ "pe_range", take_pe_range, AT(advance.pe_range), OPTIONAL, 0, 0, 0 },
	{ "start_time", take_i64, AT(advance.start_time), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "state", take_letters, AT(advance.state), OPTIONAL, 0, 0, 0 },
	{ "submission_time", take_i64, AT(advance.submission_time), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "xaccess_list", take_text, AT(advance.no_access), OPTIONAL, 0, 0, 0 },
};

static const struct event_member advance_reservation_delete_members[] = {
	{ "number", take_u32, AT(advance.number), KEY, 1, U32_MAX, 0 },
};

static const struct event_member association_usage_members[] = {
	{ "account", take_name, AT(association.account), REQUIRED, 0, 0, 0 },
	{ "partition", take_name_or_none, AT(association.partition), OPTIONAL, 0, 0, 0 },
	{ "time_stamp", take_i64, AT(association.time_stamp), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "usage_raw", take_amount, AT(association.usage_raw), REQUIRED, 0, 0, 0 },
	{ "user", take_name_or_none, AT(association.user), OPTIONAL, 0, 0, 0 },
	{ "values", take_association_values, AT(association.values), OPTIONAL, 0, 0, 0 },
};

static const struct event_member debited_usage_members[] = {
	JOB_NUMBER(debited),
	{ "submission_time", take_i64, AT(debited.submission_time), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "tasks", take_debited_tasks, AT(debited), OPTIONAL, 0, 0, 0 },
	{ "usage", take_usage, AT(debited.usage), OPTIONAL, 0, 0, 0 },
};

static const struct event_member parallel_environment_members[] = {
	{ "pe", take_name, AT(pe.pe), REQUIRED, 0, 0, 0 },
	{ "place", take_i64, AT(pe.place), REQUIRED, 1, SEQ_MAX, 0 },
};

static const struct event_member scheduler_state_members[] = {
	{ "halftime", take_u32, AT(scheduler.halftime), OPTIONAL, 0, U32_MAX, 0 },
	{ "last_pass", take_i64, AT(scheduler.last_pass), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "last_reset", take_i64, AT(scheduler.last_reset), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "orders", take_i64, AT(scheduler.orders), OPTIONAL, 0, ORDERS_MAX, 0 },
	{ "passed", take_bool, AT(scheduler.passed), OPTIONAL, 0, 0, 0 },
	{ "range_costs", take_range_costs, AT(scheduler.range_costs), OPTIONAL, 0, 0, 0 },
	{ "removed", take_removed, AT(scheduler), OPTIONAL, 0, 0, 0 },
	{ "tickets_ordered", take_i64, AT(scheduler.tickets_ordered), OPTIONAL, 0, TIME_MAX_S, 0 },
};

static const struct event_member user_usage_members[] = {
	{ "automatic", take_bool, AT(object.automatic), OPTIONAL, 0, 0, 0 },
	{ "debited_job_usage", take_debited, AT(object), OPTIONAL, 0, 0, 0 },
	{ "fshare", take_u32, AT(object.fshare), OPTIONAL, 0, U32_MAX, 0 },
	{ "long_term_usage", take_usage, AT(object.long_term), OPTIONAL, 0, 0, 0 },
	{ "oticket", take_u32, AT(object.oticket), OPTIONAL, 0, U32_MAX, 0 },
	{ "project", take_projects, AT(object), OPTIONAL, 0, 0, 0 },
	{ "time_stamp", take_i64, AT(object.time_stamp), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "usage", take_usage, AT(object.usage), OPTIONAL, 0, 0, 0 },
	{ "user", take_name, AT(object.name), REQUIRED, 0, 0, 0 },
};

static const struct event_member project_usage_members[] = {
	{ "debited_job_usage", take_debited, AT(object), OPTIONAL, 0, 0, 0 },
	{ "long_term_usage", take_usage, AT(object.long_term), OPTIONAL, 0, 0, 0 },
	{ "project", take_name, AT(object.name), REQUIRED, 0, 0, 0 },
	{ "time_stamp", take_i64, AT(object.time_stamp), REQUIRED, 0, TIME_MAX_S, 0 },
	{ "usage", take_usage, AT(object.usage), OPTIONAL, 0, 0, 0 },
};

static const struct event_member queue_instance_members[] = {
	{ "place", take_i64, AT(instance.place), OPTIONAL, 0, SEQ_MAX, 0 },
	{ "queue", take_instance, AT(instance.queue), REQUIRED, 0, 0, 0 },
	{ "slots", take_u32, AT(instance.slots), OPTIONAL, 0, U32_MAX - 1, 0 },
	{ "state", take_letters, AT(instance.state), OPTIONAL, 0, 0, 0 },
	{ "state_changes", take_state_changes, AT(instance.state_changes), OPTIONAL, 0, 0, 0 },
	{ "suspend_checked", take_i64, AT(instance.suspend_checked), OPTIONAL, 0, TIME_MAX_S, 0 },
};

static const struct event_member queue_instance_delete_members[] = {
	{ "queue", take_instance, AT(instance.queue), REQUIRED, 0, 0, 0 },
};

static const struct event_member host_load_members[] = {
	{ "host", take_name, AT(host.host), REQUIRED, 0, 0, 0 },
	{ "load_values", take_load, AT(host.load), REQUIRED, 0, 0, 0 },
};

static const struct event_member host_state_members[] = {
	{ "available", take_bool, AT(host.available), REQUIRED, 0, 0, 0 },
	{ "host", take_name, AT(host.host), REQUIRED, 0, 0, 0 },
};

static const struct event_member reschedule_unknown_members[] = {
	{ "host", take_name, AT(host.host), REQUIRED, 0, 0, 0 },
	{ "tasks", take_task_names, AT(host.avoided_by), REQUIRED, 0, 0, 0 },
};

static const struct event_member orders_taken_members[] = {
	{ "up_to", take_i64, AT(order.number), REQUIRED, 1, SEQ_MAX, 0 },
};

static const struct event_member order_refused_members[] = {
	JOB_NUMBER(order),
	{ "number", take_i64, AT(order.number), REQUIRED, 1, SEQ_MAX, 0 },
	TASK(order),
	{ "text", take_text, AT(order.text), OPTIONAL, 0, 0, 0 },
};

#define TABLE(table) table, LENGTH(table)

static const struct event_form forms[] = {	/* sorted by name */
	{ "advance_reservation", EVENT_ADVANCE_RESERVATION, false, TABLE(advance_reservation_members) },
	{ "advance_reservation_delete", EVENT_ADVANCE_RESERVATION_DELETE, false, TABLE(advance_reservation_delete_members) },
	{ "association_usage", EVENT_ASSOCIATION_USAGE, false, TABLE(association_usage_members) },
	{ "config_changed", EVENT_CONFIG_CHANGED, false, NULL, 0 },
	{ "debited_usage", EVENT_DEBITED_USAGE, false, TABLE(debited_usage_members) },
	{ "host_load", EVENT_HOST_LOAD, false, TABLE(host_load_members) },
	{ "host_state", EVENT_HOST_STATE, false, TABLE(host_state_members) },
	{ "job_add", EVENT_JOB_ADD, false, TABLE(job_members) },
	{ "job_delete", EVENT_JOB_DELETE, false, TABLE(job_delete_members) },
	{ "job_modify", EVENT_JOB_MODIFY, true, TABLE(job_members) },
	{ "order_refused", EVENT_ORDER_REFUSED, false, TABLE(order_refused_members) },
	{ "orders_taken", EVENT_ORDERS_TAKEN, false, TABLE(orders_taken_members) },
	{ "parallel_environment", EVENT_PARALLEL_ENVIRONMENT, false, TABLE(parallel_environment_members) },
	{ "project_usage", EVENT_PROJECT_USAGE, false, TABLE(project_usage_members) },
	{ "queue_instance", EVENT_QUEUE_INSTANCE, false, TABLE(queue_instance_members) },
	{ "queue_instance_delete", EVENT_QUEUE_INSTANCE_DELETE, false, TABLE(queue_instance_delete_members) },
	{ "reschedule_unknown", EVENT_RESCHEDULE_UNKNOWN, false, TABLE(reschedule_unknown_members) },
	{ "scheduler_state", EVENT_SCHEDULER_STATE, false, TABLE(scheduler_state_members) },
	{ "snapshot_begin", EVENT_SNAPSHOT_BEGIN, false, NULL, 0 },
	{ "snapshot_end", EVENT_SNAPSHOT_END, false, NULL, 0 },
	{ "task_finish", EVENT_TASK_FINISH, false, TABLE(task_finish_members) },
	{ "task_requeue", EVENT_TASK_REQUEUE, false, TABLE(task_requeue_members) },
	{ "task_start", EVENT_TASK_START, false, TABLE(task_start_members) },
	{ "task_state", EVENT_TASK_STATE, false, TABLE(task_state_members) },
	{ "tasks_enrolled", EVENT_TASKS_ENROLLED, false, TABLE(tasks_enrolled_members) },
	{ "usage", EVENT_USAGE, false, TABLE(usage_members) },
	{ "user_usage", EVENT_USER_USAGE, false, TABLE(user_usage_members) },
};

const struct event_form *event_form(const char *name)
{
	size_t at;

	lower_bound(at, LENGTH(forms), strcmp(forms[at].name, name) < 0);
	return at < LENGTH(forms) && strcmp(forms[at].name, name) == 0 ? &forms[at] : NULL;
}

const struct event_form *event_form_of(enum event_type type)
{
	size_t i = 0;

	while (forms[i].type != type)
		i++;
	return &forms[i];
}

const char *event_name(enum event_type type)
{
	return event_form_of(type)->name;
}

static void job_given(const struct taking *taking, struct job_spec *job)
{
	job->given = (uint32_t)taking->given;
	job->slurm.given = (uint32_t)(taking->given >> GIVEN_SLURM);
}

bool event_job_given(const struct event *event, const struct event_member *member)
{
	return (event->job.given | (uint64_t)event->job.slurm.given << GIVEN_SLURM) & member->bit;
}

int event_read_job(const struct value *object, struct taking *taking, struct event *event)
{
	int rc = members_take(taking, job_members, LENGTH(job_members), ALWAYS, object, event);

	job_given(taking, &event->job);
	return rc;
}

int event_read(const struct event_form *form, const struct value *object, struct taking *taking, struct event *event)
{
	int rc;

	event_init(event, form->type);
	rc = members_take(taking, form->members, form->nmembers, form->partial ? KEY : REQUIRED, object, event);
	if (event->type == EVENT_JOB_ADD || event->type == EVENT_JOB_MODIFY)
		job_given(taking, &event->job);
	else if (event->type == EVENT_TASK_FINISH)
		event->task.has_usage = taking->given & GIVEN_USAGE;
	return rc;
}

void event_clear(struct event *event, struct taking *taking)
{
	if (event->type == EVENT_JOB_ADD || event->type == EVENT_JOB_MODIFY) {
		ranges_free(&event->job.tasks);
		for (int kind = 0; kind < HOLD_KINDS; kind++)
			ranges_free(&event->job.hold[kind]);
	} else if (event->type == EVENT_TASKS_ENROLLED) {
		ranges_free(&event->enrolled.tasks);
		ranges_free(&event->enrolled.error);
	}
	taking_clear(taking);
}
