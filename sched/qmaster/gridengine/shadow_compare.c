/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions of the built-in scheduler, found in events and answers, and their comparison with ours.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/utf8.h"
#include "sched/qmaster/gdi/packet.h"
#include "sched/qmaster/gdi/registration.h"
#include "sched/qmaster/gridengine/shadow_inside.h"
#include "sched/qmaster/gridengine/take_event.h"
#include "sched/sched.h"

/* Their starts */

static void start_text(const struct gdi_element *task, uint32_t job_number, char *text, size_t size)
{
	struct gdi_list granted = gdi_list(task, JAT_granted_destin_identifier_list);
	struct gdi_element one;
	size_t n = (size_t)snprintf(text, size, "%u.%u", job_number, gdi_u32(task, JAT_task_number));

	while (n < size && gdi_next(&granted, &one))
		n += (size_t)snprintf(text + n, size - n, " %s=%u", gdi_text(&one, JG_qname), gdi_u32(&one, JG_slots));
	if (n < size && *gdi_text(task, JAT_granted_pe))
		snprintf(text + n, size - n, " pe=%s", gdi_text(task, JAT_granted_pe));
	utf8_clean(text);
}

static bool is_start(const struct sge *sge, const struct reported_event *event, const struct gdi_element *task)
{
	const struct known_task *known = known_task_find(sge->known, event->intkey, gdi_u32(task, JAT_task_number));
	uint32_t status = gdi_u32(task, JAT_status);

	return (status == KNOWN_TRANSFERRING || status == KNOWN_RUNNING) &&
	       gdi_list(task, JAT_granted_destin_identifier_list).left > 0 &&
	       !(known && known->reported && known->start_time == gdi_u32(task, JAT_start_time));
}

static bool is_listed(const struct audit_starts *starts, const char *text)
{
	for (size_t i = 0; i < starts->n; i++)
		if (strcmp(starts->items[i].text, text) == 0)
			return true;
	return false;
}

/*
 * Return whether an event may belong to a start. The qmaster reports a start in several events, for
 * its instances, job and PE.
 */
static bool is_about_starts(const struct reported_event *event)
{
	return event->type == GDI_EV_QINSTANCE_MOD || event->type == GDI_EV_EXECHOST_MOD ||
	       event->type == GDI_EV_JOB_MOD || event->type == GDI_EV_PE_MOD || event->type == GDI_EV_JATASK_ADD ||
	       event->type == GDI_EV_JATASK_MOD || event->type == GDI_EV_AR_MOD || event->type == GDI_EV_JOB_USAGE ||
	       event->type == GDI_EV_USER_MOD || event->type == GDI_EV_PROJECT_MOD || event->type == GDI_EV_JOB_DEL ||
	       event->type == GDI_EV_JATASK_DEL;
}

/*
 * Return whether an event only concerns usage, which affects nothing except tickets. Usage of users
 * and projects was booked by the run itself, at its own time.
 */
static bool is_about_numbers(const struct reported_event *event)
{
	return event->type == GDI_EV_JOB_MOD || event->type == GDI_EV_JOB_USAGE;
}

static void latest(int64_t *time, int64_t other)
{
	if (other > *time)
		*time = other;
}

void shadow_reports(struct shadow *shadow, const struct post_record *record, uint32_t below)
{
	struct gdi_list events = gdi_delivery_events(record->bytes);
	struct reported_event event;

	while (reported_event_next(&events, &event) && event.number < below) {
		int64_t when = gdi_u32(&event.element, ET_timestamp);

		if (!is_about_starts(&event))
			latest(&shadow->changed, when);
		if (is_about_numbers(&event))
			latest(&shadow->touched, when);
	}
}

/*
 * Note an enrolled task. A task that has no record is enrolled first, and this event belongs to the
 * next start if it is the same task. A task that was enrolled long before, because it was held or
 * requeued, begins with the start itself. So the first events of starts ascend like the starts.
 */
static void start_enrolled(struct shadow_scan *scan, const struct reported_event *event, const struct gdi_element *task)
{
	if (event->type == GDI_EV_JATASK_ADD)
		scan->enrolled = (struct audit_start){ .job_number = event->intkey,
						       .task = gdi_u32(task, JAT_task_number),
						       .event = event->number };
}

static int start_take(struct shadow_scan *scan, const struct reported_event *event, const struct gdi_element *task)
{
	struct audit_starts *starts = scan->starts;
	const struct audit_start *last = starts->n ? &starts->items[starts->n - 1] : NULL;
	struct audit_start start = { .job_number = event->intkey,
				     .task = gdi_u32(task, JAT_task_number),
				     .event = event->number,
				     .start_time = gdi_u32(task, JAT_start_time) };
	char text[1024];

	start_text(task, event->intkey, text, sizeof(text));
	if (is_listed(starts, text))
		return 0;
	if (scan->enrolled.job_number == start.job_number && scan->enrolled.task == start.task)
		start.event = scan->enrolled.event;
	start.apart = last && (scan->reported || start.start_time > last->start_time);
	scan->reported = false;
	scan->enrolled = (struct audit_start){ 0 };
	return audit_start_add(starts, &start, text);
}

