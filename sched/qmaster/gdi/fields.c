/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of all types. Each field has the mt that the qmaster itself sends, without the flag of a
 * reduced descriptor.
 */
#include "sched/qmaster/gdi/types.h"

#define F(name, mt) { name, mt, #name }

static const struct gdi_field jb_fields[] = {
	F(JB_job_number, 0x2303), F(JB_job_name, 0x2008), F(JB_version, 0x82003), F(JB_jid_request_list, 0x2009),
	F(JB_jid_predecessor_list, 0x82009), F(JB_jid_successor_list, 0x80009), F(JB_ja_ad_request_list, 0x2009),
	F(JB_ja_ad_predecessor_list, 0x82009), F(JB_ja_ad_successor_list, 0x80009), F(JB_session, 0x2008),
	F(JB_project, 0x2008), F(JB_department, 0x2008), F(JB_directive_prefix, 0x2008), F(JB_exec_file, 0x2008),
	F(JB_script_file, 0x2008), F(JB_script_size, 0x2003), F(JB_script_ptr, 0x8), F(JB_submission_time, 0x82003),
	F(JB_execution_time, 0x2003), F(JB_deadline, 0x2003), F(JB_owner, 0x82008), F(JB_uid, 0x82003),
	F(JB_group, 0x82008), F(JB_gid, 0x82003), F(JB_account, 0x2008), F(JB_cwd, 0x2008), F(JB_notify, 0x2006),
	F(JB_type, 0x2003), F(JB_reserve, 0x2006), F(JB_priority, 0x2003), F(JB_jobshare, 0x2003),
	F(JB_shell_list, 0x2009), F(JB_verify, 0x82003), F(JB_env_list, 0x2009), F(JB_context, 0x2009),
	F(JB_job_args, 0x2009), F(JB_checkpoint_attr, 0x82003), F(JB_checkpoint_name, 0x2008),
	F(JB_checkpoint_object, 0x8000a), F(JB_checkpoint_interval, 0x82003), F(JB_restart, 0x2003),
	F(JB_stdout_path_list, 0x2009), F(JB_stderr_path_list, 0x2009), F(JB_stdin_path_list, 0x2009),
	F(JB_merge_stderr, 0x2006), F(JB_hard_resource_list, 0x2009), F(JB_soft_resource_list, 0x2009),
	F(JB_hard_queue_list, 0x2009), F(JB_soft_queue_list, 0x2009), F(JB_mail_options, 0x2003),
	F(JB_mail_list, 0x2009), F(JB_pe, 0x2008), F(JB_pe_range, 0x2009), F(JB_master_hard_queue_list, 0x2009),
	F(JB_tgt, 0x8), F(JB_cred, 0x8), F(JB_ja_structure, 0x2009), F(JB_ja_n_h_ids, 0x2009),
	F(JB_ja_u_h_ids, 0x2009), F(JB_ja_s_h_ids, 0x2009), F(JB_ja_o_h_ids, 0x2009), F(JB_ja_a_h_ids, 0x2009),
	F(JB_ja_z_ids, 0x2809), F(JB_ja_template, 0x2009), F(JB_ja_tasks, 0x2009), F(JB_host, 0x8000c),
	F(JB_category, 0xb), F(JB_user_list, 0x9), F(JB_job_identifier_list, 0x809),
	F(JB_verify_suitable_queues, 0x3), F(JB_soft_wallclock_gmt, 0x2803), F(JB_hard_wallclock_gmt, 0x2803),
	F(JB_override_tickets, 0x2003), F(JB_qs_args, 0x809), F(JB_path_aliases, 0x2009), F(JB_urg, 0x2),
	F(JB_nurg, 0x80002), F(JB_nppri, 0x80002), F(JB_rrcontr, 0x80002), F(JB_dlcontr, 0x80002),
	F(JB_wtcontr, 0x80002), F(JB_ar, 0x2003), F(JB_pty, 0x2003), F(JB_ja_task_concurrency, 0x2003),
	F(JB_binding, 0x2009),
};
static const struct gdi_field qu_fields[] = {
	F(QU_qhostname, 0x8220c), F(QU_qname, 0x82008), F(QU_full_name, 0x80708), F(QU_tag, 0x80003),
	F(QU_available_at, 0x80003), F(QU_seq_no, 0x81003), F(QU_nsuspend, 0x81003), F(QU_qtype, 0x81003),
	F(QU_job_slots, 0x81003), F(QU_tmpdir, 0x81008), F(QU_shell, 0x81008), F(QU_calendar, 0x81008),
	F(QU_priority, 0x81008), F(QU_processors, 0x81008), F(QU_prolog, 0x81008), F(QU_epilog, 0x81008),
	F(QU_shell_start_mode, 0x81008), F(QU_starter_method, 0x81008), F(QU_suspend_method, 0x81008),
	F(QU_resume_method, 0x81008), F(QU_terminate_method, 0x81008), F(QU_initial_state, 0x81008),
	F(QU_rerun, 0x81006), F(QU_s_rt, 0x81008), F(QU_h_rt, 0x81008), F(QU_s_cpu, 0x81008), F(QU_h_cpu, 0x81008),
	F(QU_s_fsize, 0x81008), F(QU_h_fsize, 0x81008), F(QU_s_data, 0x81008), F(QU_h_data, 0x81008),
	F(QU_s_stack, 0x81008), F(QU_h_stack, 0x81008), F(QU_s_core, 0x81008), F(QU_h_core, 0x81008),
	F(QU_s_rss, 0x81008), F(QU_h_rss, 0x81008), F(QU_s_vmem, 0x81008), F(QU_h_vmem, 0x81008),
	F(QU_suspend_interval, 0x81008), F(QU_min_cpu_interval, 0x81008), F(QU_notify, 0x81008),
	F(QU_ckpt_list, 0x81009), F(QU_pe_list, 0x81009), F(QU_owner_list, 0x81009), F(QU_acl, 0x81009),
	F(QU_xacl, 0x81009), F(QU_projects, 0x81009), F(QU_xprojects, 0x81009), F(QU_consumable_config_list, 0x81009),
	F(QU_load_thresholds, 0x81009), F(QU_suspend_thresholds, 0x81009), F(QU_subordinate_list, 0x81009),
	F(QU_state, 0x2803), F(QU_tagged4schedule, 0x80003), F(QU_cache_version, 0x80003),
	F(QU_pending_signal, 0x82003), F(QU_pending_signal_delivery_time, 0x82003), F(QU_version, 0x82003),
	F(QU_suspended_on_subordinate, 0x80003), F(QU_last_suspend_threshold_ckeck, 0x80003), F(QU_job_cnt, 0x80003),
	F(QU_pending_job_cnt, 0x80003), F(QU_soft_violation, 0x80003), F(QU_host_seq_no, 0x80003),
	F(QU_resource_utilization, 0x80009), F(QU_message_list, 0x82009), F(QU_gdi_do_later, 0x80003),
	F(QU_state_changes, 0x80009),
};
static const struct gdi_field eh_fields[] = {
	F(EH_name, 0x10270c), F(EH_scaling_list, 0x102009), F(EH_consumable_config_list, 0x102009),
	F(EH_usage_scaling_list, 0x102009), F(EH_load_list, 0x82009), F(EH_lt_heard_from, 0x803),
	F(EH_processors, 0x82003), F(EH_acl, 0x102009), F(EH_xacl, 0x102009), F(EH_prj, 0x102009),
	F(EH_xprj, 0x102009), F(EH_sort_value, 0x802), F(EH_reuse_me, 0x803), F(EH_tagged, 0x803),
	F(EH_load_correction_factor, 0x803), F(EH_seq_no, 0x803), F(EH_real_name, 0x808), F(EH_sge_load, 0x803),
	F(EH_sge_ticket_pct, 0x802), F(EH_sge_load_pct, 0x802), F(EH_featureset_id, 0x803),
	F(EH_scaled_usage_list, 0x809), F(EH_scaled_usage_pct_list, 0x809), F(EH_num_running_jobs, 0x803),
	F(EH_load_report_interval, 0x803), F(EH_resource_utilization, 0x809), F(EH_cached_complexes, 0x809),
	F(EH_cache_version, 0x803), F(EH_master_host, 0x803), F(EH_reschedule_unknown, 0x803),
	F(EH_reschedule_unknown_list, 0x809), F(EH_report_seqno, 0x803), F(EH_report_variables, 0x102009),
	F(EH_merged_report_variables, 0x809),
};
static const struct gdi_field ah_fields[] = {
	F(AH_name, 0x10270c),
};
static const struct gdi_field an_fields[] = {
	F(AN_status, 0x3), F(AN_text, 0x8), F(AN_quality, 0x3),
};
static const struct gdi_field hl_fields[] = {
	F(HL_name, 0x10708), F(HL_value, 0x10008), F(HL_last_update, 0x3), F(HL_static, 0x6),
};
static const struct gdi_field hs_fields[] = {
	F(HS_name, 0x10108), F(HS_value, 0x10002),
};
static const struct gdi_field ev_fields[] = {
	F(EV_id, 0x703), F(EV_name, 0x8), F(EV_host, 0xc), F(EV_commproc, 0x8), F(EV_commid, 0x3), F(EV_uid, 0x3),
	F(EV_d_time, 0x3), F(EV_flush_delay, 0x3), F(EV_subscribed, 0x9), F(EV_changed, 0x6),
	F(EV_busy_handling, 0x3), F(EV_session, 0x8), F(EV_last_heard_from, 0x3), F(EV_last_send_time, 0x3),
	F(EV_next_send_time, 0x3), F(EV_next_number, 0x3), F(EV_busy, 0x3), F(EV_events, 0x9), F(EV_sub_array, 0xb),
	F(EV_state, 0x3), F(EV_update_function, 0xb),
};
static const struct gdi_field ce_fields[] = {
	F(CE_name, 0x112708), F(CE_shortcut, 0x102608), F(CE_valtype, 0x102003), F(CE_stringval, 0x112008),
	F(CE_doubleval, 0x802), F(CE_relop, 0x102003), F(CE_consumable, 0x102003), F(CE_default, 0x102008),
	F(CE_dominant, 0x803), F(CE_pj_stringval, 0x808), F(CE_pj_doubleval, 0x802), F(CE_pj_dominant, 0x803),
	F(CE_requestable, 0x102003), F(CE_tagged, 0x803), F(CE_urgency_weight, 0x102008),
};
static const struct gdi_field or_fields[] = {
	F(OR_type, 0x3), F(OR_job_number, 0x3), F(OR_ja_task_number, 0x3), F(OR_job_version, 0x3),
	F(OR_queuelist, 0x9), F(OR_ticket, 0x2), F(OR_joker, 0x9), F(OR_pe, 0x8), F(OR_ntix, 0x2), F(OR_prio, 0x2),
};
static const struct gdi_field oq_fields[] = {
	F(OQ_slots, 0x3), F(OQ_dest_queue, 0x8), F(OQ_dest_version, 0x3), F(OQ_ticket, 0x2), F(OQ_oticket, 0x2),
	F(OQ_fticket, 0x2), F(OQ_sticket, 0x2),
};
static const struct gdi_field us_fields[] = {
	F(US_name, 0x112708), F(US_type, 0x102003), F(US_fshare, 0x102003), F(US_oticket, 0x102003),
	F(US_job_cnt, 0x100003), F(US_pending_job_cnt, 0x803), F(US_entries, 0x102009),
	F(US_consider_with_categories, 0x806),
};
static const struct gdi_field ue_fields[] = {
	F(UE_name, 0x10708),
};
static const struct gdi_field rn_fields[] = {
	F(RN_min, 0x10103), F(RN_max, 0x10003), F(RN_step, 0x10003),
};
static const struct gdi_field pn_fields[] = {
	F(PN_path, 0x10108), F(PN_host, 0xc), F(PN_file_host, 0xc), F(PN_file_staging, 0x6),
};
static const struct gdi_field va_fields[] = {
	F(VA_variable, 0x10708), F(VA_value, 0x10008),
};
static const struct gdi_field mr_fields[] = {
	F(MR_user, 0x10108), F(MR_host, 0x1000c),
};
static const struct gdi_field um_fields[] = {
	F(UM_name, 0x102708),
};
static const struct gdi_field et_fields[] = {
	F(ET_number, 0x3), F(ET_timestamp, 0x3), F(ET_type, 0x3), F(ET_intkey, 0x3), F(ET_intkey2, 0x3),
	F(ET_strkey, 0x8), F(ET_strkey2, 0x8), F(ET_new_version, 0x9),
};
static const struct gdi_field evs_fields[] = {
	F(EVS_id, 0x3), F(EVS_flush, 0x6), F(EVS_interval, 0x3), F(EVS_what, 0xa), F(EVS_where, 0xa),
};
static const struct gdi_field conf_fields[] = {
	F(CONF_name, 0x10270c), F(CONF_version, 0x2803), F(CONF_entries, 0x102009),
};
static const struct gdi_field cf_fields[] = {
	F(CF_name, 0x110708), F(CF_value, 0x110008), F(CF_sublist, 0x100009), F(CF_local, 0x803),
};
static const struct gdi_field pe_fields[] = {
	F(PE_name, 0x102708), F(PE_slots, 0x102003), F(PE_user_list, 0x102009), F(PE_xuser_list, 0x102009),
	F(PE_start_proc_args, 0x102008), F(PE_stop_proc_args, 0x102008), F(PE_allocation_rule, 0x102008),
	F(PE_control_slaves, 0x102006), F(PE_job_is_first_task, 0x102006), F(PE_resource_utilization, 0x809),
	F(PE_urgency_slots, 0x102008), F(PE_accounting_summary, 0x102006), F(PE_qsort_args, 0x102008),
};
static const struct gdi_field qr_fields[] = {
	F(QR_name, 0x10708),
};
static const struct gdi_field st_fields[] = {
	F(ST_name, 0x10308),
};
static const struct gdi_field jg_fields[] = {
	F(JG_qname, 0x10708), F(JG_qversion, 0x803), F(JG_qhostname, 0x1020c), F(JG_slots, 0x10003),
	F(JG_queue, 0x8080a), F(JG_tag_slave_job, 0x803), F(JG_task_id_range, 0x803), F(JG_ticket, 0x802),
	F(JG_oticket, 0x802), F(JG_fticket, 0x802), F(JG_sticket, 0x802), F(JG_jcoticket, 0x802),
	F(JG_jcfticket, 0x802), F(JG_processors, 0x808),
};
static const struct gdi_field rep_fields[] = {
	F(REP_type, 0x3), F(REP_host, 0xc), F(REP_list, 0x9), F(REP_version, 0x3), F(REP_seqno, 0x3),
};
static const struct gdi_field so_fields[] = {
	F(SO_name, 0x10108), F(SO_threshold, 0x10003), F(SO_slots_sum, 0x10003), F(SO_seq_no, 0x10003),
	F(SO_action, 0x10003),
};
static const struct gdi_field ua_fields[] = {
	F(UA_name, 0x10708), F(UA_value, 0x10002),
};
static const struct gdi_field pr_fields[] = {
	F(PR_name, 0x112708), F(PR_oticket, 0x102003), F(PR_fshare, 0x102003), F(PR_job_cnt, 0x803),
	F(PR_pending_job_cnt, 0x803), F(PR_usage, 0x2809), F(PR_usage_time_stamp, 0x2803), F(PR_usage_seqno, 0x803),
	F(PR_long_term_usage, 0x2809), F(PR_project, 0x2809), F(PR_acl, 0x120009), F(PR_xacl, 0x120009),
	F(PR_debited_job_usage, 0x2809), F(PR_version, 0x803), F(PR_consider_with_categories, 0x806),
};
static const struct gdi_field uu_fields[] = {
	F(UU_name, 0x112708), F(UU_oticket, 0x102003), F(UU_fshare, 0x102003), F(UU_delete_time, 0x102003),
	F(UU_job_cnt, 0x803), F(UU_pending_job_cnt, 0x803), F(UU_usage, 0x2809), F(UU_usage_time_stamp, 0x2803),
	F(UU_usage_seqno, 0x803), F(UU_long_term_usage, 0x2809), F(UU_project, 0x2809),
	F(UU_debited_job_usage, 0x2809), F(UU_default_project, 0x102008), F(UU_version, 0x803),
	F(UU_consider_with_categories, 0x806),
};
static const struct gdi_field stn_fields[] = {
	F(STN_name, 0x102708), F(STN_type, 0x102003), F(STN_id, 0x100003), F(STN_shares, 0x102003),
	F(STN_children, 0x102009), F(STN_job_ref_count, 0x803), F(STN_active_job_ref_count, 0x803),
	F(STN_project, 0x803), F(STN_proportion, 0x802), F(STN_adjusted_proportion, 0x802),
	F(STN_combined_usage, 0x802), F(STN_pass2_seqno, 0x803), F(STN_sum_priority, 0x803),
	F(STN_actual_proportion, 0x80002), F(STN_m_share, 0x80002), F(STN_last_actual_proportion, 0x802),
	F(STN_adjusted_current_proportion, 0x802), F(STN_temp, 0x80003), F(STN_stt, 0x802), F(STN_ostt, 0x802),
	F(STN_ltt, 0x802), F(STN_oltt, 0x802), F(STN_shr, 0x802), F(STN_sort, 0x802), F(STN_ref, 0x803),
	F(STN_tickets, 0x802), F(STN_jobid, 0x803), F(STN_taskid, 0x803), F(STN_queued, 0x803),
	F(STN_usage_list, 0x809), F(STN_version, 0x803),
};
static const struct gdi_field sc_fields[] = {
	F(SC_algorithm, 0x102008), F(SC_schedule_interval, 0x102008), F(SC_maxujobs, 0x102003),
	F(SC_queue_sort_method, 0x102003), F(SC_job_load_adjustments, 0x102009),
	F(SC_load_adjustment_decay_time, 0x102008), F(SC_load_formula, 0x102008), F(SC_schedd_job_info, 0x102008),
	F(SC_flush_submit_sec, 0x102003), F(SC_flush_finish_sec, 0x102003), F(SC_params, 0x102008),
	F(SC_reprioritize_interval, 0x102008), F(SC_halftime, 0x102003), F(SC_usage_weight_list, 0x102009),
	F(SC_compensation_factor, 0x102002), F(SC_weight_user, 0x102002), F(SC_weight_project, 0x102002),
	F(SC_weight_department, 0x102002), F(SC_weight_job, 0x102002), F(SC_weight_tickets_functional, 0x102003),
	F(SC_weight_tickets_share, 0x102003), F(SC_weight_tickets_override, 0x102003),
	F(SC_share_override_tickets, 0x102006), F(SC_share_functional_shares, 0x102006),
	F(SC_max_functional_jobs_to_schedule, 0x102003), F(SC_report_pjob_tickets, 0x102006),
	F(SC_max_pending_tasks_per_job, 0x102003), F(SC_halflife_decay_list, 0x102008),
	F(SC_policy_hierarchy, 0x102008), F(SC_weight_ticket, 0x102002), F(SC_weight_waiting_time, 0x102002),
	F(SC_weight_deadline, 0x102002), F(SC_weight_urgency, 0x102002), F(SC_weight_priority, 0x102002),
	F(SC_max_reservation, 0x102003), F(SC_default_duration, 0x102008),
};
static const struct gdi_field pet_fields[] = {
	F(PET_id, 0x10708), F(PET_name, 0x10008), F(PET_status, 0x10003),
	F(PET_granted_destin_identifier_list, 0x10009), F(PET_pid, 0x3), F(PET_osjobid, 0x8), F(PET_usage, 0x10009),
	F(PET_scaled_usage, 0x10009), F(PET_reported_usage, 0x10009), F(PET_previous_usage, 0x9),
	F(PET_submission_time, 0x10003), F(PET_start_time, 0x10003), F(PET_end_time, 0x10003), F(PET_cwd, 0x10008),
	F(PET_path_aliases, 0x9), F(PET_environment, 0x9), F(PET_do_contact, 0x10006),
};
static const struct gdi_field fpet_fields[] = {
	F(FPET_id, 0x10708),
};
static const struct gdi_field upu_fields[] = {
	F(UPU_job_number, 0x10703), F(UPU_old_usage_list, 0x10009),
};
static const struct gdi_field ck_fields[] = {
	F(CK_name, 0x102708), F(CK_interface, 0x102008), F(CK_ckpt_command, 0x102008), F(CK_migr_command, 0x102008),
	F(CK_rest_command, 0x102008), F(CK_ckpt_dir, 0x102008), F(CK_when, 0x102008), F(CK_signal, 0x102008),
	F(CK_job_pid, 0x803), F(CK_clean_command, 0x102008),
};
static const struct gdi_field jre_fields[] = {
	F(JRE_job_number, 0x10103), F(JRE_job_name, 0x10008),
};
static const struct gdi_field id_fields[] = {
	F(ID_str, 0x8), F(ID_ja_structure, 0x9), F(ID_action, 0x3), F(ID_force, 0x3), F(ID_user_list, 0x9),
};
static const struct gdi_field cal_fields[] = {
	F(CAL_name, 0x102708), F(CAL_year_calendar, 0x102008), F(CAL_week_calendar, 0x102008),
	F(CAL_parsed_year_calendar, 0x809), F(CAL_parsed_week_calendar, 0x809),
};
static const struct gdi_field ca_fields[] = {
	F(CA_yday_range_list, 0x9), F(CA_wday_range_list, 0x9), F(CA_daytime_range_list, 0x9), F(CA_state, 0x3),
};
static const struct gdi_field tmr_fields[] = {
	F(TMR_begin, 0x9), F(TMR_end, 0x9),
};
static const struct gdi_field tm_fields[] = {
	F(TM_mday, 0x3), F(TM_mon, 0x3), F(TM_year, 0x3), F(TM_sec, 0x3), F(TM_min, 0x3), F(TM_hour, 0x3),
	F(TM_wday, 0x3), F(TM_yday, 0x3), F(TM_isdst, 0x3),
};
static const struct gdi_field upp_fields[] = {
	F(UPP_name, 0x10708), F(UPP_usage, 0x10009), F(UPP_long_term_usage, 0x10009),
};
static const struct gdi_field sme_fields[] = {
	F(SME_message_list, 0x80009), F(SME_global_message_list, 0x80009),
};
static const struct gdi_field mes_fields[] = {
	F(MES_job_number_list, 0x9), F(MES_message_number, 0x3), F(MES_message, 0x8),
};
static const struct gdi_field jat_fields[] = {
	F(JAT_task_number, 0x10703), F(JAT_status, 0x10003), F(JAT_start_time, 0x10003), F(JAT_end_time, 0x10003),
	F(JAT_hold, 0x10003), F(JAT_granted_pe, 0x10008), F(JAT_job_restarted, 0x10003),
	F(JAT_granted_destin_identifier_list, 0x10009), F(JAT_master_queue, 0x10008), F(JAT_state, 0x10003),
	F(JAT_pvm_ckpt_pid, 0x10003), F(JAT_pending_signal, 0x10003), F(JAT_pending_signal_delivery_time, 0x10003),
	F(JAT_pid, 0x10003), F(JAT_osjobid, 0x10008), F(JAT_usage_list, 0x10009), F(JAT_scaled_usage_list, 0x10009),
	F(JAT_reported_usage_list, 0x10009), F(JAT_fshare, 0x10003), F(JAT_tix, 0x10002), F(JAT_oticket, 0x10002),
	F(JAT_fticket, 0x10002), F(JAT_sticket, 0x10002), F(JAT_share, 0x10002), F(JAT_suitable, 0x3),
	F(JAT_task_list, 0x10009), F(JAT_finished_task_list, 0x10009), F(JAT_previous_usage_list, 0x9),
	F(JAT_pe_object, 0xa), F(JAT_next_pe_task_id, 0x3), F(JAT_stop_initiate_time, 0x10003), F(JAT_prio, 0x2),
	F(JAT_ntix, 0x2), F(JAT_wallclock_limit, 0x2003), F(JAT_message_list, 0x2009),
};
static const struct gdi_field ulng_fields[] = {
	F(ULNG_value, 0x603),
};
static const struct gdi_field hgrp_fields[] = {
	F(HGRP_name, 0x10270c), F(HGRP_host_list, 0x102009), F(HGRP_cqueue_list, 0x809),
};
static const struct gdi_field hr_fields[] = {
	F(HR_name, 0x1070c),
};
static const struct gdi_field perm_fields[] = {
	F(PERM_manager, 0x3), F(PERM_operator, 0x3), F(PERM_host, 0xc), F(PERM_unused, 0x8), F(PERM_user, 0x8),
};
static const struct gdi_field ru_fields[] = {
	F(RU_job_number, 0x3), F(RU_task_number, 0x3), F(RU_state, 0x3),
};
static const struct gdi_field astr_fields[] = {
	F(ASTR_href, 0x1070c), F(ASTR_value, 0x10008),
};
static const struct gdi_field aulng_fields[] = {
	F(AULNG_href, 0x1070c), F(AULNG_value, 0x10003),
};
static const struct gdi_field abool_fields[] = {
	F(ABOOL_href, 0x1070c), F(ABOOL_value, 0x10006),
};
static const struct gdi_field atime_fields[] = {
	F(ATIME_href, 0x1070c), F(ATIME_value, 0x10008),
};
static const struct gdi_field amem_fields[] = {
	F(AMEM_href, 0x1070c), F(AMEM_value, 0x10008),
};
static const struct gdi_field ainter_fields[] = {
	F(AINTER_href, 0x1070c), F(AINTER_value, 0x10008),
};
static const struct gdi_field astrlist_fields[] = {
	F(ASTRLIST_href, 0x1070c), F(ASTRLIST_value, 0x10009),
};
static const struct gdi_field ausrlist_fields[] = {
	F(AUSRLIST_href, 0x1070c), F(AUSRLIST_value, 0x10009),
};
static const struct gdi_field aprjlist_fields[] = {
	F(APRJLIST_href, 0x1070c), F(APRJLIST_value, 0x10009),
};
static const struct gdi_field acelist_fields[] = {
	F(ACELIST_href, 0x1070c), F(ACELIST_value, 0x10009),
};
static const struct gdi_field asolist_fields[] = {
	F(ASOLIST_href, 0x1070c), F(ASOLIST_value, 0x10009),
};
static const struct gdi_field aqtlist_fields[] = {
	F(AQTLIST_href, 0x1070c), F(AQTLIST_value, 0x10003),
};
static const struct gdi_field cq_fields[] = {
	F(CQ_name, 0x102708), F(CQ_hostlist, 0x102009), F(CQ_qinstances, 0x80009), F(CQ_seq_no, 0x102009),
	F(CQ_nsuspend, 0x102009), F(CQ_job_slots, 0x102009), F(CQ_rerun, 0x102009), F(CQ_s_fsize, 0x102009),
	F(CQ_h_fsize, 0x102009), F(CQ_s_data, 0x102009), F(CQ_h_data, 0x102009), F(CQ_s_stack, 0x102009),
	F(CQ_h_stack, 0x102009), F(CQ_s_core, 0x102009), F(CQ_h_core, 0x102009), F(CQ_s_rss, 0x102009),
	F(CQ_h_rss, 0x102009), F(CQ_s_vmem, 0x102009), F(CQ_h_vmem, 0x102009), F(CQ_s_rt, 0x102009),
	F(CQ_h_rt, 0x102009), F(CQ_s_cpu, 0x102009), F(CQ_h_cpu, 0x102009), F(CQ_suspend_interval, 0x102009),
	F(CQ_min_cpu_interval, 0x102009), F(CQ_notify, 0x102009), F(CQ_tmpdir, 0x102009), F(CQ_shell, 0x102009),
	F(CQ_calendar, 0x102009), F(CQ_priority, 0x102009), F(CQ_processors, 0x102009), F(CQ_prolog, 0x102009),
	F(CQ_epilog, 0x102009), F(CQ_shell_start_mode, 0x102009), F(CQ_starter_method, 0x102009),
	F(CQ_suspend_method, 0x102009), F(CQ_resume_method, 0x102009), F(CQ_terminate_method, 0x102009),
	F(CQ_initial_state, 0x102009), F(CQ_pe_list, 0x102009), F(CQ_ckpt_list, 0x102009), F(CQ_owner_list, 0x102009),
	F(CQ_acl, 0x102009), F(CQ_xacl, 0x102009), F(CQ_projects, 0x102009), F(CQ_xprojects, 0x102009),
	F(CQ_load_thresholds, 0x102009), F(CQ_suspend_thresholds, 0x102009), F(CQ_consumable_config_list, 0x102009),
	F(CQ_subordinate_list, 0x102009), F(CQ_qtype, 0x102009), F(CQ_tag, 0x100003),
};
static const struct gdi_field qim_fields[] = {
	F(QIM_type, 0x2003), F(QIM_message, 0x2008),
};
static const struct gdi_field para_fields[] = {
	F(PARA_name, 0x108), F(PARA_value, 0x8),
};
static const struct gdi_field pack_fields[] = {
	F(PACK_id, 0x3), F(PACK_compressed, 0x6), F(PACK_string, 0x8),
};
static const struct gdi_field rde_fields[] = {
	F(RDE_time, 0x3), F(RDE_amount, 0x2),
};
static const struct gdi_field rue_fields[] = {
	F(RUE_name, 0x12708), F(RUE_utilized_now, 0x2), F(RUE_utilized, 0x9), F(RUE_utilized_now_nonexclusive, 0x2),
	F(RUE_utilized_nonexclusive, 0x9),
};
static const struct gdi_field cqu_fields[] = {
	F(CQU_state, 0x3), F(CQU_until, 0x3),
};
static const struct gdi_field rqs_fields[] = {
	F(RQS_name, 0x102708), F(RQS_description, 0x102008), F(RQS_enabled, 0x102006), F(RQS_rule, 0x102009),
};
static const struct gdi_field rqr_fields[] = {
	F(RQR_name, 0x102708), F(RQR_filter_users, 0x10200a), F(RQR_filter_projects, 0x10200a),
	F(RQR_filter_pes, 0x10200a), F(RQR_filter_queues, 0x10200a), F(RQR_filter_hosts, 0x10200a),
	F(RQR_limit, 0x102009), F(RQR_level, 0x80003),
};
static const struct gdi_field rqrf_fields[] = {
	F(RQRF_expand, 0x102006), F(RQRF_scope, 0x102009), F(RQRF_xscope, 0x102009),
};
static const struct gdi_field rqrl_fields[] = {
	F(RQRL_name, 0x102708), F(RQRL_value, 0x102008), F(RQRL_type, 0x82003), F(RQRL_dvalue, 0x82002),
	F(RQRL_usage, 0x80009), F(RQRL_dynamic, 0x80006),
};
static const struct gdi_field ar_fields[] = {
	F(AR_id, 0x2703), F(AR_name, 0x102008), F(AR_account, 0x102008), F(AR_owner, 0x82008), F(AR_group, 0x82008),
	F(AR_submission_time, 0x2003), F(AR_start_time, 0x102003), F(AR_end_time, 0x102003), F(AR_duration, 0x102003),
	F(AR_verify, 0x102003), F(AR_error_handling, 0x102003), F(AR_state, 0x82003), F(AR_checkpoint_name, 0x102008),
	F(AR_resource_list, 0x102009), F(AR_resource_utilization, 0x80009), F(AR_queue_list, 0x102009),
	F(AR_granted_slots, 0x82009), F(AR_reserved_queues, 0x82009), F(AR_mail_options, 0x102003),
	F(AR_mail_list, 0x102009), F(AR_pe, 0x102008), F(AR_pe_range, 0x102009), F(AR_granted_pe, 0x102008),
	F(AR_master_queue_list, 0x2009), F(AR_acl_list, 0x102009), F(AR_xacl_list, 0x102009), F(AR_type, 0x102003),
	F(AR_qi_errors, 0x803),
};
static const struct gdi_field ara_fields[] = {
	F(ARA_name, 0x2708), F(ARA_group, 0x2008),
};
static const struct gdi_field ack_fields[] = {
	F(ACK_type, 0x803), F(ACK_id, 0x803), F(ACK_id2, 0x803), F(ACK_str, 0x808),
};
static const struct gdi_field bn_fields[] = {
	F(BN_strategy, 0x10108), F(BN_type, 0x10003), F(BN_parameter_n, 0x10003),
	F(BN_parameter_socket_offset, 0x10003), F(BN_parameter_core_offset, 0x10003),
	F(BN_parameter_striding_step_size, 0x10003), F(BN_parameter_explicit, 0x10008),
};

