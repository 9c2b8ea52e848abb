/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What qstat -ext -urg -pri shows of tasks, and what hosts hear of tickets. Values are those that
 * the run has published. Told is what changes a printed digit: of running tasks all of a run in one
 * list, and all of them whenever hosts are to hear of them; of pending jobs best first, a packet at
 * a time, as much as a tenth of one of the qmaster's processors can take.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

#define ORDER_NS 4500u			/* that an order costs the qmaster, as measured */
#define PENDING_MOST 1000u		/* orders in a packet */

/* Digits */

#define DIGITS_UNKNOWN 1u	/* not only zeros */

static uint64_t digits_add(uint64_t sum, double value, double scale)
{
	double digits = nearbyint(value * scale);
	uint64_t bits;

	memcpy(&bits, &digits, sizeof(bits));
	return (sum ^ (digits == 0 ? 0 : bits)) * 0x9e3779b97f4a7c15u + (digits != 0);
}

/* %7.5f, %8.0f, %5ld, which cuts, and %5.2f. 0: zeros only. */
static uint64_t digits_of(const struct fl_job *j)
{
	const double fives[] = { j->prio, j->nurg, j->npprior, j->ntckts }, wholes[] = { j->urg, j->rrcontr, j->wtcontr, j->dlcontr };
	const double cut[] = { j->tckts, j->otckt, j->ftckt, j->stckt };
	uint64_t sum = 0;

	for (size_t i = 0; i < 4; i++) {
		sum = digits_add(sum, fives[i], 1e5);
		sum = digits_add(sum, wholes[i], 1.0);
		sum = digits_add(sum, trunc(cut[i]), 1.0);
	}
	return digits_add(sum, j->share, 100.0);
}

static struct packed_ticket ticket_of(const struct fl_job *j)
{
	return (struct packed_ticket){ .job_number = j->job_number, .task = j->task, .npprior = j->npprior, .nurg = j->nurg, .urg = j->urg,
				       .rrcontr = j->rrcontr, .dlcontr = j->dlcontr, .wtcontr = j->wtcontr, .tickets = j->tckts,
				       .otickets = j->otckt, .ftickets = j->ftckt, .stickets = j->stckt, .share = j->share, .prio = j->prio,
				       .ntix = j->ntckts };
}

/* Which the qmaster shows of it; NULL: no memory. */
static struct shown_digits *shown_of(struct shown_digits **items, size_t *n, size_t i, uint32_t job_number, uint32_t task)
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

static struct shown_values *values_of(const struct sge *g)
{
	return &g->settlement->shown;
}

const struct fl_view *tickets_view(struct sge *g)
{
	struct shown_values *v = values_of(g);
	int rc = v->cell ? 0 : fl_attach(&v->cell, sched_cell(g->sched)->dir);

	if (rc && !v->told)
		log_line(LOG_FAILURE, "our own run can't be read, so the qmaster is not told of tickets: %s", strerror(-rc));
	v->told = rc != 0;
	return rc ? NULL : fl_begin(v->cell);
}

/* Pending jobs */

/*
 * After a total update the qmaster may show values that were told before, by its spool or by another
 * scheduler: which ones is not known.
 */
static struct shown_digits *pending_shown(struct sge *g, const struct fl_job *j)
{
	struct shown_values *v = values_of(g);
	uint32_t row = jobs_find(&g->intake->mirror->state->jobs, j->job_number);
	bool is_new = row >= v->npending || v->pending[row].job_number != j->job_number;
	struct shown_digits *shown = row == INDEX_NONE ? NULL : shown_of(&v->pending, &v->npending, row, j->job_number, 0);
	const struct known_job *job = shown && is_new ? known_job(g->known, j->job_number) : NULL;

	if (job && job->shown)
		shown->digits = DIGITS_UNKNOWN;
	return shown;
}

/*
 * What is told of a running task is partly its job's. Of a job of which nothing waits to start now,
 * 8.1.9 shows none of that, even if some of it runs.
 */
static void pending_stain(struct sge *g, const struct fl_job *j)
{
	struct shown_digits *shown = pending_shown(g, j);

	if (shown && shown->digits == 0)
		shown->digits = DIGITS_UNKNOWN;
}

