/* SPDX-License-Identifier: Apache-2.0 */
/* -r: what the job asks for, as qstat(1) has it, in lines below each row or in its element. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/shown_requests.h"
#include "sched/cli/stat.h"
#include "sched/cli/xml.h"

#define INDENT "       "
#define LABEL_BYTES 18u			/* behind that */

static void begin(struct out *o, const char *label)
{
	char text[64];

	snprintf(text, sizeof(text), INDENT "%s: ", label);
	out_put(o, "%-*s", (int)(sizeof(INDENT) - 1 + LABEL_BYTES), text);
}

static void put_text(struct out *o, const char *label, const char *text)
{
	if (!*text)
		return;
	begin(o, label);
	text_plain(o, text);
	out_text(o, "\n");
}

/* Resources */

static void put_resources(struct out *o, const struct stat *s, const struct fl_job *job, const char *label, bool hard)
{
	struct shown_requests shown;
	char seconds[SHOWN_VALUE_BYTES];

	(void)shown_requests_read(&shown, &s->cell_in_force, job, hard ? job->hard_resources : job->soft_resources);
	begin(o, label);
	for (size_t i = 0; i < shown.list.n; i++) {
		const struct resource *request = &shown.list.items[i];

		if (i > 0)
			out_put(o, "%*s", (int)(sizeof(INDENT) - 1 + LABEL_BYTES), "");
		text_plain(o, request->name);
		out_text(o, "=");
		text_plain(o, shown_request_value(request, seconds));
		if (hard && shown.weighed)
			out_put(o, " (%f)", shown_request_contribution(&shown, request));
		out_text(o, "\n");
	}
	if (shown.list.n == 0)
		out_text(o, "\n");
	shown_requests_free(&shown);
}

static void resources_xml(struct out *o, const struct stat *s, const struct fl_job *job, bool hard, unsigned indent)
{
	const char *element = hard ? "hard_request" : "soft_request";
	struct shown_requests shown;
	char seconds[SHOWN_VALUE_BYTES];

	(void)shown_requests_read(&shown, &s->cell_in_force, job, hard ? job->hard_resources : job->soft_resources);
	for (size_t i = 0; i < shown.list.n; i++) {
		const struct resource *request = &shown.list.items[i];

		out_put(o, "%*s<%s name=\"", (int)indent, "", element);
		text_xml(o, request->name);
		if (hard && shown.weighed)
			out_put(o, "\" resource_contribution=\"%f", shown_request_contribution(&shown, request));
		out_text(o, "\">");
		text_xml(o, shown_request_value(request, seconds));
		xml_end(o, element);
	}
	shown_requests_free(&shown);
}

/* Queues */

/* Copy the next one of a list "a,b", and return what follows it; NULL: there is none. */
static const char *queue_next(const char *list, char piece[512])
{
	size_t n = strcspn(list, ",");

	if (!*list)
		return NULL;
	snprintf(piece, 512, "%.*s", (int)(n < 512 ? n : 511), list);
	return list + n + (list[n] == ',');
}

static void put_queues(struct out *o, const char *label, const char *list)
{
	char piece[512];

	if (!*list)
		return;
	out_put(o, INDENT "%s: ", label);
	for (const char *first = list; (list = queue_next(list, piece)) != NULL; first = NULL) {
		out_text(o, first ? "" : ", ");
		text_plain(o, piece);
	}
	out_text(o, "\n");
}

static void queues_xml(struct out *o, const char *element, const char *list, unsigned indent)
{
	char piece[512];

	while ((list = queue_next(list, piece)) != NULL)
		xml_string(o, indent, element, piece);
}

/* Predecessors: all that the job was to wait for, and those that are still there */

static const struct predecessor_kind {
	bool by_task, there;
	const char *label, *element;
} predecessor_kinds[] = {
	{ false, false, "Predecessor Jobs (request)", "predecessor_jobs_req" },
	{ false, true, "Predecessor Jobs", "predecessor_jobs" },
	{ true, false, "Predecessor Array Jobs (request)", "ad_predecessor_jobs_req" },
	{ true, true, "Predecessor Array Jobs", "ad_predecessor_jobs" },
};

#define PREDECESSOR_KINDS (sizeof(predecessor_kinds) / sizeof(*predecessor_kinds))

/* Advance *k to behind the next one. False: there is none. */
static bool predecessor_next(const struct fl_view *view, uint32_t job_number, const struct predecessor_kind *kind, size_t *k, uint32_t *number)
{
	struct fl_job other;

	while (fl_predecessor(view, job_number, kind->by_task, (*k)++, number) == 0)
		if (!kind->there || fl_find(view, *number, 0, &other) == 0)
			return true;
	return false;
}