/* sorted by first number */
#define T(name, fields, first) { #name, first, fields, sizeof(fields) / sizeof(fields[0]) }
const struct gdi_type gdi_types[] = {
	T(JB, jb_fields, JB_job_number), T(QU, qu_fields, QU_qhostname), T(EH, eh_fields, EH_name),
	T(AH, ah_fields, AH_name), T(AN, an_fields, AN_status), T(HL, hl_fields, HL_name), T(HS, hs_fields, HS_name),
	T(EV, ev_fields, EV_id), T(CE, ce_fields, CE_name), T(OR, or_fields, OR_type), T(OQ, oq_fields, OQ_slots),
	T(US, us_fields, US_name), T(UE, ue_fields, UE_name), T(RN, rn_fields, RN_min), T(PN, pn_fields, PN_path),
	T(VA, va_fields, VA_variable), T(MR, mr_fields, MR_user), T(UM, um_fields, UM_name),
	T(ET, et_fields, ET_number), T(EVS, evs_fields, EVS_id), T(CONF, conf_fields, CONF_name),
	T(CF, cf_fields, CF_name), T(PE, pe_fields, PE_name), T(QR, qr_fields, QR_name), T(ST, st_fields, ST_name),
	T(JG, jg_fields, JG_qname), T(REP, rep_fields, REP_type), T(SO, so_fields, SO_name),
	T(UA, ua_fields, UA_name), T(PR, pr_fields, PR_name), T(UU, uu_fields, UU_name), T(STN, stn_fields, STN_name),
	T(SC, sc_fields, SC_algorithm), T(PET, pet_fields, PET_id), T(FPET, fpet_fields, FPET_id),
	T(UPU, upu_fields, UPU_job_number), T(CK, ck_fields, CK_name), T(JRE, jre_fields, JRE_job_number),
	T(ID, id_fields, ID_str), T(CAL, cal_fields, CAL_name), T(CA, ca_fields, CA_yday_range_list),
	T(TMR, tmr_fields, TMR_begin), T(TM, tm_fields, TM_mday), T(UPP, upp_fields, UPP_name),
	T(SME, sme_fields, SME_message_list), T(MES, mes_fields, MES_job_number_list),
	T(JAT, jat_fields, JAT_task_number), T(ULNG, ulng_fields, ULNG_value), T(HGRP, hgrp_fields, HGRP_name),
	T(HR, hr_fields, HR_name), T(PERM, perm_fields, PERM_manager), T(RU, ru_fields, RU_job_number),
	T(ASTR, astr_fields, ASTR_href), T(AULNG, aulng_fields, AULNG_href), T(ABOOL, abool_fields, ABOOL_href),
	T(ATIME, atime_fields, ATIME_href), T(AMEM, amem_fields, AMEM_href), T(AINTER, ainter_fields, AINTER_href),
	T(ASTRLIST, astrlist_fields, ASTRLIST_href), T(AUSRLIST, ausrlist_fields, AUSRLIST_href),
	T(APRJLIST, aprjlist_fields, APRJLIST_href), T(ACELIST, acelist_fields, ACELIST_href),
	T(ASOLIST, asolist_fields, ASOLIST_href), T(AQTLIST, aqtlist_fields, AQTLIST_href), T(CQ, cq_fields, CQ_name),
	T(QIM, qim_fields, QIM_type), T(PARA, para_fields, PARA_name), T(PACK, pack_fields, PACK_id),
	T(RDE, rde_fields, RDE_time), T(RUE, rue_fields, RUE_name), T(CQU, cqu_fields, CQU_state),
	T(RQS, rqs_fields, RQS_name), T(RQR, rqr_fields, RQR_name), T(RQRF, rqrf_fields, RQRF_expand),
	T(RQRL, rqrl_fields, RQRL_name), T(AR, ar_fields, AR_id), T(ARA, ara_fields, ARA_name),
	T(ACK, ack_fields, ACK_type), T(BN, bn_fields, BN_strategy),
};
const size_t gdi_types_count = sizeof(gdi_types) / sizeof(gdi_types[0]);
