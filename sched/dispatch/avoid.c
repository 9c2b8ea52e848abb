/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that were started anew since their host was not heard any more (reschedule_unknown of
 * sge_conf(5)) may still run there: they start elsewhere until the qmaster knows.
 */
#include <errno.h>
#include <stdlib.h>

#include "conf/array.h"
#include "conf/search.h"
#include "sched/dispatch/dispatch.h"

static int by_task(const void *a, const void *b)
{
	const struct avoided *x = a, *y = b;

	if (x->job_number != y->job_number)
		return x->job_number < y->job_number ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

int avoided_find(struct dispatch *d, const struct run *run)
{
	const struct state *state = run->mirror->state;
	size_t n = 0;

	d->navoided = 0;
	for (size_t i = 0; i < state->nhosts; i++)
		n += state->hosts[i].navoided_by;
	if (n == 0)
		return 0;
	if (array_grow(&d->avoided, n, sizeof(*d->avoided)))
		return -ENOMEM;
	for (size_t i = 0; i < state->nhosts; i++) {
		uint32_t host = cluster_host(&d->cluster, strings_text(run->strings, state->host_names[i]));

		for (size_t k = 0; host != NONE && k < state->hosts[i].navoided_by; k++)
			d->avoided[d->navoided++] = (struct avoided){ state->hosts[i].avoided_by[k].job_number, state->hosts[i].avoided_by[k].task, host };
	}
	qsort(d->avoided, d->navoided, sizeof(*d->avoided), by_task);
	return 0;
}

uint32_t avoided_by(const struct dispatch *d, uint32_t job_number, uint32_t task)
{
	const struct avoided first = { job_number, task, 0 };
	size_t at;

	lower_bound(at, d->navoided, by_task(&d->avoided[at], &first) < 0);
	return at < d->navoided && d->avoided[at].job_number == job_number && d->avoided[at].task == task ? (uint32_t)at + 1 : 0;
}

bool avoided_has(const struct dispatch *d, uint32_t entries, uint32_t host)
{
	const struct avoided *first = entries ? &d->avoided[entries - 1] : NULL;

	for (size_t i = entries; first && i <= d->navoided; i++) {
		const struct avoided *one = &d->avoided[i - 1];

		if (one->job_number != first->job_number || one->task != first->task)
			return false;
		if (one->host == host)
			return true;
	}
	return false;
}
