/* SPDX-License-Identifier: Apache-2.0 */
/* Usage booked for each job, and the part of it that the qmaster does not have yet. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/process/log.h"
#include "sched/qmaster/gridengine/usage_inside.h"
#include "sched/run/account.h"

/* Records */

struct usage_given *usage_given_of(struct sge *sge, uint32_t kind, uint32_t object)
{
	struct usage_book *book = usage_book(sge);
	size_t n = mirror_object_count(usage_mirror(sge), kind);

	if (object >= book->ngiven[kind]) {
		if (object >= n || array_grow(&book->given[kind], n, sizeof(**book->given)))
			return NULL;
		for (size_t i = book->ngiven[kind]; i < n; i++)
			book->given[kind][i] = (struct usage_given){ .jobs = NONE, .jobs_sent = NONE };
		book->ngiven[kind] = n;
	}
	return &book->given[kind][object];
}

uint32_t usage_job_find(const struct usage_book *book, uint32_t number)
{
	return pool_find(&book->job_numbers, &number);
}

uint32_t usage_job_get(struct usage_book *book, uint32_t number)
{
	uint32_t id = usage_job_find(book, number);

	if (id != NONE)
		return id;
	if (pool_reserve(&book->job_numbers))
		return NONE;
	if (array_reserve(&book->jobs_capacity, book->job_numbers.capacity, COLUMN(book->jobs)))
		return NONE;
	id = pool_hold(&book->job_numbers, &number, &(bool){ false });
	book->jobs[id] =
		(struct usage_job){ .object = NONE, .project = NONE, .next = NONE, .next_sent = NONE, .ends = NONE };
	return id;
}

/* Sums */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Return a checksum that does not depend on the order. */
uint64_t usage_hash(const struct usage *usage)
{
	uint64_t sum = 0, bits;

	for (size_t i = 0; i < usage->n; i++) {
		memcpy(&bits, &usage->items[i].value, sizeof(bits));
		if (usage->items[i].value != 0)
			sum += mix(bits + mix(usage->items[i].name + 1));
	}
	return sum;
}

int usage_job_sum(struct sge *sge, uint32_t job, struct usage *sum)
{
	const struct usage_book *book = usage_book(sge);
	const struct debited *debited =
		mirror_find_booked(usage_mirror(sge), *(const uint32_t *)pool_key(&book->job_numbers, job));
	int rc = debited ? usage_copy(sum, &debited->usage) : 0;

	for (uint32_t e = book->jobs[job].ends; rc == 0 && e != NONE; e = book->ends[e].next)
		for (size_t i = 0; rc == 0 && !book->ends[e].leaving && i < book->ends[e].usage.n; i++)
			rc = usage_add(sum, book->ends[e].usage.items[i].name, book->ends[e].usage.items[i].value);
	return rc;
}

void usage_job_list(struct sge *sge, uint32_t job)
{
	struct usage_job *usage_job = &usage_book(sge)->jobs[job];
	struct usage_given *given = usage_job->object == NONE || usage_job->listed
					    ? NULL
					    : usage_given_of(sge, usage_job->kind, usage_job->object);

	if (!given)
		return;
	usage_job->listed = true;
	usage_job->next = given->jobs;
	given->jobs = job;
}

/* After a run */

/*
 * Set the object whose list contains the job, and the project that was also charged. false: no
 * object.
 */
static bool job_owner(struct usage_job *job, const uint32_t *sharer)
{
	bool is_user = sharer[SHARER_USER] != TICKETS_NONE;

	job->kind = is_user ? SHARER_USER : SHARER_PROJECT;
	job->object = sharer[job->kind] == TICKETS_NONE ? NONE : sharer[job->kind];
	job->project = is_user && sharer[SHARER_PROJECT] != TICKETS_NONE ? sharer[SHARER_PROJECT] : NONE;
	return job->object != NONE;
}

