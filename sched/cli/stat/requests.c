/* SPDX-License-Identifier: Apache-2.0 */
/* -r: requests of a job like qstat(1), as lines below each row or as elements of the row. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/stat/shown_requests.h"
#include "sched/cli/stat/stat.h"
#include "sched/cli/xml.h"

#define INDENT "       "
#define LABEL_BYTES 18u			/* width of a label after the indentation */

static void begin(struct out *out, const char *label)
{
	char text[64];

	snprintf(text, sizeof(text), INDENT "%s: ", label);
	out_put(out, "%-*s", (int)(sizeof(INDENT) - 1 + LABEL_BYTES), text);
}

static void put_text(struct out *out, const char *label, const char *text)
{
	if (!*text)
		return;
	begin(out, label);
	text_plain(out, text);
	out_text(out, "\n");
}

/* Resources */

static void put_resources(struct out *out, const struct job_listing *listing, const struct fl_job *job,
			  const char *label, bool hard)
{
	struct shown_requests shown;
	char seconds[SHOWN_VALUE_BYTES];

	(void)shown_requests_read(&shown, &listing->cell_in_force, job,
				  hard ? job->hard_resources : job->soft_resources);
	begin(out, label);
	for (size_t i = 0; i < shown.list.n; i++) {
		const struct resource *request = &shown.list.items[i];

		if (i > 0)
			out_put(out, "%*s", (int)(sizeof(INDENT) - 1 + LABEL_BYTES), "");
		text_plain(out, request->name);
		out_text(out, "=");
		text_plain(out, shown_request_value(request, seconds));
		if (hard && shown.weighed)
			out_put(out, " (%f)", shown_request_contribution(&shown, request));
		out_text(out, "\n");
	}
	if (shown.list.n == 0)
		out_text(out, "\n");
	shown_requests_free(&shown);
}

static void resources_xml(struct out *out, const struct job_listing *listing, const struct fl_job *job, bool hard,
			  unsigned indent)
{
	const char *element = hard ? "hard_request" : "soft_request";
	struct shown_requests shown;
	char seconds[SHOWN_VALUE_BYTES];

	(void)shown_requests_read(&shown, &listing->cell_in_force, job,
				  hard ? job->hard_resources : job->soft_resources);
	for (size_t i = 0; i < shown.list.n; i++) {
		const struct resource *request = &shown.list.items[i];

		out_put(out, "%*s<%s name=\"", (int)indent, "", element);
		text_xml(out, request->name);
		if (hard && shown.weighed)
			out_put(out, "\" resource_contribution=\"%f", shown_request_contribution(&shown, request));
		out_text(out, "\">");
		text_xml(out, shown_request_value(request, seconds));
		xml_end(out, element);
	}
	shown_requests_free(&shown);
}

/* Queues */

/* Copy the next item of a list "a,b" and return the rest. NULL: there is no further item. */
static const char *queue_next(const char *list, char piece[512])
{
	size_t n = strcspn(list, ",");

	if (!*list)
		return NULL;
	snprintf(piece, 512, "%.*s", (int)(n < 512 ? n : 511), list);
	return list + n + (list[n] == ',');
}

static void put_queues(struct out *out, const char *label, const char *list)
{
	char piece[512];

	if (!*list)
		return;
	out_put(out, INDENT "%s: ", label);
	for (const char *first = list; (list = queue_next(list, piece)) != NULL; first = NULL) {
		out_text(out, first ? "" : ", ");
		text_plain(out, piece);
	}
	out_text(out, "\n");
}

static void queues_xml(struct out *out, const char *element, const char *list, unsigned indent)
{
	char piece[512];

	while ((list = queue_next(list, piece)) != NULL)
		xml_string(out, indent, element, piece);
}

/* Predecessors: all that were requested, and those that still exist */

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

/* Return the next predecessor and advance *k past it. False: there is no further one. */
static bool predecessor_next(const struct fl_view *view, uint32_t job_number, const struct predecessor_kind *kind,
			     size_t *k, uint32_t *number)
{
	struct fl_job other;

	while (fl_predecessor(view, job_number, kind->by_task, (*k)++, number) == 0)
		if (!kind->there || fl_find(view, *number, 0, &other) == 0)
			return true;
	return false;
}

