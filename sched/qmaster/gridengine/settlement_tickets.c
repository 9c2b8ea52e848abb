/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of tasks that qstat -ext -urg -pri shows, and tickets for hosts. The values are those that
 * the run has published. They are sent if a printed digit changes. The running tasks of a run are
 * in one list, and all of them are sent whenever hosts must receive tickets. Pending jobs are sent
 * best first, one packet at a time, within a tenth of the time of one of the qmaster's processors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

#define ORDER_NS 4500u			/* time that an order takes in the qmaster, measured */
#define PENDING_MOST 1000u		/* orders in a packet */

/* Digits */

/* Checksum of unknown digits. It differs from 0, the checksum of digits that are all zero. */
#define DIGITS_UNKNOWN 1u

static uint64_t digits_add(uint64_t sum, double value, double scale)
{
	double digits = nearbyint(value * scale);
	uint64_t bits;

	memcpy(&bits, &digits, sizeof(bits));
	return (sum ^ (digits == 0 ? 0 : bits)) * 0x9e3779b97f4a7c15u + (digits != 0);
}

/*
 * Return a checksum of the digits in the formats %7.5f, %8.0f, %5ld (truncated) and %5.2f. 0: only
 * zeros.
 */
static uint64_t digits_of(const struct fl_job *job)
{
	const double fives[] = { job->prio, job->nurg, job->npprior, job->ntckts },
		     wholes[] = { job->urg, job->rrcontr, job->wtcontr, job->dlcontr };
	const double cut[] = { job->tckts, job->otckt, job->ftckt, job->stckt };
	uint64_t sum = 0;

	for (size_t i = 0; i < 4; i++) {
		sum = digits_add(sum, fives[i], 1e5);
		sum = digits_add(sum, wholes[i], 1.0);
		sum = digits_add(sum, trunc(cut[i]), 1.0);
	}
	return digits_add(sum, job->share, 100.0);
}

static struct packed_ticket ticket_of(const struct fl_job *job)
{
	return (struct packed_ticket){ .job_number = job->job_number,
				       .task = job->task,
				       .npprior = job->npprior,
				       .nurg = job->nurg,
				       .urg = job->urg,
				       .rrcontr = job->rrcontr,
				       .dlcontr = job->dlcontr,
				       .wtcontr = job->wtcontr,
				       .tickets = job->tckts,
				       .otickets = job->otckt,
				       .ftickets = job->ftckt,
				       .stickets = job->stckt,
				       .share = job->share,
				       .prio = job->prio,
				       .ntix = job->ntckts };
}

/* Return the record of the digits that the qmaster shows. NULL: no memory. */
static struct shown_digits *shown_of(struct shown_digits **items, size_t *n, size_t i, uint32_t job_number,
				     uint32_t task)
{
	if (i >= *n) {
		size_t more = i + i / 2 + 64;

		if (array_grow(items, more, sizeof(**items)))
			return NULL;
		memset(*items + *n, 0, (more - *n) * sizeof(**items));
		*n = more;
	}
	if ((*items)[i].job_number != job_number || (*items)[i].task != task)
		(*items)[i] = (struct shown_digits){ .job_number = job_number, .task = task };
	return &(*items)[i];
}

static struct shown_values *values_of(const struct sge *sge)
{
	return &sge->settlement->shown;
}

const struct fl_view *tickets_view(struct sge *sge)
{
	struct shown_values *values = values_of(sge);
	int rc = values->cell ? 0 : fl_attach(&values->cell, sched_cell(sge->sched)->dir);

	if (rc && !values->reported)
		log_line(LOG_FAILURE, "our own run cannot be read, so no tickets are sent to the qmaster: %s",
			 strerror(-rc));
	values->reported = rc != 0;
	return rc ? NULL : fl_begin(values->cell);
}

/* Pending jobs */

/*
 * Return the record of a pending job. After a total update the qmaster may show values from its
 * spool or from another scheduler. These are not known.
 */
static struct shown_digits *pending_shown(struct sge *sge, const struct fl_job *fl_job)
{
	struct shown_values *values = values_of(sge);
	uint32_t row = mirror_active_row(sge->intake->mirror, fl_job->job_number);
	bool is_new = row >= values->npending || values->pending[row].job_number != fl_job->job_number;
	struct shown_digits *shown =
		row == INDEX_NONE ? NULL : shown_of(&values->pending, &values->npending, row, fl_job->job_number, 0);
	const struct known_job *job = shown && is_new ? known_job(sge->known, fl_job->job_number) : NULL;

