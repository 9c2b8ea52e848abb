/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts, from the run that decides them until the qmaster shows them, or does not. The qmaster
 * answers "OK" to a refused one as well: it is void when the deliveries after the answer don't show
 * it. A task that has only been given a record of its own was refused for certain.
 *
 * Suspensions and removals of immediate jobs need no such care: where one is not carried out a
 * later run sees so.
 */
#include <stdlib.h>

#include "conf/array.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

void starts_open(struct ordered_starts *s)
{
	pool_create(&s->names, sizeof(struct task_name));
}

void starts_close(struct ordered_starts *s)
{
	pool_destroy(&s->names);
	free(s->items);
}

static struct ordered_starts *starts_of(const struct sge *g)
{
	return &g->settlement->starts;
}

static uint32_t start_find(const struct ordered_starts *s, uint32_t job_number, uint32_t task)
{
	return pool_find(&s->names, &(struct task_name){ job_number, task });
}

static struct ordered_start *start_make(struct ordered_starts *s, uint32_t job_number, uint32_t task)
{
	const struct task_name name = { job_number, task };
	uint32_t id = start_find(s, job_number, task);

	if (id != NONE)
		return &s->items[id];
	if (pool_reserve(&s->names))
		return NULL;
	if (s->names.capacity > s->capacity) {
		if (array_grow(&s->items, s->names.capacity, sizeof(*s->items)))
			return NULL;
		s->capacity = s->names.capacity;
	}
	return &s->items[pool_hold(&s->names, &name, &(bool){ false })];
}

/* It will not be carried out: its task waits again. */
static void start_void(struct sge *g, uint64_t number, uint32_t job_number, uint32_t task, const char *why)
{
	struct ordered_starts *s = starts_of(g);
	uint32_t id = start_find(s, job_number, task);
	struct event event;
	struct error error = { "" };

	if (id != NONE && s->items[id].number == number)
		pool_drop(&s->names, id);
	event_init(&event, EVENT_ORDER_REFUSED);
	event.order.number = number;
	event.order.job_number = job_number;
	event.order.task = task;
	event.order.text = why;
	if (intake_event(g->intake, &event, &error)) {
		orders_carried_out(g->intake->orders, number);
		log_line(LOG_DETAIL, "order %llu: %s", (unsigned long long)number, error.text);
	}
}

/* After a run */

void starts_note(struct sge *g)
{
	struct ordered_starts *s = starts_of(g);
	const struct order *order;

	while ((order = orders_after(g->intake->orders, s->noted))) {
		const struct known_job *job = order->kind == ORDER_START ? known_job(g->known, order->job_number) : NULL;
		struct ordered_start *start = order->kind == ORDER_START ? start_make(s, order->job_number, order->task) : NULL;

		s->noted = order->number;
		if (start)
			*start = (struct ordered_start){ .number = order->number, .version = job ? job->version : 0,
						 .instances = start_instances(g, order) };
		else if (order->kind == ORDER_START)
			start_void(g, order->number, order->job_number, order->task, "no memory");
		else if (order->kind == ORDER_TICKETS) {	/* values are those of the run, for all hosts at once */
			g->settlement->shown.hosts_due = true;
			orders_carried_out(g->intake->orders, order->number);
		}
	}
}

/* Into a packet */

static const struct packed_instance *instances_make(const struct sge *g, const struct order_start *start, struct packed_instance *room)
{
	for (size_t i = 0; i < start->granted.n; i++) {
		const struct granted *e = &start->granted.items[i];

		room[i] = (struct packed_instance){ e->queue, e->slots, 0, e->tickets, e->otickets, e->ftickets, e->stickets };
		known_instance_version(g->known, e->queue, &room[i].version);
	}
	return room;
}

/* -ENOMEM: nothing was packed. */
static int start_pack(struct sge *g, struct packed *p, const struct order *order, struct ordered_start *start)
{
	struct packed_instance *room = calloc(order->start.granted.n, sizeof(*room));

	if (!room)
		return -ENOMEM;
	packed_start(p, &(struct packed_start){ .job_number = order->job_number, .task = order->task, .version = start->version,
						.pe = order->start.granted_pe, .tickets = order->start.tickets, .ntix = order->start.ntckts,
						.prio = order->start.prio, .instances = instances_make(g, &order->start, room),
						.n = order->start.granted.n });
	free(room);
	start->request = USAGE_PACKED;
	return 0;
}

/* Is its task still the one that this order is to start? */
static bool is_meant(const struct sge *g, const struct order *order)
{
	const struct state *s = g->intake->mirror->state;
	uint32_t row = jobs_find(&s->jobs, order->job_number), task = row == INDEX_NONE ? NONE : tasks_find(s, row, order->task);

	return task != NONE && s->tasks.items[task].order == order->number;
}

