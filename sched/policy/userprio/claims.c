/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The submitter that is charged for each slot. A slot of a started task is charged to its submitter
 * from the match until the task has ended. A slot that a qmaster reports as claimed is charged to
 * the submitter that it reports. Tasks that a run starts are charged when they are matched
 * (matches.c). A task found here without a match was started by another scheduler and is charged
 * from its start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "conf/lists.h"
#include "sched/policy/userprio/inside.h"

/* Ends */

static uint32_t instance_named(const struct run *run, uint32_t name)
{
	const struct state *state = run->mirror->state;
	uint32_t i = index_find(&state->instance_index, state->instance_names, name);

	return i == INDEX_NONE ? NONE : i;
}

static double granted_weight(struct userprio_cell *cell, const struct run *run, const struct granted_entry *granted)
{
	uint32_t instance = instance_named(run, granted->queue);

	return instance == NONE ? granted->slots : slot_list_weight(cell, run, instance, granted->slots);
}

/* Charge a task that was started and has ended since the last run, so that no run has seen it. */
static void charge_unseen(struct userprio_policy *policy, struct run *run, const struct ended_task *task,
			  const struct granted_entry *granted, int64_t end)
{
	uint32_t customer = submitters_customer(policy, run, task->class_id);
	double weight = granted_weight(policy->in_force, run, granted);

	if (customer == CUSTOMER_NONE || task->start_time <= 0 || end <= task->start_time)
		return;
	customers_add_match(&policy->accountant.customers, customer, weight, task->start_time);
	customers_remove_match(&policy->accountant.customers, customer, weight, task->start_time, end);
}

static bool is_of_start(const struct claim *claim, const struct ended_task *task)
{
	return claim->start == 0 || claim->ordered || claim->start == task->start_time;
}

/* Process the end of a task. Return whether a claim ends with it. */
static bool end_take(struct userprio_policy *policy, struct run *run, const struct ended_task *task, int64_t end)
{
	bool claimed = false;

	for (size_t k = 0; k < task->ngranted; k++) {
		const struct claim_key key = { task->granted[k].queue, task->number, task->id };
		const struct claim *claim = accountant_claim_find(&policy->accountant, &key);
		bool has = claim && is_of_start(claim, task);

		/*
		 * a task that was charged up to its end before is reported again, with its start:
		 * refund the charge
		 */
		if (task->settled && has)
			accountant_claim_end(&policy->accountant, run->strings, &key, claim->since);
		else if (!task->settled && !has)
			charge_unseen(policy, run, task, &task->granted[k], end);
		claimed |= has && !task->settled;
	}
	return claimed;
}

/* Note the end of a claim. If memory is exhausted, the claim ends at the time of the next run. */
void claims_note_end(struct userprio_cell *cell, const struct claim_end *end)
{
	struct claim_end *item = array_add(&cell->ends, &cell->nends, sizeof(*item));

	if (item)
		*item = *end;
}

void claims_note_ends(struct userprio_policy *policy, struct run *run, const struct ended_task *tasks, size_t n)
{
	struct userprio_cell *cell = policy->in_force;

	for (size_t i = 0; i < n; i++) {
		int64_t time = tasks[i].end_time ? tasks[i].end_time : run->now;

		if (end_take(policy, run, &tasks[i], time))
			claims_note_end(cell, &(struct claim_end){ tasks[i].number, tasks[i].id, tasks[i].start_time,
								   time, tasks[i].ending });
	}
}

static int end_compare(const void *a, const void *b)
{
	const struct claim_end *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Return the end of the claim's start, or the first end if that start is unknown. */
static const struct claim_end *end_of(const struct userprio_cell *cell, const struct claim_key *key,
				      const struct claim *claim)
{
	size_t low = 0, high = cell->nends;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct claim_end *end = &cell->ends[middle];

		if (end->job < key->job || (end->job == key->job && end->task < key->task))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < cell->nends && cell->ends[low].job == key->job && cell->ends[low].task == key->task; low++)
		if (claim->start == 0 || claim->ordered || cell->ends[low].start == claim->start)
			return &cell->ends[low];
	return NULL;
}

