/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "sched/cli/stat.h"
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

static void put_priorities(struct out *o, unsigned show, const struct fl_job *job)
{
	put_fixed(o, "JAT_prio", job->prio, 5);
	if (show & (SHOW_PRIORITY | SHOW_EXTENDED))
		put_fixed(o, "JAT_ntix", job->ntckts, 5);
	if (show & SHOW_PRIORITY)
		put_fixed(o, "JB_nppri", job->npprior, 5);
	if (show & (SHOW_PRIORITY | SHOW_URGENCY))
		put_fixed(o, "JB_nurg", job->nurg, 5);
	if (show & SHOW_URGENCY) {
		put_contribution(o, "JB_rrcontr", job->rrcontr);
		put_contribution(o, "JB_wtcontr", job->wtcontr);
		put_contribution(o, "JB_dlcontr", job->dlcontr);
	}
	if (show & SHOW_PRIORITY)
		put_number(o, "JB_priority", job->priority);
}

static void put_owner(struct out *o, struct stat *s, const struct fl_job *job)
{
	put_string(o, "JB_name", job->name);
	put_string(o, "JB_owner", job->owner);
	if (s->show & SHOW_EXTENDED) {
		put_string(o, "JB_project", job->project);
		put_string(o, "JB_department", job->department);
	}
	put_string(o, "state", job->state);
	if ((s->show & SHOW_TIMES) && job->is_started)
		put_time(o, s, "JAT_start_time", job->start_time);
	else if (s->show & SHOW_TIMES)
		put_time(o, s, "JB_submission_time", job->submission_time);
	if ((s->show & SHOW_URGENCY) && job->deadline)
		put_time(o, s, "JB_deadline", job->deadline);
}

static void put_extended(struct out *o, const struct fl_job *job)
{
	if (job->is_started && job->has_usage) {
		put_fixed(o, "cpu_usage", trunc(job->cpu), 5);	/* whole seconds, as in the table */
		put_fixed(o, "mem_usage", job->mem, 5);
		put_fixed(o, "io_usage", job->io, 5);
	}
	put_tickets(o, "tickets", job->tckts);
	put_number(o, "JB_override_tickets", job->override_tickets);
	put_number(o, "JB_jobshare", job->jobshare);
	put_tickets(o, "otickets", job->otckt);
	put_tickets(o, "ftickets", job->ftckt);
	put_tickets(o, "stickets", job->stckt);
	put_fixed(o, "JAT_share", job->share, 5);
}

static void put_tasks(struct out *o, const struct fl_job *job)
{
	if (!job->is_array)
		return;
	if (job->is_started || !job->nranges) {
		put_number(o, "tasks", job->task);
		return;
	}
	begin(o, "tasks");
	text_ranges(o, job->tasks, job->nranges);
	end(o, "tasks");
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
static void put_pe(struct out *o, const char *pe, const char *range)
{
	char text[512];
	size_t n = strnlen(range, sizeof(text) - 16);
	bool is_open = n && range[n - 1] == '-';

	snprintf(text, sizeof(text), "%s%.*s%s", *range == '-' ? "1" : "", (int)n, range, is_open ? "9999999" : "");
	put_named(o, "requested_pe", pe, text);
}

static void put_details(struct out *o, const struct fl_job *job)
{
	char slots[16];

	put_string(o, "full_job_name", job->name);
	if (*job->pe)
		put_pe(o, job->pe, job->pe_range);
	if (*job->granted_pe) {
		snprintf(slots, sizeof(slots), "%u", job->slots);
		put_named(o, "granted_pe", job->granted_pe, slots);
	}
	put_requests(o, "hard_request", job->hard_resources);
	put_requests(o, "soft_request", job->soft_resources);
	put_string(o, "binding", "NONE");
}

static void print_row(struct out *o, struct stat *s, const struct fl_job *job, void *context)
{
	(void)context;
	out_text(o, job->is_started ? "    <job_list state=\"running\">\n" : "    <job_list state=\"pending\">\n");
	put_number(o, "JB_job_number", job->job_number);
	put_priorities(o, s->show, job);
	put_owner(o, s, job);
	if (s->show & SHOW_EXTENDED)
		put_extended(o, job);
	put_string(o, "queue_name", job->queue);
	put_number(o, "slots", job->slots);
	put_tasks(o, job);
	if (s->requests)
		put_details(o, job);
	out_text(o, "    </job_list>\n");
}

int stat_xml(const struct fl_view *view, struct out *o, void *stat)
{
	struct stat *s = stat;

	out_text(o, "<?xml version='1.0'?>\n<job_info  xmlns:xsd=\""
		    "http://arc.liv.ac.uk/repos/darcs/sge/source/dist/util/resources/schemas/qstat/qstat.xsd\">\n"
		    "  <queue_info>\n");
	stat_each(view, o, s, FL_STARTED, print_row, NULL);
	out_text(o, "  </queue_info>\n  <job_info>\n");
	stat_each(view, o, s, FL_PENDING, print_row, NULL);
	out_text(o, "  </job_info>\n</job_info>\n");
	return EXIT_OK;
}
