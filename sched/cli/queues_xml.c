/* SPDX-License-Identifier: Apache-2.0 */
/* Queue instances as qstat(1) -f -xml prints them, and cluster queues as -g c -xml. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/queues.h"
#include "sched/cli/xml.h"

#define QUEUE_INDENT 6u			/* of an element of an instance */
#define SUM_INDENT 4u

static void instance_put(struct out *o, const struct fl_view *view, const struct fl_instance *i)
{
	struct fl_host host = { .available = false, .arch = "" };

	if (i->host > 0)
		fl_host(view, i->host, &host);
	xml_string(o, QUEUE_INDENT, "name", i->name);
	xml_string(o, QUEUE_INDENT, "qtype", i->type);
	xml_number(o, QUEUE_INDENT, "slots_used", i->used);
	xml_number(o, QUEUE_INDENT, "slots_resv", i->reserved);
	xml_number(o, QUEUE_INDENT, "slots_total", i->slots);
	if (host.available && host.load_avg >= 0)
		xml_fixed(o, QUEUE_INDENT, "load_avg", host.load_avg, 5);
	if (host.available && *host.arch)
		xml_string(o, QUEUE_INDENT, "arch", host.arch);
	if (*i->state)
		xml_string(o, QUEUE_INDENT, "state", i->state);
}

static void explain_put(const struct queues *q, struct out *o, const struct fl_view *view, const struct queue_row *row)
{
	struct fl_alarm alarm;

	for (size_t k = 0; fl_alarm(view, row->number, k, &alarm) == 0; k++) {
		const char *element = alarm.suspends ? "suspend-alarm-reason" : "load-alarm-reason";

		if (!strchr(q->explain, alarm.suspends ? 'A' : 'a'))
			continue;
		xml_begin(o, QUEUE_INDENT, element);
		queues_alarm_text(o, &alarm, text_xml);
		xml_end(o, element);
	}
	if (strchr(q->explain, 'c') && strchr(row->instance.state, 'c'))
		xml_string(o, QUEUE_INDENT, "message", QUEUES_AMBIGUOUS);
	if (strchr(q->explain, 'E') && strchr(row->instance.state, 'E'))
		xml_string(o, QUEUE_INDENT, "message", QUEUES_IN_ERROR);
}

static void attributes_put(struct queues *q, struct out *o, const struct fl_view *view, const struct queue_row *row)
{
	size_t number = row->number;

	q->error = attributes_of(&q->found, view, &q->cell.cell, row->instance.host, &number);
	for (size_t i = 0; i < q->found.n; i++) {
		const struct found_value *a = &q->found.items[i];

		if (!queues_shows(q, a))
			continue;
		out_put(o, "%*s<resource name=\"", (int)QUEUE_INDENT, "");
		text_xml(o, a->name);
		out_put(o, "\" type=\"%s\">", attribute_origin(a));
		attribute_xml(o, a, true);
		xml_end(o, "resource");
	}
}

static void pending_print(struct out *o, struct stat *s, const struct fl_job *job, void *elements)
{
	stat_element_put(o, s, job, NULL, elements);
}

static void instances_put(struct queues *q, struct out *o, const struct fl_view *view)
{
	struct stat_elements started, after;

	stat_elements_choose(&started, &q->jobs, view, QUEUE_INDENT);
	stat_elements_choose(&after, &q->jobs, view, 4);
	out_text(o, XML_JOB_INFO "  <queue_info>\n");
	for (size_t k = 0; k < q->nrows && q->error == 0 && !o->error; k++) {
		xml_open(o, 4, "Queue-List");
		instance_put(o, view, &q->rows[k].instance);
		if (q->explain)
			explain_put(q, o, view, &q->rows[k]);
		if (q->attributes)
			attributes_put(q, o, view, &q->rows[k]);
		queues_jobs(q, o, view, q->rows[k].number, stat_element_put, &started);
		xml_close(o, 4, "Queue-List");
	}
	out_text(o, "  </queue_info>\n  <job_info>\n");
	queues_jobs_after(q, o, view, pending_print, &after);
	out_text(o, "  </job_info>\n</job_info>\n");
}

/* Cluster queues */

static void sum_put(const struct queues *q, struct out *o, const struct queue_sum *s)
{
	/* in the order of QUEUE_LETTERS */
	static const char *const letters[] = { "suspend_manual", "suspend_threshold", "suspend_on_subordinate", "suspend_calendar", "unknown", "load_alarm",
					       "disabled_manual", "disabled_calendar", "ambiguous", "orphaned", "error" };

	xml_open(o, 2, "cluster_queue_summary");
	xml_string(o, SUM_INDENT, "name", s->name);
	if (s->loads)
		xml_fixed(o, SUM_INDENT, "load", s->load / s->loads, 5);
	xml_number(o, SUM_INDENT, "used", (int64_t)s->used);
	xml_number(o, SUM_INDENT, "resv", (int64_t)s->reserved);
	xml_number(o, SUM_INDENT, "available", (int64_t)s->available);
	xml_number(o, SUM_INDENT, "total", (int64_t)s->total);
	xml_number(o, SUM_INDENT, "temp_disabled", (int64_t)s->busy);
	xml_number(o, SUM_INDENT, "manual_intervention", (int64_t)s->closed);
	for (size_t k = 0; (q->jobs.show & SHOW_EXTENDED) && k < sizeof(letters) / sizeof(*letters); k++)
		xml_number(o, SUM_INDENT, letters[k], (int64_t)s->by_letter[k]);
	xml_close(o, 2, "cluster_queue_summary");
}

static void sums_put(struct queues *q, struct out *o)
{
	size_t n;
	struct queue_sum *sums = queues_sum(q, &n);

	if (!sums) {
		q->error = -ENOMEM;
		return;
	}
	out_text(o, XML_JOB_INFO);
	for (size_t k = 0; k < n; k++)
		sum_put(q, o, &sums[k]);
	out_text(o, "</job_info>\n");
	free(sums);
}

int queues_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct queues *q = context;
	bool any;
	int code = queues_begin(q, view, &any);

	if (any && q->summary)
		sums_put(q, out);
	else if (any)
		instances_put(q, out, view);
	return code;
}
