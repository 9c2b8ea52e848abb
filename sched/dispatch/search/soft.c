/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Soft requests of parallel jobs. Their searches sort the queue list: instances of cluster queues
 * that let the job in (by -q, access, PE) before the others, of these those that violate little
 * before those that violate much, and then as usual. Nothing else plays a part. The list stays so
 * until a search sorts it again: ranking.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"

struct soft_place {			/* an instance as such a search sees it */
	struct queue_key key;		/* by load and number; the label is its place so far */
	uint32_t violations, instance;
	/* its cluster queue does not let the job in: what it violates is not counted */
	bool never;
};

static int soft_compare(const void *a, const void *b)
{
	const struct soft_place *x = a, *y = b;

	if (x->never != y->never)
		return x->never ? 1 : -1;
	if (x->violations != y->violations)
		return x->violations < y->violations ? -1 : 1;
	return queue_key_compare(&x->key, &y->key);
}

int soft_sort(struct search *search, uint32_t **violations)
{
	size_t capacity = search->d->cluster.ninstances + 1, n;
	uint32_t *list = malloc(capacity * sizeof(*list));
	struct soft_place *places = malloc(capacity * sizeof(*places));
	int rc = list && places ? array_grow(violations, capacity, sizeof(**violations)) : -ENOMEM;

	n = rc ? 0 : ranking_list(search->d, list);
	for (size_t k = 0; k < n; k++) {
		bool never = !parallel_queue_admits(search, list[k]);

		(*violations)[list[k]] = never ? 0 : match_violations(search, list[k]);
		places[k] = (struct soft_place){ ranking_key(search->d, list[k], (int64_t)k), (*violations)[list[k]],
						 list[k], never };
	}
	if (n > 0)
		qsort(places, n, sizeof(*places), soft_compare);
	for (size_t k = 0; k < n; k++)
		list[k] = places[k].instance;
	ranking_take_order(search->d, list, n);
	free(places);
	free(list);
	return rc;
}
