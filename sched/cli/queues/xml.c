/* SPDX-License-Identifier: Apache-2.0 */
/* XML of queue instances, like qstat(1) -f -xml, and of cluster queues, like -g c -xml. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/queues/queues.h"
#include "sched/cli/xml.h"

#define QUEUE_INDENT 6u			/* indentation of an element of an instance */
#define SUM_INDENT 4u

static void instance_put(struct out *out, const struct fl_view *view, const struct fl_instance *fl_instance)
{
	struct fl_host host = { .available = false, .arch = "" };

	if (fl_instance->host > 0)
		fl_host(view, fl_instance->host, &host);
	xml_string(out, QUEUE_INDENT, "name", fl_instance->name);
	xml_string(out, QUEUE_INDENT, "qtype", fl_instance->type);
	xml_number(out, QUEUE_INDENT, "slots_used", fl_instance->used);
	xml_number(out, QUEUE_INDENT, "slots_resv", fl_instance->reserved);
	xml_number(out, QUEUE_INDENT, "slots_total", fl_instance->slots);
	if (host.available && host.load_avg >= 0)
		xml_fixed(out, QUEUE_INDENT, "load_avg", host.load_avg, 5);
	if (host.available && *host.arch)
		xml_string(out, QUEUE_INDENT, "arch", host.arch);
	if (*fl_instance->state)
		xml_string(out, QUEUE_INDENT, "state", fl_instance->state);
}

static void explain_put(const struct queues *queues, struct out *out, const struct fl_view *view,
			const struct queue_row *row)
{
	struct fl_alarm alarm;

	for (size_t k = 0; fl_alarm(view, row->number, k, &alarm) == 0; k++) {
		const char *element = alarm.suspends ? "suspend-alarm-reason" : "load-alarm-reason";

		if (!strchr(queues->explain, alarm.suspends ? 'A' : 'a'))
			continue;
		xml_begin(out, QUEUE_INDENT, element);
		queues_alarm_text(out, &alarm, text_xml);
		xml_end(out, element);
	}
	if (strchr(queues->explain, 'c') && strchr(row->instance.state, 'c'))
		xml_string(out, QUEUE_INDENT, "message", QUEUES_AMBIGUOUS);
	if (strchr(queues->explain, 'E') && strchr(row->instance.state, 'E'))
		xml_string(out, QUEUE_INDENT, "message", QUEUES_IN_ERROR);
}

static void attributes_put(struct queues *queues, struct out *out, const struct fl_view *view,
			   const struct queue_row *row)
{
	size_t number = row->number;

	queues->error = attributes_of(&queues->found, view, &queues->cell.cell, row->instance.host, &number);
	for (size_t i = 0; i < queues->found.n; i++) {
		const struct found_value *value = &queues->found.items[i];

		if (!queues_shows(queues, value))
			continue;
		out_put(out, "%*s<resource name=\"", (int)QUEUE_INDENT, "");
		text_xml(out, value->name);
		out_put(out, "\" type=\"%s\">", attribute_origin(value));
		attribute_xml(out, value, true);
		xml_end(out, "resource");
	}
}

static void pending_print(struct out *out, struct job_listing *listing, const struct fl_job *job, void *elements)
{
	stat_element_put(out, listing, job, NULL, elements);
}

static void instances_put(struct queues *queues, struct out *out, const struct fl_view *view)
{
	struct stat_elements started, after;

	stat_elements_choose(&started, &queues->jobs, view, QUEUE_INDENT);
	stat_elements_choose(&after, &queues->jobs, view, 4);
	out_text(out, XML_JOB_INFO "  <queue_info>\n");
	for (size_t k = 0; k < queues->nrows && queues->error == 0 && !out->error; k++) {
		xml_open(out, 4, "Queue-List");
		instance_put(out, view, &queues->rows[k].instance);
		if (queues->explain)
			explain_put(queues, out, view, &queues->rows[k]);
		if (queues->attributes)
			attributes_put(queues, out, view, &queues->rows[k]);
		queues_jobs(queues, out, view, queues->rows[k].number, stat_element_put, &started);
		xml_close(out, 4, "Queue-List");
	}
	out_text(out, "  </queue_info>\n  <job_info>\n");
	queues_jobs_after(queues, out, view, pending_print, &after);
	out_text(out, "  </job_info>\n</job_info>\n");
}

/* Cluster queues */

static void sum_put(const struct queues *queues, struct out *out, const struct queue_sum *sum)
{
	/* in the order of QUEUE_LETTERS */
	static const char *const letters[] = {
		"suspend_manual", "suspend_threshold", "suspend_on_subordinate", "suspend_calendar", "unknown",
		"load_alarm",	  "disabled_manual",   "disabled_calendar",	 "ambiguous",	     "orphaned",
		"error"
	};

	xml_open(out, 2, "cluster_queue_summary");
	xml_string(out, SUM_INDENT, "name", sum->name);
	if (sum->loads)
		xml_fixed(out, SUM_INDENT, "load", sum->load / sum->loads, 5);
	xml_number(out, SUM_INDENT, "used", (int64_t)sum->used);
	xml_number(out, SUM_INDENT, "resv", (int64_t)sum->reserved);
	xml_number(out, SUM_INDENT, "available", (int64_t)sum->available);
	xml_number(out, SUM_INDENT, "total", (int64_t)sum->total);
	xml_number(out, SUM_INDENT, "temp_disabled", (int64_t)sum->busy);
	xml_number(out, SUM_INDENT, "manual_intervention", (int64_t)sum->closed);
	for (size_t k = 0; (queues->jobs.show & SHOW_EXTENDED) && k < sizeof(letters) / sizeof(*letters); k++)
		xml_number(out, SUM_INDENT, letters[k], (int64_t)sum->by_letter[k]);
	xml_close(out, 2, "cluster_queue_summary");
}

static void sums_put(struct queues *queues, struct out *out)
{
	size_t n;
	struct queue_sum *sums = queues_sum(queues, &n);

	if (!sums) {
		queues->error = -ENOMEM;
		return;
	}
	out_text(out, XML_JOB_INFO);
	for (size_t k = 0; k < n; k++)
		sum_put(queues, out, &sums[k]);
	out_text(out, "</job_info>\n");
	free(sums);
}

int queues_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *queues = context;
	bool any;
	int code = queues_begin(queues, view, &any);

	if (any && queues->summary)
		sums_put(queues, out);
	else if (any)
		instances_put(queues, out, view);
	return code;
}
