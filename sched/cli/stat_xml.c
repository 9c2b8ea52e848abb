/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat_fields.h"
#include "sched/process/digits.h"

static void begin(struct out *o, const char *element)
{
	out_bytes(o, "      <", 7);
	out_text(o, element);
	out_bytes(o, ">", 1);
}

static void end(struct out *o, const char *element)
{
	out_bytes(o, "</", 2);
	out_text(o, element);
	out_bytes(o, ">\n", 2);
}

static void put_string(struct out *o, const char *element, const char *text)
{
	begin(o, element);
	text_xml(o, text);
	end(o, element);
}

static void put_fixed(struct out *o, const char *element, double value, unsigned decimals)
{
	begin(o, element);
	out_take(o, digits_fixed(out_room(o, DIGITS_BYTES), value, decimals));
	end(o, element);
}

static void put_number(struct out *o, const char *element, int64_t value)
{
	begin(o, element);
	out_take(o, digits_i64(out_room(o, DIGITS_BYTES), value));
	end(o, element);
}

static void put_tickets(struct out *o, const char *element, double value)
{
	begin(o, element);
	out_take(o, digits_truncated(out_room(o, DIGITS_BYTES), value));
	end(o, element);
}

static void put_contribution(struct out *o, const char *element, double value)
{
	char text[32];

	if (!isfinite(value) || value <= 99999999) {
		put_fixed(o, element, value, 0);
		return;
	}
	snprintf(text, sizeof(text), "%.3g", value);
	put_string(o, element, text);
}

static void put_time(struct out *o, struct stat *s, const char *element, int64_t time)
{
	begin(o, element);
	out_take(o, clock_put(&s->clock, out_room(o, TIME_BYTES), time, TIME_ISO));
	end(o, element);
}

static void put_tasks(struct out *o, const char *element, const struct fl_job *job)
{
	if (!job->is_array)
		return;
	if (job->is_started || !job->nranges) {
		put_number(o, element, job->task);
		return;
	}
	begin(o, element);
	text_ranges(o, job->tasks, job->nranges);
	end(o, element);
}

/* <element name="name">value</element> */
static void put_named(struct out *o, const char *element, const char *name, const char *value)
{
	out_bytes(o, "      <", 7);
	out_text(o, element);
	out_text(o, " name=\"");
	text_xml(o, name);
	out_text(o, "\">");
	text_xml(o, value);
	end(o, element);
}

/*
 * "name=value,name" as typed behind -l; a name alone means TRUE. Over-long pieces, which no
 * resource has, are cut.
 */
static void put_requests(struct out *o, const char *element, const char *text)
{
	char piece[512];

	while (*text) {
		size_t length = strcspn(text, ",");

		snprintf(piece, sizeof(piece), "%.*s", (int)(length < sizeof(piece) ? length : sizeof(piece)), text);
		char *value = strchr(piece, '=');

		if (value)
			*value++ = '\0';
		put_named(o, element, piece, value ? value : "TRUE");
		text += length;
		text += *text == ',';
	}
}

/*
 * A range that is open, "-7" or "3-", is shown with the smallest or the largest number that Grid
 * Engine knows.
 */
static void put_pe(struct out *o, const char *element, const char *pe, const char *range)
{
	char text[512];
	size_t n = strnlen(range, sizeof(text) - 16);
	bool is_open = n && range[n - 1] == '-';

	snprintf(text, sizeof(text), "%s%.*s%s", *range == '-' ? "1" : "", (int)n, range, is_open ? "9999999" : "");
	put_named(o, element, pe, text);
}

static void put_granted(struct out *o, const char *element, const struct fl_job *job)
{
	char slots[16];

	snprintf(slots, sizeof(slots), "%u", job->slots);
	put_named(o, element, job->granted_pe, slots);
}

/* Of started tasks, once a report has come. CPU time in whole seconds, as in the table. */
static void put_usage(struct out *o, const char *element, const struct fl_job *job, const struct stat_field *f)
{
	if (job->is_started && job->has_usage)
		put_fixed(o, element, f->type == STAT_CPU ? trunc(stat_real(job, f)) : stat_real(job, f), 5);
}

/* What a job has none of gets no element. */
static void put_field(struct out *o, struct stat *s, const struct fl_job *job, const struct stat_field *f)
{
	const char *element = f->in[STAT_IN_XML].name;

	switch (f->type) {
	case STAT_NUMBER: put_number(o, element, *(const uint32_t *)stat_at(job, f)); break;
	case STAT_SIGNED: put_number(o, element, *(const int32_t *)stat_at(job, f)); break;
	case STAT_LETTERS: put_string(o, element, stat_at(job, f)); break;
	case STAT_TEXT: case STAT_NAME: case STAT_QUEUE: put_string(o, element, stat_string(job, f)); break;
	case STAT_REQUESTS: put_requests(o, element, stat_string(job, f)); break;
	case STAT_PE: if (*job->pe) put_pe(o, element, job->pe, job->pe_range); break;
	case STAT_GRANTED: if (*job->granted_pe) put_granted(o, element, job); break;
	case STAT_SUBMITTED: if (!job->is_started) put_time(o, s, element, stat_time(job, f)); break;
	case STAT_STARTED: if (job->is_started) put_time(o, s, element, stat_time(job, f)); break;
	case STAT_TIME: if (stat_time(job, f)) put_time(o, s, element, stat_time(job, f)); break;
	case STAT_TASKS: put_tasks(o, element, job); break;
	case STAT_CPU: case STAT_USAGE: put_usage(o, element, job, f); break;
	case STAT_PRIO: case STAT_NORMALISED: case STAT_SHARE: put_fixed(o, element, stat_real(job, f), 5); break;
	case STAT_CONTRIBUTION: put_contribution(o, element, stat_real(job, f)); break;
	case STAT_TICKETS: put_tickets(o, element, stat_real(job, f)); break;
	case STAT_ID: case STAT_BOOL: case STAT_KIND: case STAT_TYPES: break;
	}
}

struct document {
	const struct stat_field *fields[STAT_FIELDS];
	size_t n;
};

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	const struct document *d = context;

	out_text(o, job->is_started ? "    <job_list state=\"running\">\n" : "    <job_list state=\"pending\">\n");
	for (size_t k = 0; k < d->n; k++)
		put_field(o, s, job, d->fields[k]);
	if (s->show & SHOW_REQUESTS)
		put_string(o, "binding", "NONE");
	out_text(o, "    </job_list>\n");
}

int stat_xml(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;
	struct document d;

	d.n = stat_fields_choose(STAT_IN_XML, s->show, d.fields);
	out_text(o, "<?xml version='1.0'?>\n<job_info  xmlns:xsd=\""
		    "http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qstat/qstat.xsd\">\n"
		    "  <queue_info>\n");
	stat_each(view, o, s, FL_STARTED, print_row, &d);
	out_text(o, "  </queue_info>\n  <job_info>\n");
	stat_each(view, o, s, FL_PENDING, print_row, &d);
	out_text(o, "  </job_info>\n</job_info>\n");
	return EXIT_OK;
}
