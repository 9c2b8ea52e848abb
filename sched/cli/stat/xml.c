/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat/lines.h"
#include "sched/cli/xml.h"
#include "sched/process/digits.h"

static void put_tickets(struct out *out, unsigned indent, const char *element, double value)
{
	xml_begin(out, indent, element);
	out_take(out, digits_truncated(out_room(out, DIGITS_BYTES), value));
	xml_end(out, element);
}

static void put_contribution(struct out *out, unsigned indent, const char *element, double value)
{
	char text[32];

	if (!isfinite(value) || value <= 99999999) {
		xml_fixed(out, indent, element, value, 0);
		return;
	}
	snprintf(text, sizeof(text), "%.3g", value);
	xml_string(out, indent, element, text);
}

static void put_time(struct out *out, struct job_listing *listing, unsigned indent, const char *element, int64_t time)
{
	xml_begin(out, indent, element);
	out_take(out, clock_put(&listing->clock, out_room(out, TIME_BYTES), time, TIME_ISO));
	xml_end(out, element);
}

static void put_tasks(struct out *out, unsigned indent, const char *element, const struct fl_job *job)
{
	if (!job->is_array)
		return;
	if (job->is_started || !job->nranges) {
		xml_number(out, indent, element, job->task);
		return;
	}
	xml_begin(out, indent, element);
	text_ranges(out, job->tasks, job->nranges);
	xml_end(out, element);
}

/*
 * Write the usage of a started task that has a load report. CPU time is in whole seconds, as in the
 * table.
 */
static void put_usage(struct out *out, unsigned indent, const char *element, const struct fl_job *job,
		      const struct stat_field *field)
{
	if (job->is_started && job->has_usage)
		xml_fixed(out, indent, element,
			  field->type == STAT_CPU ? trunc(stat_real(job, field)) : stat_real(job, field), 5);
}

/* Write a value. A missing value has no element, but project and queue have an empty one. */
static void put_field(struct out *out, struct job_listing *listing, const struct fl_job *job,
		      const struct stat_field *field, unsigned indent)
{
	const char *element = field->in[STAT_IN_XML].name;

	switch (field->type) {
	case STAT_NUMBER: xml_number(out, indent, element, *(const uint32_t *)stat_at(job, field)); break;
	case STAT_SIGNED: xml_number(out, indent, element, *(const int32_t *)stat_at(job, field)); break;
	case STAT_LETTERS: xml_string(out, indent, element, stat_at(job, field)); break;
	case STAT_TEXT:
	case STAT_NAME:
	case STAT_QUEUE:
		xml_string(out, indent, element, stat_string(job, field));
		break;
	case STAT_SUBMITTED: if (!job->is_started) put_time(out, listing, indent, element, stat_time(job, field)); break;
	case STAT_STARTED: if (job->is_started) put_time(out, listing, indent, element, stat_time(job, field)); break;
	case STAT_TIME: if (stat_time(job, field)) put_time(out, listing, indent, element, stat_time(job, field)); break;
	case STAT_TASKS: put_tasks(out, indent, element, job); break;
	case STAT_CPU: case STAT_USAGE: put_usage(out, indent, element, job, field); break;
	case STAT_PRIO:
	case STAT_NORMALISED:
	case STAT_SHARE:
		xml_fixed(out, indent, element, stat_real(job, field), 5);
		break;
	case STAT_CONTRIBUTION: put_contribution(out, indent, element, stat_real(job, field)); break;
	case STAT_TICKETS: put_tickets(out, indent, element, stat_real(job, field)); break;
	case STAT_REQUESTS:
	case STAT_PE:
	case STAT_GRANTED:
	case STAT_ID:
	case STAT_BOOL:
	case STAT_KIND:
	case STAT_TYPES:
		break;
	}
}

static const char *list_state(const struct fl_job *job)
{
	if (strchr(job->state, 'z'))
		return "zombie";
	return job->is_started ? "running" : "pending";
}

void stat_elements_choose(struct stat_elements *elements, const struct job_listing *listing, const struct fl_view *view,
			  unsigned indent)
{
	*elements = (struct stat_elements){ .indent = indent, .view = view };
	elements->n = stat_fields_shown(listing, STAT_IN_XML, elements->fields);
}

/* Write the slots. With -g t an element stands for one slot of a started task. */
static void put_slots(struct out *out, const struct job_listing *listing, const struct fl_job *job,
		      const struct spread_line *line, unsigned indent)
{
	if (listing->spread)
		xml_string(out, indent, "master", !line ? "" : line->is_master ? "MASTER" : "SLAVE");
	xml_number(out, indent, "slots", line ? 1 : job->slots);
}

void stat_element_put(struct out *out, struct job_listing *listing, const struct fl_job *job,
		      const struct spread_line *line, void *elements)
{
	const struct stat_elements *stat_elements = elements;
	unsigned inner = stat_elements->indent + 2;
	struct fl_job row = *job;

	out_take(out, text_blanks(out_room(out, 64), stat_elements->indent));
	out_put(out, "<job_list state=\"%s\">\n", list_state(job));
	/* the usage of a parallel task is in its master's element */
	row.has_usage &= !line || line->is_master;
	for (size_t k = 0; k < stat_elements->n; k++) {
		if (stat_elements->fields[k]->offset == offsetof(struct fl_job, slots))
			put_slots(out, listing, job, line, inner);
		else
			put_field(out, listing, &row, stat_elements->fields[k], inner);
	}
	if (listing->show & SHOW_REQUESTS)
		requests_xml(stat_elements->view, out, listing, job, inner);
	xml_close(out, stat_elements->indent, "job_list");
}

static void print_row(struct out *out, struct job_listing *listing, const struct fl_job *job, void *context)
{
	const struct stat_elements *elements = context;

	if (listing->spread && job->is_started)
		spread_each(elements->view, out, listing, job, stat_element_put, context);
	else
		stat_element_put(out, listing, job, NULL, context);
}

int stat_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct job_listing *listing = context;
	struct stat_elements elements;

	stat_elements_choose(&elements, listing, view, 4);
	out_text(out, XML_JOB_INFO "  <queue_info>\n");
	stat_each(view, out, listing, FL_STARTED, print_row, &elements);
	out_text(out, "  </queue_info>\n  <job_info>\n");
	stat_each(view, out, listing, FL_PENDING, print_row, &elements);
	out_text(out, "  </job_info>\n</job_info>\n");
	return EXIT_OK;
}
