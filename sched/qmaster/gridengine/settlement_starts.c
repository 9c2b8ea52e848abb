/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts, from the run that decides them until events of the qmaster confirm them or do not. The
 * qmaster also answers "OK" to a refused start. It is void when the deliveries after the answer do
 * not show it. A task that has only been enrolled was certainly refused.
 *
 * Suspensions, and removals of immediate jobs, are not tracked. If one is not carried out, a later
 * run notices this.
 */
#include <stdlib.h>

#include "conf/base/columns.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/settlement_inside.h"

void starts_open(struct ordered_starts *starts)
{
	pool_create(&starts->names, sizeof(struct task_name));
}

void starts_close(struct ordered_starts *starts)
{
	pool_destroy(&starts->names);
	free(starts->items);
}

static struct ordered_starts *starts_of(const struct sge *sge)
{
	return &sge->settlement->starts;
}

static uint32_t start_find(const struct ordered_starts *starts, uint32_t job_number, uint32_t task)
{
	return pool_find(&starts->names, &(struct task_name){ job_number, task });
}

static struct ordered_start *start_make(struct ordered_starts *starts, uint32_t job_number, uint32_t task)
{
	const struct task_name name = { job_number, task };
	uint32_t id = start_find(starts, job_number, task);

	if (id != NONE)
		return &starts->items[id];
	if (pool_reserve(&starts->names))
		return NULL;
	if (array_reserve(&starts->capacity, starts->names.capacity, COLUMN(starts->items)))
		return NULL;
	return &starts->items[pool_hold(&starts->names, &name, &(bool){ false })];
}

/* Void a start that will not be carried out. Its task is pending again. */
static void start_void(struct sge *sge, uint64_t number, uint32_t job_number, uint32_t task, const char *why)
{
	struct ordered_starts *starts = starts_of(sge);
	uint32_t id = start_find(starts, job_number, task);
	struct event event;
	struct error error = { "" };

	if (id != NONE && starts->items[id].number == number)
		pool_drop(&starts->names, id);
	event_init(&event, EVENT_ORDER_REFUSED);
	event.order.number = number;
	event.order.job_number = job_number;
	event.order.task = task;
	event.order.text = why;
	if (intake_event(sge->intake, &event, &error)) {
		orders_carried_out(sge->intake->orders, number);
		log_line(LOG_DETAIL, "order %llu: %s", (unsigned long long)number, error.text);
	}
}

/* After a run */

void starts_note(struct sge *sge)
{
	struct ordered_starts *starts = starts_of(sge);
	const struct order *order;

	while ((order = orders_after(sge->intake->orders, starts->noted))) {
		const struct known_job *job =
			order->kind == ORDER_START ? known_job(sge->known, order->job_number) : NULL;
		struct ordered_start *start =
			order->kind == ORDER_START ? start_make(starts, order->job_number, order->task) : NULL;

		starts->noted = order->number;
		if (start)
			*start = (struct ordered_start){ .number = order->number, .version = job ? job->version : 0,
						 .instances = start_instances(sge, order) };
		else if (order->kind == ORDER_START)
			start_void(sge, order->number, order->job_number, order->task, "out of memory");
		/* The values are those of the run, for all hosts at once. */
		else if (order->kind == ORDER_TICKETS) {
			sge->settlement->shown.hosts_due = true;
			orders_carried_out(sge->intake->orders, order->number);
		}
	}
}

/* Packing */

static const struct packed_instance *instances_make(const struct sge *sge, const struct order_start *start,
						    struct packed_instance *room)
{
	for (size_t i = 0; i < start->granted.n; i++) {
		const struct granted *granted = &start->granted.items[i];

		room[i] = (struct packed_instance){ granted->queue,   granted->slots,	 0,
						    granted->tickets, granted->otickets, granted->ftickets,
						    granted->stickets };
		known_instance_version(sge->known, granted->queue, &room[i].version);
	}
	return room;
}

/* Pack a start. -ENOMEM: it was not packed. */
static int start_pack(struct sge *sge, struct packed *packed, const struct order *order, struct ordered_start *start)
{
	struct packed_instance *room = calloc(order->start.granted.n, sizeof(*room));

	if (!room)
		return -ENOMEM;
	packed_start(packed, &(struct packed_start){ .job_number = order->job_number,
						     .task = order->task,
						     .version = start->version,
						     .pe = order->start.granted_pe,
						     .tickets = order->start.tickets,
						     .ntix = order->start.ntckts,
						     .prio = order->start.prio,
						     .instances = instances_make(sge, &order->start, room),
						     .n = order->start.granted.n });
	free(room);
	start->request = USAGE_PACKED;
	return 0;
}

/* Return whether the order still applies to the current start of its task. */
static bool is_meant(const struct sge *sge, const struct order *order)
{
	const struct task *task = mirror_find_task(sge->intake->mirror, order->job_number, order->task);

	return task && task->order == order->number;
}

