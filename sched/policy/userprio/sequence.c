/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the list: submitters by effective user priority. Each submitter's jobs are ordered
 * by PreJobPrio1, PreJobPrio2, JobPrio, PostJobPrio1 and PostJobPrio2, all descending, then by
 * submission, cluster and process. Source: HTCondor's manual, condor_submit(1), "priority".
 *
 * The sort is a stable radix sort from the last key to the first. Most keys are the same for all
 * jobs; such a key costs one read of each job. The list itself is usually in the order of
 * submissions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policy/userprio/inside.h"
#include "sched/run/radix.h"

#define KEY_DIGITS 3			/* number of digits in 32 bits */

struct sequence {
	const struct userprio_cell *u;
	const struct run *run;
	/* key in the upper half, index in run->waiting in the lower one */
	uint64_t *from, *to;
	size_t n;
	int64_t first_submission;
	uint32_t counts[KEY_DIGITS][BUCKETS];
};

typedef uint32_t sequence_key(const struct sequence *sequence, uint32_t place);

static uint32_t row_of(const struct sequence *sequence, uint32_t place)
{
	return sequence->run->waiting.rows[place];
}

static struct condor_job condor_of(const struct sequence *sequence, uint32_t place)
{
	return job_condor(&sequence->run->mirror->state->jobs, row_of(sequence, place));
}

/* Convert a priority to a key that puts the highest first. */
static uint32_t descending(int32_t prio)
{
	return ~((uint32_t)prio ^ 0x80000000u);
}

static uint32_t key_proc(const struct sequence *sequence, uint32_t place)
{
	const struct job_extra *extra = jobs_find_extra(&sequence->run->mirror->state->jobs, row_of(sequence, place));
	const struct condor_job job = condor_of(sequence, place);

	return job.given & CONDOR_PROC ? job.proc : extra ? extra->first_waiting : 1;
}

static uint32_t key_cluster(const struct sequence *sequence, uint32_t place)
{
	return condor_of(sequence, place).cluster;
}

static uint32_t key_submission(const struct sequence *sequence, uint32_t place)
{
	int64_t after = job_fact(&sequence->run->mirror->state->jobs, row_of(sequence, place), submission) -
			sequence->first_submission;

	return after < 0 ? 0 : after < UINT32_MAX ? (uint32_t)after : UINT32_MAX;
}

static uint32_t key_age(const struct sequence *sequence, uint32_t place)
{
	return sequence->run->waiting.age[place];
}

static uint32_t key_post_prio2(const struct sequence *sequence, uint32_t place)
{
	return descending(condor_of(sequence, place).post_job_prio2);
}

static uint32_t key_post_prio1(const struct sequence *sequence, uint32_t place)
{
	return descending(condor_of(sequence, place).post_job_prio1);
}

static uint32_t key_prio(const struct sequence *sequence, uint32_t place)
{
	return descending(condor_of(sequence, place).job_prio);
}

static uint32_t key_pre_prio2(const struct sequence *sequence, uint32_t place)
{
	return descending(condor_of(sequence, place).pre_job_prio2);
}

static uint32_t key_pre_prio1(const struct sequence *sequence, uint32_t place)
{
	return descending(condor_of(sequence, place).pre_job_prio1);
}

/* Return the submitter's position as the key; jobs that are not eligible come last. */
static uint32_t key_submitter(const struct sequence *sequence, uint32_t place)
{
	const struct submitters *of = &sequence->u->submitters;
	uint32_t class_id;

	if (sequence->run->waiting.first[place] == NONE)
		return UINT32_MAX;
	class_id = job_fact(&sequence->run->mirror->state->jobs, row_of(sequence, place), class_id);
	return of->items[of->of_customer[of->classes[class_id].customer]].place;
}

static void digits_count(struct sequence *sequence)
{
	memset(sequence->counts, 0, sizeof(sequence->counts));
	for (size_t k = 0; k < sequence->n; k++)
		for (unsigned digit = 0; digit < KEY_DIGITS; digit++)
			sequence->counts[digit][bucket_of(sequence->from[k], 32 + digit * DIGIT_BITS)]++;
}

static void digit_sort(struct sequence *sequence, unsigned digit)
{
	unsigned shift = 32 + digit * DIGIT_BITS;
	uint32_t *next = sequence->counts[digit], sum = 0;
	uint64_t *swap = sequence->from;

	if (next[bucket_of(sequence->from[0], shift)] == sequence->n)
		return;			/* no key differs in this digit */
	for (size_t b = 0; b < BUCKETS; b++) {
		uint32_t n = next[b];

		next[b] = sum;
		sum += n;
	}
	for (size_t k = 0; k < sequence->n; k++)
		sequence->to[next[bucket_of(sequence->from[k], shift)]++] = sequence->from[k];
	sequence->from = sequence->to;
	sequence->to = swap;
}

