/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspension on load: queue_conf(5), suspend_thresholds, nsuspend, suspend_interval. While a
 * threshold is crossed, nsuspend more tasks are suspended each interval, those that started last
 * first; when it is not, as many go on, those that started first first. Of those that started in
 * the same second the first one of the job list comes first, either way.
 *
 * A task that is suspended here has no tickets in this run any more, but its job's urgency counts.
 *
 * A parallel task may be in several queues that are over their thresholds: the first one suspends
 * it, and it is none of the others' nsuspend. It goes on when its master queue says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/run/run.h"

struct candidate {			/* a task on an instance that has something to decide */
	uint32_t instance, place, task;
	/* least first: its start time, negative where it is to be suspended */
	int64_t turn;
	uint32_t job, id;		/* place of its job in the list */
};

struct candidates {
	struct candidate *items;
	size_t n;
	unsigned char *decided;		/* by task */
};

enum due { DUE_NOTHING, DUE_SUSPEND, DUE_RESUME };

struct instance_due {			/* by instance */
	enum due due;
	/* in the list of this run: numbers are of the order in which a cluster was made */
	uint32_t place;
};

/*
 * What an instance is due for; not within an interval from when something was ordered there. Tasks
 * of a queue that is suspended itself are left alone.
 */
static enum due due_of(const struct run *run, struct dispatch *d, uint32_t number)
{
	const struct queue_instance *i = &d->cluster.instances[number];
	const struct queue_profile *p = &d->cluster.profiles[i->profile];
	struct instance *told = &run->mirror->state->instances[i->told];
	struct alarm alarm;

	if (p->suspend_thresholds.n == 0 || p->nsuspend == 0 || strpbrk(i->letters, "sSC"))
		return DUE_NOTHING;
	if (told->suspend_checked > d->now)		/* the clock was set back */
		told->suspend_checked = 0;
	if (told->suspend_checked != 0 && d->now - told->suspend_checked < p->suspend_interval)
		return DUE_NOTHING;
	return load_alarm(&d->cluster, number, &p->suspend_thresholds, false, &alarm) ? DUE_SUSPEND : DUE_RESUME;
}

/* `k`: the instance's place among those granted. */
static bool is_candidate(const struct task *t, size_t k, enum due due)
{
	bool on_threshold = strchr(t->state, 'T') != NULL;

	if (t->order != 0)
		return false;
	return due == DUE_RESUME ? on_threshold && k == 0 : !on_threshold && !t->suspended;
}

static int task_add(const struct run *run, struct dispatch *d, struct candidates *c, uint32_t task, const struct instance_due *due)
{
	const struct state *state = run->mirror->state;
	const struct task *t = &state->tasks.items[task];

	for (size_t k = 0; k < t->ngranted; k++) {
		uint32_t told = index_find(&state->instance_index, state->instance_names, t->granted[k].queue);
		uint32_t number = told == INDEX_NONE ? NONE : cluster_instance(&d->cluster, told);
		struct candidate *item;

		if (number == NONE || due[number].due == DUE_NOTHING || !is_candidate(t, k, due[number].due))
			continue;
		item = array_add(&c->items, &c->n, sizeof(*item));
		if (!item)
			return -ENOMEM;
		*item = (struct candidate){ .instance = number, .place = due[number].place, .task = task,
					    .turn = due[number].due == DUE_RESUME ? t->start_time : -t->start_time,
					    .job = state->jobs.place[t->row], .id = t->id };
	}
	return 0;
}

static int by_turn(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int decide(struct run *run, struct dispatch *d, const struct candidate *c, bool suspend)
{
	struct task *t = &run->mirror->state->tasks.items[c->task];
	struct suspension *item = array_add(&d->decisions.suspensions, &d->decisions.nsuspensions, sizeof(*item));

	if (!item)
		return -ENOMEM;
	if (suspend) {
		t->suspended_by = run->number;
		run->counts.suspensions++;
	}
	*item = (struct suspension){ job_fact(&run->mirror->state->jobs, t->row, number), t->id, c->instance, suspend };
	return 0;
}

/* Candidates begin..end-1 are those of one instance, the first one first. */
static int instance_decide(struct run *run, struct dispatch *d, struct candidates *c, size_t begin, size_t end, enum due due)
{
	const struct cluster *cluster = &d->cluster;
	const struct queue_instance *instance = &cluster->instances[c->items[begin].instance];
	uint32_t left = cluster->profiles[instance->profile].nsuspend;
	int rc = 0;

	for (size_t i = begin; i < end && left > 0 && rc == 0; i++) {
		unsigned char *decided = &c->decided[c->items[i].task];

		if (*decided)
			continue;
		*decided = 1;
		left--;
		run->mirror->state->instances[instance->told].suspend_checked = d->now;
		rc = decide(run, d, &c->items[i], due == DUE_SUSPEND);
	}
	return rc;
}

static int all_decide(struct run *run, struct dispatch *d, struct candidates *c, const struct instance_due *due)
{
	int rc = 0;

	if (c->n > 1)
		qsort(c->items, c->n, sizeof(*c->items), by_turn);
	for (size_t begin = 0, end; begin < c->n && rc == 0; begin = end) {
		for (end = begin + 1; end < c->n && c->items[end].instance == c->items[begin].instance; end++)
			;
		rc = instance_decide(run, d, c, begin, end, due[c->items[begin].instance].due);
	}
	return rc;
}

int suspensions_find(struct dispatch *d, struct run *run)
{
	const struct state *state = run->mirror->state;
	struct instance_due *due = calloc(d->cluster.ninstances + 1, sizeof(*due));
	struct candidates c = { 0 };
	bool any = false;
	int rc = due ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < d->cluster.ninstances; i++) {
		due[i].due = due_of(run, d, i);
		any |= due[i].due != DUE_NOTHING;
	}
	for (uint32_t k = 0; rc == 0 && k < d->cluster.nlist; k++)
		due[d->cluster.list[k]].place = k;
	pool_each(t, &state->tasks.pool)
		if (rc == 0 && any)
			rc = task_add(run, d, &c, t, due);
	if (rc == 0 && c.n > 0) {
		c.decided = calloc(state->tasks.capacity, 1);
		rc = c.decided ? all_decide(run, d, &c, due) : -ENOMEM;
	}
	free(c.decided);
	free(c.items);
	free(due);
	return rc;
}
