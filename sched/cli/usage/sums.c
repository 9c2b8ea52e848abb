/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "sched/cli/usage/usage.h"

static void sum_add(struct usage_sum *sum, const struct usage_sum *part)
{
	sum->jobs += part->jobs;
	sum->waits += part->waits;
	sum->waiting_s += part->waiting_s;
	sum->longest_wait_s = fmax(sum->longest_wait_s, part->longest_wait_s);
	sum->wallclock_s += part->wallclock_s;
	sum->slot_s += part->slot_s;
	sum->cpu_s += part->cpu_s;
	sum->mem_gbs += part->mem_gbs;
	sum->io_gb += part->io_gb;
}

static int sum_find(struct usage_sums *sums, const char *keys, uint32_t *number)
{
	*number = text_set_find(&sums->keys, keys);
	if (*number != INDEX_NONE)
		return 0;
	if (array_reserve(&sums->capacity, sums->keys.n + 1, COLUMN(sums->sums)))
		return -ENOMEM;
	if (text_set_add(&sums->keys, keys, number))
		return -ENOMEM;
	sums->sums[*number] = (struct usage_sum){ 0 };
	return 0;
}

int usage_sums_add(struct usage_sums *sums, const char *keys, const struct usage_sum *part)
{
	uint32_t number;

	if (sum_find(sums, keys, &number))
		return -ENOMEM;
	sum_add(&sums->sums[number], part);
	sum_add(&sums->total, part);
	return 0;
}

void usage_sums_free(struct usage_sums *sums)
{
	text_set_free(&sums->keys);
	free(sums->sums);
	*sums = (struct usage_sums){ 0 };
}

/* Order */

struct sums_order {
	const struct usage_sums *sums;
	const struct usage_query *query;
};

static double column(const struct usage_sum *sum, enum usage_sort sort)
{
	switch (sort) {
	case USAGE_SORT_SLOTS: return sum->slot_s;
	case USAGE_SORT_CPU: return sum->cpu_s;
	case USAGE_SORT_MEM: return sum->mem_gbs;
	case USAGE_SORT_JOBS: return (double)sum->jobs;
	case USAGE_SORT_WAIT: return sum->waits ? sum->waiting_s / (double)sum->waits : 0;
	default: return 0;
	}
}

/* Compare the values of the keys that are periods. */
static int periods_compare(const struct usage_query *query, const char *a, const char *b)
{
	for (size_t k = 0; k < query->nby; k++) {
		size_t n = strcspn(a, "\x1f"), m = strcspn(b, "\x1f");
		int order = query->by[k] < USAGE_YEAR ? 0 : strncmp(a, b, (n < m ? n : m) + 1);

		if (order)
			return order;
		a += n + 1;
		b += m + 1;
	}
	return 0;
}

static int sums_compare(const void *x, const void *y, void *context)
{
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	const struct sums_order *order = context;
	const char *a = order->sums->keys.texts[i], *b = order->sums->keys.texts[j];
	double u = column(&order->sums->sums[i], order->query->sort),
	       v = column(&order->sums->sums[j], order->query->sort);
	int before = periods_compare(order->query, a, b);

	return before ? before : u > v ? -1 : u < v ? 1 : strcmp(a, b);
}

uint32_t *usage_sums_order(struct usage_sums *sums, const struct usage_query *query)
{
	struct sums_order order = { .sums = sums, .query = query };
	uint32_t *numbers = calloc(sums->keys.n + 1, sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < sums->keys.n; i++)
		numbers[i] = i;
	if (numbers && sums->keys.n > 1)
		qsort_r(numbers, sums->keys.n, sizeof(*numbers), sums_compare, &order);
	return numbers;
}
