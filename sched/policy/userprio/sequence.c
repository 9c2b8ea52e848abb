/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the list: submitters by their effective user priority, each one's jobs by
 * PreJobPrio1, PreJobPrio2, JobPrio, PostJobPrio1, PostJobPrio2, all descending, then by
 * submission, cluster and process. HTCondor's manual, condor_submit(1), "priority".
 *
 * A stable radix sort from the last key to the first one; keys that are the same for all jobs, as
 * most are, cost one look at each job. The list itself is in the order of submissions as a rule.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policy/userprio/inside.h"
#include "sched/run/radix.h"

#define KEY_DIGITS 3			/* of 32 bits */

struct sequence {
	const struct userprio_cell *u;
	const struct run *run;
	uint64_t *from, *to;		/* key in the upper half, place in run->waiting in the lower one */
	size_t n;
	int64_t first_submission;
	uint32_t counts[KEY_DIGITS][BUCKETS];
};

typedef uint32_t sequence_key(const struct sequence *s, uint32_t place);

static uint32_t row_of(const struct sequence *s, uint32_t place)
{
	return s->run->waiting.rows[place];
}

static struct condor_job condor_of(const struct sequence *s, uint32_t place)
{
	return job_condor(&s->run->mirror->state->jobs, row_of(s, place));
}

/* The highest first. */
static uint32_t descending(int32_t prio)
{
	return ~((uint32_t)prio ^ 0x80000000u);
}

static uint32_t key_proc(const struct sequence *s, uint32_t place)
{
	const struct job_extra *extra = jobs_find_extra(&s->run->mirror->state->jobs, row_of(s, place));
	const struct condor_job c = condor_of(s, place);

	return c.given & CONDOR_PROC ? c.proc : extra ? extra->first_waiting : 1;
}

static uint32_t key_cluster(const struct sequence *s, uint32_t place)
{
	return condor_of(s, place).cluster;
}

static uint32_t key_submission(const struct sequence *s, uint32_t place)
{
	int64_t after = job_fact(&s->run->mirror->state->jobs, row_of(s, place), submission) - s->first_submission;

	return after < 0 ? 0 : after < UINT32_MAX ? (uint32_t)after : UINT32_MAX;
}

static uint32_t key_age(const struct sequence *s, uint32_t place)
{
	return s->run->waiting.age[place];
}

static uint32_t key_post_prio2(const struct sequence *s, uint32_t place)
{
	return descending(condor_of(s, place).post_job_prio2);
}

static uint32_t key_post_prio1(const struct sequence *s, uint32_t place)
{
	return descending(condor_of(s, place).post_job_prio1);
}

static uint32_t key_prio(const struct sequence *s, uint32_t place)
{
	return descending(condor_of(s, place).job_prio);
}

static uint32_t key_pre_prio2(const struct sequence *s, uint32_t place)
{
	return descending(condor_of(s, place).pre_job_prio2);
}

static uint32_t key_pre_prio1(const struct sequence *s, uint32_t place)
{
	return descending(condor_of(s, place).pre_job_prio1);
}

/* Who takes no part comes last. */
static uint32_t key_submitter(const struct sequence *s, uint32_t place)
{
	const struct submitters *of = &s->u->submitters;
	uint32_t class_id;

	if (s->run->waiting.first[place] == NONE)
		return UINT32_MAX;
	class_id = job_fact(&s->run->mirror->state->jobs, row_of(s, place), class_id);
	return of->items[of->of_customer[of->classes[class_id].customer]].place;
}

static void digits_count(struct sequence *s)
{
	memset(s->counts, 0, sizeof(s->counts));
	for (size_t k = 0; k < s->n; k++)
		for (unsigned digit = 0; digit < KEY_DIGITS; digit++)
			s->counts[digit][bucket_of(s->from[k], 32 + digit * DIGIT_BITS)]++;
}

static void digit_sort(struct sequence *s, unsigned digit)
{
	unsigned shift = 32 + digit * DIGIT_BITS;
	uint32_t *next = s->counts[digit], sum = 0;
	uint64_t *swap = s->from;

	if (next[bucket_of(s->from[0], shift)] == s->n)
		return;			/* it is the same everywhere */
	for (size_t b = 0; b < BUCKETS; b++) {
		uint32_t n = next[b];

		next[b] = sum;
		sum += n;
	}
	for (size_t k = 0; k < s->n; k++)
		s->to[next[bucket_of(s->from[k], shift)]++] = s->from[k];
	s->from = s->to;
	s->to = swap;
}

