/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_conf(5). Each attribute is a list of values. One value is for all hosts, "@/", and the
 * others for one host group or host each: "8,[@old=4],[ada=2]".
 */
#include <string.h>

#include "sched/qmaster/objects/text.h"

#define COLUMN 22
#define ALL_HOSTS "@/"

enum { QTYPE_BATCH = 1, QTYPE_INTERACTIVE = 2 };
/* Bit of SO_action: longest running job; otherwise the shortest running one. */
enum { ACTION_LONGEST = 0x10 };

static void value_text(struct page *page, const struct gdi_element *element, uint32_t field)
{
	const char *text = gdi_text(element, field);

	page_words(page, *text ? text : "NONE");
}

static void value_u32(struct page *page, const struct gdi_element *element, uint32_t field)
{
	page_u32(page, gdi_u32(element, field));
}

static void value_bool(struct page *page, const struct gdi_element *element, uint32_t field)
{
	page_put(page, gdi_u32(element, field) ? "TRUE" : "FALSE");
}

static void value_qtype(struct page *page, const struct gdi_element *element, uint32_t field)
{
	uint32_t types = gdi_u32(element, field);

	page_put(page, types & QTYPE_BATCH ? "BATCH" : "");
	page_put(page, types & QTYPE_BATCH && types & QTYPE_INTERACTIVE ? " " : "");
	page_put(page, types & QTYPE_INTERACTIVE ? "INTERACTIVE" : types & QTYPE_BATCH ? "" : "NONE");
}

static void names(struct page *page, const struct gdi_element *element, uint32_t field, uint32_t name)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;

	if (list.left == 0)
		page_put(page, "NONE");
	for (const char *separator = ""; gdi_next(&list, &one); separator = " ") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, name));
	}
}

static void value_texts(struct page *page, const struct gdi_element *element, uint32_t field)
{
	names(page, element, field, ST_name);
}

static void value_usersets(struct page *page, const struct gdi_element *element, uint32_t field)
{
	names(page, element, field, US_name);
}

static void value_projects(struct page *page, const struct gdi_element *element, uint32_t field)
{
	names(page, element, field, PR_name);
}

static void value_complexes(struct page *page, const struct gdi_element *element, uint32_t field)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;

	if (list.left == 0)
		page_put(page, "NONE");
	for (const char *separator = ""; gdi_next(&list, &one); separator = ",") {
		page_put(page, separator);
		page_item(page, gdi_text(&one, CE_name));
		page_put(page, "=");
		page_value(page, gdi_text(&one, CE_stringval));
	}
}

/*
 * Write an entry of a subordinate list. With slot-wise preemption the list is in parentheses and
 * has the number of slots given by its entries.
 */
static void subordinate(struct page *page, const struct gdi_element *element, bool slotwise)
{
	uint32_t threshold = gdi_u32(element, SO_threshold), seq_no = gdi_u32(element, SO_seq_no),
		 action = gdi_u32(element, SO_action);

	page_item(page, gdi_text(element, SO_name));
	if (!slotwise && threshold) {
		page_put(page, "=");
		page_u32(page, threshold);
	}
	if (slotwise) {
		page_put(page, ":");
		page_u32(page, seq_no);
		page_put(page, action == ACTION_LONGEST ? ":lr" : ":sr");
	}
}

static void value_subordinates(struct page *page, const struct gdi_element *element, uint32_t field)
{
	struct gdi_list list = gdi_list(element, field);
	struct gdi_element one;
	uint32_t slots = 0;

	if (list.left == 0)
		page_put(page, "NONE");
	for (const char *separator = NULL; gdi_next(&list, &one); separator = ", ") {
		if (!separator)
			slots = gdi_u32(&one, SO_slots_sum);
		if (!separator && slots) {
			page_put(page, "slots=");
			page_u32(page, slots);
			page_put(page, "(");
		}
		page_put(page, separator ? separator : "");
		subordinate(page, &one, slots > 0);
	}
	page_put(page, slots ? ")" : "");
}

typedef void value_writer(struct page *page, const struct gdi_element *element, uint32_t field);

