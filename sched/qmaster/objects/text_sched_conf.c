/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler configuration of sched_conf(5). */
#include "sched/qmaster/objects/text.h"

#define COLUMN 34

enum sort_method { SORT_LOAD, SORT_SEQ_NO };	/* values of SC_queue_sort_method */

static void line_text(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	page_line(page, name, COLUMN, gdi_text(element, field));
}

static void line_u32(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	page_line_u32(page, name, COLUMN, gdi_u32(element, field));
}

static void line_bool(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	page_line_bool(page, name, COLUMN, gdi_u32(element, field));
}

static void line_double(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	page_line_double(page, name, COLUMN, gdi_double(element, field));
}

static void line_sort_method(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	page_line(page, name, COLUMN, gdi_u32(element, field) == SORT_SEQ_NO ? "seqno" : "load");
}

static void line_complexes(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;

	page_begin(page, name, COLUMN);
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, CE_name));
		page_put(page, "=");
		page_value(page, gdi_text(&one, CE_stringval));
	}
	page_end(page);
}

static void line_usage(struct page *page, const struct gdi_element *element, const char *name, uint32_t field)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;

	page_begin(page, name, COLUMN);
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, UA_name));
		page_put(page, "=");
		page_double(page, gdi_double(&one, UA_value));
	}
	page_end(page);
}

static const struct conf_line {
	const char *name;
	uint32_t field;
	void (*write)(struct page *page, const struct gdi_element *element, const char *name, uint32_t field);
} lines[] = {
#define LINE(name, write) { #name, SC_##name, write }
	LINE(algorithm, line_text), LINE(schedule_interval, line_text), LINE(maxujobs, line_u32),
	LINE(queue_sort_method, line_sort_method),
	LINE(job_load_adjustments, line_complexes), LINE(load_adjustment_decay_time, line_text),
	LINE(load_formula, line_text),
	LINE(schedd_job_info, line_text), LINE(flush_submit_sec, line_u32), LINE(flush_finish_sec, line_u32),
	LINE(params, line_text),
	LINE(reprioritize_interval, line_text), LINE(halftime, line_u32), LINE(usage_weight_list, line_usage),
	LINE(compensation_factor, line_double),
	LINE(weight_user, line_double), LINE(weight_project, line_double), LINE(weight_department, line_double),
	LINE(weight_job, line_double),
	LINE(weight_tickets_functional, line_u32), LINE(weight_tickets_share, line_u32),
	LINE(share_override_tickets, line_bool),
	LINE(share_functional_shares, line_bool), LINE(max_functional_jobs_to_schedule, line_u32),
	LINE(report_pjob_tickets, line_bool),
	LINE(max_pending_tasks_per_job, line_u32), LINE(halflife_decay_list, line_text),
	LINE(policy_hierarchy, line_text),
	LINE(weight_ticket, line_double), LINE(weight_waiting_time, line_double), LINE(weight_deadline, line_double),
	LINE(weight_urgency, line_double), LINE(weight_priority, line_double), LINE(max_reservation, line_u32),
	LINE(default_duration, line_text),
#undef LINE
};

void text_sched_conf(struct page *page, const struct gdi_element *conf)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		lines[i].write(page, conf, lines[i].name, lines[i].field);
}
