/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat_lines.h"
#include "sched/cli/xml.h"
#include "sched/process/digits.h"

static void put_tickets(struct out *o, unsigned indent, const char *element, double value)
{
	xml_begin(o, indent, element);
	out_take(o, digits_truncated(out_room(o, DIGITS_BYTES), value));
	xml_end(o, element);
}

static void put_contribution(struct out *o, unsigned indent, const char *element, double value)
{
	char text[32];

	if (!isfinite(value) || value <= 99999999) {
		xml_fixed(o, indent, element, value, 0);
		return;
	}
	snprintf(text, sizeof(text), "%.3g", value);
	xml_string(o, indent, element, text);
}

static void put_time(struct out *o, struct stat *s, unsigned indent, const char *element, int64_t time)
{
	xml_begin(o, indent, element);
	out_take(o, clock_put(&s->clock, out_room(o, TIME_BYTES), time, TIME_ISO));
	xml_end(o, element);
}

static void put_tasks(struct out *o, unsigned indent, const char *element, const struct fl_job *job)
{
	if (!job->is_array)
		return;
	if (job->is_started || !job->nranges) {
		xml_number(o, indent, element, job->task);
		return;
	}
	xml_begin(o, indent, element);
	text_ranges(o, job->tasks, job->nranges);
	xml_end(o, element);
}

/* Write usage of started tasks, once a report has come. CPU time is in whole seconds, as in the table. */
static void put_usage(struct out *o, unsigned indent, const char *element, const struct fl_job *job, const struct stat_field *f)
{
	if (job->is_started && job->has_usage)
		xml_fixed(o, indent, element, f->type == STAT_CPU ? trunc(stat_real(job, f)) : stat_real(job, f), 5);
}

/* Print no element for what a job does not have, except its project and queue, which are empty then. */
static void put_field(struct out *o, struct stat *s, const struct fl_job *job, const struct stat_field *f, unsigned indent)
{
	const char *element = f->in[STAT_IN_XML].name;

	switch (f->type) {
	case STAT_NUMBER: xml_number(o, indent, element, *(const uint32_t *)stat_at(job, f)); break;
	case STAT_SIGNED: xml_number(o, indent, element, *(const int32_t *)stat_at(job, f)); break;
	case STAT_LETTERS: xml_string(o, indent, element, stat_at(job, f)); break;
	case STAT_TEXT: case STAT_NAME: case STAT_QUEUE: xml_string(o, indent, element, stat_string(job, f)); break;
	case STAT_SUBMITTED: if (!job->is_started) put_time(o, s, indent, element, stat_time(job, f)); break;
	case STAT_STARTED: if (job->is_started) put_time(o, s, indent, element, stat_time(job, f)); break;
	case STAT_TIME: if (stat_time(job, f)) put_time(o, s, indent, element, stat_time(job, f)); break;
	case STAT_TASKS: put_tasks(o, indent, element, job); break;
	case STAT_CPU: case STAT_USAGE: put_usage(o, indent, element, job, f); break;
	case STAT_PRIO: case STAT_NORMALISED: case STAT_SHARE: xml_fixed(o, indent, element, stat_real(job, f), 5); break;
	case STAT_CONTRIBUTION: put_contribution(o, indent, element, stat_real(job, f)); break;
	case STAT_TICKETS: put_tickets(o, indent, element, stat_real(job, f)); break;
	case STAT_REQUESTS: case STAT_PE: case STAT_GRANTED: case STAT_ID: case STAT_BOOL: case STAT_KIND: case STAT_TYPES: break;
	}
}

static const char *list_state(const struct fl_job *job)
{
	if (strchr(job->state, 'z'))
		return "zombie";
	return job->is_started ? "running" : "pending";
}

void stat_elements_choose(struct stat_elements *elements, const struct stat *s, const struct fl_view *view, unsigned indent)
{
	*elements = (struct stat_elements){ .indent = indent, .view = view };
	elements->n = stat_fields_shown(s, STAT_IN_XML, elements->fields);
}

/* With -g t an element stands for one slot of a started task. */
static void put_slots(struct out *o, const struct stat *s, const struct fl_job *job, const struct spread_line *line, unsigned indent)
{
	if (s->spread)
		xml_string(o, indent, "master", !line ? "" : line->is_master ? "MASTER" : "SLAVE");
	xml_number(o, indent, "slots", line ? 1 : job->slots);
}

void stat_element_put(struct out *o, struct stat *s, const struct fl_job *job, const struct spread_line *line, void *elements)
{
	const struct stat_elements *e = elements;
	unsigned inner = e->indent + 2;
	struct fl_job row = *job;

	out_take(o, text_blanks(out_room(o, 64), e->indent));
	out_put(o, "<job_list state=\"%s\">\n", list_state(job));
	/* what a parallel task has used is in its master's element */
	row.has_usage &= !line || line->is_master;
	for (size_t k = 0; k < e->n; k++) {
		if (e->fields[k]->offset == offsetof(struct fl_job, slots))
			put_slots(o, s, job, line, inner);
		else
			put_field(o, s, &row, e->fields[k], inner);
	}
	if (s->show & SHOW_REQUESTS)
		requests_xml(e->view, o, s, job, inner);
	xml_close(o, e->indent, "job_list");
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	const struct stat_elements *e = context;

	if (s->spread && job->is_started)
		spread_each(e->view, o, s, job, stat_element_put, context);
	else
		stat_element_put(o, s, job, NULL, context);
}

int stat_xml(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	struct stat_elements elements;

	stat_elements_choose(&elements, s, view, 4);
	out_text(o, XML_JOB_INFO "  <queue_info>\n");
	stat_each(view, o, s, FL_STARTED, print_row, &elements);
	out_text(o, "  </queue_info>\n  <job_info>\n");
	stat_each(view, o, s, FL_PENDING, print_row, &elements);
	out_text(o, "  </job_info>\n</job_info>\n");
	return EXIT_OK;
}
