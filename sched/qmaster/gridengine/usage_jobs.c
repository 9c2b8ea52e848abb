/* SPDX-License-Identifier: Apache-2.0 */
/* What is booked of each job, and which of that the qmaster does not have yet. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/array.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "sched/run/account.h"

/* Records */

struct usage_given *usage_given_of(struct sge *g, uint32_t kind, uint32_t object)
{
	struct usage_book *b = usage_book(g);
	size_t n = usage_mirror(g)->objects[kind].n;

	if (object >= b->ngiven[kind]) {
		if (object >= n || array_grow(&b->given[kind], n, sizeof(**b->given)))
			return NULL;
		for (size_t i = b->ngiven[kind]; i < n; i++)
			b->given[kind][i] = (struct usage_given){ .jobs = NONE, .jobs_sent = NONE };
		b->ngiven[kind] = n;
	}
	return &b->given[kind][object];
}

uint32_t usage_job_find(const struct usage_book *b, uint32_t number)
{
	return pool_find(&b->job_numbers, &number);
}

uint32_t usage_job_get(struct usage_book *b, uint32_t number)
{
	uint32_t id = usage_job_find(b, number);

	if (id != NONE)
		return id;
	if (pool_reserve(&b->job_numbers))
		return NONE;
	if (b->job_numbers.capacity > b->jobs_capacity) {
		if (array_grow(&b->jobs, b->job_numbers.capacity, sizeof(*b->jobs)))
			return NONE;
		b->jobs_capacity = b->job_numbers.capacity;
	}
	id = pool_hold(&b->job_numbers, &number, &(bool){ false });
	b->jobs[id] = (struct usage_job){ .object = NONE, .project = NONE, .next = NONE, .next_sent = NONE, .ends = NONE };
	return id;
}

/* Sums */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Whatever their order. */
uint64_t usage_hash(const struct usage *u)
{
	uint64_t sum = 0, bits;

	for (size_t i = 0; i < u->n; i++) {
		memcpy(&bits, &u->items[i].value, sizeof(bits));
		if (u->items[i].value != 0)
			sum += mix(bits + mix(u->items[i].name + 1));
	}
	return sum;
}

int usage_job_sum(struct sge *g, uint32_t job, struct usage *sum)
{
	const struct usage_book *b = usage_book(g);
	const struct debited *d = debited_find(usage_mirror(g)->state, *(const uint32_t *)pool_key(&b->job_numbers, job));
	int rc = d ? usage_copy(sum, &d->usage) : 0;

	for (uint32_t e = b->jobs[job].ends; rc == 0 && e != NONE; e = b->ends[e].next)
		for (size_t i = 0; rc == 0 && !b->ends[e].leaving && i < b->ends[e].usage.n; i++)
			rc = usage_add(sum, b->ends[e].usage.items[i].name, b->ends[e].usage.items[i].value);
	return rc;
}

void usage_job_list(struct sge *g, uint32_t job)
{
	struct usage_job *j = &usage_book(g)->jobs[job];
	struct usage_given *given = j->object == NONE || j->listed ? NULL : usage_given_of(g, j->kind, j->object);

	if (!given)
		return;
	j->listed = true;
	j->next = given->jobs;
	given->jobs = job;
}

/* After a run */

/* Whose list it is in, and who was charged besides; false: nobody. */
static bool job_owner(const struct mirror *m, struct usage_job *j, uint32_t class_id)
{
	const uint32_t *sharer = m->classes.items[class_id].sharer;
	bool is_user = sharer[SHARER_USER] != TICKETS_NONE;

	j->kind = is_user ? SHARER_USER : SHARER_PROJECT;
	j->object = sharer[j->kind] == TICKETS_NONE ? NONE : sharer[j->kind];
	j->project = is_user && sharer[SHARER_PROJECT] != TICKETS_NONE ? sharer[SHARER_PROJECT] : NONE;
	return j->object != NONE;
}

