/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TRES minutes that running tasks may still use, as slurmctld 22.05 accumulates them. slurmctld
 * subtracts whole seconds at each pass; here they are counted again in each run. The results differ
 * only if UsageFactor is not a whole number: slurmctld then subtracts up to a second less at each
 * pass.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/slurm.h"
#include "sched/policy/multifactor/multifactor.h"

#define COUNT_MOST 9007199254740992.0	/* 2^53 */

static uint64_t saturated_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t saturated_product(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/*
 * Convert to a whole number, bounded by the largest that doubles represent exactly. More than that
 * is as good as unlimited.
 */
static uint64_t whole(double x)
{
	return (uint64_t)fmin(x, COUNT_MOST);
}

static int reserve(struct run_minutes *minutes, size_t kinds)
{
	size_t n = minutes->n + 1;

	if (n <= minutes->capacity)
		return 0;
	n += n / 2 + 16;
	if (n > UINT32_MAX / TRES_MOST || array_grow(&minutes->seconds, n * kinds, sizeof(*minutes->seconds)))
		return -ENOMEM;
	minutes->capacity = n;
	return 0;
}

/* Add rows for an association and all its ancestors. */
static int rows_add(struct multifactor *multifactor, uint32_t association)
{
	struct run_minutes *minutes = &multifactor->run_minutes;

	for (uint32_t i = association; i != ASSOCIATION_NONE && minutes->rows[i] == NONE;
	     i = multifactor->tree.items[i].parent) {
		if (reserve(minutes, multifactor->nkinds))
			return -ENOMEM;
		memset(minutes->seconds + minutes->n * multifactor->nkinds, 0,
		       multifactor->nkinds * sizeof(*minutes->seconds));
		minutes->rows[i] = (uint32_t)minutes->n++;
	}
	return 0;
}

/*
 * Return the allocation of a task. Most tasks have the same allocation as an earlier one, so it is
 * looked up first: parsing an allocation costs more than everything else here.
 */
static const struct allocation *allocation_of(struct multifactor *multifactor, struct run *run, const struct task *task)
{
	uint32_t request = job_fact(&run->mirror->state->jobs, task->row, category);
	/* 2^32 / golden ratio: the upper bits are spread well */
	uint32_t hash = ((request * 31 + task->tres) * 31 + task->slots) * 2654435769u;
	struct known_allocation *allocation = &multifactor->run_minutes.known[hash >> 16 & (KNOWN_ALLOCATIONS - 1)];

	if (allocation->request != request || allocation->partition != task->partition ||
	    allocation->tres != task->tres || allocation->slots != task->slots) {
		*allocation = (struct known_allocation){
			.request = request, .partition = task->partition, .tres = task->tres, .slots = task->slots
		};
		mirror_allocation(run->mirror, run->mirror->state, task, &allocation->is);
	}
	return &allocation->is;
}

/*
 * Return the association of the job's class, or of class and partition if there are associations
 * for one partition only.
 */
static uint32_t association_of(const struct multifactor *multifactor, const struct run *run, const struct task *task,
			       const struct allocation *allocation)
{
	uint32_t class = job_fact(&run->mirror->state->jobs, task->row, class_id);
	const struct class_key *key = classes_key(&run->mirror->classes, class);

	if (!multifactor->by_partition || allocation->partition == UINT32_MAX)
		return multifactor->classes[class].association;
	return multifactor_association(multifactor, run, key->account, key->owner,
				       multifactor->partition_names[allocation->partition]);
}

static uint64_t seconds_left(const struct multifactor *multifactor, const struct task *task,
			     const struct allocation *allocation)
{
	uint64_t all = whole(allocation->time_limit * 60.0 * allocation->usage_factor);
	uint64_t gone = multifactor->pass > task->start_time
				? whole((double)(multifactor->pass - task->start_time) * allocation->usage_factor)
				: 0;

	return all > gone ? all - gone : 0;
}

static int task_add(struct multifactor *multifactor, struct run *run, const struct task *task)
{
	const struct allocation *allocation = allocation_of(multifactor, run, task);
	uint32_t association = association_of(multifactor, run, task, allocation);
	uint64_t left = seconds_left(multifactor, task, allocation), *seconds;

	if (left == 0 || association == NONE)
		return 0;
	if (rows_add(multifactor, association))
		return -ENOMEM;
	seconds = multifactor->run_minutes.seconds + multifactor->run_minutes.rows[association] * multifactor->nkinds;
	for (size_t k = 0; k < multifactor->nkinds; k++)
		seconds[k] = saturated_sum(seconds[k], saturated_product(left, whole(allocation->counts[k])));
	return 0;
}

/* Add each row to its parent's, from the leaves to the root. */
static void rows_sum(struct multifactor *multifactor)
{
	struct run_minutes *minutes = &multifactor->run_minutes;

	for (size_t i = multifactor->tree.n; i-- > 1 && minutes->n > 0;) {
		const uint64_t *from =
			minutes->rows[i] == NONE ? NULL : minutes->seconds + minutes->rows[i] * multifactor->nkinds;
		uint64_t *to =
			from ? minutes->seconds + minutes->rows[multifactor->tree.items[i].parent] * multifactor->nkinds
			     : NULL;

		for (size_t k = 0; from && k < multifactor->nkinds; k++)
			to[k] = saturated_sum(to[k], from[k]);
	}
}

int multifactor_count_minutes(struct multifactor *multifactor, struct run *run)
{
	const struct state *state = run->mirror->state;

	memset(multifactor->run_minutes.rows, 0xff,
	       multifactor->tree.n * sizeof(*multifactor->run_minutes.rows)); /* NONE */
	multifactor->run_minutes.n = 0;
	for (size_t i = 0; i < KNOWN_ALLOCATIONS; i++)
		multifactor->run_minutes.known[i].request = NONE;
	for (size_t i = 0; multifactor->conf->enforce_limits && i < run->started.n; i++)
		for (uint32_t t = state->jobs.first_task[run->started.rows[i]]; t != NONE;
		     t = state->tasks.items[t].next)
			if (!state->tasks.items[t].order && !state->tasks.items[t].settled &&
			    task_add(multifactor, run, &state->tasks.items[t]))
				return -ENOMEM;
	rows_sum(multifactor);
	return 0;
}