int shadow_starts(struct sge *sge, const struct post_record *record, struct shadow_scan *scan)
{
	struct gdi_list events = gdi_delivery_events(record->bytes);
	struct reported_event event;
	int rc = 0;

	while (rc == 0 && reported_event_next(&events, &event)) {
		struct gdi_element task;

		scan->reported |= !is_about_starts(&event);
		if (event.number < scan->from || (event.type != GDI_EV_JATASK_ADD && event.type != GDI_EV_JATASK_MOD) ||
		    !gdi_next(&event.elements, &task))
			continue;
		start_enrolled(scan, &event, &task);
		if (is_start(sge, &event, &task))
			rc = start_take(scan, &event, &task);
	}
	return rc;
}

/* Their numbers */

static const struct gdi_wanted of_task[] = {
	{ .number = JAT_task_number }, { .number = JAT_status }, { .number = JAT_tix }, { .number = JAT_oticket },
	{ .number = JAT_fticket }, { .number = JAT_sticket }, { .number = JAT_share }, { .number = JAT_prio },
	{ .number = JAT_ntix },
};
#define OF_TASK of_task, sizeof(of_task) / sizeof(*of_task)
static const struct gdi_wanted of_job[] = {
	{ .number = JB_job_number }, { .number = JB_submission_time }, { JB_ja_template, OF_TASK },
	{ JB_ja_tasks, OF_TASK }, { .number = JB_urg }, { .number = JB_nurg }, { .number = JB_nppri },
	{ .number = JB_rrcontr }, { .number = JB_dlcontr }, { .number = JB_wtcontr },
};

void shadow_question(struct gdi_writer *writer, const char *credential)
{
	gdi_write_header(writer);
	gdi_task_begin(writer, GDI_GET, GDI_JOB_LIST);
	gdi_write_null(writer);
	gdi_task_where(writer);
	gdi_write_everywhere(writer);
	gdi_write_wanted(writer, of_job, sizeof(of_job) / sizeof(*of_job));
	gdi_task_end(writer, credential, 1, false);
}

static int row_add(struct shadow *shadow, const struct gdi_element *job, const struct gdi_element *task, uint32_t id)
{
	if ((shadow->ntheirs & (shadow->ntheirs - 1)) == 0 &&
	    array_grow(&shadow->theirs, shadow->ntheirs ? 2 * shadow->ntheirs : 64, sizeof(*shadow->theirs)))
		return -ENOMEM;
	shadow->theirs[shadow->ntheirs++] = (struct audit_row){ gdi_u32(job, JB_job_number),
								id,
								{
									[AUDIT_PRIO] = gdi_double(task, JAT_prio),
									[AUDIT_NTCKTS] = gdi_double(task, JAT_ntix),
									[AUDIT_NURG] = gdi_double(job, JB_nurg),
									[AUDIT_NPPRIOR] = gdi_double(job, JB_nppri),
									[AUDIT_URG] = gdi_double(job, JB_urg),
									[AUDIT_RRCONTR] = gdi_double(job, JB_rrcontr),
									[AUDIT_WTCONTR] = gdi_double(job, JB_wtcontr),
									[AUDIT_DLCONTR] = gdi_double(job, JB_dlcontr),
									[AUDIT_TCKTS] = gdi_double(task, JAT_tix),
									[AUDIT_OTCKT] = gdi_double(task, JAT_oticket),
									[AUDIT_FTCKT] = gdi_double(task, JAT_fticket),
									[AUDIT_STCKT] = gdi_double(task, JAT_sticket),
									[AUDIT_SHARE] = gdi_double(task, JAT_share),
								} };
	return 0;
}

static int job_add(struct shadow *shadow, const struct gdi_element *job)
{
	struct gdi_list waiting = gdi_list(job, JB_ja_template), tasks = gdi_list(job, JB_ja_tasks);
	struct gdi_element task;
	int rc = gdi_next(&waiting, &task) ? row_add(shadow, job, &task, 0) : 0;

	while (rc == 0 && gdi_next(&tasks, &task))
		if (gdi_u32(&task, JAT_status) != KNOWN_IDLE && gdi_u32(&task, JAT_status) != KNOWN_FINISHED)
			rc = row_add(shadow, job, &task, gdi_u32(&task, JAT_task_number));
	return rc;
}

static int row_order(const void *a, const void *b)
{
	const struct audit_row *x = a, *y = b;

	return x->job_number != y->job_number ? (x->job_number > y->job_number) - (x->job_number < y->job_number) :
						(x->task > y->task) - (x->task < y->task);
}

/*
 * Find the time of the run, from the waiting times, which are the same for all jobs of one run. 0:
 * they show nothing. -EAGAIN: they belong to different runs, because one was being reported.
 */