static void sort_by(struct sequence *s, sequence_key *key)
{
	uint32_t differs = 0, first = s->n > 0 ? key(s, (uint32_t)s->from[0]) : 0;

	for (size_t k = 0; k < s->n; k++) {
		uint32_t of = key(s, (uint32_t)s->from[k]);

		differs |= of ^ first;
		s->from[k] = (uint64_t)of << 32 | (uint32_t)s->from[k];
	}
	if (differs == 0)
		return;
	digits_count(s);
	for (unsigned digit = 0; digit < KEY_DIGITS; digit++)
		digit_sort(s, digit);
}

static void sort_jobs(struct sequence *s)
{
	if (s->run->mirror->state->jobs.condor) {
		sort_by(s, key_proc);
		sort_by(s, key_cluster);
		sort_by(s, key_submission);
		sort_by(s, key_post_prio2);
		sort_by(s, key_post_prio1);
		sort_by(s, key_prio);
		sort_by(s, key_pre_prio2);
		sort_by(s, key_pre_prio1);
		return;
	}
	if (!s->run->waiting.by_age)
		sort_by(s, key_age);
	sort_by(s, key_prio);
}

/*
 * By priority, the best first; equal ones as they were first known, which whoever makes this run
 * once more is told, too.
 */
static int place_compare(const void *a, const void *b, void *context)
{
	const struct userprio_policy *p = context;
	const struct submitters *s = &p->in_force->submitters;
	uint32_t x = s->items[*(const uint32_t *)a].customer, y = s->items[*(const uint32_t *)b].customer;
	double ex = customer_eup(&p->accountant.customers.items[x]), ey = customer_eup(&p->accountant.customers.items[y]);

	return ex < ey ? -1 : ex > ey ? 1 : x < y ? -1 : x > y;
}

void sequence_submitters(struct userprio_policy *p)
{
	struct submitters *s = &p->in_force->submitters;

	for (uint32_t i = 0; i < s->n; i++)
		s->by_place[i] = i;
	if (s->n > 0)
		qsort_r(s->by_place, s->n, sizeof(*s->by_place), place_compare, p);
	for (uint32_t i = 0; i < s->n; i++)
		s->items[s->by_place[i]].place = i;
}

/* Each submitter's jobs lie next to each other in run->order. */
static void segments_find(struct userprio_cell *u)
{
	uint32_t at = 0;

	for (size_t i = 0; i < u->submitters.n; i++) {
		struct submitter *s = &u->submitters.items[u->submitters.by_place[i]];

		s->begin = at;
		at += s->n;
	}
}

/*
 * In the order of its submitter's jobs, from 1; 0: it takes no part. In memory that nobody uses
 * now.
 */
static void places_tell(const struct userprio_cell *u, struct run *run)
{
	if (run->waiting.n > 0)
		memset(run->scratch.members, 0, run->waiting.n * sizeof(*run->scratch.members));
	for (size_t i = 0; i < u->submitters.n; i++) {
		const struct submitter *s = &u->submitters.items[i];

		for (uint32_t k = 0; k < s->n; k++)
			run->scratch.members[(uint32_t)run->order.items[s->begin + k]] = k + 1;
	}
}

int sequence_jobs(struct userprio_policy *p, struct run *run)
{
	struct sequence *s = calloc(1, sizeof(*s));
	const struct jobs *j = &run->mirror->state->jobs;

	if (!s || ticket_scratch_reserve(&run->scratch, run->waiting.n, 0, 0)) {
		free(s);
		return -ENOMEM;
	}
	s->u = p->in_force;
	s->run = run;
	s->from = (uint64_t *)(void *)run->scratch.keys;
	s->to = (uint64_t *)(void *)run->scratch.other_keys;
	s->n = run->waiting.n;
	s->first_submission = INT64_MAX;
	for (size_t k = 0; k < s->n; k++) {
		int64_t submission = job_fact(j, run->waiting.rows[k], submission);

		s->first_submission = submission < s->first_submission ? submission : s->first_submission;
		s->from[k] = k;
	}
	sort_jobs(s);
	sort_by(s, key_submitter);
	segments_find(p->in_force);
	run->order.items = s->from;
	run->order.n = s->n;
	places_tell(p->in_force, run);
	free(s);
	return 0;
}