	if (job && job->shown)
		shown->digits = DIGITS_UNKNOWN;
	return shown;
}

/*
 * Mark the values of a job as unknown. Part of the values sent for a running task belongs to its
 * job. 8.1.9 does not show these for a job without a task that can start now, even if other tasks
 * run.
 */
static void pending_stain(struct sge *sge, const struct fl_job *job)
{
	struct shown_digits *shown = pending_shown(sge, job);

	if (shown && shown->digits == 0)
		shown->digits = DIGITS_UNKNOWN;
}

static int pending_add(struct shown_values *values, size_t row)
{
	if (array_reserve(&values->rows_capacity, values->nrows + 1, COLUMN(values->rows)))
		return -ENOMEM;
	values->rows[values->nrows++] = (uint32_t)row;
	return 0;
}

/*
 * Return how many orders may be sent: the qmaster's time saved up so far, at most that of one
 * interval.
 */
static size_t pending_allowed(struct sge *sge)
{
	struct shown_values *values = values_of(sge);
	uint64_t now = clock_monotonic_ns(),
		 most = (uint64_t)sched_cell(sge->sched)->sched.schedule_interval * 100000000u;
	uint64_t saved = values->looked_ns ? values->allowance_ns + (now - values->looked_ns) / 10 : most;

	values->allowance_ns = saved < most ? saved : most;
	values->looked_ns = now;
	return (size_t)(values->allowance_ns / ORDER_NS);
}

static uint64_t generation_of(const struct fl_view *view)
{
	struct fl_run run;

	fl_run(view, &run);
	return run.generation;
}

/*
 * Find pending jobs whose values have changed. Those above the limit are found again after the next
 * run.
 */
static void pending_look(struct sge *sge, const struct fl_view *view)
{
	struct shown_values *values = values_of(sge);
	size_t n = fl_count(view, FL_PENDING), most = pending_allowed(sge);
	struct fl_job job;

	values->nrows = values->done = 0;
	values->generation = generation_of(view);
	if (!sched_cell(sge->sched)->sched.report_pjob_tickets)
		return;
	for (size_t k = 0; k < n && values->nrows < most; k++) {
		const struct shown_digits *shown =
			fl_get(view, FL_PENDING, k, &job) == 0 ? pending_shown(sge, &job) : NULL;

		if (shown && shown->digits != digits_of(&job) && pending_add(values, k))
			return;
	}
}

/*
 * Pack the values in one list. Jobs that are no longer considered get lists of their own after it.
 */
static void pending_pack(struct sge *sge, struct packed *packed, const struct fl_view *view, size_t begin, size_t end)
{
	struct shown_values *values = values_of(sge);
	struct fl_job job;

	packed_tickets_begin(packed);
	for (size_t i = begin; i < end; i++) {
		struct shown_digits *shown =
			fl_get(view, FL_PENDING, values->rows[i], &job) == 0 ? pending_shown(sge, &job) : NULL;
		const struct packed_ticket ticket = ticket_of(&job);

		if (!shown || digits_of(&job) == 0)
			continue;
		packed_tickets(packed, PACKED_PENDING_TICKETS, &ticket);
		shown->digits = digits_of(&job);
	}
	packed_tickets_end(packed);
	for (size_t i = begin; i < end; i++) {
		struct shown_digits *shown =
			fl_get(view, FL_PENDING, values->rows[i], &job) == 0 ? pending_shown(sge, &job) : NULL;

		if (!shown || digits_of(&job) != 0)
			continue;
		packed_plain(packed, PACKED_CLEAR, job.job_number, 0);
		shown->digits = 0;
	}
}

static void pending_send(struct sge *sge, const struct fl_view *view)
{
	struct shown_values *values = values_of(sge);
	size_t begin = values->done, end = values->nrows < begin + PENDING_MOST ? values->nrows : begin + PENDING_MOST;
	uint64_t cost = (end - begin) * ORDER_NS;
	struct packed packed;

	if (generation_of(view) != values->generation)	/* the rows have changed */
		values->nrows = values->done = end = begin = 0;
	if (begin == end || values->request || !packet_begin(sge, &packed))
		return;
	pending_pack(sge, &packed, view, begin, end);
	values->done = end;
	values->allowance_ns -= values->allowance_ns < cost ? values->allowance_ns : cost;
	values->request = packet_send(sge, &packed);
}

