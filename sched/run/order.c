/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending list in priority order: prio descending, then earlier submission, then smaller job
 * number.
 *
 * The sorted records have 8 bytes. The upper half is the job's prio, mapped onto 32 bits so that a
 * higher prio is a smaller number. The lower half is the job's index in the list of pending jobs.
 * The upper half is radix sorted, 11 bits at a time, with a slice for each worker. The sort is
 * stable, so jobs with equal keys stay in the order of their age; the list is brought into that
 * order before if necessary. Different prios that the mapping made equal are then adjacent. Such a
 * group is sorted in the same way with a mapping of its own, until only equal prios are equal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/run/radix.h"
#include "sched/run/run.h"

#define KEY_DIGITS 3		/* digits of the 32 bits of a key */
#define SLICE_RECORDS 32768	/* minimum size of a worker's slice */
#define MAX_SLICES 64
#define FEW 32			/* groups up to this size are sorted by insertion */
#define NOT_MANY 512		/* up to this size, merging takes less time than counting buckets */

struct sort {
	const double *prio;
	uint64_t *from, *to;
	size_t n, slices;
	unsigned shift;
	double max, span;		/* maximum and range of the mapping */
	/*
	 * counts by slice; then the position of the next record of the bucket. One slice: by digit
	 */
	uint32_t (*counts)[BUCKETS];
};

static uint32_t place_of(uint64_t record)
{
	return (uint32_t)record;
}

static void mapping(struct sort *sort, double min, double max)
{
	sort->max = max;
	sort->span = max > min ? max - min : 1.0;
}

/*
 * Map a prio to a record. Differences, quotients and products are rounded, which never reverses an
 * order. The quotient is exactly 0 for the largest prio and 1 for the smallest, however close they
 * are. A product with the inverse would not be exact.
 */
static uint64_t record_of(const struct sort *sort, uint32_t place)
{
	double key = (sort->max - sort->prio[place]) / sort->span * UINT32_MAX;

	return (uint64_t)(key < (double)UINT32_MAX ? (uint32_t)key : UINT32_MAX) << 32 | place;
}

/* Radix sort */

static void slice_count(void *context, size_t i)
{
	const struct sort *sort = context;
	size_t end = sort->n * (i + 1) / sort->slices;

	memset(sort->counts[i], 0, sizeof(sort->counts[i]));
	for (size_t k = sort->n * i / sort->slices; k < end; k++)
		sort->counts[i][bucket_of(sort->from[k], sort->shift)]++;
}

static void scatter(const struct sort *sort, size_t begin, size_t end, uint32_t *next)
{
	const uint64_t *from = sort->from;
	uint64_t *to = sort->to;
	unsigned shift = sort->shift;

	for (size_t k = begin; k < end; k++)
		to[next[bucket_of(from[k], shift)]++] = from[k];
}

static void slice_scatter(void *context, size_t i)
{
	const struct sort *sort = context;

	scatter(sort, sort->n * i / sort->slices, sort->n * (i + 1) / sort->slices, sort->counts[i]);
}

/* Convert counts to positions, for `slices` slices that begin with `first`. */
static void places(const struct sort *sort, size_t first, size_t slices)
{
	uint32_t sum = 0;

	for (size_t b = 0; b < BUCKETS; b++)
		for (size_t i = first; i < first + slices; i++) {
			uint32_t n = sort->counts[i][b];

			sort->counts[i][b] = sum;
			sum += n;
		}
}

static void records_swap(struct sort *sort)
{
	uint64_t *swap = sort->from;

	sort->from = sort->to;
	sort->to = swap;
}

/*
 * Merge sorted runs of records, twice as long each time. Equal records of the first run come first.
 */
static void merge_sort(struct sort *sort)
{
	for (size_t length = 1; length < sort->n; length *= 2) {
		for (size_t begin = 0; begin < sort->n; begin += 2 * length) {
			size_t middle = begin + length < sort->n ? begin + length : sort->n,
			       end = middle + length < sort->n ? middle + length : sort->n;

			for (size_t i = begin, k = middle, to = begin; to < end; to++)
				sort->to[to] = k == end || (i < middle && sort->prio[place_of(sort->from[i])] >=
										  sort->prio[place_of(sort->from[k])])
						       ? sort->from[i++]
						       : sort->from[k++];
		}
		records_swap(sort);
	}
}

/* Sort with one thread. Records move but their digits do not change, so all are counted at once. */
static void radix_sort_alone(struct sort *sort)
{
	memset(sort->counts, 0, KEY_DIGITS * sizeof(*sort->counts));
	for (size_t k = 0; k < sort->n; k++)
		for (unsigned digit = 0; digit < KEY_DIGITS; digit++)
			sort->counts[digit][bucket_of(sort->from[k], 32 + digit * DIGIT_BITS)]++;
	for (unsigned digit = 0; digit < KEY_DIGITS; digit++) {
		sort->shift = 32 + digit * DIGIT_BITS;
		places(sort, digit, 1);
		scatter(sort, 0, sort->n, sort->counts[digit]);
		records_swap(sort);
	}
}

/*
 * Sort by the keys. Keys of all ones and of all zeros exist, so no digit is the same in all
 * records.
 */