static int jobs_begin(struct sge *g)
{
	struct usage_book *b = usage_book(g);
	const struct mirror *m = usage_mirror(g);

	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		for (size_t i = 0; i < b->ngiven[k]; i++)
			b->given[k][i].jobs = NONE;
	pool_each(j, &b->job_numbers) {
		b->jobs[j].now = 0;
		b->jobs[j].listed = false;
	}
	for (size_t i = 0; i < m->state->ndebited; i++) {
		uint32_t row = jobs_find(&m->state->jobs, m->state->debited_numbers[i]), job;

		if (row == INDEX_NONE || m->state->debited[i].usage.n == 0)
			continue;
		job = usage_job_get(b, m->state->debited_numbers[i]);
		if (job == NONE)
			return -ENOMEM;
		job_owner(m, &b->jobs[job], job_fact(&m->state->jobs, row, class_id));
	}
	return 0;
}

static int job_reckon(struct sge *g, uint32_t job)
{
	struct usage_book *b = usage_book(g);
	struct usage_job *j = &b->jobs[job];
	struct usage_given *given;
	struct usage sum = { 0 };
	int rc = usage_job_sum(g, job, &sum);

	j->now = usage_hash(&sum);
	usage_free(&sum);
	if (j->update != b->updates)
		j->there = 0;
	if (rc != 0 || j->now == (j->leaving ? j->sent : j->there) || j->object == NONE)
		return rc;
	usage_job_list(g, job);
	given = usage_given_of(g, j->kind, j->object);
	if (given)
		given->changed = true;
	given = given && j->project != NONE ? usage_given_of(g, SHARER_PROJECT, j->project) : given;
	if (given)
		given->changed = true;
	return given ? 0 : -ENOMEM;
}

static int jobs_reckon(struct sge *g)
{
	struct usage_book *b = usage_book(g);
	int rc = jobs_begin(g);

	pool_each(job, &b->job_numbers) {
		struct usage_job *j = &b->jobs[job];

		if (rc == 0)
			rc = job_reckon(g, job);
		if (rc == 0 && j->now == 0 && j->there == 0 && !j->leaving && j->ends == NONE && !j->listed)
			pool_drop(&b->job_numbers, job);
	}
	return rc;
}

/* Of a new half-life all usage has another time stamp. */
static int halftime_reckon(struct sge *g)
{
	const struct mirror *m = usage_mirror(g);
	struct usage_book *b = usage_book(g);
	uint32_t now = sched_durable(g->sched)->run->account->last_halftime, before = b->halftime;

	b->halftime = now;
	if (before == 0 || now == before)
		return 0;
	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		for (uint32_t i = 0; i < m->objects[k].n; i++) {
			struct usage_given *given = usage_given_of(g, k, i);

			if (!given)
				return -ENOMEM;
			given->changed |= m->objects[k].items[i].usage.n > 0 || m->objects[k].items[i].nprojects > 0;
		}
	return 0;
}

/* What was booked of ended tasks is given by the next order, if there has to be one. */
static void ends_reckon(struct sge *g, bool stored)
{
	struct usage_book *b = usage_book(g);

	pool_each(i, &b->end_names) {
		struct usage_end *e = &b->ends[i];

		if (!e->booked)
			continue;
		e->safe |= stored;
		for (uint32_t k = 0; !e->reckoned && k < USAGE_KINDS; k++) {
			const struct usage_given *given = e->objects[k] == NONE ? NULL : usage_given_of(g, k, e->objects[k]);

			e->needs[k] = given ? given->sent + given->changed : 0;
		}
		e->reckoned = true;
	}
}

void usage_ran(struct sge *g, bool stored)
{
	struct usage_book *b = usage_book(g);

	if (jobs_reckon(g) || halftime_reckon(g))
		log_line(LOG_FAILURE, "no memory to look through what was booked; the next run tries again");
	else
		ends_reckon(g, stored);
	b->look = true;
}
