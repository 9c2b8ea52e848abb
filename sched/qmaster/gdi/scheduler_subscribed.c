/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and events of a scheduler's subscription, in the order of the built-in scheduler. */
#include <stdbool.h>

#include "sched/qmaster/gdi/subscription.h"

#define COUNT(A) (sizeof(A) / sizeof((A)[0]))
#define F(FIELD) { .number = (FIELD) }
#define EVENTS(FIRST, LAST) .first = GDI_EV_##FIRST, .last = GDI_EV_##LAST
#define FIELDS(OF) .what = (OF), .nwhat = COUNT(OF)

/* Fields of a task: those of the built-in scheduler, the end time, and whether it was restarted. */
static const struct gdi_wanted task_fields[] = {
	F(JAT_task_number), F(JAT_tix), F(JAT_state), F(JAT_fshare), F(JAT_status), F(JAT_granted_pe),
	F(JAT_scaled_usage_list), F(JAT_task_list), F(JAT_start_time), F(JAT_hold),
	F(JAT_granted_destin_identifier_list), F(JAT_master_queue), F(JAT_oticket), F(JAT_fticket), F(JAT_sticket),
	F(JAT_share), F(JAT_prio), F(JAT_ntix), F(JAT_wallclock_limit), F(JAT_end_time),
	F(JAT_job_restarted),
};

/*
 * Fields of a job. For the tasks in a job, and for the template of tasks that are not enrolled, the
 * qmaster sends the fields requested for task events, regardless of this list. The same holds for
 * the instances in a queue.
 */
static const struct gdi_wanted job_fields[] = {
	F(JB_job_number), F(JB_category), F(JB_hard_queue_list), F(JB_owner), F(JB_hard_resource_list), F(JB_group),
	F(JB_ja_n_h_ids), F(JB_soft_resource_list), F(JB_ja_template), F(JB_soft_queue_list), F(JB_type),
	F(JB_ja_u_h_ids), F(JB_ja_s_h_ids), F(JB_ja_o_h_ids), F(JB_ja_a_h_ids), F(JB_pe), F(JB_project),
	F(JB_department), F(JB_execution_time), F(JB_override_tickets), F(JB_jid_predecessor_list), F(JB_deadline),
	F(JB_submission_time), F(JB_checkpoint_name), F(JB_version), F(JB_priority), F(JB_host), F(JB_ja_structure),
	F(JB_jobshare), F(JB_master_hard_queue_list), F(JB_pe_range), F(JB_nppri), F(JB_urg), F(JB_nurg),
	F(JB_dlcontr), F(JB_wtcontr), F(JB_rrcontr), F(JB_soft_wallclock_gmt), F(JB_hard_wallclock_gmt),
	F(JB_reserve), F(JB_ja_tasks), F(JB_ar), F(JB_ja_task_concurrency), F(JB_job_name),
	F(JB_ja_ad_predecessor_list),
};

static const struct gdi_wanted instance_fields[] = {
	F(QU_full_name), F(QU_qhostname), F(QU_tag), F(QU_qname), F(QU_acl), F(QU_xacl), F(QU_projects),
	F(QU_xprojects), F(QU_resource_utilization), F(QU_job_slots), F(QU_load_thresholds), F(QU_suspend_thresholds),
	F(QU_host_seq_no), F(QU_seq_no), F(QU_state), F(QU_tagged4schedule), F(QU_nsuspend), F(QU_suspend_interval),
	F(QU_consumable_config_list), F(QU_available_at), F(QU_soft_violation), F(QU_version), F(QU_subordinate_list),
	F(QU_qtype), F(QU_calendar), F(QU_s_rt), F(QU_h_rt), F(QU_s_cpu), F(QU_h_cpu), F(QU_s_fsize), F(QU_h_fsize),
	F(QU_s_data), F(QU_h_data), F(QU_s_stack), F(QU_h_stack), F(QU_s_core), F(QU_h_core), F(QU_s_rss),
	F(QU_h_rss), F(QU_s_vmem), F(QU_h_vmem), F(QU_min_cpu_interval), F(QU_suspended_on_subordinate),
	F(QU_last_suspend_threshold_ckeck), F(QU_pe_list), F(QU_ckpt_list), F(QU_state_changes),
};

/* Fields that `qconf -sq` prints. */
static const struct gdi_wanted queue_fields[] = {
	F(CQ_name), F(CQ_hostlist), F(CQ_qinstances), F(CQ_seq_no), F(CQ_nsuspend), F(CQ_job_slots), F(CQ_rerun),
	F(CQ_s_fsize), F(CQ_h_fsize), F(CQ_s_data), F(CQ_h_data), F(CQ_s_stack), F(CQ_h_stack), F(CQ_s_core),
	F(CQ_h_core), F(CQ_s_rss), F(CQ_h_rss), F(CQ_s_vmem), F(CQ_h_vmem), F(CQ_s_rt), F(CQ_h_rt), F(CQ_s_cpu),
	F(CQ_h_cpu), F(CQ_suspend_interval), F(CQ_min_cpu_interval), F(CQ_notify), F(CQ_tmpdir), F(CQ_shell),
	F(CQ_calendar), F(CQ_priority), F(CQ_processors), F(CQ_prolog), F(CQ_epilog), F(CQ_shell_start_mode),
	F(CQ_starter_method), F(CQ_suspend_method), F(CQ_resume_method), F(CQ_terminate_method), F(CQ_initial_state),
	F(CQ_pe_list), F(CQ_ckpt_list), F(CQ_owner_list), F(CQ_acl), F(CQ_xacl), F(CQ_projects), F(CQ_xprojects),
	F(CQ_load_thresholds), F(CQ_suspend_thresholds), F(CQ_consumable_config_list), F(CQ_subordinate_list),
	F(CQ_qtype),
};