static void sort_by(struct sequence *sequence, sequence_key *key)
{
	uint32_t differs = 0, first = sequence->n > 0 ? key(sequence, (uint32_t)sequence->from[0]) : 0;

	for (size_t k = 0; k < sequence->n; k++) {
		uint32_t of = key(sequence, (uint32_t)sequence->from[k]);

		differs |= of ^ first;
		sequence->from[k] = (uint64_t)of << 32 | (uint32_t)sequence->from[k];
	}
	if (differs == 0)
		return;
	digits_count(sequence);
	for (unsigned digit = 0; digit < KEY_DIGITS; digit++)
		digit_sort(sequence, digit);
}

static void sort_jobs(struct sequence *sequence)
{
	if (sequence->run->mirror->state->jobs.condor) {
		sort_by(sequence, key_proc);
		sort_by(sequence, key_cluster);
		sort_by(sequence, key_submission);
		sort_by(sequence, key_post_prio2);
		sort_by(sequence, key_post_prio1);
		sort_by(sequence, key_prio);
		sort_by(sequence, key_pre_prio2);
		sort_by(sequence, key_pre_prio1);
		return;
	}
	if (!sequence->run->waiting.by_age)
		sort_by(sequence, key_age);
	sort_by(sequence, key_prio);
}

/*
 * Compare submitters by priority, the best first. Equal ones are ordered by when they were first
 * known; a process that repeats this run gets this order, too.
 */
static int place_compare(const void *a, const void *b, void *context)
{
	const struct userprio_policy *policy = context;
	const struct submitters *submitters = &policy->in_force->submitters;
	uint32_t x = submitters->items[*(const uint32_t *)a].customer,
		 y = submitters->items[*(const uint32_t *)b].customer;
	double ex = customer_eup(&policy->accountant.customers.items[x]),
	       ey = customer_eup(&policy->accountant.customers.items[y]);

	return ex < ey ? -1 : ex > ey ? 1 : x < y ? -1 : x > y;
}

void sequence_submitters(struct userprio_policy *policy)
{
	struct submitters *submitters = &policy->in_force->submitters;

	for (uint32_t i = 0; i < submitters->n; i++)
		submitters->by_place[i] = i;
	if (submitters->n > 0)
		qsort_r(submitters->by_place, submitters->n, sizeof(*submitters->by_place), place_compare, policy);
	for (uint32_t i = 0; i < submitters->n; i++)
		submitters->items[submitters->by_place[i]].place = i;
}

/* Set the range of each submitter's jobs in run->order, where they are adjacent. */
static void segments_find(struct userprio_cell *cell)
{
	uint32_t at = 0;

	for (size_t i = 0; i < cell->submitters.n; i++) {
		struct submitter *submitter = &cell->submitters.items[cell->submitters.by_place[i]];

		submitter->begin = at;
		at += submitter->n;
	}
}

/*
 * Number each job in the order of its submitter's jobs, from 1; 0: it is not eligible. The numbers
 * are written to memory that is unused at this time.
 */
static void places_number(const struct userprio_cell *cell, struct run *run)
{
	if (run->waiting.n > 0)
		memset(run->scratch.members, 0, run->waiting.n * sizeof(*run->scratch.members));
	for (size_t i = 0; i < cell->submitters.n; i++) {
		const struct submitter *submitter = &cell->submitters.items[i];

		for (uint32_t k = 0; k < submitter->n; k++)
			run->scratch.members[(uint32_t)run->order.items[submitter->begin + k]] = k + 1;
	}
}

int sequence_jobs(struct userprio_policy *policy, struct run *run)
{
	struct sequence *sequence = calloc(1, sizeof(*sequence));
	const struct jobs *jobs = &run->mirror->state->jobs;

	if (!sequence || ticket_scratch_reserve(&run->scratch, run->waiting.n, 0, 0)) {
		free(sequence);
		return -ENOMEM;
	}
	sequence->u = policy->in_force;
	sequence->run = run;
	sequence->from = (uint64_t *)(void *)run->scratch.keys;
	sequence->to = (uint64_t *)(void *)run->scratch.other_keys;
	sequence->n = run->waiting.n;
	sequence->first_submission = INT64_MAX;
	for (size_t k = 0; k < sequence->n; k++) {
		int64_t submission = job_fact(jobs, run->waiting.rows[k], submission);

		sequence->first_submission =
			submission < sequence->first_submission ? submission : sequence->first_submission;
		sequence->from[k] = k;
	}
	sort_jobs(sequence);
	sort_by(sequence, key_submitter);
	segments_find(policy->in_force);
	run->order.items = sequence->from;
	run->order.n = sequence->n;
	places_number(policy->in_force, run);
	free(sequence);
	return 0;
}