static const struct queue_attribute {
	const char *name;
	uint32_t field, host, value;	/* fields of CQ, and of the elements of the list */
	value_writer *write;
} attributes[] = {
#define OF(name, field, kind, write) { name, CQ_##field, kind##_href, kind##_value, write }
	OF("seq_no", seq_no, AULNG, value_u32), OF("load_thresholds", load_thresholds, ACELIST, value_complexes),
	OF("suspend_thresholds", suspend_thresholds, ACELIST, value_complexes),
	OF("nsuspend", nsuspend, AULNG, value_u32),
	OF("suspend_interval", suspend_interval, AINTER, value_text), OF("priority", priority, ASTR, value_text),
	OF("min_cpu_interval", min_cpu_interval, AINTER, value_text), OF("processors", processors, ASTR, value_text),
	OF("qtype", qtype, AQTLIST, value_qtype), OF("ckpt_list", ckpt_list, ASTRLIST, value_texts),
	OF("pe_list", pe_list, ASTRLIST, value_texts),
	OF("rerun", rerun, ABOOL, value_bool), OF("slots", job_slots, AULNG, value_u32),
	OF("tmpdir", tmpdir, ASTR, value_text),
	OF("shell", shell, ASTR, value_text), OF("prolog", prolog, ASTR, value_text),
	OF("epilog", epilog, ASTR, value_text),
	OF("shell_start_mode", shell_start_mode, ASTR, value_text),
	OF("starter_method", starter_method, ASTR, value_text),
	OF("suspend_method", suspend_method, ASTR, value_text), OF("resume_method", resume_method, ASTR, value_text),
	OF("terminate_method", terminate_method, ASTR, value_text), OF("notify", notify, AINTER, value_text),
	OF("owner_list", owner_list, AUSRLIST, value_usersets), OF("user_lists", acl, AUSRLIST, value_usersets),
	OF("xuser_lists", xacl, AUSRLIST, value_usersets),
	OF("subordinate_list", subordinate_list, ASOLIST, value_subordinates),
	OF("complex_values", consumable_config_list, ACELIST, value_complexes),
	OF("projects", projects, APRJLIST, value_projects),
	OF("xprojects", xprojects, APRJLIST, value_projects), OF("calendar", calendar, ASTR, value_text),
	OF("initial_state", initial_state, ASTR, value_text), OF("s_rt", s_rt, ATIME, value_text),
	OF("h_rt", h_rt, ATIME, value_text),
	OF("s_cpu", s_cpu, ATIME, value_text), OF("h_cpu", h_cpu, ATIME, value_text),
	OF("s_fsize", s_fsize, AMEM, value_text),
	OF("h_fsize", h_fsize, AMEM, value_text), OF("s_data", s_data, AMEM, value_text),
	OF("h_data", h_data, AMEM, value_text),
	OF("s_stack", s_stack, AMEM, value_text), OF("h_stack", h_stack, AMEM, value_text),
	OF("s_core", s_core, AMEM, value_text),
	OF("h_core", h_core, AMEM, value_text), OF("s_rss", s_rss, AMEM, value_text),
	OF("h_rss", h_rss, AMEM, value_text),
	OF("s_vmem", s_vmem, AMEM, value_text), OF("h_vmem", h_vmem, AMEM, value_text),
#undef OF
};

/* Return the rank of an entry: all hosts, then groups, then hosts. */
static unsigned turn_of(const char *host)
{
	return strcmp(host, ALL_HOSTS) == 0 ? 0 : *host == '@' ? 1 : 2;
}

static void attribute_write(struct page *page, const struct gdi_element *queue,
			    const struct queue_attribute *queue_attribute)
{
	const char *separator = "";

	page_begin(page, queue_attribute->name, COLUMN);
	for (unsigned turn = 0; turn < 3; turn++) {
		struct gdi_list values = gdi_list(queue, queue_attribute->field);
		struct gdi_element one;

		while (gdi_next(&values, &one)) {
			const char *host = gdi_text(&one, queue_attribute->host);

			if (turn_of(host) != turn)
				continue;
			page_put(page, separator);
			if (turn > 0) {
				page_put(page, "[");
				page_item(page, host);
				page_put(page, "=");
			}
			queue_attribute->write(page, &one, queue_attribute->value);
			page_put(page, turn > 0 ? "]" : "");
			separator = ",";
		}
	}
	page_end(page);
}

void text_queue(struct page *page, const struct gdi_element *queue)
{
	page_begin(page, "qname", COLUMN);
	page_item(page, gdi_text(queue, CQ_name));
	page_end(page);
	page_begin(page, "hostlist", COLUMN);
	names(page, queue, CQ_hostlist, HR_name);
	page_end(page);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		attribute_write(page, queue, &attributes[i]);
}
