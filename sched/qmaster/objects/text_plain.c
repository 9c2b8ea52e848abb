/* SPDX-License-Identifier: Apache-2.0 */
/* Objects with one line for each attribute. */
#include "sched/qmaster/objects/text.h"

enum {
	PE_COLUMN = 19,
	CHECKPOINT_COLUMN = 19,
	CALENDAR_COLUMN = 17,
	USERSET_COLUMN = 8,
	HOST_COLUMN = 22,
	ONE_BLANK = 1
};
enum { USERSET_ACL = 1, USERSET_DEPARTMENT = 2 };	/* bits of US_type */

static void line(struct page *page, const char *attribute, size_t column, const struct gdi_element *element,
		 uint32_t field)
{
	page_line(page, attribute, column, gdi_text(element, field));
}

static void line_u32(struct page *page, const char *attribute, size_t column, const struct gdi_element *element,
		     uint32_t field)
{
	page_line_u32(page, attribute, column, gdi_u32(element, field));
}

static void line_bool(struct page *page, const char *attribute, size_t column, const struct gdi_element *element,
		      uint32_t field)
{
	page_line_bool(page, attribute, column, gdi_u32(element, field));
}

/* Write a line with the names of a list's elements. */
static void line_names(struct page *page, const char *attribute, size_t column, const struct gdi_element *element,
		       uint32_t field, uint32_t name, const char *between)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;

	page_begin(page, attribute, column);
	for (const char *separator = ""; gdi_next(&list, &one); separator = between) {
		page_put(page, separator);
		page_item(page, gdi_text(&one, name));
	}
	page_end(page);
}

/* Write PE: -sp. */
void text_pe(struct page *page, const struct gdi_element *pe)
{
	line(page, "pe_name", PE_COLUMN, pe, PE_name);
	line_u32(page, "slots", PE_COLUMN, pe, PE_slots);
	line_names(page, "user_lists", PE_COLUMN, pe, PE_user_list, US_name, " ");
	line_names(page, "xuser_lists", PE_COLUMN, pe, PE_xuser_list, US_name, " ");
	line(page, "start_proc_args", PE_COLUMN, pe, PE_start_proc_args);
	line(page, "stop_proc_args", PE_COLUMN, pe, PE_stop_proc_args);
	line(page, "allocation_rule", PE_COLUMN, pe, PE_allocation_rule);
	line_bool(page, "control_slaves", PE_COLUMN, pe, PE_control_slaves);
	line_bool(page, "job_is_first_task", PE_COLUMN, pe, PE_job_is_first_task);
	line(page, "urgency_slots", PE_COLUMN, pe, PE_urgency_slots);
	line_bool(page, "accounting_summary", PE_COLUMN, pe, PE_accounting_summary);
	line(page, "qsort_args", PE_COLUMN, pe, PE_qsort_args);
}

/* Write CK: -sckpt. */
void text_checkpoint(struct page *page, const struct gdi_element *checkpoint)
{
	line(page, "ckpt_name", CHECKPOINT_COLUMN, checkpoint, CK_name);
	line(page, "interface", CHECKPOINT_COLUMN, checkpoint, CK_interface);
	line(page, "ckpt_command", CHECKPOINT_COLUMN, checkpoint, CK_ckpt_command);
	line(page, "migr_command", CHECKPOINT_COLUMN, checkpoint, CK_migr_command);
	line(page, "restart_command", CHECKPOINT_COLUMN, checkpoint, CK_rest_command);
	line(page, "clean_command", CHECKPOINT_COLUMN, checkpoint, CK_clean_command);
	line(page, "ckpt_dir", CHECKPOINT_COLUMN, checkpoint, CK_ckpt_dir);
	line(page, "signal", CHECKPOINT_COLUMN, checkpoint, CK_signal);
	line(page, "when", CHECKPOINT_COLUMN, checkpoint, CK_when);
}

/* Write CAL: -scal. */
void text_calendar(struct page *page, const struct gdi_element *calendar)
{
	line(page, "calendar_name", CALENDAR_COLUMN, calendar, CAL_name);
	line(page, "year", CALENDAR_COLUMN, calendar, CAL_year_calendar);
	line(page, "week", CALENDAR_COLUMN, calendar, CAL_week_calendar);
}