static void put_predecessors(struct out *out, const struct fl_view *view, uint32_t job_number,
			     const struct predecessor_kind *kind)
{
	bool any = false;
	uint32_t number;

	for (size_t k = 0; predecessor_next(view, job_number, kind, &k, &number);) {
		if (any)
			out_put(out, ", %u", number);
		else
			out_put(out, INDENT "%s: %u", kind->label, number);
		any = true;
	}
	out_text(out, any ? "\n" : "");
}

static void predecessors_xml(struct out *out, const struct fl_view *view, uint32_t job_number, unsigned indent)
{
	uint32_t number;

	for (const struct predecessor_kind *kind = predecessor_kinds; kind < predecessor_kinds + PREDECESSOR_KINDS;
	     kind++)
		for (size_t k = 0; predecessor_next(view, job_number, kind, &k, &number);)
			xml_number(out, indent, kind->element, number);
}

/* Parallel environments */

static void put_pes(struct out *out, const struct fl_job *job)
{
	if (*job->pe) {
		begin(out, "Requested PE");
		text_plain(out, job->pe);
		out_text(out, " ");
		text_plain(out, job->pe_range);
		out_text(out, "\n");
	}
	if (*job->granted_pe) {
		begin(out, "Granted PE");
		text_plain(out, job->granted_pe);
		out_put(out, " %u\n", job->slots);
	}
}

static void pe_xml(struct out *out, const char *element, const char *pe, const char *slots, unsigned indent)
{
	out_put(out, "%*s<%s name=\"", (int)indent, "", element);
	text_xml(out, pe);
	out_text(out, "\">");
	text_xml(out, slots);
	xml_end(out, element);
}

/*
 * Write the range of slots. An open range, "-7" or "3-", is shown with the smallest or largest
 * number of Grid Engine.
 */
static void pes_xml(struct out *out, const struct fl_job *job, unsigned indent)
{
	size_t n = strnlen(job->pe_range, 400);
	bool is_open = n && job->pe_range[n - 1] == '-';
	char text[512];

	if (*job->pe) {
		snprintf(text, sizeof(text), "%s%.*s%s", *job->pe_range == '-' ? "1" : "", (int)n, job->pe_range,
			 is_open ? "9999999" : "");
		pe_xml(out, "requested_pe", job->pe, text, indent);
	}
	if (*job->granted_pe) {
		snprintf(text, sizeof(text), "%u", job->slots);
		pe_xml(out, "granted_pe", job->granted_pe, text, indent);
	}
}

static struct fl_request request_of(const struct fl_view *view, uint32_t job_number)
{
	struct fl_request request;

	if (fl_request(view, job_number, &request))
		request = (struct fl_request){
			.hard_queues = "", .soft_queues = "", .master_queues = "", .checkpoint = ""
		};
	return request;
}

void requests_put(const struct fl_view *view, struct out *out, const struct job_listing *listing,
		  const struct fl_job *job)
{
	const struct fl_request request = request_of(view, job->job_number);

	put_text(out, "Full jobname", job->name);
	put_text(out, "Master Queue", job->queue);
	put_pes(out, job);
	put_text(out, "Checkpoint Env.", request.checkpoint);
	put_resources(out, listing, job, "Hard Resources", true);
	put_resources(out, listing, job, "Soft Resources", false);
	put_queues(out, "Hard requested queues", request.hard_queues);
	put_queues(out, "Soft requested queues", request.soft_queues);
	put_queues(out, "Master task hard requested queues", request.master_queues);
	for (size_t k = 0; k < PREDECESSOR_KINDS; k++)
		put_predecessors(out, view, job->job_number, &predecessor_kinds[k]);
	put_text(out, "Binding", "NONE");
}

/* Write the elements of -r. Grid Engine 8.1.9 does not write the checkpointing environment here. */
void requests_xml(const struct fl_view *view, struct out *out, const struct job_listing *listing,
		  const struct fl_job *job, unsigned indent)
{
	const struct fl_request request = request_of(view, job->job_number);

	pes_xml(out, job, indent);
	resources_xml(out, listing, job, true, indent);
	resources_xml(out, listing, job, false, indent);
	queues_xml(out, "hard_req_queue", request.hard_queues, indent);
	queues_xml(out, "soft_req_queue", request.soft_queues, indent);
	queues_xml(out, "master_hard_req_queue", request.master_queues, indent);
	predecessors_xml(out, view, job->job_number, indent);
	xml_string(out, indent, "binding", "NONE");
}