static void radix_sort(struct workers *workers, struct sort *sort)
{
	if (sort->n <= NOT_MANY) {
		merge_sort(sort);
		return;
	}
	if (sort->slices == 1) {
		radix_sort_alone(sort);
		return;
	}
	for (unsigned digit = 0; digit < KEY_DIGITS; digit++) {
		sort->shift = 32 + digit * DIGIT_BITS;
		workers_run(workers, slice_count, sort, sort->slices);
		places(sort, 0, sort->slices);
		workers_run(workers, slice_scatter, sort, sort->slices);
		records_swap(sort);
	}
}

/* Groups that the mapping made equal */

/* Sort a small group. Its records are in the order of age, so only prio decides. */
static void insertion_sort(const struct sort *sort, uint64_t *records, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t record = records[i];
		double prio = sort->prio[place_of(record)];
		size_t k = i;

		for (; k > 0 && sort->prio[place_of(records[k - 1])] < prio; k--)
			records[k] = records[k - 1];
		records[k] = record;
	}
}

static void group_sort(struct workers *workers, const struct sort *sort, uint64_t *records, uint64_t *other, size_t n);

static void groups_sort(struct workers *workers, const struct sort *sort, uint64_t *records, uint64_t *other, size_t n)
{
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && records[end] >> 32 == records[begin] >> 32; end++)
			;
		if (end - begin > FEW)
			group_sort(workers, sort, records + begin, other + begin, end - begin);
		else if (end - begin > 1)
			insertion_sort(sort, records + begin, end - begin);
	}
}

/*
 * Sort a group. The mapping has the group's own smallest and largest prio at its ends, so the group
 * is divided into at least two.
 */
static void group_sort(struct workers *workers, const struct sort *all, uint64_t *records, uint64_t *other, size_t n)
{
	struct sort sort = {
		.prio = all->prio, .from = records, .to = other, .n = n, .slices = 1, .counts = all->counts
	};
	double min = sort.prio[place_of(records[0])], max = min;

	for (size_t i = 1; i < n; i++) {
		double prio = sort.prio[place_of(records[i])];

		min = prio < min ? prio : min;
		max = prio > max ? prio : max;
	}
	if (min == max)
		return;
	mapping(&sort, min, max);
	for (size_t i = 0; i < n; i++)
		records[i] = record_of(&sort, place_of(records[i]));
	radix_sort(workers, &sort);
	if (sort.from != records)
		memcpy(records, sort.from, n * sizeof(*records));
	groups_sort(workers, &sort, records, other, n);
}

/* The phase */

/*
 * Find the range of prios of a block. Jobs that are not eligible show a prio of 0 and are sorted by
 * it; so do all jobs when pending jobs are not reported.
 */
static void block_spread(const struct block *block)
{
	const double *prio = block->run->waiting.prio;
	double min = prio[block->begin], max = min;

	for (size_t i = block->begin; i < block->end; i++) {
		min = prio[i] < min ? prio[i] : min;
		max = prio[i] > max ? prio[i] : max;
	}
	block->values[0] = min;
	block->values[1] = max;
}

struct keys_filling {
	struct sort *sort;
	const uint32_t *by_age;		/* indices in the order of age; NULL: in list order */
};

static void slice_fill(void *context, size_t i)
{
	const struct keys_filling *filling = context;
	struct sort *sort = filling->sort;
	size_t end = sort->n * (i + 1) / sort->slices;

	for (size_t k = sort->n * i / sort->slices; k < end; k++)
		sort->from[k] = record_of(sort, filling->by_age ? filling->by_age[k] : (uint32_t)k);
}

/* Return the indices in the order of age, in memory of the scratch that the sort does not use. */
static const uint32_t *by_age(struct run *run)
{
	uint32_t *places_by_age = run->scratch.members;

	if (run->waiting.by_age)
		return NULL;
	for (size_t i = 0; i < run->waiting.n; i++)
		places_by_age[run->waiting.age[i]] = (uint32_t)i;
	return places_by_age;
}

static void spread_of(const struct run *run, double *min, double *max)
{
	*min = run->block.items[0];
	*max = run->block.items[1];
	for (size_t i = 1; i < run_nblocks(run); i++) {
		*min = run->block.items[2 * i] < *min ? run->block.items[2 * i] : *min;
		*max = run->block.items[2 * i + 1] > *max ? run->block.items[2 * i + 1] : *max;
	}
}

int run_order(struct run *run)
{
	struct sort sort = { .prio = run->waiting.prio, .from = (uint64_t *)(void *)run->scratch.keys,
			     .to = (uint64_t *)(void *)run->scratch.other_keys, .n = run->waiting.n };
	struct keys_filling filling = { &sort, by_age(run) };
	double min, max;

	run->order.n = sort.n;
	if (sort.n == 0)
		return 0;
	sort.slices = 1 + sort.n / SLICE_RECORDS;
	sort.slices = sort.slices < workers_count(run->workers) ? sort.slices : workers_count(run->workers);
	sort.slices = sort.slices < MAX_SLICES ? sort.slices : MAX_SLICES;
	sort.counts = malloc((sort.slices > KEY_DIGITS ? sort.slices : KEY_DIGITS) * sizeof(*sort.counts));
	if (!sort.counts)
		return -ENOMEM;
	run_blocks(run, block_spread, NULL);
	spread_of(run, &min, &max);
	mapping(&sort, min, max);
	workers_run(run->workers, slice_fill, &filling, sort.slices);
	if (min != max)
		radix_sort(run->workers, &sort);
	groups_sort(run->workers, &sort, sort.from, sort.to, sort.n);
	run->order.items = sort.from;
	free(sort.counts);
	return 0;
}
