/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/ids.h"

#include <errno.h>
#include <stdlib.h>

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

/* The result's own ranges are given back. */
static int ids_store(struct ranges *result, const struct id_list *ids)
{
	struct ranges ranges = { 0 };
	int rc = 0;

	for (size_t i = 0, end; rc == 0 && i < ids->n; i = end) {
		for (end = i + 1; end < ids->n && ids->items[end] == ids->items[end - 1] + 1; )
			end++;
		rc = ranges_append(&ranges, &(struct range){ ids->items[i], ids->items[end - 1], 1 });
	}
	if (rc == 0 && ranges.n > IDS_RANGES_MAX)
		rc = -E2BIG;
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
		all->items[all->n++] = k == y->n || (i < x->n && x->items[i] < y->items[k]) ? x->items[i++] : y->items[k++];
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