/* Return whether a claim is young enough to take the same submitter's next job (CLAIM_WORKLIFE). */
static bool is_young(const struct condor_conf *conf, const struct claim *claim, int64_t now)
{
	return conf->claim_worklife < 0 || now - claim->begun < conf->claim_worklife;
}

static void claim_free(struct userprio_cell *cell, const struct run *run, const struct claim_key *key,
		       const struct claim *claim)
{
	uint32_t instance = instance_named(run, key->slot);
	struct freed_claim *freed;

	if (instance == NONE || !is_young(cell->conf, claim, run->now))
		return;
	freed = array_add(&cell->freed, &cell->nfreed, sizeof(*freed));
	if (freed)
		*freed = (struct freed_claim){ .instance = instance,
					       .customer = claim->customer,
					       .cpus = claim->cpus,
					       .weight = claim->weight,
					       .begun = claim->begun };
}

/* End a claim that no task and no reported slot has any more. */
static void claim_end(struct userprio_policy *policy, const struct run *run, uint32_t number)
{
	const struct claim_key key = *(const struct claim_key *)pool_key(&policy->accountant.keys, number);
	const struct claim claim = policy->accountant.claims[number];
	const struct claim_end *end = key.job ? end_of(policy->in_force, &key, &claim) : NULL;

	if (end)
		before_end(&policy->in_force->before, number, end->end, end->ending == TASK_FINISHED);
	if (end && end->ending == TASK_FINISHED && winners_find(policy, &key) == NONE)
		claim_free(policy->in_force, run, &key, &claim);
	before_hold(&policy->in_force->before, run->strings, key.slot);
	accountant_claim_end(&policy->accountant, run->strings, &key, end ? end->end : run->now);
}

/* Claims found */

static int chains_begin(struct slot_list *slots, size_t ninstances)
{
	size_t n = ninstances + ninstances / 4 + 64;

	if (ninstances > slots->chains_capacity) {
		if (array_grow(&slots->first_claim, n, sizeof(*slots->first_claim)))
			return -ENOMEM;
		slots->chains_capacity = n;
	}
	if (ninstances > 0)
		memset(slots->first_claim, 0xff, ninstances * sizeof(*slots->first_claim));
	return 0;
}

/*
 * Add a claim to its slot's chain, which is ordered by job and task. Pieces are numbered in that
 * order. `task` NONE: the slot reported the claim, or the task starts in this run.
 */
int claims_chain(struct userprio_policy *policy, uint32_t instance, const struct claim_key *key, uint32_t task)
{
	struct slot_list *slots = &policy->in_force->slots;
	uint32_t number = pool_find(&policy->accountant.keys, key), *at = &slots->first_claim[instance];

	if (array_reserve(&slots->next_capacity, policy->accountant.keys.n, COLUMN(slots->next_claim),
			  COLUMN(slots->claim_task)))
		return -ENOMEM;
	slots->claim_task[number] = task;
	while (*at != NONE) {
		const struct claim_key *other = pool_key(&policy->accountant.keys, *at);

		if (other->job > key->job || (other->job == key->job && other->task > key->task))
			break;
		at = &slots->next_claim[*at];
	}
	slots->next_claim[number] = *at;
	*at = number;
	return 0;
}

/* Return whether the claim belongs to another start of the task. That start has ended then. */
static bool is_other_start(const struct claim *claim, const struct task *task)
{
	return claim->start != 0 && !claim->ordered && task->order == 0 && claim->start != task->start_time;
}