/* Write HGRP: -shgrp. */
void text_hostgroup(struct page *page, const struct gdi_element *group)
{
	line(page, "group_name", ONE_BLANK, group, HGRP_name);
	line_names(page, "hostlist", ONE_BLANK, group, HGRP_host_list, HR_name, " ");
}

/* Write US: -su. */
void text_userset(struct page *page, const struct gdi_element *set)
{
	uint32_t type = gdi_u32(set, US_type);

	line(page, "name", USERSET_COLUMN, set, US_name);
	page_line(page, "type", USERSET_COLUMN, type & USERSET_ACL ? (type & USERSET_DEPARTMENT ? "ACL DEPT" : "ACL") :
		  type & USERSET_DEPARTMENT ? "DEPT" : "");
	line_u32(page, "fshare", USERSET_COLUMN, set, US_fshare);
	line_u32(page, "oticket", USERSET_COLUMN, set, US_oticket);
	line_names(page, "entries", USERSET_COLUMN, set, US_entries, UE_name, ",");
}

/* Write UU: -suser. */
void text_user(struct page *page, const struct gdi_element *user)
{
	line(page, "name", ONE_BLANK, user, UU_name);
	line_u32(page, "oticket", ONE_BLANK, user, UU_oticket);
	line_u32(page, "fshare", ONE_BLANK, user, UU_fshare);
	line_u32(page, "delete_time", ONE_BLANK, user, UU_delete_time);
	line(page, "default_project", ONE_BLANK, user, UU_default_project);
}

/* Write PR: -sprj. */
void text_project(struct page *page, const struct gdi_element *project)
{
	line(page, "name", ONE_BLANK, project, PR_name);
	line_u32(page, "oticket", ONE_BLANK, project, PR_oticket);
	line_u32(page, "fshare", ONE_BLANK, project, PR_fshare);
	line_names(page, "acl", ONE_BLANK, project, PR_acl, US_name, " ");
	line_names(page, "xacl", ONE_BLANK, project, PR_xacl, US_name, " ");
}

/* Hosts */

static void line_scaling(struct page *page, const char *attribute, const struct gdi_element *host, uint32_t field)
{
	struct gdi_list list = gdi_list(host, field);
	struct gdi_element one;

	page_begin(page, attribute, HOST_COLUMN);
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, HS_name));
		page_put(page, "=");
		page_double(page, gdi_double(&one, HS_value));
	}
	page_end(page);
}

static void line_values(struct page *page, const char *attribute, const struct gdi_element *host, uint32_t field,
			uint32_t name, uint32_t value)
{
	struct gdi_list list = gdi_list(host, field);
	struct gdi_element one;

	page_begin(page, attribute, HOST_COLUMN);
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, name));
		page_put(page, "=");
		page_value(page, gdi_text(&one, value));
	}
	page_end(page);
}

/* Write EH: -se. Reported values are not configuration, but are printed among it. */
void text_host(struct page *page, const struct gdi_element *host, bool reported)
{
	line(page, "hostname", HOST_COLUMN, host, EH_name);
	line_scaling(page, "load_scaling", host, EH_scaling_list);
	line_values(page, "complex_values", host, EH_consumable_config_list, CE_name, CE_stringval);
	if (reported) {
		line_values(page, "load_values", host, EH_load_list, HL_name, HL_value);
		line_u32(page, "processors", HOST_COLUMN, host, EH_processors);
	}
	line_names(page, "user_lists", HOST_COLUMN, host, EH_acl, US_name, " ");
	line_names(page, "xuser_lists", HOST_COLUMN, host, EH_xacl, US_name, " ");
	line_names(page, "projects", HOST_COLUMN, host, EH_prj, PR_name, " ");
	line_names(page, "xprojects", HOST_COLUMN, host, EH_xprj, PR_name, " ");
	line_scaling(page, "usage_scaling", host, EH_usage_scaling_list);
	line_names(page, "report_variables", HOST_COLUMN, host, EH_report_variables, ST_name, ",");
}