static void start_take(struct sge *sge, struct packed *packed, const struct order *order)
{
	struct ordered_starts *starts = starts_of(sge);
	uint32_t id = start_find(starts, order->job_number, order->task);
	struct ordered_start *start =
		id == NONE || starts->items[id].number != order->number ? NULL : &starts->items[id];
	const char *why;

	if (!start || !is_meant(sge, order)) {
		if (start)
			pool_drop(&starts->names, id);
		orders_carried_out(sge->intake->orders, order->number);
		return;
	}
	why = sge->settlement->finishing ? "the scheduler role is given back" : start_hindrance(sge, order, start);
	if (!why && start_pack(sge, packed, order, start))
		why = "out of memory";
	if (why)
		start_void(sge, order->number, order->job_number, order->task, why);
}

static void order_take(struct sge *sge, struct packed *packed, const struct order *order)
{
	enum packed_kind kind = order->kind == ORDER_SUSPEND  ? PACKED_SUSPEND
				: order->kind == ORDER_RESUME ? PACKED_RESUME
							      : PACKED_REMOVE_IMMEDIATE;

	if (order->kind == ORDER_START) {
		start_take(sge, packed, order);
		return;
	}
	if (order->kind == ORDER_VACATE) {
		start_void(sge, order->number, order->job_number, order->task,
			   "Grid Engine's qmaster has no order to reschedule a task");
		return;
	}
	packed_plain(packed, kind, order->job_number, order->kind == ORDER_REMOVE ? 1 : order->task);
	orders_carried_out(sge->intake->orders, order->number);
}

static void starts_sent(struct ordered_starts *starts, uint64_t request)
{
	pool_each(i, &starts->names)
		if (starts->items[i].request == USAGE_PACKED)
			starts->items[i].request = request;
}

void starts_send(struct sge *sge)
{
	struct ordered_starts *starts = starts_of(sge);
	const struct order *order = orders_after(sge->intake->orders, starts->sent);
	struct packed packed;

	while (order && order->number <= starts->noted && packet_begin(sge, &packed)) {
		uint64_t before = starts->sent, request;

		while (order && order->number <= starts->noted && packed.tasks < STARTS_MOST) {
			starts->sent = order->number;
			order_take(sge, &packed, order);
			order = orders_after(sge->intake->orders, starts->sent);
		}
		if (packed.tasks == 0) {
			packet_send(sge, &packed);
			continue;
		}
		request = packet_send(sge, &packed);
		starts_sent(starts, request);
		if (!request) {
			starts->sent = before;	/* they will be handled again */
			return;
		}
	}
}

/* Events */

void starts_seen(struct sge *sge, uint32_t job_number, uint32_t task)
{
	struct ordered_starts *starts = starts_of(sge);
	uint32_t id = start_find(starts, job_number, task);

	if (id == NONE)
		return;
	orders_carried_out(sge->intake->orders, starts->items[id].number);
	pool_drop(&starts->names, id);
}

void starts_enrolled(struct sge *sge, uint32_t job_number, uint32_t task)
{
	struct ordered_starts *starts = starts_of(sge);
	uint32_t id = start_find(starts, job_number, task);

	if (id != NONE && starts->items[id].request)
		starts->items[id].enrolled = true;
}

/*
 * Drop the starts of a task or job. The mirror has forgotten the tasks, so none becomes pending
 * again.
 */
void starts_gone(struct sge *sge, uint32_t job_number, uint32_t task)
{
	struct ordered_starts *starts = starts_of(sge);

	if (task != 0) {
		starts_seen(sge, job_number, task);
		return;
	}
	pool_each(i, &starts->names)
		if (((const struct task_name *)pool_key(&starts->names, i))->job_number == job_number) {
			orders_carried_out(sge->intake->orders, starts->items[i].number);
			pool_drop(&starts->names, i);
		}
}

void starts_answered(struct sge *sge, uint64_t request)
{
	struct ordered_starts *starts = starts_of(sge);

	pool_each(i, &starts->names)
		if (starts->items[i].request == request && request)
			starts->items[i].answered = starts->deliveries + 1;
}

void starts_delivered(struct sge *sge)
{
	struct ordered_starts *starts = starts_of(sge);

	starts->deliveries++;
	pool_each(i, &starts->names) {
		const struct ordered_start start = starts->items[i];
		const struct task_name name = *(const struct task_name *)pool_key(&starts->names, i);

		if (start.answered && starts->deliveries >= start.answered + !start.enrolled)
			start_void(sge, start.number, name.job_number, name.task, "the qmaster has not started it");
	}
}

void starts_updated(struct sge *sge)
{
	struct ordered_starts *starts = starts_of(sge);

	pool_each(i, &starts->names)
		pool_drop(&starts->names, i);
	starts->noted = starts->sent = sge->intake->orders->last;
}

void starts_stop(struct sge *sge)
{
	struct ordered_starts *starts = starts_of(sge);

	pool_each(i, &starts->names)
		if (starts->items[i].request && !starts->items[i].answered)
			starts->items[i].answered = starts->deliveries + 1;
}

bool starts_are_settled(const struct sge *sge)
{
	return sge->settlement->starts.names.used == 0;
}
