/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/forms.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define AT(place) offsetof(struct event, place)
#define U32_MAX ((int64_t)UINT32_MAX)
/* Largest counter of earlier orders: the sum with further ones must be exact, too. */
#define ORDERS_MAX (SEQ_MAX / 2 + 1)

#define JOB_NUMBER(of) { "job_number", take_u32, AT(of.job_number), KEY, 1, U32_MAX, 0 }
#define TASK(of) { "task", take_u32, AT(of.task), OPTIONAL, 1, U32_MAX, 0 }
#define SCALED_USAGE(due) { "scaled_usage", take_usage, AT(task.usage), due, 0, 0, GIVEN_USAGE }

#define SLURM(member) GIVEN_BIT(GIVEN_SLURM, member)
#define CONDOR(member) GIVEN_BIT(GIVEN_CONDOR, CONDOR_##member)

/* Tables are sorted by name. */
static const struct event_member job_members[] = {
	{ "account", take_name_or_none, AT(job.account), OPTIONAL, 0, 0, JOB_ACCOUNT },
	{ "accounting_group", take_name_or_none, AT(job.condor.accounting_group), OPTIONAL, 0, 0, CONDOR(ACCOUNTING_GROUP) },
	{ "accounting_group_user", take_name_or_none, AT(job.condor.accounting_group_user), OPTIONAL, 0, 0, CONDOR(ACCOUNTING_GROUP_USER) },
	{ "accrue_time", take_i64, AT(job.slurm.accrue_time), OPTIONAL, 0, TIME_MAX_S, SLURM(SLURM_ACCRUE_TIME) },
	{ "ad", take_ad, AT(job.condor.ad), OPTIONAL, 0, 0, CONDOR(AD) },
	{ "allocated", take_allocated, AT(job.slurm.allocated), OPTIONAL, 0, 0, SLURM(SLURM_ALLOCATED) },
	{ "ar", take_u32, AT(job.ar), OPTIONAL, 0, U32_MAX, JOB_AR },
	{ "checkpoint", take_name_or_none, AT(job.ckpt), OPTIONAL, 0, 0, JOB_CKPT },
	{ "cluster", take_u32, AT(job.condor.cluster), OPTIONAL, 0, U32_MAX, CONDOR(CLUSTER) },
	{ "complete", take_bool, AT(job.complete), OPTIONAL, 0, 0, JOB_COMPLETE },
	{ "concurrency_limits", take_text, AT(job.condor.concurrency_limits), OPTIONAL, 0, 0, CONDOR(CONCURRENCY_LIMITS) },
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
	{ "hold_kill_sig", take_name_or_none, AT(job.condor.hold_kill_sig), OPTIONAL, 0, 0, CONDOR(HOLD_KILL_SIG) },
	{ "job_max_vacate_time", take_expression, AT(job.condor.job_max_vacate_time), OPTIONAL, 0, 0, CONDOR(JOB_MAX_VACATE_TIME) },
	{ "job_name", take_name_or_none, AT(job.name), OPTIONAL, 0, 0, JOB_NAME },
	JOB_NUMBER(job),
	{ "job_prio", take_i32, AT(job.condor.job_prio), OPTIONAL, INT32_MIN, INT32_MAX, CONDOR(JOB_PRIO) },
	{ "jobshare", take_u32, AT(job.jobshare), OPTIONAL, 0, U32_MAX, JOB_JOBSHARE },
	{ "kill_sig", take_name_or_none, AT(job.condor.kill_sig), OPTIONAL, 0, 0, CONDOR(KILL_SIG) },
	{ "master_queue_list", take_text, AT(job.master_queues), OPTIONAL, 0, 0, JOB_MASTER_QUEUES },
	{ "max_job_retirement_time", take_expression, AT(job.condor.max_job_retirement_time), OPTIONAL, 0, 0, CONDOR(MAX_JOB_RETIREMENT_TIME) },
	{ "multifactor_priority", take_u32, AT(job.slurm.priority), OPTIONAL, 0, U32_MAX, SLURM(SLURM_PRIORITY) },
	{ "nice", take_i32, AT(job.slurm.nice), OPTIONAL, -SLURM_NICE_MOST, SLURM_NICE_MOST, SLURM(SLURM_NICE) },
	{ "nice_user", take_bool, AT(job.condor.nice_user), OPTIONAL, 0, 0, CONDOR(NICE_USER) },
	{ "nodes", take_u32, AT(job.slurm.nodes), OPTIONAL, 0, U32_MAX - 1, SLURM(SLURM_NODES) },
	{ "now", take_bool, AT(job.now), OPTIONAL, 0, 0, JOB_NOW },
	{ "override_tickets", take_u32, AT(job.override_tickets), OPTIONAL, 0, U32_MAX, JOB_OVERRIDE_TICKETS },
	{ "owner", take_name, AT(job.owner), REQUIRED, 0, 0, JOB_OWNER },
	{ "partition", take_text, AT(job.slurm.partition), OPTIONAL, 0, 0, SLURM(SLURM_PARTITION) },
	{ "pe", take_name_or_none, AT(job.pe), OPTIONAL, 0, 0, JOB_PE },
	{ "pe_range", take_pe_range, AT(job.pe_range), OPTIONAL, 0, 0, JOB_PE_RANGE },
	{ "post_job_prio1", take_i32, AT(job.condor.post_job_prio1), OPTIONAL, INT32_MIN, INT32_MAX, CONDOR(POST_JOB_PRIO1) },
	{ "post_job_prio2", take_i32, AT(job.condor.post_job_prio2), OPTIONAL, INT32_MIN, INT32_MAX, CONDOR(POST_JOB_PRIO2) },
	{ "pre_job_prio1", take_i32, AT(job.condor.pre_job_prio1), OPTIONAL, INT32_MIN, INT32_MAX, CONDOR(PRE_JOB_PRIO1) },
	{ "pre_job_prio2", take_i32, AT(job.condor.pre_job_prio2), OPTIONAL, INT32_MIN, INT32_MAX, CONDOR(PRE_JOB_PRIO2) },
	{ "priority", take_i32, AT(job.priority), OPTIONAL, -1023, 1024, JOB_PRIORITY },
	{ "proc", take_u32, AT(job.condor.proc), OPTIONAL, 0, U32_MAX, CONDOR(PROC) },
	{ "project", take_name_or_none, AT(job.project), OPTIONAL, 0, 0, JOB_PROJECT },
	{ "qos", take_name_or_none, AT(job.slurm.qos), OPTIONAL, 0, 0, SLURM(SLURM_QOS) },
	{ "rank", take_text, AT(job.condor.rank), OPTIONAL, 0, 0, CONDOR(RANK) },
	{ "remove_kill_sig", take_name_or_none, AT(job.condor.remove_kill_sig), OPTIONAL, 0, 0, CONDOR(REMOVE_KILL_SIG) },
	{ "requests_as_typed", take_bool, AT(job.as_typed), OPTIONAL, 0, 0, JOB_AS_TYPED },
	{ "requirements", take_text, AT(job.condor.requirements), OPTIONAL, 0, 0, CONDOR(REQUIREMENTS) },
	{ "reserve", take_bool, AT(job.reserve), OPTIONAL, 0, 0, JOB_RESERVE },
	{ "site_factor", take_i32, AT(job.slurm.site_factor), OPTIONAL, -SLURM_NICE_MOST, SLURM_NICE_MOST, SLURM(SLURM_SITE_FACTOR) },
	{ "soft_queue_list", take_text, AT(job.soft_queues), OPTIONAL, 0, 0, JOB_SOFT_QUEUES },
	{ "soft_resource_list", take_text, AT(job.soft), OPTIONAL, 0, 0, JOB_SOFT },
	{ "submission_time", take_i64, AT(job.submission_time), REQUIRED, 0, TIME_MAX_S, JOB_SUBMISSION_TIME },
	{ "task_concurrency", take_u32, AT(job.task_concurrency), OPTIONAL, 0, U32_MAX, JOB_TC },
	{ "tasks", take_ranges, AT(job.tasks), OPTIONAL, 0, 0, JOB_TASKS },
	{ "time_limit", take_u32, AT(job.slurm.time_limit), OPTIONAL, 0, U32_MAX - 1, SLURM(SLURM_TIME_LIMIT) },
	{ "tres", take_text, AT(job.slurm.tres), OPTIONAL, 0, 0, SLURM(SLURM_TRES) },
	{ "uid_domain", take_name_or_none, AT(job.condor.uid_domain), OPTIONAL, 0, 0, CONDOR(UID_DOMAIN) },
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
	{ "restarted", take_ranges, AT(enrolled.restarted), OPTIONAL, 0, 0, 0 },
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

static const struct event_member customer_members[] = {
	{ "accumulated", take_amount, AT(customer.values.accumulated), OPTIONAL, 0, 0, 0 },
	{ "begin", take_i64, AT(customer.values.begin), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "ceiling", take_i64, AT(customer.values.ceiling), OPTIONAL, -1, SEQ_MAX, 0 },
	{ "ceiling_before", take_real, AT(customer.values.leases[SETTING_CEILING].before), OPTIONAL, 0, 0, 0 },
	{ "ceiling_until", take_i64, AT(customer.values.leases[SETTING_CEILING].until), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "factor", take_amount, AT(customer.values.factor), OPTIONAL, 0, 0, 0 },
	{ "factor_before", take_real, AT(customer.values.leases[SETTING_FACTOR].before), OPTIONAL, 0, 0, 0 },
	{ "factor_until", take_i64, AT(customer.values.leases[SETTING_FACTOR].until), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "floor", take_i64, AT(customer.values.floor), OPTIONAL, 0, SEQ_MAX, 0 },
	{ "floor_before", take_real, AT(customer.values.leases[SETTING_FLOOR].before), OPTIONAL, 0, 0, 0 },
	{ "floor_until", take_i64, AT(customer.values.leases[SETTING_FLOOR].until), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "hidden", take_bool, AT(customer.hidden), OPTIONAL, 0, 0, 0 },
	{ "is_group", take_bool, AT(customer.values.is_group), OPTIONAL, 0, 0, 0 },
	{ "last", take_i64, AT(customer.values.last), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "name", take_name, AT(customer.name), REQUIRED, 0, 0, 0 },
	{ "rup", take_amount, AT(customer.values.rup), OPTIONAL, 0, 0, 0 },
	{ "tree_used", take_amount, AT(customer.values.tree_used), OPTIONAL, 0, 0, 0 },
	{ "uncharged", take_real, AT(customer.values.uncharged), OPTIONAL, 0, 0, 0 },
	{ "used", take_u32, AT(customer.values.used), OPTIONAL, 0, U32_MAX, 0 },
	{ "waited", take_u32, AT(customer.waited), OPTIONAL, 0, U32_MAX, 0 },
	{ "weight_accumulated", take_amount, AT(customer.values.weight_accumulated), OPTIONAL, 0, 0, 0 },
	{ "weight_uncharged", take_real, AT(customer.values.weight_uncharged), OPTIONAL, 0, 0, 0 },
	{ "weight_used", take_amount, AT(customer.values.weight_used), OPTIONAL, 0, 0, 0 },
};

static const struct event_member charged_slot_members[] = {
	{ "autoregroup", take_bool, AT(charge.values.autoregroup), OPTIONAL, 0, 0, 0 },
	{ "begun", take_i64, AT(charge.values.begun), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "cpus", take_u32, AT(charge.values.cpus), OPTIONAL, 0, U32_MAX, 0 },
	{ "current_rank", take_real, AT(charge.values.current_rank), OPTIONAL, 0, 0, 0 },
	{ "customer", take_name, AT(charge.customer), REQUIRED, 0, 0, 0 },
	{ "ended", take_i64, AT(charge.values.ended), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "finished", take_bool, AT(charge.values.finished), OPTIONAL, 0, 0, 0 },
	{ "free_of_charge", take_bool, AT(charge.values.free_of_charge), OPTIONAL, 0, 0, 0 },
	{ "is_ranked", take_bool, AT(charge.values.is_ranked), OPTIONAL, 0, 0, 0 },
	{ "job_number", take_u32, AT(charge.values.job_number), OPTIONAL, 0, U32_MAX, 0 },
	{ "negotiating_group", take_name_or_none, AT(charge.negotiating_group), OPTIONAL, 0, 0, 0 },
	{ "ordered", take_bool, AT(charge.values.ordered), OPTIONAL, 0, 0, 0 },
	{ "since", take_i64, AT(charge.values.since), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "slot", take_slot, AT(charge.slot), REQUIRED, 0, 0, 0 },
	{ "start", take_i64, AT(charge.values.start), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "task", take_u32, AT(charge.values.task), OPTIONAL, 0, U32_MAX, 0 },
	{ "weight", take_amount, AT(charge.values.weight), OPTIONAL, 0, 0, 0 },
};

static const struct event_member winner_members[] = {
	{ "autoregroup", take_bool, AT(winner.values.autoregroup), OPTIONAL, 0, 0, 0 },
	{ "customer", take_name, AT(winner.customer), REQUIRED, 0, 0, 0 },
	{ "job_number", take_u32, AT(winner.values.job_number), OPTIONAL, 0, U32_MAX, 0 },
	{ "negotiating_group", take_name_or_none, AT(winner.negotiating_group), OPTIONAL, 0, 0, 0 },
	{ "rank", take_real, AT(winner.values.rank), OPTIONAL, 0, 0, 0 },
	{ "since", take_i64, AT(winner.values.since), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "slot", take_slot, AT(winner.slot), REQUIRED, 0, 0, 0 },
	{ "task", take_u32, AT(winner.values.task), OPTIONAL, 0, U32_MAX, 0 },
	{ "winner", take_u32, AT(winner.values.winner), OPTIONAL, 0, U32_MAX, 0 },
};

static const struct event_member scheduler_state_members[] = {
	{ "customers_updated", take_i64, AT(scheduler.customers_updated), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "cycle", take_i64, AT(scheduler.cycle), OPTIONAL, 0, SEQ_MAX, 0 },
	{ "cycle_begin", take_i64, AT(scheduler.cycle_begin), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "cycle_end", take_i64, AT(scheduler.cycle_end), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "cycle_wanted", take_bool, AT(scheduler.cycle_wanted), OPTIONAL, 0, 0, 0 },
	{ "halftime", take_u32, AT(scheduler.halftime), OPTIONAL, 0, U32_MAX, 0 },
	{ "last_pass", take_i64, AT(scheduler.last_pass), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "last_reset", take_i64, AT(scheduler.last_reset), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "negotiated", take_bool, AT(scheduler.negotiated), OPTIONAL, 0, 0, 0 },
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

static const struct event_member slot_members[] = {
	{ "ad", take_ad, AT(slot.ad), REQUIRED, 0, 0, 0 },
	{ "machine", take_name_or_none, AT(slot.machine), OPTIONAL, 0, 0, 0 },
	{ "place", take_i64, AT(slot.place), OPTIONAL, 0, SEQ_MAX, 0 },
	{ "slot", take_slot, AT(slot.slot), REQUIRED, 0, 0, 0 },
};

static const struct event_member slot_remove_members[] = {
	{ "slot", take_slot, AT(slot.slot), REQUIRED, 0, 0, 0 },
};

static const struct event_member claim_members[] = {
	{ "concurrency_limits", take_text, AT(claim.concurrency_limits), OPTIONAL, 0, 0, 0 },
	{ "current_rank", take_real, AT(claim.current_rank), OPTIONAL, 0, 0, 0 },
	{ "preempting", take_name_or_none, AT(claim.preempting), OPTIONAL, 0, 0, 0 },
	{ "preempting_rank", take_real, AT(claim.preempting_rank), OPTIONAL, 0, 0, 0 },
	{ "since", take_i64, AT(claim.since), OPTIONAL, 0, TIME_MAX_S, 0 },
	{ "slot", take_slot, AT(claim.slot), REQUIRED, 0, 0, 0 },
	{ "submitter", take_name_or_none, AT(claim.submitter), REQUIRED, 0, 0, 0 },
	{ "suspended", take_bool, AT(claim.suspended), OPTIONAL, 0, 0, 0 },
	{ "weight", take_amount, AT(claim.weight), OPTIONAL, 0, 0, 0 },
};

static const struct event_member vacated_members[] = {
	{ "how", take_how, AT(vacated.how), OPTIONAL, 0, 0, 0 },
	JOB_NUMBER(vacated),
	TASK(vacated),
};

static const struct event_member submitter_edit_members[] = {
	{ "customer", take_name_or_none, AT(submitter_edit.customer), OPTIONAL, 0, 0, 0 },
	{ "duration", take_i64, AT(submitter_edit.edit.duration), OPTIONAL, 1, TIME_MAX_S, 0 },
	{ "edit", take_edit, AT(submitter_edit.edit.kind), REQUIRED, 0, 0, 0 },
	{ "value", take_real, AT(submitter_edit.edit.value), OPTIONAL, 0, 0, GIVEN_VALUE },
};

#define TABLE(table) table, LENGTH(table)

const struct event_form event_forms[] = {
	{ "advance_reservation", EVENT_ADVANCE_RESERVATION, false, TABLE(advance_reservation_members) },
	{ "advance_reservation_delete", EVENT_ADVANCE_RESERVATION_DELETE, false, TABLE(advance_reservation_delete_members) },
	{ "association_usage", EVENT_ASSOCIATION_USAGE, false, TABLE(association_usage_members) },
	{ "charged_slot", EVENT_CHARGED_SLOT, false, TABLE(charged_slot_members) },
	{ "claim", EVENT_CLAIM, false, TABLE(claim_members) },
	{ "config_changed", EVENT_CONFIG_CHANGED, false, NULL, 0 },
	{ "customer", EVENT_CUSTOMER, false, TABLE(customer_members) },
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
	{ "slot", EVENT_SLOT, false, TABLE(slot_members) },
	{ "slot_remove", EVENT_SLOT_REMOVE, false, TABLE(slot_remove_members) },
	{ "snapshot_begin", EVENT_SNAPSHOT_BEGIN, false, NULL, 0 },
	{ "snapshot_end", EVENT_SNAPSHOT_END, false, NULL, 0 },
	{ "submitter_edit", EVENT_SUBMITTER_EDIT, false, TABLE(submitter_edit_members) },
	{ "task_finish", EVENT_TASK_FINISH, false, TABLE(task_finish_members) },
	{ "task_requeue", EVENT_TASK_REQUEUE, false, TABLE(task_requeue_members) },
	{ "task_start", EVENT_TASK_START, false, TABLE(task_start_members) },
	{ "task_state", EVENT_TASK_STATE, false, TABLE(task_state_members) },
	{ "tasks_enrolled", EVENT_TASKS_ENROLLED, false, TABLE(tasks_enrolled_members) },
	{ "usage", EVENT_USAGE, false, TABLE(usage_members) },
	{ "user_usage", EVENT_USER_USAGE, false, TABLE(user_usage_members) },
	{ "vacated", EVENT_VACATED, false, TABLE(vacated_members) },
	{ "winner", EVENT_WINNER, false, TABLE(winner_members) },
};

const size_t nevent_forms = LENGTH(event_forms);
