/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/avoid.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"
#include "conf/base/search.h"
#include "sched/run/run.h"

static int by_task(const void *a, const void *b)
{
	const struct avoided *x = a, *y = b;

	if (x->job_number != y->job_number)
		return x->job_number < y->job_number ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

int avoided_find(struct avoided_hosts *avoided, const struct cluster *cluster, const struct run *run)
{
	const struct state *state = run->mirror->state;
	size_t n = 0;

	avoided->n = 0;
	for (size_t i = 0; i < state->nhosts; i++)
		n += state->hosts[i].navoided_by;
	if (n == 0)
		return 0;
	if (array_grow(&avoided->items, n, sizeof(*avoided->items)))
		return -ENOMEM;
	for (size_t i = 0; i < state->nhosts; i++) {
		uint32_t host = cluster_host(cluster, strings_text(run->strings, state->host_names[i]));

		for (size_t k = 0; host != NONE && k < state->hosts[i].navoided_by; k++)
			avoided->items[avoided->n++] =
				(struct avoided){ state->hosts[i].avoided_by[k].job_number,
						  state->hosts[i].avoided_by[k].task, host };
	}
	qsort(avoided->items, avoided->n, sizeof(*avoided->items), by_task);
	return 0;
}

uint32_t avoided_by(const struct avoided_hosts *avoided, uint32_t job_number, uint32_t task)
{
	const struct avoided first = { job_number, task, 0 };
	size_t at;

	lower_bound(at, avoided->n, by_task(&avoided->items[at], &first) < 0);
	return at < avoided->n && avoided->items[at].job_number == job_number &&
			       avoided->items[at].task == task
		       ? (uint32_t)at + 1
		       : 0;
}

bool avoided_has(const struct avoided_hosts *avoided, uint32_t entries, uint32_t host)
{
	const struct avoided *first = entries ? &avoided->items[entries - 1] : NULL;

	for (size_t i = entries; first && i <= avoided->n; i++) {
		const struct avoided *one = &avoided->items[i - 1];

		if (one->job_number != first->job_number || one->task != first->task)
			return false;
		if (one->host == host)
			return true;
	}
	return false;
}