static int task_claim(struct userprio_policy *policy, struct run *run, uint32_t t, uint32_t k)
{
	struct accountant *accountant = &policy->accountant;
	const struct state *state = run->mirror->state;
	const struct task *task = &state->tasks.items[t];
	const struct claim_key key = { task->granted[k].queue, job_fact(&state->jobs, task->row, number), task->id };
	uint32_t instance = instance_named(run, key.slot), class_id = job_fact(&state->jobs, task->row, class_id);
	struct claim *claim = accountant_claim_find(accountant, &key);

	if (claim && is_other_start(claim, task)) {
		claim_end(policy, run, pool_find(&accountant->keys, &key));
		claim = NULL;
	}
	if (!claim) {
		struct claim found = { .customer = submitters_customer(policy, run, class_id),
				       .cpus = task->granted[k].slots,
				       .since = task->start_time,
				       .begun = task->start_time,
				       .negotiating_group = UINT32_MAX };

		if (found.customer == CUSTOMER_NONE)
			return 0;
		found.weight = granted_weight(policy->in_force, run, &task->granted[k]);
		claim = accountant_claim_add(accountant, run->strings, &key, &found);
		if (!claim)
			return -ENOMEM;
		accountant_charge(accountant, claim);
	}
	claim->changed |= claim->start != task->start_time;
	claim->start = task->start_time;
	claim->ordered = task->order != 0;
	claim->cpus = task->granted[k].slots;
	claim->seen = run->number;
	return instance == NONE ? 0 : claims_chain(policy, instance, &key, t);
}

/* Take a reported claim of a slot in which no task is known. */
static int reported_claim(struct userprio_policy *policy, struct run *run, uint32_t instance)
{
	struct accountant *accountant = &policy->accountant;
	const struct instance *i = &run->mirror->state->instances[instance];
	const struct claim_key key = { run->mirror->state->instance_names[instance], 0, 0 };
	struct claim *claim = accountant_claim_find(accountant, &key);
	struct claim found = { .cpus = i->slots,
			       .since = i->claim->since ? i->claim->since : run->now,
			       .negotiating_group = UINT32_MAX };

	found.customer = accountant_customer(accountant, run->strings, policy->conf,
					     mirror_text(run->mirror, i->claim->submitter));
	if (found.customer == CUSTOMER_NONE)
		return -ENOMEM;
	found.weight = i->claim->weight >= 0.0 ? i->claim->weight
					       : slot_list_weight(policy->in_force, run, instance, i->slots);
	if (claim && claim->customer != found.customer) {
		before_hold(&policy->in_force->before, run->strings, key.slot);
		accountant_claim_end(accountant, run->strings, &key, run->now);
		claim = NULL;
	}
	if (!claim) {
		found.since = found.since < run->now ? found.since : run->now;
		found.begun = found.since;
		claim = accountant_claim_add(accountant, run->strings, &key, &found);
		if (!claim)
			return -ENOMEM;
		accountant_charge(accountant, claim);
	}
	claim->current_rank = i->claim->current_rank;
	claim->is_ranked = true;
	claim->seen = run->number;
	return claims_chain(policy, instance, &key, NONE);
}

/*
 * Return whether missing claims have ended. A claim of an earlier scheduler has ended if the
 * qmaster does not report it, but only after the qmaster has reported its state. Until then such
 * claims are charged unchanged.
 */
static bool ends_are_known(struct userprio_policy *policy, const struct run *run)
{
	policy->is_reported = policy->is_reported || !policy->loaded ||
			      (run->event > 0 && !mirror_in_snapshot(run->mirror));
	return policy->is_reported;
}

/* Update all claims. Ended claims that may be used again are added to cell->freed. */
int claims_take(struct userprio_policy *policy, struct run *run)
{
	struct userprio_cell *cell = policy->in_force;
	const struct state *state = run->mirror->state;

	cell->nfreed = 0;
	if (cell->nends > 1)
		qsort(cell->ends, cell->nends, sizeof(*cell->ends), end_compare);
	if (chains_begin(&cell->slots, state->ninstances))
		return -ENOMEM;
	pool_each(t, &state->tasks.pool)
		for (uint32_t k = 0; k < state->tasks.items[t].ngranted; k++)
			if (task_claim(policy, run, t, k))
				return -ENOMEM;
	for (uint32_t i = 0; i < state->ninstances; i++)
		if (state->instances[i].claim && cell->slots.first_claim[i] == NONE && reported_claim(policy, run, i))
			return -ENOMEM;
	if (ends_are_known(policy, run))
		pool_each(c, &policy->accountant.keys)
			if (policy->accountant.claims[c].seen != run->number)
				claim_end(policy, run, c);
	cell->nends = 0;
	return 0;
}
