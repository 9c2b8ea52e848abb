/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers of 8.1.9 on the wire, in the order of their types. The position of a field is its
 * number minus the number of the first field of its type.
 */
#ifndef SCHED_QMASTER_GDI_NUMBERS_H
#define SCHED_QMASTER_GDI_NUMBERS_H

enum {				/* a job */
	JB_job_number = 50, JB_job_name, JB_version, JB_jid_request_list, JB_jid_predecessor_list,
	JB_jid_successor_list, JB_ja_ad_request_list, JB_ja_ad_predecessor_list,
	JB_ja_ad_successor_list, JB_session, JB_project, JB_department, JB_directive_prefix,
	JB_exec_file, JB_script_file, JB_script_size, JB_script_ptr, JB_submission_time,
	JB_execution_time, JB_deadline, JB_owner, JB_uid, JB_group, JB_gid, JB_account, JB_cwd,
	JB_notify, JB_type, JB_reserve, JB_priority, JB_jobshare, JB_shell_list, JB_verify,
	JB_env_list, JB_context, JB_job_args, JB_checkpoint_attr, JB_checkpoint_name,
	JB_checkpoint_object, JB_checkpoint_interval, JB_restart, JB_stdout_path_list,
	JB_stderr_path_list, JB_stdin_path_list, JB_merge_stderr, JB_hard_resource_list,
	JB_soft_resource_list, JB_hard_queue_list, JB_soft_queue_list, JB_mail_options,
	JB_mail_list, JB_pe, JB_pe_range, JB_master_hard_queue_list, JB_tgt, JB_cred,
	JB_ja_structure, JB_ja_n_h_ids, JB_ja_u_h_ids, JB_ja_s_h_ids, JB_ja_o_h_ids, JB_ja_a_h_ids,
	JB_ja_z_ids, JB_ja_template, JB_ja_tasks, JB_host, JB_category, JB_user_list,
	JB_job_identifier_list, JB_verify_suitable_queues, JB_soft_wallclock_gmt,
	JB_hard_wallclock_gmt, JB_override_tickets, JB_qs_args, JB_path_aliases, JB_urg, JB_nurg,
	JB_nppri, JB_rrcontr, JB_dlcontr, JB_wtcontr, JB_ar, JB_pty, JB_ja_task_concurrency,
	JB_binding,
};
enum {				/* a queue instance */
	QU_qhostname = 250, QU_qname, QU_full_name, QU_tag, QU_available_at, QU_seq_no,
	QU_nsuspend, QU_qtype, QU_job_slots, QU_tmpdir, QU_shell, QU_calendar, QU_priority,
	QU_processors, QU_prolog, QU_epilog, QU_shell_start_mode, QU_starter_method,
	QU_suspend_method, QU_resume_method, QU_terminate_method, QU_initial_state, QU_rerun,
	QU_s_rt, QU_h_rt, QU_s_cpu, QU_h_cpu, QU_s_fsize, QU_h_fsize, QU_s_data, QU_h_data,
	QU_s_stack, QU_h_stack, QU_s_core, QU_h_core, QU_s_rss, QU_h_rss, QU_s_vmem, QU_h_vmem,
	QU_suspend_interval, QU_min_cpu_interval, QU_notify, QU_ckpt_list, QU_pe_list,
	QU_owner_list, QU_acl, QU_xacl, QU_projects, QU_xprojects, QU_consumable_config_list,
	QU_load_thresholds, QU_suspend_thresholds, QU_subordinate_list, QU_state,
	QU_tagged4schedule, QU_cache_version, QU_pending_signal, QU_pending_signal_delivery_time,
	QU_version, QU_suspended_on_subordinate, QU_last_suspend_threshold_ckeck, QU_job_cnt,
	QU_pending_job_cnt, QU_soft_violation, QU_host_seq_no, QU_resource_utilization,
	QU_message_list, QU_gdi_do_later, QU_state_changes,
};
enum {				/* an execution host */
	EH_name = 450, EH_scaling_list, EH_consumable_config_list, EH_usage_scaling_list,
	EH_load_list, EH_lt_heard_from, EH_processors, EH_acl, EH_xacl, EH_prj, EH_xprj,
	EH_sort_value, EH_reuse_me, EH_tagged, EH_load_correction_factor, EH_seq_no, EH_real_name,
	EH_sge_load, EH_sge_ticket_pct, EH_sge_load_pct, EH_featureset_id, EH_scaled_usage_list,
	EH_scaled_usage_pct_list, EH_num_running_jobs, EH_load_report_interval,
	EH_resource_utilization, EH_cached_complexes, EH_cache_version, EH_master_host,
	EH_reschedule_unknown, EH_reschedule_unknown_list, EH_report_seqno, EH_report_variables,
	EH_merged_report_variables,
};
enum { AH_name = 500 };	/* an administrative host */
enum { AN_status = 600, AN_text, AN_quality };	/* an answer to a request */
enum { HL_name = 700, HL_value, HL_last_update, HL_static };	/* a load value */
enum { HS_name = 750, HS_value };	/* a scaling factor */
enum {				/* an event client */
	EV_id = 850, EV_name, EV_host, EV_commproc, EV_commid, EV_uid, EV_d_time, EV_flush_delay,
	EV_subscribed, EV_changed, EV_busy_handling, EV_session, EV_last_heard_from,
	EV_last_send_time, EV_next_send_time, EV_next_number, EV_busy, EV_events, EV_sub_array,
	EV_state, EV_update_function,
};
enum {				/* a complex attribute; a request or a value of it */
	CE_name = 900, CE_shortcut, CE_valtype, CE_stringval, CE_doubleval, CE_relop,
	CE_consumable, CE_default, CE_dominant, CE_pj_stringval, CE_pj_doubleval, CE_pj_dominant,
	CE_requestable, CE_tagged, CE_urgency_weight,
};
enum {				/* an order */
	OR_type = 950, OR_job_number, OR_ja_task_number, OR_job_version, OR_queuelist, OR_ticket,
	OR_joker, OR_pe, OR_ntix, OR_prio,
};
enum {				/* a queue instance of an order */
	OQ_slots = 1000, OQ_dest_queue, OQ_dest_version, OQ_ticket, OQ_oticket, OQ_fticket,
	OQ_sticket,
};
enum {				/* a user set */
	US_name = 1150, US_type, US_fshare, US_oticket, US_job_cnt, US_pending_job_cnt, US_entries,
	US_consider_with_categories,
};
enum { UE_name = 1200 };	/* an entry of a user set */
enum { RN_min = 1250, RN_max, RN_step };	/* a range of numbers */
enum {				/* a path for a host */
	PN_path = 1300, PN_host, PN_file_host, PN_file_staging,
};
enum { VA_variable = 1400, VA_value };	/* a variable */
enum { MR_user = 1450, MR_host };	/* an address for mail */
enum { UM_name = 1500 };	/* a manager */
enum {				/* an event */
	ET_number = 1600, ET_timestamp, ET_type, ET_intkey, ET_intkey2, ET_strkey, ET_strkey2,
	ET_new_version,
};
enum {				/* an event subscription */
	EVS_id = 1650, EVS_flush, EVS_interval, EVS_what, EVS_where,
};
enum { CONF_name = 1700, CONF_version, CONF_entries };	/* a configuration */
enum { CF_name = 1800, CF_value, CF_sublist, CF_local };	/* an entry of a configuration */
enum {				/* a parallel environment */
	PE_name = 1850, PE_slots, PE_user_list, PE_xuser_list, PE_start_proc_args,
	PE_stop_proc_args, PE_allocation_rule, PE_control_slaves, PE_job_is_first_task,
	PE_resource_utilization, PE_urgency_slots, PE_accounting_summary, PE_qsort_args,
};
enum { QR_name = 1900 };	/* a request for a queue */
enum { ST_name = 2000 };	/* a text */
enum {				/* granted: one queue instance of a task */
	JG_qname = 2100, JG_qversion, JG_qhostname, JG_slots, JG_queue, JG_tag_slave_job,
	JG_task_id_range, JG_ticket, JG_oticket, JG_fticket, JG_sticket, JG_jcoticket,
	JG_jcfticket, JG_processors,
};
enum {				/* a report */
	REP_type = 2350, REP_host, REP_list, REP_version, REP_seqno,
};
enum {				/* a subordinate queue */
	SO_name = 2400, SO_threshold, SO_slots_sum, SO_seq_no, SO_action,
};
enum { UA_name = 2450, UA_value };	/* a usage value */
enum {				/* a project */
	PR_name = 2500, PR_oticket, PR_fshare, PR_job_cnt, PR_pending_job_cnt, PR_usage,
	PR_usage_time_stamp, PR_usage_seqno, PR_long_term_usage, PR_project, PR_acl, PR_xacl,
	PR_debited_job_usage, PR_version, PR_consider_with_categories,
};
enum {				/* a user */
	UU_name = 2550, UU_oticket, UU_fshare, UU_delete_time, UU_job_cnt, UU_pending_job_cnt,
	UU_usage, UU_usage_time_stamp, UU_usage_seqno, UU_long_term_usage, UU_project,
	UU_debited_job_usage, UU_default_project, UU_version, UU_consider_with_categories,
};
enum {				/* a share tree node */
	STN_name = 2600, STN_type, STN_id, STN_shares, STN_children, STN_job_ref_count,
	STN_active_job_ref_count, STN_project, STN_proportion, STN_adjusted_proportion,
	STN_combined_usage, STN_pass2_seqno, STN_sum_priority, STN_actual_proportion, STN_m_share,
	STN_last_actual_proportion, STN_adjusted_current_proportion, STN_temp, STN_stt, STN_ostt,
	STN_ltt, STN_oltt, STN_shr, STN_sort, STN_ref, STN_tickets, STN_jobid, STN_taskid,
	STN_queued, STN_usage_list, STN_version,
};
enum {				/* the scheduler configuration */
	SC_algorithm = 2650, SC_schedule_interval, SC_maxujobs, SC_queue_sort_method,
	SC_job_load_adjustments, SC_load_adjustment_decay_time, SC_load_formula,
	SC_schedd_job_info, SC_flush_submit_sec, SC_flush_finish_sec, SC_params,
	SC_reprioritize_interval, SC_halftime, SC_usage_weight_list, SC_compensation_factor,
	SC_weight_user, SC_weight_project, SC_weight_department, SC_weight_job,
	SC_weight_tickets_functional, SC_weight_tickets_share, SC_weight_tickets_override,
	SC_share_override_tickets, SC_share_functional_shares, SC_max_functional_jobs_to_schedule,
	SC_report_pjob_tickets, SC_max_pending_tasks_per_job, SC_halflife_decay_list,
	SC_policy_hierarchy, SC_weight_ticket, SC_weight_waiting_time, SC_weight_deadline,
	SC_weight_urgency, SC_weight_priority, SC_max_reservation, SC_default_duration,
};
enum {				/* a task of a parallel task */
	PET_id = 2700, PET_name, PET_status, PET_granted_destin_identifier_list, PET_pid,
	PET_osjobid, PET_usage, PET_scaled_usage, PET_reported_usage, PET_previous_usage,
	PET_submission_time, PET_start_time, PET_end_time, PET_cwd, PET_path_aliases,
	PET_environment, PET_do_contact,
};
enum { FPET_id = 2800 };	/* a finished task of a parallel task */
enum { UPU_job_number = 140250, UPU_old_usage_list };	/* booked usage of a job */
enum {				/* a checkpointing environment */
	CK_name = 140300, CK_interface, CK_ckpt_command, CK_migr_command, CK_rest_command,
	CK_ckpt_dir, CK_when, CK_signal, CK_job_pid, CK_clean_command,
};
enum { JRE_job_number = 140450, JRE_job_name };	/* another job, by number or name */
enum {				/* a request to the qmaster itself */
	ID_str = 140500, ID_ja_structure, ID_action, ID_force, ID_user_list,
};
enum {				/* a calendar */
	CAL_name = 140650, CAL_year_calendar, CAL_week_calendar, CAL_parsed_year_calendar,
	CAL_parsed_week_calendar,
};
enum {				/* an entry of a calendar */
	CA_yday_range_list = 140700, CA_wday_range_list, CA_daytime_range_list, CA_state,
};
enum { TMR_begin = 140750, TMR_end };	/* begin and end of a period */
enum {				/* a time, in the form of struct tm */
	TM_mday = 140800, TM_mon, TM_year, TM_sec, TM_min, TM_hour, TM_wday, TM_yday, TM_isdst,
};
enum { UPP_name = 140900, UPP_usage, UPP_long_term_usage };	/* a user's usage in a project */
enum { SME_message_list = 141050, SME_global_message_list };	/* scheduling information */
enum {				/* a message of scheduling information */
	MES_job_number_list = 141100, MES_message_number, MES_message,
};
enum {				/* a task of a job */
	JAT_task_number = 141150, JAT_status, JAT_start_time, JAT_end_time, JAT_hold,
	JAT_granted_pe, JAT_job_restarted, JAT_granted_destin_identifier_list, JAT_master_queue,
	JAT_state, JAT_pvm_ckpt_pid, JAT_pending_signal, JAT_pending_signal_delivery_time, JAT_pid,
	JAT_osjobid, JAT_usage_list, JAT_scaled_usage_list, JAT_reported_usage_list, JAT_fshare,
	JAT_tix, JAT_oticket, JAT_fticket, JAT_sticket, JAT_share, JAT_suitable, JAT_task_list,
	JAT_finished_task_list, JAT_previous_usage_list, JAT_pe_object, JAT_next_pe_task_id,
	JAT_stop_initiate_time, JAT_prio, JAT_ntix, JAT_wallclock_limit, JAT_message_list,
};
enum { ULNG_value = 141450 };	/* a number */
enum {				/* a host group */
	HGRP_name = 141550, HGRP_host_list, HGRP_cqueue_list,
};
enum { HR_name = 141600 };	/* a host or host group */
enum {				/* permissions of a user */
	PERM_manager = 141650, PERM_operator, PERM_host, PERM_unused, PERM_user,
};
enum { RU_job_number = 141800, RU_task_number, RU_state };	/* a task that a host must avoid */
enum { ASTR_href = 142450, ASTR_value };	/* a text for hosts */
enum { AULNG_href = 142500, AULNG_value };	/* a number for hosts */
enum { ABOOL_href = 142550, ABOOL_value };	/* a truth value for hosts */
enum { ATIME_href = 142600, ATIME_value };	/* a time for hosts */
enum { AMEM_href = 142650, AMEM_value };	/* a size for hosts */
enum { AINTER_href = 142700, AINTER_value };	/* an interval for hosts */
enum { ASTRLIST_href = 142800, ASTRLIST_value };	/* texts (ST) for hosts */
enum { AUSRLIST_href = 142850, AUSRLIST_value };	/* user sets (US) for hosts */
enum { APRJLIST_href = 142900, APRJLIST_value };	/* projects (PR) for hosts */
enum { ACELIST_href = 142950, ACELIST_value };	/* complex values (CE) for hosts */
enum { ASOLIST_href = 143000, ASOLIST_value };	/* subordinates (SO) for hosts */
enum { AQTLIST_href = 143050, AQTLIST_value };	/* queue types for hosts */
enum {				/* a cluster queue */
	CQ_name = 143100, CQ_hostlist, CQ_qinstances, CQ_seq_no, CQ_nsuspend, CQ_job_slots,
	CQ_rerun, CQ_s_fsize, CQ_h_fsize, CQ_s_data, CQ_h_data, CQ_s_stack, CQ_h_stack, CQ_s_core,
	CQ_h_core, CQ_s_rss, CQ_h_rss, CQ_s_vmem, CQ_h_vmem, CQ_s_rt, CQ_h_rt, CQ_s_cpu, CQ_h_cpu,
	CQ_suspend_interval, CQ_min_cpu_interval, CQ_notify, CQ_tmpdir, CQ_shell, CQ_calendar,
	CQ_priority, CQ_processors, CQ_prolog, CQ_epilog, CQ_shell_start_mode, CQ_starter_method,
	CQ_suspend_method, CQ_resume_method, CQ_terminate_method, CQ_initial_state, CQ_pe_list,
	CQ_ckpt_list, CQ_owner_list, CQ_acl, CQ_xacl, CQ_projects, CQ_xprojects,
	CQ_load_thresholds, CQ_suspend_thresholds, CQ_consumable_config_list, CQ_subordinate_list,
	CQ_qtype, CQ_tag,
};
enum { QIM_type = 143300, QIM_message };	/* a message about a queue or task */
enum { PARA_name = 143650, PARA_value };	/* a parameter of such a message */
enum { PACK_id = 143700, PACK_compressed, PACK_string };	/* a packed field list or condition */
enum { RDE_time = 143950, RDE_amount };	/* an amount from a time on */
enum {				/* usage of a resource over time */
	RUE_name = 144000, RUE_utilized_now, RUE_utilized, RUE_utilized_now_nonexclusive,
	RUE_utilized_nonexclusive,
};
enum { CQU_state = 144152, CQU_until };	/* a future state of a queue instance */
enum {				/* a resource quota set */
	RQS_name = 144302, RQS_description, RQS_enabled, RQS_rule,
};
enum {				/* a rule of a resource quota set */
	RQR_name = 144352, RQR_filter_users, RQR_filter_projects, RQR_filter_pes,
	RQR_filter_queues, RQR_filter_hosts, RQR_limit, RQR_level,
};
enum { RQRF_expand = 144402, RQRF_scope, RQRF_xscope };	/* a filter of a rule */
enum {				/* a limit of a rule */
	RQRL_name = 144452, RQRL_value, RQRL_type, RQRL_dvalue, RQRL_usage, RQRL_dynamic,
};
enum {				/* an advance reservation */
	AR_id = 144502, AR_name, AR_account, AR_owner, AR_group, AR_submission_time, AR_start_time,
	AR_end_time, AR_duration, AR_verify, AR_error_handling, AR_state, AR_checkpoint_name,
	AR_resource_list, AR_resource_utilization, AR_queue_list, AR_granted_slots,
	AR_reserved_queues, AR_mail_options, AR_mail_list, AR_pe, AR_pe_range, AR_granted_pe,
	AR_master_queue_list, AR_acl_list, AR_xacl_list, AR_type, AR_qi_errors,
};
enum { ARA_name = 144552, ARA_group };	/* an access entry of an advance reservation */
enum { ACK_type = 144652, ACK_id, ACK_id2, ACK_str };	/* an acknowledgement */
enum {				/* a request for core binding */
	BN_strategy = 144952, BN_type, BN_parameter_n, BN_parameter_socket_offset,
	BN_parameter_core_offset, BN_parameter_striding_step_size, BN_parameter_explicit,
};

#endif
