/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TRES minutes that running tasks may still use, as slurmctld 22.05 accumulates them. It does so
 * pass by pass, in whole seconds; here they are counted anew in each run, which comes to the same
 * but where UsageFactor is no whole number: there it gives up to a second less back at each pass.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/array.h"
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

/* A whole number; what is more than doubles have exactly is as good as endless. */
static uint64_t whole(double x)
{
	return (uint64_t)fmin(x, COUNT_MOST);
}

static int reserve(struct run_minutes *r, size_t kinds)
{
	size_t n = r->n + 1;

	if (n <= r->capacity)
		return 0;
	n += n / 2 + 16;
	if (n > UINT32_MAX / TRES_MOST || array_grow(&r->seconds, n * kinds, sizeof(*r->seconds)))
		return -ENOMEM;
	r->capacity = n;
	return 0;
}

/* Rows for an association and all that is above it. */
static int rows_add(struct multifactor *m, uint32_t association)
{
	struct run_minutes *r = &m->run_minutes;

	for (uint32_t i = association; i != ASSOCIATION_NONE && r->rows[i] == NONE; i = m->tree.items[i].parent) {
		if (reserve(r, m->nkinds))
			return -ENOMEM;
		memset(r->seconds + r->n * m->nkinds, 0, m->nkinds * sizeof(*r->seconds));
		r->rows[i] = (uint32_t)r->n++;
	}
	return 0;
}

/* Reading what a task was given costs more than all the rest: most tasks are like one before. */
static const struct allocation *allocation_of(struct multifactor *m, struct run *run, const struct task *t)
{
	uint32_t request = job_fact(&run->mirror->state->jobs, t->row, category);
	/* 2^32 / golden ratio: the upper bits are spread well */
	uint32_t hash = ((request * 31 + t->tres) * 31 + t->slots) * 2654435769u;
	struct known_allocation *k = &m->run_minutes.known[hash >> 16 & (KNOWN_ALLOCATIONS - 1)];

	if (k->request != request || k->partition != t->partition || k->tres != t->tres || k->slots != t->slots) {
		*k = (struct known_allocation){ .request = request, .partition = t->partition, .tres = t->tres, .slots = t->slots };
		mirror_allocation(run->mirror, run->mirror->state, t, &k->is);
	}
	return &k->is;
}

/* Whose class the job is, unless there are associations for one partition only. */
static uint32_t association_of(const struct multifactor *m, const struct run *run, const struct task *t, const struct allocation *a)
{
	uint32_t class = job_fact(&run->mirror->state->jobs, t->row, class_id);
	const struct class_key *key = classes_key(&run->mirror->classes, class);

	if (!m->by_partition || a->partition == UINT32_MAX)
		return m->classes[class].association;
	return multifactor_association(m, run, key->account, key->owner, m->partition_names[a->partition]);
}

static uint64_t seconds_left(const struct multifactor *m, const struct task *t, const struct allocation *a)
{
	uint64_t all = whole(a->time_limit * 60.0 * a->usage_factor);
	uint64_t gone = m->pass > t->start_time ? whole((double)(m->pass - t->start_time) * a->usage_factor) : 0;

	return all > gone ? all - gone : 0;
}

static int task_add(struct multifactor *m, struct run *run, const struct task *t)
{
	const struct allocation *a = allocation_of(m, run, t);
	uint32_t association = association_of(m, run, t, a);
	uint64_t left = seconds_left(m, t, a), *seconds;

	if (left == 0 || association == NONE)
		return 0;
	if (rows_add(m, association))
		return -ENOMEM;
	seconds = m->run_minutes.seconds + m->run_minutes.rows[association] * m->nkinds;
	for (size_t k = 0; k < m->nkinds; k++)
		seconds[k] = saturated_sum(seconds[k], saturated_product(left, whole(a->counts[k])));
	return 0;
}

/* From below to above. */
static void rows_sum(struct multifactor *m)
{
	struct run_minutes *r = &m->run_minutes;

	for (size_t i = m->tree.n; i-- > 1 && r->n > 0;) {
		const uint64_t *from = r->rows[i] == NONE ? NULL : r->seconds + r->rows[i] * m->nkinds;
		uint64_t *to = from ? r->seconds + r->rows[m->tree.items[i].parent] * m->nkinds : NULL;

		for (size_t k = 0; from && k < m->nkinds; k++)
			to[k] = saturated_sum(to[k], from[k]);
	}
}

int multifactor_count_minutes(struct multifactor *m, struct run *run)
{
	const struct state *state = run->mirror->state;

	memset(m->run_minutes.rows, 0xff, m->tree.n * sizeof(*m->run_minutes.rows));	/* NONE */
	m->run_minutes.n = 0;
	for (size_t i = 0; i < KNOWN_ALLOCATIONS; i++)
		m->run_minutes.known[i].request = NONE;
	for (size_t i = 0; m->conf->enforce_limits && i < run->started.n; i++)
		for (uint32_t t = state->jobs.first_task[run->started.rows[i]]; t != NONE; t = state->tasks.items[t].next)
			if (!state->tasks.items[t].order && !state->tasks.items[t].settled && task_add(m, run, &state->tasks.items[t]))
				return -ENOMEM;
	rows_sum(m);
	return 0;
}
