/* SPDX-License-Identifier: Apache-2.0 */
/* How old waiting jobs are, as ranks, where the list is in another order. */
#include <errno.h>

#include "conf/array.h"
#include "sched/run/radix.h"
#include "sched/run/run.h"

/*
 * Every change of a job moves it to the end of the list: it is in order but for some jobs that
 * stand too far behind. Those are picked out, sorted, and merged with the others.
 */
struct key_pairs {			/* keys with places of waiting jobs */
	uint64_t *keys, *other_keys;
	uint32_t *places, *other_places;
	size_t n;
};

/* Stable, 11 bits at a time; digits that are the same everywhere are passed over. */
static void pairs_sort(struct key_pairs *p)
{
	for (unsigned shift = 0; p->n > 0 && shift < 64; shift += DIGIT_BITS) {
		uint32_t next[BUCKETS] = { 0 }, sum = 0;
		struct key_pairs from = *p;

		for (size_t i = 0; i < p->n; i++)
			next[bucket_of(p->keys[i], shift)]++;
		if (next[bucket_of(p->keys[0], shift)] == p->n)
			continue;
		for (size_t b = 0; b < BUCKETS; b++) {
			uint32_t n = next[b];

			next[b] = sum;
			sum += n;
		}
		*p = (struct key_pairs){ from.other_keys, from.keys, from.other_places, from.places, from.n };
		for (size_t i = 0; i < p->n; i++) {
			uint32_t at = next[bucket_of(from.keys[i], shift)]++;

			p->keys[at] = from.keys[i];
			p->places[at] = from.places[i];
		}
	}
}

struct rank_sort {
	const struct jobs *j;
	const struct waiting_columns *w;
	bool by_age;			/* by submission, then number; else by number alone */
};

static int64_t submission_of(const struct rank_sort *r, uint32_t place)
{
	return job_fact(r->j, r->w->rows[place], submission);
}

static uint32_t number_of(const struct rank_sort *r, uint32_t place)
{
	return job_fact(r->j, r->w->rows[place], number);
}

static bool comes_before(const struct rank_sort *r, uint32_t a, uint32_t b)
{
	if (r->by_age && submission_of(r, a) != submission_of(r, b))
		return submission_of(r, a) < submission_of(r, b);
	return number_of(r, a) < number_of(r, b);
}

/* Submission times are not negative, see mirror_job_add(). */
static void behind_sort(const struct rank_sort *r, struct key_pairs *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->keys[i] = number_of(r, p->places[i]);
	pairs_sort(p);
	if (!r->by_age)
		return;
	for (size_t i = 0; i < p->n; i++)
		p->keys[i] = (uint64_t)submission_of(r, p->places[i]);
	pairs_sort(p);
}

static void rank(const struct rank_sort *r, const struct ticket_scratch *scratch, uint32_t *ranks)
{
	uint32_t *ahead = scratch->members, *behind = scratch->other_members;
	size_t n = 0, nbehind = 0, i = 0, k = 0;

	for (uint32_t place = 0; place < r->w->n; place++)
		if (n == 0 || comes_before(r, ahead[n - 1], place))
			ahead[n++] = place;
		else
			behind[nbehind++] = place;

	struct key_pairs p = { (uint64_t *)(void *)scratch->keys, (uint64_t *)(void *)scratch->other_keys, behind, ahead + n, nbehind };

	behind_sort(r, &p);
	for (uint32_t next = 0; next < r->w->n; next++)
		ranks[k == nbehind || (i < n && comes_before(r, ahead[i], p.places[k])) ? ahead[i++] : p.places[k++]] = next;
}

static int reserve_ranks(struct waiting_columns *w)
{
	size_t n = w->n + w->n / 16 + 64;

	if (w->n <= w->ranks_capacity)
		return 0;
	if (array_grow(&w->age, n, sizeof(uint32_t)) || array_grow(&w->number, n, sizeof(uint32_t)))
		return -ENOMEM;
	w->ranks_capacity = n;
	return 0;
}

int rank_jobs(struct run *run)
{
	struct waiting_columns *w = &run->waiting;
	struct rank_sort ranking = { &run->mirror->state->jobs, w, false };

	if (ticket_scratch_reserve(&run->scratch, w->n, 0, 0))
		return -ENOMEM;
	if ((!w->by_age || !w->by_number) && reserve_ranks(w))
		return -ENOMEM;
	if (!w->by_number)
		rank(&ranking, &run->scratch, w->number);
	ranking.by_age = true;
	if (!w->by_age)
		rank(&ranking, &run->scratch, w->age);
	return 0;
}