/* Running tasks */

/*
 * Write the share of each instance to `room`, and return their number. 0: hosts receive no tickets.
 */
static size_t granted_of(const struct sge *sge, const struct task *task, const struct fl_job *job,
			 struct packed_instance *room)
{
	const struct mirror *mirror = sge->intake->mirror;

	for (size_t i = 0; i < task->ngranted; i++) {
		double part = (double)task->granted[i].slots / (task->slots ? task->slots : 1);

		room[i] = (struct packed_instance){ .queue = mirror_text(mirror, task->granted[i].queue),
						    .slots = task->granted[i].slots,
						    .tickets = job->tckts * part,
						    .otickets = job->otckt * part,
						    .ftickets = job->ftckt * part,
						    .stickets = job->stckt * part };
		known_instance_version(sge->known, room[i].queue, &room[i].version);
	}
	return task->ngranted;
}

static bool is_running(const struct fl_job *job, const struct task *task)
{
	return task->order == 0 && !task->suspended && !strpbrk(job->state, "sST");
}

static void running_pack(struct sge *sge, struct packed *packed, const struct fl_job *job, const struct task *task,
			 bool hosts)
{
	const struct mirror *mirror = sge->intake->mirror;
	struct shown_values *values = values_of(sge);
	uint32_t number = mirror_task_number(mirror, task);
	struct shown_digits *shown = shown_of(&values->running, &values->nrunning, number, job->job_number, job->task);
	struct packed_ticket ticket = ticket_of(job);
	struct packed_instance *room;

	if (!shown || !is_running(job, task) || (!hosts && shown->digits == digits_of(job)))
		return;
	room = calloc(task->ngranted + 1, sizeof(*room));
	if (!room)
		return;
	ticket.granted = room;
	ticket.n = hosts ? granted_of(sge, task, job, room) : 0;
	ticket.spread = hosts && task->granted_pe != NONE &&
			known_pe_controls_slaves(sge->known, mirror_text(mirror, task->granted_pe));
	packed_tickets(packed, PACKED_TICKETS, &ticket);
	shown->digits = digits_of(job);
	pending_stain(sge, job);
	free(room);
}

/* Send the values in one list, because a host handles the jobs of one message at a time. */
static void running_send(struct sge *sge, const struct fl_view *view)
{
	struct settlement *settlement = sge->settlement;
	bool hosts = settlement->shown.hosts_due;
	struct packed packed;
	struct fl_job job;

	if (settlement->shown.running_request || !packet_begin(sge, &packed))
		return;
	packed_tickets_begin(&packed);
	for (size_t k = 0; k < fl_count(view, FL_STARTED); k++) {
		const struct task *task = fl_get(view, FL_STARTED, k, &job)
						  ? NULL
						  : mirror_find_task(sge->intake->mirror, job.job_number, job.task);

		if (task)
			running_pack(sge, &packed, &job, task, hosts);
	}
	packed_tickets_end(&packed);
	settlement->shown.hosts_due = false;
	settlement->shown.running_request = packet_send(sge, &packed);
}

/* Turns */

void tickets_ran(struct sge *sge)
{
	values_of(sge)->due = true;
}

void tickets_send(struct sge *sge)
{
	struct shown_values *values = values_of(sge);
	const struct fl_view *view;

	if (!values->due && (values->done == values->nrows || values->request))
		return;
	view = tickets_view(sge);
	if (!view)
		return;
	if (values->due) {
		running_send(sge, view);
		pending_look(sge, view);
	}
	values->due = false;
	pending_send(sge, view);
	fl_end(values->cell);
}

void tickets_answered(struct sge *sge, uint64_t request)
{
	struct shown_values *values = values_of(sge);

	values->request = values->request == request ? 0 : values->request;
	values->running_request = values->running_request == request ? 0 : values->running_request;
}

void tickets_stop(struct sge *sge)
{
	struct shown_values *values = values_of(sge);

	values->request = values->running_request = 0;
	values->nrows = values->done = 0;
	values->due = false;
}

void tickets_forget(struct sge *sge)
{
	struct shown_values *values = values_of(sge);

	tickets_stop(sge);
	free(values->pending);
	free(values->running);
	values->pending = values->running = NULL;
	values->npending = values->nrunning = 0;
	values->looked_ns = 0;
}

void tickets_close(struct sge *sge)
{
	tickets_forget(sge);
	free(values_of(sge)->rows);
	fl_detach(values_of(sge)->cell);
}
