/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of which each attribute is a line. */
#include "sched/qmaster/objects/text.h"

enum { PE_COLUMN = 19, CHECKPOINT_COLUMN = 19, CALENDAR_COLUMN = 17, USERSET_COLUMN = 8, HOST_COLUMN = 22, ONE_BLANK = 1 };
enum { USERSET_ACL = 1, USERSET_DEPARTMENT = 2 };	/* US_type */

static void line(struct page *p, const char *attribute, size_t column, const struct gdi_element *e, uint32_t field)
{
	page_line(p, attribute, column, gdi_text(e, field));
}

static void line_u32(struct page *p, const char *attribute, size_t column, const struct gdi_element *e, uint32_t field)
{
	page_line_u32(p, attribute, column, gdi_u32(e, field));
}

static void line_bool(struct page *p, const char *attribute, size_t column, const struct gdi_element *e, uint32_t field)
{
	page_line_bool(p, attribute, column, gdi_u32(e, field));
}

/* Names of a list's elements. */
static void line_names(struct page *p, const char *attribute, size_t column, const struct gdi_element *e, uint32_t field, uint32_t name,
		       const char *between)
{
	struct gdi_list list = gdi_list(e, field);
	struct gdi_element one;

	page_begin(p, attribute, column);
	for (const char *separator = ""; gdi_next(&list, &one); separator = between) {
		page_put(p, separator);
		page_item(p, gdi_text(&one, name));
	}
	page_end(p);
}

/* PE: -sp */
void text_pe(struct page *p, const struct gdi_element *pe)
{
	line(p, "pe_name", PE_COLUMN, pe, PE_name);
	line_u32(p, "slots", PE_COLUMN, pe, PE_slots);
	line_names(p, "user_lists", PE_COLUMN, pe, PE_user_list, US_name, " ");
	line_names(p, "xuser_lists", PE_COLUMN, pe, PE_xuser_list, US_name, " ");
	line(p, "start_proc_args", PE_COLUMN, pe, PE_start_proc_args);
	line(p, "stop_proc_args", PE_COLUMN, pe, PE_stop_proc_args);
	line(p, "allocation_rule", PE_COLUMN, pe, PE_allocation_rule);
	line_bool(p, "control_slaves", PE_COLUMN, pe, PE_control_slaves);
	line_bool(p, "job_is_first_task", PE_COLUMN, pe, PE_job_is_first_task);
	line(p, "urgency_slots", PE_COLUMN, pe, PE_urgency_slots);
	line_bool(p, "accounting_summary", PE_COLUMN, pe, PE_accounting_summary);
	line(p, "qsort_args", PE_COLUMN, pe, PE_qsort_args);
}

/* CK: -sckpt */
void text_checkpoint(struct page *p, const struct gdi_element *checkpoint)
{
	line(p, "ckpt_name", CHECKPOINT_COLUMN, checkpoint, CK_name);
	line(p, "interface", CHECKPOINT_COLUMN, checkpoint, CK_interface);
	line(p, "ckpt_command", CHECKPOINT_COLUMN, checkpoint, CK_ckpt_command);
	line(p, "migr_command", CHECKPOINT_COLUMN, checkpoint, CK_migr_command);
	line(p, "restart_command", CHECKPOINT_COLUMN, checkpoint, CK_rest_command);
	line(p, "clean_command", CHECKPOINT_COLUMN, checkpoint, CK_clean_command);
	line(p, "ckpt_dir", CHECKPOINT_COLUMN, checkpoint, CK_ckpt_dir);
	line(p, "signal", CHECKPOINT_COLUMN, checkpoint, CK_signal);
	line(p, "when", CHECKPOINT_COLUMN, checkpoint, CK_when);
}

/* CAL: -scal */
void text_calendar(struct page *p, const struct gdi_element *calendar)
{
	line(p, "calendar_name", CALENDAR_COLUMN, calendar, CAL_name);
	line(p, "year", CALENDAR_COLUMN, calendar, CAL_year_calendar);
	line(p, "week", CALENDAR_COLUMN, calendar, CAL_week_calendar);
}

