/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/decisions.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/pending.h"
#include "sched/policy/multifactor/multifactor.h"
#include "sched/process/ranges.h"

void decisions_clear(struct decisions *d)
{
	decisions_free(d);
}

void decisions_free(struct decisions *d)
{
	free(d->items);
	free(d->entries);
	free(d->suspensions);
	free(d->removals);
	*d = (struct decisions){ 0 };
}

int decisions_add(struct decisions *d, const struct dispatch *dispatch, const struct pending_job *job, const struct grant *g)
{
	struct decision *item = array_add(&d->items, &d->n, sizeof(*item));

	(void)dispatch;
	if (!item)
		return -ENOMEM;
	*item = (struct decision){ .job_number = job->number, .task = job->task, .is_array = job->is_array, .pe = g->pe,
				   .first = (uint32_t)d->nentries, .prio = job->prio, .ntckts = job->ntckts, .tickets = job->tickets };
	for (size_t i = 0; i < g->n; i++) {
		struct decided_entry *e = array_add(&d->entries, &d->nentries, sizeof(*e));

		if (!e) {
			d->n--;
			return -ENOMEM;
		}
		*e = (struct decided_entry){ g->entries[i].instance, g->entries[i].slots };
		item->n++;
		item->slots += e->slots;
	}
	return 0;
}

/* Orders */

struct naming {				/* room for the entries of one decision */
	struct granted *granted;
	size_t capacity;
};

static int naming_reserve(struct naming *room, size_t n)
{
	if (n <= room->capacity)
		return 0;
	if (array_grow(&room->granted, 2 * n, sizeof(*room->granted)))
		return -ENOMEM;
	room->capacity = 2 * n;
	return 0;
}

/* An entry's share of the task's tickets goes by its slots. */
static struct granted entry_order(const struct decision *of, const char *queue, uint32_t slots)
{
	double all = of->slots;

	return (struct granted){ .queue = queue, .slots = slots, .tickets = tickets_total(&of->tickets) / all * slots,
				 .otickets = of->tickets.override / all * slots, .ftickets = of->tickets.functional / all * slots,
				 .stickets = of->tickets.share_tree / all * slots };
}

static int order(struct sched *s, const struct decision *of, struct naming *room)
{
	const struct cluster *c = &s->placing->cluster;
	const char *pe = of->pe == NONE ? NULL : s->cell->pes[of->pe].name;
	struct order start = { .kind = ORDER_START, .job_number = of->job_number, .task = of->task, .is_array = of->is_array };
	uint64_t number = s->orders.last + 1;
	struct error error;
	int code = naming_reserve(room, of->n);

	for (uint32_t i = 0; i < of->n && code == 0; i++) {
		const struct decided_entry *e = &s->decisions.entries[of->first + i];

		room->granted[i] = entry_order(of, c->instances[e->instance].name, e->slots);
	}
	start.start = (struct order_start){ .start_time = s->run.now, .granted = { room->granted, of->n }, .granted_pe = pe,
					    .prio = s->multifactor ? multifactor_shown(of->prio) : of->prio, .ntckts = of->ntckts };
	if (code == 0)
		code = mirror_order_start(&s->mirror, of->job_number, of->task, s->run.now, room->granted, of->n, pe, number, &error);
	if (code == 0 && orders_start(&s->orders, &start) == 0) {
		mirror_order_void(&s->mirror, of->job_number, of->task, number, &error);
		code = orders_are_full(&s->orders) ? -ENOSPC : -ENOMEM;
	}
	return code;
}

/* What readers are shown */

/* The job's started tasks are listed; an array shows the next id. */
static int show_start(struct sched *s, const struct decision *of)
{
	const struct jobs *j = &s->mirror.state->jobs;
	uint32_t row = jobs_find(j, of->job_number), task = tasks_find(s->mirror.state, row, of->task);
	struct task *t = &s->mirror.state->tasks.items[task];
	struct job_extra *extra = jobs_find_extra(j, row);

	t->otickets = of->tickets.override;
	t->ftickets = of->tickets.functional;
	t->stickets = of->tickets.share_tree;
	if (extra && extra->is_array)
		ranges_first(&extra->waiting, extra->hold, HOLD_KINDS, &extra->first_waiting, 1);
	return j->first_task[row] == task && t->next == NONE ? row_list_add(&s->run.started, row) : 0;
}

/*
 * The pending list as it is now: arrays stand where their next tasks belong, and what has no more
 * to start is gone.
 */
static int order_again(struct sched *s)
{
	struct run *run = &s->run;
	const struct jobs *j = &s->mirror.state->jobs;
	size_t n = 0;
	int code = 0;

	if (!s->record.report_pending)
		for (size_t i = 0; i < run->waiting.n; i++)
			run->waiting.prio[i] = 0.0;
	if (!s->record.report_pending || run->ranked_again)
		code = run_order(s);
	if (code || s->profile.starts == 0)
		return code;
	for (size_t k = 0; k < run->nordered; k++)
		if (j->kind[run->waiting.rows[(uint32_t)run->ordered[k]]] & JOB_PENDING)
			run->ordered[n++] = run->ordered[k];
	run->nordered = n;
	return 0;
}

/* The phase */

/* An immediate job is told of once, unless a snapshot has made that order void. */
static void forget_removed(struct sched *s)
{
	struct removed *r = &s->removed;

	pool_each(i, &r->numbers)
		if (r->state != s->mirror.state || jobs_find(&s->mirror.state->jobs, *(const uint32_t *)pool_key(&r->numbers, i)) == INDEX_NONE)
			pool_drop(&r->numbers, i);
	r->state = s->mirror.state;
}

/* Nothing more can be ordered at present, or there is no memory. */
static int refused(const struct sched *s)
{
	return orders_are_full(&s->orders) ? -ENOSPC : -ENOMEM;
}

static int order_removal(struct sched *s, uint32_t number)
{
	bool is_new;

	if (pool_find(&s->removed.numbers, &number) != UINT32_MAX)
		return 0;
	if (orders_remove(&s->orders, number) == 0)
		return refused(s);
	return pool_hold(&s->removed.numbers, &number, &is_new) == UINT32_MAX ? -ENOMEM : 0;
}

static int order_others(struct sched *s)
{
	const struct decisions *d = &s->decisions;
	int code = s->multifactor ? 0 : tickets_order(s);	/* there are no tickets then */

	forget_removed(s);
	for (size_t i = 0; i < d->nsuspensions && code == 0; i++) {
		const struct suspension *of = &d->suspensions[i];

		if (orders_suspend(&s->orders, of->suspend, of->job_number, of->task, s->placing->cluster.instances[of->instance].name) == 0)
			code = refused(s);
	}
	for (size_t i = 0; i < d->nremovals && code == 0; i++)
		code = order_removal(s, d->removals[i]);
	return code;
}

/*
 * What could not be ordered, for want of memory or since too many orders are kept, is decided again
 * in the next run.
 */
int run_orders(struct sched *s)
{
	struct naming room = { 0 };
	int code = s->dispatch ? order_others(s) : 0;

	code = code == -ENOSPC ? 0 : code;
	s->profile.starts = 0;
	for (size_t i = 0; i < s->decisions.n && code == 0; i++) {
		code = order(s, &s->decisions.items[i], &room);
		if (code == 0) {
			s->profile.starts++;
			code = show_start(s, &s->decisions.items[i]);
		}
	}
	free(room.granted);
	decisions_clear(&s->decisions);
	code = code == -ENOSPC ? 0 : code;
	return code ? code : order_again(s);
}
