/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Soft requests of parallel jobs. Their searches sort the queue list. Instances whose cluster queue
 * admits the job (by -q, access, PE) come first. Then the number of violations counts, and then the
 * usual order. The list stays in this order until a search sorts it again: ranking.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/queue_check.h"
#include "sched/dispatch/search/search.h"

struct soft_place {			/* an instance in the order of such a search */
	/* key by load and number; the label is its present position */
	struct queue_key key;
	uint32_t violations, instance;
	/* The cluster queue does not admit the job; violations are not counted. */
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
	size_t capacity = search->supply->cluster.ninstances + 1, n;
	uint32_t *list = malloc(capacity * sizeof(*list));
	struct soft_place *places = malloc(capacity * sizeof(*places));
	int rc = list && places ? array_grow(violations, capacity, sizeof(**violations)) : -ENOMEM;

	n = rc ? 0 : ranking_list(&search->shared->ranking, list);
	for (size_t k = 0; k < n; k++) {
		bool never = !queue_check_admits(search, list[k]);

		(*violations)[list[k]] = never ? 0 : match_violations(search, list[k]);
		places[k] = (struct soft_place){ ranking_key(&search->shared->ranking, list[k], (int64_t)k),
						 (*violations)[list[k]], list[k], never };
	}
	if (n > 0)
		qsort(places, n, sizeof(*places), soft_compare);
	for (size_t k = 0; k < n; k++)
		list[k] = places[k].instance;
	ranking_take_order(&search->shared->ranking, list, n);
	free(places);
	free(list);
	return rc;
}
