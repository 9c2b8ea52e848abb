/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/ids.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/search.h"
#include "sched/process/range_writer.h"

struct id_list {
	uint32_t *items;
	size_t n;
};

static int ids_list(struct id_list *ids, const struct ranges *from, const struct ranges *except)
{
	size_t n = ranges_first(from, except, 1, NULL, (size_t)ranges_count(from));

	ids->items = malloc((n + 1) * sizeof(*ids->items));
	ids->n = ids->items ? ranges_first(from, except, 1, ids->items, n) : 0;
	return ids->items ? 0 : -ENOMEM;
}

/* Replace the result's ranges with the ids. */
static int ids_store(struct ranges *result, const struct id_list *ids)
{
	struct ranges ranges = { 0 };
	struct range_writer writer = { .to = &ranges, .most = IDS_RANGES_MAX };
	int rc;

	for (size_t i = 0; i < ids->n; i++)
		range_writer_put(&writer, ids->items[i], ids->items[i], 1);
	rc = range_writer_close(&writer);
	if (rc) {
		ranges_free(&ranges);
		return rc;
	}
	ranges_free(result);
	*result = ranges;
	return 0;
}

int ids_subtract(struct ranges *result, const struct ranges *a, const struct ranges *b)
{
	struct id_list ids;
	int rc = ids_list(&ids, a, b);

	if (rc == 0)
		rc = ids_store(result, &ids);
	free(ids.items);
	return rc;
}

int ids_intersect(struct ranges *result, const struct ranges *a, const struct ranges *b)
{
	struct ranges only_a = { 0 };
	int rc = ids_subtract(&only_a, a, b);

	if (rc == 0)
		rc = ids_subtract(result, a, &only_a);
	ranges_free(&only_a);
	return rc;
}

static void ids_merge(struct id_list *all, const struct id_list *x, const struct id_list *y)
{
	size_t i = 0, k = 0;

	while (i < x->n || k < y->n)
		all->items[all->n++] =
			k == y->n || (i < x->n && x->items[i] < y->items[k]) ? x->items[i++] : y->items[k++];
}

int ids_unite(struct ranges *result, const struct ranges *a, const struct ranges *b)
{
	const struct ranges none = { 0 };
	struct id_list x = { 0 }, y = { 0 }, all = { 0 };
	int rc = ids_list(&x, a, &none);

	if (rc == 0)
		rc = ids_list(&y, b, a);
	if (rc == 0) {
		all.items = malloc((x.n + y.n + 1) * sizeof(*all.items));
		rc = all.items ? 0 : -ENOMEM;
	}
	if (rc == 0) {
		ids_merge(&all, &x, &y);
		rc = ids_store(result, &all);
	}
	free(all.items);
	free(x.items);
	free(y.items);
	return rc;
}

static uint32_t step_at(const struct ranges *ranges, uint32_t id)
{
	size_t at;

	lower_bound(at, ranges->n, ranges->items[at].max < id);
	return at < ranges->n ? ranges->items[at].step : 1;
}

uint64_t ids_scatter(const struct ranges *waiting, const struct ranges *held)
{
	uint64_t n = 0;

	for (size_t i = 0; i < held->n; i++) {
		const struct range *range = &held->items[i];
		uint64_t step = step_at(waiting, range->min);

		/* a hold on every second task leaves every second task, which is one range */
		n += range->step <= 2 * step ? 1 : (range->max - range->min) / range->step + 1;
	}
	return n;
}
