/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pending list in priority order: prio descending, then earlier submission, then smaller job number. Radix sort on the bits
 * of the doubles, 11 at a time, digits that are the same everywhere passed over; it is stable, so the list is brought into
 * the order of submission and number first, which it has already unless jobs were changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run.h"

#define DIGIT_BITS 11
#define DIGITS 6		/* of 64 bits */
#define BUCKETS (1u << DIGIT_BITS)

/* Ascending keys for descending doubles. */
static uint64_t descending(double value)
{
	uint64_t bits;

	value += 0.0;		/* -0 is 0 */
	memcpy(&bits, &value, sizeof(bits));
	bits = bits >> 63 ? ~bits : bits | 1ull << 63;
	return ~bits;
}

static int reserve(struct run *run, size_t n)
{
	if (n <= run->records_capacity)
		return 0;
	n += n / 4;
	free(run->records);
	free(run->other);
	run->records = malloc(n * sizeof(*run->records));
	run->other = malloc(n * sizeof(*run->other));
	run->records_capacity = run->records && run->other ? n : 0;
	return run->records_capacity ? 0 : -ENOMEM;
}

static void scatter(const struct sort_record *from, struct sort_record *to, size_t n, unsigned shift, const uint32_t counts[BUCKETS])
{
	uint32_t next[BUCKETS], sum = 0;

	for (size_t b = 0; b < BUCKETS; b++) {
		next[b] = sum;
		sum += counts[b];
	}
	for (size_t i = 0; i < n; i++)
		to[next[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
}

/* Sort run->records by key, stable. */
static void sort_by_key(struct run *run, size_t n)
{
	static const size_t digits = DIGITS;
	uint32_t counts[DIGITS][BUCKETS] = { { 0 } };

	for (size_t i = 0; i < n; i++)
		for (size_t d = 0; d < digits; d++)
			counts[d][run->records[i].key >> (d * DIGIT_BITS) & (BUCKETS - 1)]++;
	for (size_t d = 0; n > 0 && d < digits; d++) {
		struct sort_record *swap = run->records;

		if (counts[d][swap[0].key >> (d * DIGIT_BITS) & (BUCKETS - 1)] == n)
			continue;
		scatter(run->records, run->other, n, (unsigned)(d * DIGIT_BITS), counts[d]);
		run->records = run->other;
		run->other = swap;
	}
}

static bool in_order_of_age(const struct jobs *j, const struct row_list *rows)
{
	for (size_t i = 1; i < rows->n; i++) {
		uint32_t a = rows->rows[i - 1], b = rows->rows[i];

		if (j->submission[a] > j->submission[b] || (j->submission[a] == j->submission[b] && j->number[a] > j->number[b]))
			return false;
	}
	return true;
}

static void order_by_age(struct run *run, const struct jobs *j, size_t n)
{
	for (size_t i = 0; i < n; i++)
		run->records[i].key = j->number[run->records[i].row];
	sort_by_key(run, n);
	for (size_t i = 0; i < n; i++)
		run->records[i].key = (uint64_t)j->submission[run->records[i].row];
	sort_by_key(run, n);
}

/* The walk that found the jobs that take part went the same way; those that only run come behind them. */
static void list_records(struct run *run)
{
	for (size_t i = 0, job = 0; i < run->waiting.n; i++) {
		uint32_t row = run->waiting.rows[i];
		bool takes_part = job < run->jobs.n && run->jobs.first[job] != NONE && run->jobs.row[job] == row;

		run->records[i] = (struct sort_record){ .row = row, .job = takes_part ? (uint32_t)job++ : NONE };
	}
}

/* Jobs that take no part, and all when pending ones are not reported, show a prio of 0 and are ordered by it. */
int run_order(struct sched *s)
{
	struct run *run = &s->run;
	const struct jobs *j = &s->mirror.state->jobs;
	size_t n = run->waiting.n;

	if (reserve(run, n))
		return -ENOMEM;
	list_records(run);
	if (!in_order_of_age(j, &run->waiting))
		order_by_age(run, j, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t job = run->records[i].job;

		run->records[i].key = descending(job != NONE && s->record.report_pending ? run->jobs.prio[job] : 0.0);
	}
	sort_by_key(run, n);
	for (size_t i = 0; i < n; i++)
		run->waiting.rows[i] = run->records[i].row;
	return 0;
}
