/* SPDX-License-Identifier: Apache-2.0 */
/* A quota set of sge_resource_quota(5). */
#include <string.h>

#include "sched/qmaster/objects/text.h"

#define COLUMN 16	/* column of the value of an attribute, including its indentation */

static void scope(struct page *page, struct gdi_list list, const char *sign, const char **separator)
{
	struct gdi_element one;

	for (; gdi_next(&list, &one); *separator = ",") {
		const char *name = gdi_text(&one, ST_name);

		page_put(page, *separator);
		page_put(page, sign);
		/* 8.1.9 splits "!{ada}" into ada and an empty name. */
		if (*name || !*sign)
			page_item(page, name);
	}
}

/* Write "users {ann,!bob}". Without braces the names share a limit. */
static void filter(struct page *page, const struct gdi_element *rule, uint32_t field, const char *name)
{
	struct gdi_element element;
	const char *separator = "";
	bool each;

	if (!gdi_object(rule, field, &element))
		return;
	each = gdi_u32(&element, RQRF_expand);
	page_put(page, name);
	page_put(page, each ? " {" : " ");
	scope(page, gdi_list(&element, RQRF_scope), "", &separator);
	scope(page, gdi_list(&element, RQRF_xscope), "!", &separator);
	page_put(page, each ? "} " : " ");
}

static void limits(struct page *page, const struct gdi_element *rule)
{
	struct gdi_list list = gdi_list(rule, RQR_limit);
	struct gdi_element one;

	page_put(page, "to ");
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, RQRL_name));
		page_put(page, "=");
		page_value(page, gdi_text(&one, RQRL_value));
	}
}

static void rule_write(struct page *page, const struct gdi_element *rule)
{
	const char *name = gdi_text(rule, RQR_name);

	page_begin(page, "   limit", COLUMN);
	if (*name) {
		page_put(page, "name ");
		page_item(page, name);
		page_put(page, " ");
	}
	filter(page, rule, RQR_filter_users, "users");
	filter(page, rule, RQR_filter_projects, "projects");
	filter(page, rule, RQR_filter_pes, "pes");
	filter(page, rule, RQR_filter_queues, "queues");
	filter(page, rule, RQR_filter_hosts, "hosts");
	limits(page, rule);
	page_end(page);
}

void text_quota(struct page *page, const struct gdi_element *set)
{
	struct gdi_list rules = gdi_list(set, RQS_rule);
	struct gdi_element rule;

	page_put(page, "{\n");
	page_begin(page, "   name", COLUMN);
	page_item(page, gdi_text(set, RQS_name));
	page_end(page);
	page_line(page, "   description", COLUMN, gdi_text(set, RQS_description));
	page_line_bool(page, "   enabled", COLUMN, gdi_u32(set, RQS_enabled));
	while (gdi_next(&rules, &rule))
		rule_write(page, &rule);
	page_put(page, "}\n");
}