static void start_take(struct sge *g, struct packed *p, const struct order *order)
{
	struct ordered_starts *s = starts_of(g);
	uint32_t id = start_find(s, order->job_number, order->task);
	struct ordered_start *start = id == NONE || s->items[id].number != order->number ? NULL : &s->items[id];
	const char *why;

	if (!start || !is_meant(g, order)) {
		if (start)
			pool_drop(&s->names, id);
		orders_carried_out(g->intake->orders, order->number);
		return;
	}
	why = g->settlement->finishing ? "the place is given back" : start_hindrance(g, order, start);
	if (!why && start_pack(g, p, order, start))
		why = "no memory";
	if (why)
		start_void(g, order->number, order->job_number, order->task, why);
}

static void order_take(struct sge *g, struct packed *p, const struct order *order)
{
	enum packed_kind kind = order->kind == ORDER_SUSPEND ? PACKED_SUSPEND : order->kind == ORDER_RESUME ? PACKED_RESUME : PACKED_REMOVE_IMMEDIATE;

	if (order->kind == ORDER_START) {
		start_take(g, p, order);
		return;
	}
	if (order->kind == ORDER_VACATE) {
		start_void(g, order->number, order->job_number, order->task, "Grid Engine's qmaster takes no order that reschedules a task");
		return;
	}
	packed_plain(p, kind, order->job_number, order->kind == ORDER_REMOVE ? 1 : order->task);
	orders_carried_out(g->intake->orders, order->number);
}

static void starts_sent(struct ordered_starts *s, uint64_t request)
{
	pool_each(i, &s->names)
		if (s->items[i].request == USAGE_PACKED)
			s->items[i].request = request;
}

void starts_send(struct sge *g)
{
	struct ordered_starts *s = starts_of(g);
	const struct order *order = orders_after(g->intake->orders, s->sent);
	struct packed p;

	while (order && order->number <= s->noted && packet_begin(g, &p)) {
		uint64_t before = s->sent, request;

		while (order && order->number <= s->noted && p.tasks < STARTS_MOST) {
			s->sent = order->number;
			order_take(g, &p, order);
			order = orders_after(g->intake->orders, s->sent);
		}
		if (p.tasks == 0) {
			packet_send(g, &p);
			continue;
		}
		request = packet_send(g, &p);
		starts_sent(s, request);
		if (!request) {
			s->sent = before;	/* they are looked at again */
			return;
		}
	}
}

/* What is seen */

void starts_seen(struct sge *g, uint32_t job_number, uint32_t task)
{
	struct ordered_starts *s = starts_of(g);
	uint32_t id = start_find(s, job_number, task);

	if (id == NONE)
		return;
	orders_carried_out(g->intake->orders, s->items[id].number);
	pool_drop(&s->names, id);
}

void starts_enrolled(struct sge *g, uint32_t job_number, uint32_t task)
{
	struct ordered_starts *s = starts_of(g);
	uint32_t id = start_find(s, job_number, task);

	if (id != NONE && s->items[id].request)
		s->items[id].enrolled = true;
}

/* The mirror has forgotten the tasks: there is nothing to be put back. */
void starts_gone(struct sge *g, uint32_t job_number, uint32_t task)
{
	struct ordered_starts *s = starts_of(g);

	if (task != 0) {
		starts_seen(g, job_number, task);
		return;
	}
	pool_each(i, &s->names)
		if (((const struct task_name *)pool_key(&s->names, i))->job_number == job_number) {
			orders_carried_out(g->intake->orders, s->items[i].number);
			pool_drop(&s->names, i);
		}
}

void starts_answered(struct sge *g, uint64_t request)
{
	struct ordered_starts *s = starts_of(g);

	pool_each(i, &s->names)
		if (s->items[i].request == request && request)
			s->items[i].answered = s->deliveries + 1;
}

void starts_delivered(struct sge *g)
{
	struct ordered_starts *s = starts_of(g);

	s->deliveries++;
	pool_each(i, &s->names) {
		const struct ordered_start start = s->items[i];
		const struct task_name name = *(const struct task_name *)pool_key(&s->names, i);

		if (start.answered && s->deliveries >= start.answered + !start.enrolled)
			start_void(g, start.number, name.job_number, name.task, "the qmaster has not started it");
	}
}

void starts_updated(struct sge *g)
{
	struct ordered_starts *s = starts_of(g);

	pool_each(i, &s->names)
		pool_drop(&s->names, i);
	s->noted = s->sent = g->intake->orders->last;
}

void starts_stop(struct sge *g)
{
	struct ordered_starts *s = starts_of(g);

	pool_each(i, &s->names)
		if (s->items[i].request && !s->items[i].answered)
			s->items[i].answered = s->deliveries + 1;
}

bool starts_are_settled(const struct sge *g)
{
	return g->settlement->starts.names.used == 0;
}
