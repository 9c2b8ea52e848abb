/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/decisions.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/pending.h"
#include "sched/dispatch/phase.h"
#include "sched/process/ranges.h"
#include "sched/qmaster/orders.h"

void decisions_clear(struct decisions *decisions)
{
	decisions_free(decisions);
}

void decisions_free(struct decisions *decisions)
{
	free(decisions->items);
	free(decisions->entries);
	free(decisions->suspensions);
	free(decisions->evictions);
	free(decisions->removals);
	*decisions = (struct decisions){ 0 };
}

static int entry_add(struct decisions *decisions, const struct decision_entry *entry)
{
	struct decision_entry *decision_entry =
		array_add(&decisions->entries, &decisions->nentries, sizeof(*decision_entry));

	if (!decision_entry) {
		decisions->n--;
		return -ENOMEM;
	}
	*decision_entry = *entry;
	decisions->items[decisions->n - 1].n++;
	decisions->items[decisions->n - 1].slots += entry->slots;
	return 0;
}

static int item_add(struct decisions *decisions, const struct pending_job *job, uint32_t pe,
		    const struct policy_given *given)
{
	struct decision *item = array_add(&decisions->items, &decisions->n, sizeof(*item));

	if (!item)
		return -ENOMEM;
	*item = (struct decision){ .job_number = job->number, .task = job->task, .is_array = job->is_array, .pe = pe,
				   .first = (uint32_t)decisions->nentries, .prio = job->prio, .given = *given };
	return 0;
}

int decisions_remove(struct decisions *decisions, uint32_t job_number)
{
	uint32_t *number = array_add(&decisions->removals, &decisions->nremovals, sizeof(*number));

	if (!number)
		return -ENOMEM;
	*number = job_number;
	return 0;
}

int decisions_add(struct decisions *decisions, const struct cluster *cluster, const struct pending_job *job,
		  const struct grant *grant, const struct policy_given *given)
{
	int rc = item_add(decisions, job, grant->pe, given);

	for (size_t i = 0; i < grant->n && rc == 0; i++)
		rc = entry_add(decisions, &(struct decision_entry){ cluster->instances[grant->entries[i].instance].name,
								    grant->entries[i].slots });
	return rc;
}

int decisions_add_at(struct decisions *decisions, const struct pending_job *job, const struct decision_entry *at,
		     const struct policy_given *given)
{
	int rc = item_add(decisions, job, NONE, given);

	return rc ? rc : entry_add(decisions, at);
}

/* Orders */

struct ordering {			/* input of dispatch_orders() */
	struct dispatch *d;
	struct run *run;
	struct policy *policy;
	struct orders *orders;
};

struct naming {				/* scratch for the entries of one decision */
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

/* Build an entry. Its share of the task's tickets is proportional to its slots. */
static struct granted entry_order(const struct decision *of, const char *queue, uint32_t slots)
{
	double all = of->slots;

	return (struct granted){ .queue = queue,
				 .slots = slots,
				 .tickets = tickets_total(&of->given.tickets) / all * slots,
				 .otickets = of->given.tickets.override / all * slots,
				 .ftickets = of->given.tickets.functional / all * slots,
				 .stickets = of->given.tickets.share_tree / all * slots };
}

static int order(const struct ordering *ordering, const struct decision *of, struct naming *room)
{
	const struct run *run = ordering->run;
	const struct policy_kind *policy = ordering->policy->kind;
	const char *pe = of->pe == NONE ? NULL : run->cell->pes[of->pe].name;
	struct order start = {
		.kind = ORDER_START, .job_number = of->job_number, .task = of->task, .is_array = of->is_array
	};
	uint64_t number = ordering->orders->last + 1;
	struct error error;
	int rc = naming_reserve(room, of->n);

	for (uint32_t i = 0; i < of->n && rc == 0; i++) {
		const struct decision_entry *entry = &ordering->d->decisions.entries[of->first + i];

		room->granted[i] = entry_order(of, entry->queue, entry->slots);
	}
	start.start = (struct order_start){ .start_time = run->now,
					    .granted = { room->granted, of->n },
					    .granted_pe = pe,
					    .tickets = tickets_total(&of->given.tickets),
					    .prio = policy->shown ? policy->shown(of->prio) : of->prio,
					    .ntckts = of->given.ntckts,
					    .backfilled = of->backfilled };
	if (rc == 0)
		rc = mirror_order_start(run->mirror, of->job_number, of->task, run->now, room->granted, of->n, pe,
					number, &error);
	if (rc == 0 && orders_start(ordering->orders, &start) == 0) {
		mirror_order_void(run->mirror, of->job_number, of->task, number, &error);
		rc = orders_are_full(ordering->orders) ? -ENOSPC : -ENOMEM;
	}
	return rc;
}

/* Data for readers */

/* Set the tickets of a started task and list the job among those with started tasks. */
static int show_start(struct run *run, const struct decision *of)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	uint32_t row = jobs_find(jobs, of->job_number), task = tasks_find(run->mirror->state, row, of->task);
	struct task *t = &run->mirror->state->tasks.items[task];

	t->otickets = of->given.tickets.override;
	t->ftickets = of->given.tickets.functional;
	t->stickets = of->given.tickets.share_tree;
	return jobs->first_task[row] == task && t->next == NONE ? row_list_add(&run->started, row) : 0;
}