static int clock_find(const struct gdi_element *job, double weight, int64_t *clock)
{
	double waited = weight > 0 ? gdi_double(job, JB_wtcontr) / weight : 0;
	int64_t now;

	if (!(waited > 0 && waited < 1e10))
		return 0;
	now = gdi_u32(job, JB_submission_time) + (int64_t)llround(waited);
	if (*clock && *clock != now)
		return -EAGAIN;
	*clock = now;
	return 0;
}

int shadow_numbers(struct shadow *shadow, const unsigned char *bytes, size_t n, int64_t *now,
		   double weight_waiting_time, struct error *error)
{
	struct gdi_buffer buffer = { bytes, bytes + n };
	struct gdi_answer answer;
	struct gdi_element job;
	int64_t clock = 0;
	int rc = gdi_take_header(&buffer, error), reported = 0;

	rc = rc ? rc : gdi_take_answer(&buffer, &answer, error);
	if (rc == 0 && answer.quality <= GDI_ERROR && answer.status != GDI_OK)
		return error_set(error, -EPROTO, "the qmaster refuses to list its jobs: %.160s", answer.text);
	shadow->ntheirs = 0;
	while (rc == 0 && gdi_next(&answer.data, &job)) {
		rc = job_add(shadow, &job);
		if (rc == 0 && reported == 0)
			reported = clock_find(&job, weight_waiting_time, &clock);
	}
	if (rc)
		return rc;
	if (shadow->ntheirs > 0)
		qsort(shadow->theirs, shadow->ntheirs, sizeof(*shadow->theirs), row_order);
	if (clock)
		*now = clock;
	return reported;
}

/* Ours */

static void row_of(const struct fl_job *job, struct audit_row *row)
{
	*row = (struct audit_row){ job->job_number,
				   job->is_started ? job->task : 0,
				   {
					   [AUDIT_PRIO] = job->prio,
					   [AUDIT_NTCKTS] = job->ntckts,
					   [AUDIT_NURG] = job->nurg,
					   [AUDIT_NPPRIOR] = job->npprior,
					   [AUDIT_URG] = job->urg,
					   [AUDIT_RRCONTR] = job->rrcontr,
					   [AUDIT_WTCONTR] = job->wtcontr,
					   [AUDIT_DLCONTR] = job->dlcontr,
					   [AUDIT_TCKTS] = job->tckts,
					   [AUDIT_OTCKT] = job->otckt,
					   [AUDIT_FTCKT] = job->ftckt,
					   [AUDIT_STCKT] = job->stckt,
					   [AUDIT_SHARE] = job->share,
				   } };
}

/*
 * Return whether a job was considered in the run and not started by it. The qmaster has the numbers
 * of that run.
 */
static bool is_considered(const struct shadow *shadow, const struct fl_job *job)
{
	if (audit_start_find(&shadow->audit.theirs, job->job_number) ||
	    audit_start_find(&shadow->audit.ours, job->job_number))
		return false;
	return job->is_started ? strpbrk(job->state, "sSTt") == NULL : strcmp(job->state, "qw") == 0;
}

static void rows_compare(struct sge *sge, const struct fl_view *view, enum fl_list list)
{
	struct shadow *shadow = sge->shadow;
	bool tickets = list == FL_STARTED || sched_cell(sge->sched)->sched.report_pjob_tickets;
	struct fl_job job, first;
	struct audit_row ours;

	for (size_t k = 0; k < fl_count(view, list); k++) {
		const struct audit_row *theirs;
		bool held_up;

		if (fl_get(view, list, k, &job) || !is_considered(shadow, &job))
			continue;
		row_of(&job, &ours);
		theirs = bsearch(&ours, shadow->theirs, shadow->ntheirs, sizeof(ours), row_order);
		held_up = job.is_array && fl_find(view, job.job_number, 0, &first) == 0 && first.is_started;
		if (theirs)
			audit_row_compare(&shadow->audit, theirs, &ours, tickets, held_up);
	}
}

/* Set the reason why the first task that differs is pending in our run. */
static void why_not(struct shadow *shadow, const struct fl_view *view)
{
	struct audit *audit = &shadow->audit;
	struct fl_why why;

	if (!audit->starts_differ || audit->agreeing >= audit->theirs.n)
		return;
	if (fl_why(view, audit->theirs.items[audit->agreeing].job_number, 0, &why) == 0)
		fl_why_text(&why, audit->why, sizeof(audit->why));
}

void shadow_compare(struct sge *sge, bool numbers)
{
	struct shadow *shadow = sge->shadow;
	const struct fl_view *view;

	if (!shadow->cell && fl_attach(&shadow->cell, sched_cell(sge->sched)->dir)) {
		shadow->audit.skipped = "our own run cannot be read";
		return;
	}
	view = fl_begin(shadow->cell);
	if (numbers) {
		rows_compare(sge, view, FL_PENDING);
		rows_compare(sge, view, FL_STARTED);
	}
	why_not(shadow, view);
	fl_end(shadow->cell);
}
