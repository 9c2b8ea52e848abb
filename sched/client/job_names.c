/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/client/job_names.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/base/wildcard.h"

static int number_add(struct named_jobs *found, uint32_t number)
{
	if (array_grow(&found->items, found->n + 1, sizeof(*found->items)))
		return -ENOMEM;
	found->items[found->n++] = number;
	return 0;
}

static int list_search(struct named_jobs *found, const struct fl_view *view, enum fl_list list, const char *pattern)
{
	struct fl_job job;
	uint32_t last = 0;
	int rc = 0;

	/* the tasks of an array are consecutive rows */
	for (size_t k = 0, n = fl_count(view, list); rc == 0 && k < n; k++)
		if (fl_get(view, list, k, &job) == 0 && job.job_number != last &&
		    wildcard_match(pattern, job.name, 0)) {
			last = job.job_number;
			rc = number_add(found, last);
		}
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int jobs_named(struct named_jobs *found, const struct fl_view *view, const char *pattern)
{
	int rc = list_search(found, view, FL_STARTED, pattern);
	size_t n = 0;

	if (rc == 0)
		rc = list_search(found, view, FL_PENDING, pattern);
	if (found->n > 1)
		qsort(found->items, found->n, sizeof(*found->items), by_number);
	for (size_t i = 0; i < found->n; i++)
		if (n == 0 || found->items[n - 1] != found->items[i])
			found->items[n++] = found->items[i];
	found->n = n;
	return rc;
}

void named_jobs_free(struct named_jobs *found)
{
	free(found->items);
	*found = (struct named_jobs){ .items = NULL };
}