static int jobs_begin(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);
	const struct mirror *mirror = usage_mirror(sge);
	const struct booked_jobs booked = mirror_booked_jobs(mirror);

	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		for (size_t i = 0; i < book->ngiven[k]; i++)
			book->given[k][i].jobs = NONE;
	pool_each(j, &book->job_numbers) {
		book->jobs[j].now = 0;
		book->jobs[j].listed = false;
	}
	for (size_t i = 0; i < booked.n; i++) {
		const uint32_t *sharers = mirror_job_sharers(mirror, booked.numbers[i]);
		uint32_t job;

		if (!sharers || booked.items[i].usage.n == 0)
			continue;
		job = usage_job_get(book, booked.numbers[i]);
		if (job == NONE)
			return -ENOMEM;
		job_owner(&book->jobs[job], sharers);
	}
	return 0;
}

static int job_reckon(struct sge *sge, uint32_t job)
{
	struct usage_book *book = usage_book(sge);
	struct usage_job *usage_job = &book->jobs[job];
	struct usage_given *given;
	struct usage sum = { 0 };
	int rc = usage_job_sum(sge, job, &sum);

	usage_job->now = usage_hash(&sum);
	usage_free(&sum);
	if (usage_job->update != book->updates)
		usage_job->there = 0;
	if (rc != 0 || usage_job->now == (usage_job->leaving ? usage_job->sent : usage_job->there) ||
	    usage_job->object == NONE)
		return rc;
	usage_job_list(sge, job);
	given = usage_given_of(sge, usage_job->kind, usage_job->object);
	if (given)
		given->changed = true;
	given = given && usage_job->project != NONE ? usage_given_of(sge, SHARER_PROJECT, usage_job->project) : given;
	if (given)
		given->changed = true;
	return given ? 0 : -ENOMEM;
}

static int jobs_reckon(struct sge *sge)
{
	struct usage_book *book = usage_book(sge);
	int rc = jobs_begin(sge);

	pool_each(job, &book->job_numbers) {
		struct usage_job *usage_job = &book->jobs[job];

		if (rc == 0)
			rc = job_reckon(sge, job);
		if (rc == 0 && usage_job->now == 0 && usage_job->there == 0 && !usage_job->leaving &&
		    usage_job->ends == NONE && !usage_job->listed)
			pool_drop(&book->job_numbers, job);
	}
	return rc;
}

/* Mark all usage as changed after a new half-life, because its time stamps change. */
static int halftime_reckon(struct sge *sge)
{
	const struct mirror *mirror = usage_mirror(sge);
	struct usage_book *book = usage_book(sge);
	uint32_t now = sched_durable(sge->sched)->run->account->last_halftime, before = book->halftime;

	book->halftime = now;
	if (before == 0 || now == before)
		return 0;
	for (uint32_t k = 0; k < USAGE_KINDS; k++)
		for (uint32_t i = 0; i < mirror_object_count(mirror, k); i++) {
			const struct object *object = mirror_object(mirror, k, i);
			struct usage_given *given = usage_given_of(sge, k, i);

			if (!given)
				return -ENOMEM;
			given->changed |= object->usage.n > 0 || object->nprojects > 0;
		}
	return 0;
}

/* Compute which orders contain the usage of ended tasks. */
static void ends_reckon(struct sge *sge, bool stored)
{
	struct usage_book *book = usage_book(sge);

	pool_each(i, &book->end_names) {
		struct usage_end *end = &book->ends[i];

		if (!end->booked)
			continue;
		end->safe |= stored;
		for (uint32_t k = 0; !end->reckoned && k < USAGE_KINDS; k++) {
			const struct usage_given *given =
				end->objects[k] == NONE ? NULL : usage_given_of(sge, k, end->objects[k]);

			end->needs[k] = given ? given->sent + given->changed : 0;
		}
		end->reckoned = true;
	}
}

void usage_ran(struct sge *sge, bool stored)
{
	struct usage_book *book = usage_book(sge);

	if (jobs_reckon(sge) || halftime_reckon(sge))
		log_line(LOG_FAILURE, "out of memory: the booked usage is not checked; the next run tries again");
	else
		ends_reckon(sge, stored);
	book->look = true;
}