static int pending_add(struct shown_values *v, size_t row)
{
	if (v->nrows == v->rows_capacity) {
		size_t capacity = 2 * v->rows_capacity + 1024;

		if (array_grow(&v->rows, capacity, sizeof(*v->rows)))
			return -ENOMEM;
		v->rows_capacity = capacity;
	}
	v->rows[v->nrows++] = (uint32_t)row;
	return 0;
}

/*
 * As much of the qmaster's time as has been saved up since, and not more than an interval is worth.
 */
static size_t pending_allowed(struct sge *g)
{
	struct shown_values *v = values_of(g);
	uint64_t now = clock_monotonic_ns(), most = (uint64_t)sched_cell(g->sched)->sched.schedule_interval * 100000000u;
	uint64_t saved = v->looked_ns ? v->allowance_ns + (now - v->looked_ns) / 10 : most;

	v->allowance_ns = saved < most ? saved : most;
	v->looked_ns = now;
	return (size_t)(v->allowance_ns / ORDER_NS);
}

static uint64_t generation_of(const struct fl_view *view)
{
	struct fl_run run;

	fl_run(view, &run);
	return run.generation;
}

/* What is beyond what is allowed is found again after the next run. */
static void pending_look(struct sge *g, const struct fl_view *view)
{
	struct shown_values *v = values_of(g);
	size_t n = fl_count(view, FL_PENDING), most = pending_allowed(g);
	struct fl_job job;

	v->nrows = v->done = 0;
	v->generation = generation_of(view);
	if (!sched_cell(g->sched)->sched.report_pjob_tickets)
		return;
	for (size_t k = 0; k < n && v->nrows < most; k++) {
		const struct shown_digits *shown = fl_get(view, FL_PENDING, k, &job) == 0 ? pending_shown(g, &job) : NULL;

		if (shown && shown->digits != digits_of(&job) && pending_add(v, k))
			return;
	}
}

/* In one list; jobs that take no part any more have lists of their own behind it. */
static void pending_pack(struct sge *g, struct packed *p, const struct fl_view *view, size_t begin, size_t end)
{
	struct shown_values *v = values_of(g);
	struct fl_job job;

	packed_tickets_begin(p);
	for (size_t i = begin; i < end; i++) {
		struct shown_digits *shown = fl_get(view, FL_PENDING, v->rows[i], &job) == 0 ? pending_shown(g, &job) : NULL;
		const struct packed_ticket ticket = ticket_of(&job);

		if (!shown || digits_of(&job) == 0)
			continue;
		packed_tickets(p, PACKED_PENDING_TICKETS, &ticket);
		shown->digits = digits_of(&job);
	}
	packed_tickets_end(p);
	for (size_t i = begin; i < end; i++) {
		struct shown_digits *shown = fl_get(view, FL_PENDING, v->rows[i], &job) == 0 ? pending_shown(g, &job) : NULL;

		if (!shown || digits_of(&job) != 0)
			continue;
		packed_plain(p, PACKED_CLEAR, job.job_number, 0);
		shown->digits = 0;
	}
}

static void pending_send(struct sge *g, const struct fl_view *view)
{
	struct shown_values *v = values_of(g);
	size_t begin = v->done, end = v->nrows < begin + PENDING_MOST ? v->nrows : begin + PENDING_MOST;
	uint64_t cost = (end - begin) * ORDER_NS;
	struct packed p;

	if (generation_of(view) != v->generation)	/* rows are others now */
		v->nrows = v->done = end = begin = 0;
	if (begin == end || v->request || !packet_begin(g, &p))
		return;
	pending_pack(g, &p, view, begin, end);
	v->done = end;
	v->allowance_ns -= v->allowance_ns < cost ? v->allowance_ns : cost;
	v->request = packet_send(g, &p);
}

/* Running tasks */

