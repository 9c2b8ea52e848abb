/* SPDX-License-Identifier: Apache-2.0 */
/* Age of pending jobs as ranks, for lists in another order. */
#include <errno.h>

#include "conf/base/columns.h"
#include "sched/run/radix.h"
#include "sched/run/run.h"

/*
 * Every change of a job moves it to the end of the list. So the list is in order except for some
 * jobs that are too far back. These are selected, sorted and merged with the others.
 */
struct key_pairs {			/* keys with indices of pending jobs */
	uint64_t *keys, *other_keys;
	uint32_t *places, *other_places;
	size_t n;
};

/* Sort stably, 11 bits at a time. Digits that are the same in all keys are skipped. */
static void pairs_sort(struct key_pairs *pairs)
{
	for (unsigned shift = 0; pairs->n > 0 && shift < 64; shift += DIGIT_BITS) {
		uint32_t next[BUCKETS] = { 0 }, sum = 0;
		struct key_pairs from = *pairs;

		for (size_t i = 0; i < pairs->n; i++)
			next[bucket_of(pairs->keys[i], shift)]++;
		if (next[bucket_of(pairs->keys[0], shift)] == pairs->n)
			continue;
		for (size_t b = 0; b < BUCKETS; b++) {
			uint32_t n = next[b];

			next[b] = sum;
			sum += n;
		}
		*pairs = (struct key_pairs){ from.other_keys, from.keys, from.other_places, from.places, from.n };
		for (size_t i = 0; i < pairs->n; i++) {
			uint32_t at = next[bucket_of(from.keys[i], shift)]++;

			pairs->keys[at] = from.keys[i];
			pairs->places[at] = from.places[i];
		}
	}
}

struct rank_sort {
	const struct jobs *j;
	const struct waiting_columns *w;
	/* sort by submission, then number; otherwise by number only */
	bool by_age;
};

static int64_t submission_of(const struct rank_sort *sort, uint32_t place)
{
	return job_fact(sort->j, sort->w->rows[place], submission);
}

static uint32_t number_of(const struct rank_sort *sort, uint32_t place)
{
	return job_fact(sort->j, sort->w->rows[place], number);
}

static bool comes_before(const struct rank_sort *sort, uint32_t a, uint32_t b)
{
	if (sort->by_age && submission_of(sort, a) != submission_of(sort, b))
		return submission_of(sort, a) < submission_of(sort, b);
	return number_of(sort, a) < number_of(sort, b);
}

/* Sort the jobs that are too far back. Submission times are not negative (mirror_job_add()). */
static void late_sort(const struct rank_sort *sort, struct key_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		pairs->keys[i] = number_of(sort, pairs->places[i]);
	pairs_sort(pairs);
	if (!sort->by_age)
		return;
	for (size_t i = 0; i < pairs->n; i++)
		pairs->keys[i] = (uint64_t)submission_of(sort, pairs->places[i]);
	pairs_sort(pairs);
}

static void rank(const struct rank_sort *sort, const struct ticket_scratch *scratch, uint32_t *ranks)
{
	uint32_t *ahead = scratch->members, *late = scratch->other_members;
	size_t n = 0, nlate = 0, i = 0, k = 0;

	for (uint32_t place = 0; place < sort->w->n; place++)
		if (n == 0 || comes_before(sort, ahead[n - 1], place))
			ahead[n++] = place;
		else
			late[nlate++] = place;

	struct key_pairs pairs = { (uint64_t *)(void *)scratch->keys, (uint64_t *)(void *)scratch->other_keys, late,
				   ahead + n, nlate };

	late_sort(sort, &pairs);
	for (uint32_t next = 0; next < sort->w->n; next++)
		ranks[k == nlate || (i < n && comes_before(sort, ahead[i], pairs.places[k])) ? ahead[i++]
											       : pairs.places[k++]] =
			next;
}

int rank_jobs(struct run *run)
{
	struct waiting_columns *columns = &run->waiting;
	struct rank_sort ranking = { &run->mirror->state->jobs, columns, false };

	if (ticket_scratch_reserve(&run->scratch, columns->n, 0, 0))
		return -ENOMEM;
	if ((!columns->by_age || !columns->by_number) &&
	    array_reserve(&columns->ranks_capacity, columns->n, COLUMN(columns->age), COLUMN(columns->number)))
		return -ENOMEM;
	if (!columns->by_number)
		rank(&ranking, &run->scratch, columns->number);
	ranking.by_age = true;
	if (!columns->by_age)
		rank(&ranking, &run->scratch, columns->age);
	return 0;
}
