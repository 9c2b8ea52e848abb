/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspension on load: queue_conf(5), suspend_thresholds, nsuspend, suspend_interval. While a
 * threshold is crossed, nsuspend more tasks are suspended in each interval, the latest start first.
 * When it is not crossed, as many tasks are resumed, the earliest start first. Among tasks that
 * started in the same second the first one of the job list comes first in both cases.
 *
 * A task that is suspended here has no tickets in this run any more, but the urgency of its job
 * counts.
 *
 * A parallel task may be in several queues that exceed their thresholds. The first one suspends it,
 * and it does not count in nsuspend of the others. It is resumed when its master queue resumes it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/decisions.h"
#include "sched/dispatch/search/supply.h"
#include "sched/run/run.h"

struct candidate {			/* a task on an instance that must decide */
	uint32_t instance, place, task;
	/* Sort key, ascending: the start time, negated for suspension. */
	int64_t turn;
	uint32_t job, id;		/* job: position of its job in the list */
};

struct candidates {
	struct candidate *items;
	size_t n;
	unsigned char *decided;		/* indexed by task number */
};

enum due { DUE_NOTHING, DUE_SUSPEND, DUE_RESUME };

struct instance_due {			/* indexed by instance number */
	enum due due;
	/*
	 * Position in the list of this run. Instance numbers are in the order of creation of the
	 * cluster.
	 */
	uint32_t place;
};

/*
 * Return what an instance must do. It does nothing within suspend_interval after the last order
 * there. Tasks of a queue that is suspended itself are left unchanged.
 */
static enum due due_of(const struct run *run, const struct supply *supply, uint32_t number)
{
	const struct queue_instance *instance = &supply->cluster.instances[number];
	const struct queue_profile *profile = &supply->cluster.profiles[instance->profile];
	struct instance *reported = &run->mirror->state->instances[instance->reported];
	struct alarm alarm;

	if (profile->suspend_thresholds.n == 0 || profile->nsuspend == 0 || strpbrk(instance->letters, "sSC"))
		return DUE_NOTHING;
	if (reported->suspend_checked > supply->now) /* the clock was set back */
		reported->suspend_checked = 0;
	if (reported->suspend_checked != 0 &&
	    supply->now - reported->suspend_checked < profile->suspend_interval)
		return DUE_NOTHING;
	return load_alarm(&supply->cluster, number, &profile->suspend_thresholds, false, &alarm) ? DUE_SUSPEND
												   : DUE_RESUME;
}

/* Return whether the task is a candidate. `k` is the index of the instance in its grant. */
static bool is_candidate(const struct task *task, size_t k, enum due due)
{
	bool on_threshold = strchr(task->state, 'T') != NULL;

	if (task->order != 0)
		return false;
	return due == DUE_RESUME ? on_threshold && k == 0 : !on_threshold && !task->suspended;
}

static int task_add(const struct run *run, const struct supply *supply, struct candidates *candidates, uint32_t task,
		    const struct instance_due *due)
{
	const struct state *state = run->mirror->state;
	const struct task *t = &state->tasks.items[task];

	for (size_t k = 0; k < t->ngranted; k++) {
		uint32_t reported = index_find(&state->instance_index, state->instance_names, t->granted[k].queue);
		uint32_t number = reported == INDEX_NONE ? NONE : cluster_instance(&supply->cluster, reported);
		struct candidate *item;

		if (number == NONE || due[number].due == DUE_NOTHING || !is_candidate(t, k, due[number].due))
			continue;
		item = array_add(&candidates->items, &candidates->n, sizeof(*item));
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

static int decide(struct run *run, struct decisions *decisions, const struct candidate *candidate, bool suspend)
{
	struct task *task = &run->mirror->state->tasks.items[candidate->task];
	struct suspension *item =
		array_add(&decisions->suspensions, &decisions->nsuspensions, sizeof(*item));

	if (!item)
		return -ENOMEM;
	if (suspend) {
		task->suspended_by = run->number;
		run->counts.suspensions++;
	}
	*item = (struct suspension){ job_fact(&run->mirror->state->jobs, task->row, number), task->id,
				     candidate->instance, suspend };
	return 0;
}

/* Decide about the candidates begin..end-1 of one instance, in their order. */
static int instance_decide(struct run *run, const struct supply *supply, struct decisions *decisions,
			   struct candidates *candidates, size_t begin, size_t end, enum due due)
{
	const struct cluster *cluster = &supply->cluster;
	const struct queue_instance *instance = &cluster->instances[candidates->items[begin].instance];
	uint32_t left = cluster->profiles[instance->profile].nsuspend;
	int rc = 0;

	for (size_t i = begin; i < end && left > 0 && rc == 0; i++) {
		unsigned char *decided = &candidates->decided[candidates->items[i].task];

		if (*decided)
			continue;
		*decided = 1;
		left--;
		run->mirror->state->instances[instance->reported].suspend_checked = supply->now;
		rc = decide(run, decisions, &candidates->items[i], due == DUE_SUSPEND);
	}
	return rc;
}

static int all_decide(struct run *run, const struct supply *supply, struct decisions *decisions,
		      struct candidates *candidates, const struct instance_due *due)
{
	int rc = 0;

	if (candidates->n > 1)
		qsort(candidates->items, candidates->n, sizeof(*candidates->items), by_turn);
	for (size_t begin = 0, end; begin < candidates->n && rc == 0; begin = end) {
		for (end = begin + 1;
		     end < candidates->n && candidates->items[end].instance == candidates->items[begin].instance; end++)
			;
		rc = instance_decide(run, supply, decisions, candidates, begin, end,
				     due[candidates->items[begin].instance].due);
	}
	return rc;
}

int suspensions_find(const struct supply *supply, struct decisions *decisions, struct run *run)
{
	const struct state *state = run->mirror->state;
	struct instance_due *due = calloc(supply->cluster.ninstances + 1, sizeof(*due));
	struct candidates candidates = { 0 };
	bool any = false;
	int rc = due ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < supply->cluster.ninstances; i++) {
		due[i].due = due_of(run, supply, i);
		any |= due[i].due != DUE_NOTHING;
	}
	for (uint32_t k = 0; rc == 0 && k < supply->cluster.nlist; k++)
		due[supply->cluster.list[k]].place = k;
	pool_each(t, &state->tasks.pool)
		if (rc == 0 && any)
			rc = task_add(run, supply, &candidates, t, due);
	if (rc == 0 && candidates.n > 0) {
		candidates.decided = calloc(state->tasks.capacity, 1);
		rc = candidates.decided ? all_decide(run, supply, decisions, &candidates, due) : -ENOMEM;
	}
	free(candidates.decided);
	free(candidates.items);
	free(due);
	return rc;
}
