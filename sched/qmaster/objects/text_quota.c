/* SPDX-License-Identifier: Apache-2.0 */
/* sge_resource_quota(5), a set. */
#include <string.h>

#include "sched/qmaster/objects/text.h"

#define COLUMN 16	/* of what stands behind an attribute, its indentation included */

static void scope(struct page *p, struct gdi_list list, const char *sign, const char **separator)
{
	struct gdi_element one;

	for (; gdi_next(&list, &one); *separator = ",") {
		const char *name = gdi_text(&one, ST_name);

		page_put(p, *separator);
		page_put(p, sign);
		if (*name || !*sign)		/* of "!{ada}" 8.1.9 makes ada and a name that is none */
			page_item(p, name);
	}
}

/* "users {ann,!bob}"; without braces those named share a limit. */
static void filter(struct page *p, const struct gdi_element *rule, uint32_t field, const char *name)
{
	struct gdi_element f;
	const char *separator = "";
	bool each;

	if (!gdi_object(rule, field, &f))
		return;
	each = gdi_u32(&f, RQRF_expand);
	page_put(p, name);
	page_put(p, each ? " {" : " ");
	scope(p, gdi_list(&f, RQRF_scope), "", &separator);
	scope(p, gdi_list(&f, RQRF_xscope), "!", &separator);
	page_put(p, each ? "} " : " ");
}

static void limits(struct page *p, const struct gdi_element *rule)
{
	struct gdi_list list = gdi_list(rule, RQR_limit);
	struct gdi_element one;

	page_put(p, "to ");
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(p, separator);
		page_item(p, gdi_text(&one, RQRL_name));
		page_put(p, "=");
		page_value(p, gdi_text(&one, RQRL_value));
	}
}

static void rule_write(struct page *p, const struct gdi_element *rule)
{
	const char *name = gdi_text(rule, RQR_name);

	page_begin(p, "   limit", COLUMN);
	if (*name) {
		page_put(p, "name ");
		page_item(p, name);
		page_put(p, " ");
	}
	filter(p, rule, RQR_filter_users, "users");
	filter(p, rule, RQR_filter_projects, "projects");
	filter(p, rule, RQR_filter_pes, "pes");
	filter(p, rule, RQR_filter_queues, "queues");
	filter(p, rule, RQR_filter_hosts, "hosts");
	limits(p, rule);
	page_end(p);
}

void text_quota(struct page *p, const struct gdi_element *set)
{
	struct gdi_list rules = gdi_list(set, RQS_rule);
	struct gdi_element rule;

	page_put(p, "{\n");
	page_begin(p, "   name", COLUMN);
	page_item(p, gdi_text(set, RQS_name));
	page_end(p);
	page_line(p, "   description", COLUMN, gdi_text(set, RQS_description));
	page_line_bool(p, "   enabled", COLUMN, gdi_u32(set, RQS_enabled));
	while (gdi_next(&rules, &rule))
		rule_write(p, &rule);
	page_put(p, "}\n");
}
