/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tickets of running tasks, sent to the hosts on which they run: sched_conf(5),
 * reprioritize_interval. For a task in a PE without control_slaves only the master's host gets a
 * message, with all tickets of the task. With control_slaves each host gets the part that belongs
 * to its slots.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/policy/gridengine/gridengine.h"
#include "sched/qmaster/orders.h"

struct host_ticket {
	uint32_t host, task;		/* string id; task of the mirror */
	bool spread;			/* over several hosts */
	double tickets;
};

struct host_tickets {
	struct host_ticket *items;
	size_t n;
};

static bool is_due(struct gridengine *gridengine, const struct run *run)
{
	uint32_t interval = run->cell->sched.reprioritize_interval;

	if (interval == 0)
		return false;
	if (gridengine->ordered > run->now)		/* the clock was set back */
		gridengine->ordered = run->now;
	if (gridengine->ordered != 0 && run->now - gridengine->ordered < interval)
		return false;
	gridengine->ordered = run->now;
	return true;
}

static uint32_t host_of(const struct state *state, uint32_t queue)
{
	uint32_t reported = index_find(&state->instance_index, state->instance_names, queue);

	return reported == INDEX_NONE ? NONE : state->instances[reported].host;
}

static int add(struct host_tickets *list, uint32_t host, uint32_t task, bool spread, double tickets)
{
	struct host_ticket *last = list->n ? &list->items[list->n - 1] : NULL, *item;

	if (host == NONE)
		return 0;
	for (; last && last >= list->items && last->task == task; last--)
		if (last->host == host) {
			last->tickets += tickets;
			return 0;
		}
	item = array_add(&list->items, &list->n, sizeof(*item));
	if (!item)
		return -ENOMEM;
	*item = (struct host_ticket){ host, task, spread, tickets };
	return 0;
}

static bool controls_slaves(const struct run *run, const struct task *task)
{
	const char *name = task->granted_pe == NONE ? NULL : strings_text(run->strings, task->granted_pe);

	for (size_t i = 0; name && i < run->cell->npes; i++)
		if (strcmp(run->cell->pes[i].name, name) == 0)
			return run->cell->pes[i].control_slaves;
	return false;
}

static int task_tickets(const struct run *run, struct host_tickets *list, uint32_t task, double tickets)
{
	const struct state *state = run->mirror->state;
	const struct task *t = &state->tasks.items[task];
	int rc = 0;

	if (t->order != 0 || t->ngranted == 0)
		return 0;
	if (!controls_slaves(run, t) || t->slots == 0)
		return add(list, host_of(state, t->granted[0].queue), task, false, tickets);
	for (size_t k = 0; k < t->ngranted && rc == 0; k++)
		rc = add(list, host_of(state, t->granted[k].queue), task, t->ngranted > 1,
			 tickets / t->slots * t->granted[k].slots);
	return rc;
}

static int by_host(const void *a, const void *b)
{
	const struct host_ticket *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static int host_order(const struct run *run, struct orders *orders, const struct host_ticket *items, size_t n,
		      struct order_ticket *room)
{
	const struct state *state = run->mirror->state;

	for (size_t i = 0; i < n; i++) {
		const struct task *task = &state->tasks.items[items[i].task];

		room[i] = (struct order_ticket){ job_fact(&state->jobs, task->row, number), task->id, items[i].tickets,
						 task->start_time, items[i].spread };
	}
	if (orders_tickets(orders, strings_text(run->strings, items[0].host), room, n) != 0)
		return 0;
	return orders_are_full(orders) ? -ENOSPC : -ENOMEM;
}

struct host_part {			/* the part of the list with the tasks of one host */
	const char *name;
	const struct host_ticket *items;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct host_part *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * Divide the list by host and sort the parts by host name, since string ids depend on earlier runs.
 * Return the number of parts.
 */
static size_t hosts_part(const struct run *run, const struct host_tickets *list, struct host_part *parts)
{
	size_t n = 0;

	for (size_t begin = 0, end; begin < list->n; begin = end) {
		for (end = begin + 1; end < list->n && list->items[end].host == list->items[begin].host; end++)
			;
		parts[n++] = (struct host_part){ strings_text(run->strings, list->items[begin].host),
						 &list->items[begin], end - begin };
	}
	if (n > 1)
		qsort(parts, n, sizeof(*parts), by_name);
	return n;
}

static int hosts_order(const struct run *run, struct orders *orders, struct host_tickets *list)
{
	struct order_ticket *room = malloc((list->n + 1) * sizeof(*room));
	struct host_part *parts = malloc((list->n + 1) * sizeof(*parts));
	int rc = room && parts ? 0 : -ENOMEM;
	size_t n = 0;

	if (list->n > 1)
		qsort(list->items, list->n, sizeof(*list->items), by_host);
	if (rc == 0)
		n = hosts_part(run, list, parts);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = host_order(run, orders, parts[i].items, parts[i].n, room);
	if (rc == 0)
		orders_tickets_end(orders);
	free(parts);
	free(room);
	return rc;
}

int gridengine_hosts(struct policy *policy, const struct run *run, struct orders *orders)
{
	struct gridengine *gridengine = (struct gridengine *)policy;
	const struct running_columns *columns = &run->running;
	struct host_tickets list = { 0 };
	int rc = 0;

	if (!is_due(gridengine, run))
		return 0;
	for (size_t i = 0; i < columns->n && rc == 0; i++)
		rc = task_tickets(run, &list, columns->index[i], tickets_total(&gridengine->running[i]));
	if (rc == 0)
		rc = hosts_order(run, orders, &list);
	free(list.items);
	return rc;
}