static const struct gdi_wanted host_fields[] = {
	F(EH_name), F(EH_scaling_list), F(EH_consumable_config_list), F(EH_usage_scaling_list), F(EH_load_list),
	F(EH_acl), F(EH_xacl), F(EH_prj), F(EH_xprj), F(EH_sort_value), F(EH_load_correction_factor), F(EH_seq_no),
	F(EH_resource_utilization), F(EH_reschedule_unknown_list), F(EH_processors), F(EH_real_name),
	F(EH_report_variables),
};

/* Consecutive events with the same fields. */
struct range_of_events {
	enum gdi_event first, last;
	const struct gdi_wanted *what;
	size_t nwhat;
	enum gdi_where where;
	bool at_once;
};

static const struct range_of_events wanted[] = {
	{ EVENTS(QMASTER_GOES_DOWN, QMASTER_GOES_DOWN), .at_once = true },
	{ EVENTS(SHUTDOWN, SHUTDOWN), .at_once = true },
	{ EVENTS(ACK_TIMEOUT, ACK_TIMEOUT), .at_once = true },
	{ EVENTS(AR_LIST, AR_MOD) },
	{ EVENTS(CALENDAR_LIST, CALENDAR_MOD) },
	{ EVENTS(CKPT_LIST, CKPT_MOD) },
	{ EVENTS(CENTRY_LIST, CENTRY_MOD) },
	{ EVENTS(CONFIG_LIST, CONFIG_MOD) },
	{ EVENTS(CQUEUE_LIST, CQUEUE_MOD), FIELDS(queue_fields) },
	{ EVENTS(EXECHOST_LIST, EXECHOST_MOD), FIELDS(host_fields), .where = GDI_NOT_TEMPLATE_HOST },
	{ EVENTS(HGROUP_LIST, HGROUP_MOD) },
	{ EVENTS(GLOBAL_CONFIG, GLOBAL_CONFIG), .at_once = true },
	{ EVENTS(JOB_LIST, JOB_MOD_SCHED_PRIORITY), FIELDS(job_fields) },
	{ EVENTS(JOB_USAGE, JOB_FINAL_USAGE) },
	{ EVENTS(JATASK_ADD, JATASK_MOD), FIELDS(task_fields) },
	{ EVENTS(PE_LIST, PE_MOD) },
	{ EVENTS(PETASK_ADD, PETASK_DEL) },
	{ EVENTS(PROJECT_LIST, PROJECT_DEL) },
	/* Usage that was released has taken effect. */
	{ EVENTS(PROJECT_MOD, PROJECT_MOD), .at_once = true },
	{ EVENTS(QINSTANCE_ADD, QINSTANCE_USOS), FIELDS(instance_fields), .where = GDI_NOT_TEMPLATE_QUEUE },
	{ EVENTS(RQS_LIST, RQS_MOD) },
	{ EVENTS(SCHED_CONF, SCHED_CONF), .at_once = true },
	{ EVENTS(SCHEDDMONITOR, SCHEDDMONITOR), .at_once = true },
	{ EVENTS(NEW_SHARETREE, NEW_SHARETREE), .at_once = true },
	{ EVENTS(USER_LIST, USER_DEL) },
	{ EVENTS(USER_MOD, USER_MOD), .at_once = true },
	{ EVENTS(USERSET_LIST, USERSET_MOD) },
};

static uint32_t flush_of(enum gdi_event event, const struct range_of_events *range, const struct gdi_flush *flush)
{
	if (event == GDI_EV_JOB_ADD)
		return flush->submit;
	if (event == GDI_EV_JOB_DEL || event == GDI_EV_JOB_FINAL_USAGE || event == GDI_EV_JATASK_DEL)
		return flush->finish;
	return range->at_once ? 0 : GDI_NO_FLUSH;
}

size_t gdi_scheduler_subscribed(struct gdi_subscribed events[GDI_SUBSCRIBED_MOST], const struct gdi_flush *flush)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(wanted); i++)
		for (enum gdi_event e = wanted[i].first; e <= wanted[i].last; e++)
			events[n++] = (struct gdi_subscribed) {
				.event = e, .flush = flush_of(e, &wanted[i], flush),
				.what = wanted[i].what, .nwhat = wanted[i].nwhat, .where = wanted[i].where,
			};
	return n;
}