/* HGRP: -shgrp */
void text_hostgroup(struct page *p, const struct gdi_element *group)
{
	line(p, "group_name", ONE_BLANK, group, HGRP_name);
	line_names(p, "hostlist", ONE_BLANK, group, HGRP_host_list, HR_name, " ");
}

/* US: -su */
void text_userset(struct page *p, const struct gdi_element *set)
{
	uint32_t type = gdi_u32(set, US_type);

	line(p, "name", USERSET_COLUMN, set, US_name);
	page_line(p, "type", USERSET_COLUMN, type & USERSET_ACL ? (type & USERSET_DEPARTMENT ? "ACL DEPT" : "ACL") :
		  type & USERSET_DEPARTMENT ? "DEPT" : "");
	line_u32(p, "fshare", USERSET_COLUMN, set, US_fshare);
	line_u32(p, "oticket", USERSET_COLUMN, set, US_oticket);
	line_names(p, "entries", USERSET_COLUMN, set, US_entries, UE_name, ",");
}

/* UU: -suser */
void text_user(struct page *p, const struct gdi_element *user)
{
	line(p, "name", ONE_BLANK, user, UU_name);
	line_u32(p, "oticket", ONE_BLANK, user, UU_oticket);
	line_u32(p, "fshare", ONE_BLANK, user, UU_fshare);
	line_u32(p, "delete_time", ONE_BLANK, user, UU_delete_time);
	line(p, "default_project", ONE_BLANK, user, UU_default_project);
}

/* PR: -sprj */
void text_project(struct page *p, const struct gdi_element *project)
{
	line(p, "name", ONE_BLANK, project, PR_name);
	line_u32(p, "oticket", ONE_BLANK, project, PR_oticket);
	line_u32(p, "fshare", ONE_BLANK, project, PR_fshare);
	line_names(p, "acl", ONE_BLANK, project, PR_acl, US_name, " ");
	line_names(p, "xacl", ONE_BLANK, project, PR_xacl, US_name, " ");
}

/* Hosts */

static void line_scaling(struct page *p, const char *attribute, const struct gdi_element *host, uint32_t field)
{
	struct gdi_list list = gdi_list(host, field);
	struct gdi_element one;

	page_begin(p, attribute, HOST_COLUMN);
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(p, separator);
		page_item(p, gdi_text(&one, HS_name));
		page_put(p, "=");
		page_double(p, gdi_double(&one, HS_value));
	}
	page_end(p);
}

static void line_values(struct page *p, const char *attribute, const struct gdi_element *host, uint32_t field, uint32_t name, uint32_t value)
{
	struct gdi_list list = gdi_list(host, field);
	struct gdi_element one;

	page_begin(p, attribute, HOST_COLUMN);
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(p, separator);
		page_item(p, gdi_text(&one, name));
		page_put(p, "=");
		page_value(p, gdi_text(&one, value));
	}
	page_end(p);
}

/* EH: -se; what was reported is no configuration, but it is printed among it. */
void text_host(struct page *p, const struct gdi_element *host, bool reported)
{
	line(p, "hostname", HOST_COLUMN, host, EH_name);
	line_scaling(p, "load_scaling", host, EH_scaling_list);
	line_values(p, "complex_values", host, EH_consumable_config_list, CE_name, CE_stringval);
	if (reported) {
		line_values(p, "load_values", host, EH_load_list, HL_name, HL_value);
		line_u32(p, "processors", HOST_COLUMN, host, EH_processors);
	}
	line_names(p, "user_lists", HOST_COLUMN, host, EH_acl, US_name, " ");
	line_names(p, "xuser_lists", HOST_COLUMN, host, EH_xacl, US_name, " ");
	line_names(p, "projects", HOST_COLUMN, host, EH_prj, PR_name, " ");
	line_names(p, "xprojects", HOST_COLUMN, host, EH_xprj, PR_name, " ");
	line_scaling(p, "usage_scaling", host, EH_usage_scaling_list);
	line_names(p, "report_variables", HOST_COLUMN, host, EH_report_variables, ST_name, ",");
}