static void put_predecessors(struct out *o, const struct fl_view *view, uint32_t job_number, const struct predecessor_kind *kind)
{
	bool any = false;
	uint32_t number;

	for (size_t k = 0; predecessor_next(view, job_number, kind, &k, &number);) {
		if (any)
			out_put(o, ", %u", number);
		else
			out_put(o, INDENT "%s: %u", kind->label, number);
		any = true;
	}
	out_text(o, any ? "\n" : "");
}

static void predecessors_xml(struct out *o, const struct fl_view *view, uint32_t job_number, unsigned indent)
{
	uint32_t number;

	for (const struct predecessor_kind *kind = predecessor_kinds; kind < predecessor_kinds + PREDECESSOR_KINDS; kind++)
		for (size_t k = 0; predecessor_next(view, job_number, kind, &k, &number);)
			xml_number(o, indent, kind->element, number);
}

/* Parallel environments */

static void put_pes(struct out *o, const struct fl_job *job)
{
	if (*job->pe) {
		begin(o, "Requested PE");
		text_plain(o, job->pe);
		out_text(o, " ");
		text_plain(o, job->pe_range);
		out_text(o, "\n");
	}
	if (*job->granted_pe) {
		begin(o, "Granted PE");
		text_plain(o, job->granted_pe);
		out_put(o, " %u\n", job->slots);
	}
}

static void pe_xml(struct out *o, const char *element, const char *pe, const char *slots, unsigned indent)
{
	out_put(o, "%*s<%s name=\"", (int)indent, "", element);
	text_xml(o, pe);
	out_text(o, "\">");
	text_xml(o, slots);
	xml_end(o, element);
}

/*
 * A range that is open, "-7" or "3-", is shown with the smallest or the largest number that Grid
 * Engine knows.
 */
static void pes_xml(struct out *o, const struct fl_job *job, unsigned indent)
{
	size_t n = strnlen(job->pe_range, 400);
	bool is_open = n && job->pe_range[n - 1] == '-';
	char text[512];

	if (*job->pe) {
		snprintf(text, sizeof(text), "%s%.*s%s", *job->pe_range == '-' ? "1" : "", (int)n, job->pe_range, is_open ? "9999999" : "");
		pe_xml(o, "requested_pe", job->pe, text, indent);
	}
	if (*job->granted_pe) {
		snprintf(text, sizeof(text), "%u", job->slots);
		pe_xml(o, "granted_pe", job->granted_pe, text, indent);
	}
}

static struct fl_request request_of(const struct fl_view *view, uint32_t job_number)
{
	struct fl_request request;

	if (fl_request(view, job_number, &request))
		request = (struct fl_request){ .hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = "" };
	return request;
}

void requests_put(const struct fl_view *view, struct out *o, const struct stat *s, const struct fl_job *job)
{
	const struct fl_request r = request_of(view, job->job_number);

	put_text(o, "Full jobname", job->name);
	put_text(o, "Master Queue", job->queue);
	put_pes(o, job);
	put_text(o, "Checkpoint Env.", r.checkpoint);
	put_resources(o, s, job, "Hard Resources", true);
	put_resources(o, s, job, "Soft Resources", false);
	put_queues(o, "Hard requested queues", r.hard_queues);
	put_queues(o, "Soft requested queues", r.soft_queues);
	put_queues(o, "Master task hard requested queues", r.master_queues);
	for (size_t k = 0; k < PREDECESSOR_KINDS; k++)
		put_predecessors(o, view, job->job_number, &predecessor_kinds[k]);
	put_text(o, "Binding", "NONE");
}

/* Grid Engine 8.1.9 does not write the checkpointing environment here. */
void requests_xml(const struct fl_view *view, struct out *o, const struct stat *s, const struct fl_job *job, unsigned indent)
{
	const struct fl_request r = request_of(view, job->job_number);

	pes_xml(o, job, indent);
	resources_xml(o, s, job, true, indent);
	resources_xml(o, s, job, false, indent);
	queues_xml(o, "hard_req_queue", r.hard_queues, indent);
	queues_xml(o, "soft_req_queue", r.soft_queues, indent);
	queues_xml(o, "master_hard_req_queue", r.master_queues, indent);
	predecessors_xml(o, view, job->job_number, indent);
	xml_string(o, indent, "binding", "NONE");
}