/*
 * Set the next task id that an array shows. It is computed once per array after all starts are
 * ordered, at the last ordered task.
 */
static int show_next(struct run *run, const struct decision *of)
{
	const struct state *state = run->mirror->state;
	uint32_t row = jobs_find(&state->jobs, of->job_number);
	struct job_extra *extra = jobs_find_extra(&state->jobs, row);

	if (!extra || !extra->is_array || state->tasks.items[state->jobs.first_task[row]].id != of->task)
		return 0;
	if (extra->waiting.n > 0)		/* in case none of them can be started */
		extra->first_waiting = extra->waiting.items[0].min;
	return job_startable(state, extra, UINT64_MAX, &extra->first_waiting, 1, &(size_t){ 0 });
}

/*
 * Order the pending list again: arrays move to the priority of their next tasks, and jobs without
 * pending tasks are removed.
 */
static int order_again(struct run *run)
{
	const struct jobs *jobs = &run->mirror->state->jobs;
	size_t n = 0;
	int rc = 0;

	if (!run->record.report_pending)
		for (size_t i = 0; i < run->waiting.n; i++)
			run->waiting.prio[i] = 0.0;
	if (!run->record.report_pending || run->order.again)
		rc = run_order(run);
	if (rc || run->counts.starts == 0)
		return rc;
	for (size_t k = 0; k < run->order.n; k++)
		if (jobs->kind[run->waiting.rows[(uint32_t)run->order.items[k]]] & JOB_PENDING)
			run->order.items[n++] = run->order.items[k];
	run->order.n = n;
	return 0;
}

/* The phase */

/*
 * Forget removals of jobs that are gone. The removal of an immediate job is ordered once, unless a
 * snapshot has cancelled the order.
 */
static void forget_removed(struct removed *removed, const struct run *run)
{

	pool_each(i, &removed->numbers) if (removed->state != run->mirror->state ||
					    jobs_find(&run->mirror->state->jobs,
						      *(const uint32_t *)pool_key(&removed->numbers, i)) == INDEX_NONE)
		pool_drop(&removed->numbers, i);
	removed->state = run->mirror->state;
}

/* Return -ENOSPC if nothing more can be ordered at present, otherwise -ENOMEM. */
static int refused(const struct orders *orders)
{
	return orders_are_full(orders) ? -ENOSPC : -ENOMEM;
}

static int order_removal(const struct ordering *ordering, uint32_t number)
{
	bool is_new;

	if (pool_find(&ordering->d->removed.numbers, &number) != UINT32_MAX)
		return 0;
	if (orders_remove(ordering->orders, number) == 0)
		return refused(ordering->orders);
	return pool_hold(&ordering->d->removed.numbers, &number, &is_new) == UINT32_MAX ? -ENOMEM : 0;
}

static int order_others(const struct ordering *ordering)
{
	const struct decisions *decisions = &ordering->d->decisions;
	struct state *state = ordering->run->mirror->state;
	int rc = ordering->policy->kind->hosts
			 ? ordering->policy->kind->hosts(ordering->policy, ordering->run, ordering->orders)
			 : 0;

	forget_removed(&ordering->d->removed, ordering->run);
	for (size_t i = 0; i < decisions->nsuspensions && rc == 0; i++) {
		const struct suspension *of = &decisions->suspensions[i];
		const struct queue_instance *instance = &ordering->d->supply.cluster.instances[of->instance];

		if (orders_suspend(ordering->orders, of->suspend, of->job_number, of->task, instance->name) == 0)
			rc = refused(ordering->orders);
		/* like after a job start: the qmaster reports the instance as if it were new */
		else
			state->instances[instance->reported].place = ++state->places;
	}
	for (size_t i = 0; i < decisions->nevictions && rc == 0; i++)
		if (orders_vacate(ordering->orders, decisions->evictions[i].job_number, decisions->evictions[i].task,
				  &decisions->evictions[i].order) == 0)
			rc = refused(ordering->orders);
	for (size_t i = 0; i < decisions->nremovals && rc == 0; i++)
		rc = order_removal(ordering, decisions->removals[i]);
	return rc;
}

/*
 * Make orders of the decisions. Decisions that cannot be ordered, because memory is exhausted or
 * too many orders are outstanding, are made again in the next run.
 */
int dispatch_orders(struct dispatch *dispatch, struct run *run, struct policy *policy, struct orders *orders)
{
	const struct ordering ordering = { dispatch, run, policy, orders };
	struct naming room = { 0 };
	int rc;

	if (dispatch->paused)
		decisions_clear(&dispatch->decisions);
	rc = dispatch->on && !dispatch->paused ? order_others(&ordering) : 0;
	rc = rc == -ENOSPC ? 0 : rc;
	run->counts.starts = 0;
	for (size_t i = 0; i < dispatch->decisions.n && rc == 0; i++) {
		rc = order(&ordering, &dispatch->decisions.items[i], &room);
		if (rc == 0) {
			run->counts.starts++;
			rc = show_start(run, &dispatch->decisions.items[i]);
		}
	}
	rc = rc == -ENOSPC ? 0 : rc;
	for (size_t i = 0; i < run->counts.starts && rc == 0; i++)
		rc = show_next(run, &dispatch->decisions.items[i]);
	free(room.granted);
	decisions_clear(&dispatch->decisions);
	return rc ? rc : order_again(run);
}