/* What it has of each instance, in `room`; how many. Without them hosts don't hear of it. */
static size_t granted_of(const struct sge *g, const struct task *t, const struct fl_job *j, struct packed_instance *room)
{
	const struct mirror *m = g->intake->mirror;

	for (size_t i = 0; i < t->ngranted; i++) {
		double part = (double)t->granted[i].slots / (t->slots ? t->slots : 1);

		room[i] = (struct packed_instance){ .queue = mirror_text(m, t->granted[i].queue), .slots = t->granted[i].slots,
						    .tickets = j->tckts * part, .otickets = j->otckt * part, .ftickets = j->ftckt * part,
						    .stickets = j->stckt * part };
		known_instance_version(g->known, room[i].queue, &room[i].version);
	}
	return t->ngranted;
}

static bool is_running(const struct fl_job *j, const struct task *t)
{
	return t->order == 0 && !t->suspended && !strpbrk(j->state, "sST");
}

static void running_pack(struct sge *g, struct packed *p, const struct fl_job *j, uint32_t number, bool hosts)
{
	const struct mirror *m = g->intake->mirror;
	const struct task *t = &m->state->tasks.items[number];
	struct shown_values *v = values_of(g);
	struct shown_digits *shown = shown_of(&v->running, &v->nrunning, number, j->job_number, j->task);
	struct packed_ticket ticket = ticket_of(j);
	struct packed_instance *room;

	if (!shown || !is_running(j, t) || (!hosts && shown->digits == digits_of(j)))
		return;
	room = calloc(t->ngranted + 1, sizeof(*room));
	if (!room)
		return;
	ticket.granted = room;
	ticket.n = hosts ? granted_of(g, t, j, room) : 0;
	ticket.spread = hosts && t->granted_pe != NONE && known_pe_controls_slaves(g->known, mirror_text(m, t->granted_pe));
	packed_tickets(p, PACKED_TICKETS, &ticket);
	shown->digits = digits_of(j);
	pending_stain(g, j);
	free(room);
}

/* Within one list, as a host works on the jobs of one message at a time. */
static void running_send(struct sge *g, const struct fl_view *view)
{
	const struct state *s = g->intake->mirror->state;
	struct settlement *settlement = g->settlement;
	bool hosts = settlement->shown.hosts_due;
	struct packed p;
	struct fl_job job;

	if (settlement->shown.running_request || !packet_begin(g, &p))
		return;
	packed_tickets_begin(&p);
	for (size_t k = 0; k < fl_count(view, FL_STARTED); k++) {
		uint32_t row = fl_get(view, FL_STARTED, k, &job) ? INDEX_NONE : jobs_find(&s->jobs, job.job_number);
		uint32_t number = row == INDEX_NONE ? NONE : tasks_find(s, row, job.task);

		if (number != NONE)
			running_pack(g, &p, &job, number, hosts);
	}
	packed_tickets_end(&p);
	settlement->shown.hosts_due = false;
	settlement->shown.running_request = packet_send(g, &p);
}

/* Turns */

void tickets_ran(struct sge *g)
{
	values_of(g)->due = true;
}

void tickets_send(struct sge *g)
{
	struct shown_values *v = values_of(g);
	const struct fl_view *view;

	if (!v->due && (v->done == v->nrows || v->request))
		return;
	view = tickets_view(g);
	if (!view)
		return;
	if (v->due) {
		running_send(g, view);
		pending_look(g, view);
	}
	v->due = false;
	pending_send(g, view);
	fl_end(v->cell);
}

void tickets_answered(struct sge *g, uint64_t request)
{
	struct shown_values *v = values_of(g);

	v->request = v->request == request ? 0 : v->request;
	v->running_request = v->running_request == request ? 0 : v->running_request;
}

void tickets_stop(struct sge *g)
{
	struct shown_values *v = values_of(g);

	v->request = v->running_request = 0;
	v->nrows = v->done = 0;
	v->due = false;
}

void tickets_forget(struct sge *g)
{
	struct shown_values *v = values_of(g);

	tickets_stop(g);
	free(v->pending);
	free(v->running);
	v->pending = v->running = NULL;
	v->npending = v->nrunning = 0;
	v->looked_ns = 0;
}

void tickets_close(struct sge *g)
{
	tickets_forget(g);
	free(values_of(g)->rows);
	fl_detach(values_of(g)->cell);
}
