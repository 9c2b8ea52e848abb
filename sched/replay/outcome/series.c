/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/search.h"

int series_make(struct series *s, const int64_t *bounds, size_t n)
{
	*s = (struct series){ .bounds = bounds, .n = n, .values = calloc(n + 1, sizeof(double)), .changes = calloc(n + 1, sizeof(double)) };
	if (s->values && s->changes)
		return 0;
	series_free(s);
	return -ENOMEM;
}

void series_free(struct series *s)
{
	free(s->values);
	free(s->changes);
	s->values = s->changes = NULL;
}

void series_clear(struct series *s)
{
	memset(s->values, 0, (s->n + 1) * sizeof(double));
	memset(s->changes, 0, (s->n + 1) * sizeof(double));
}

/* The interval that a time is in, which is between the outer bounds. */
static size_t interval_of(const struct series *s, int64_t time)
{
	size_t at;

	lower_bound(at, s->n, s->bounds[at + 1] <= time);
	return at < s->n ? at : s->n - 1;
}

void series_add(struct series *s, int64_t begin, int64_t end, double amount)
{
	size_t first, last;

	begin = begin > s->bounds[0] ? begin : s->bounds[0];
	end = end < s->bounds[s->n] ? end : s->bounds[s->n];
	if (begin >= end)
		return;
	first = interval_of(s, begin);
	last = interval_of(s, end - 1);
	if (first == last) {
		s->values[first] += amount * (double)(end - begin);
		return;
	}
	s->values[first] += amount * (double)(s->bounds[first + 1] - begin);
	s->values[last] += amount * (double)(end - s->bounds[last]);
	s->changes[first + 1] += amount;
	s->changes[last] -= amount;
}

void series_settle(struct series *s)
{
	double going_on = 0.0;

	for (size_t k = 0; k < s->n; k++) {
		going_on += s->changes[k];
		s->values[k] += going_on * (double)(s->bounds[k + 1] - s->bounds[k]);
	}
}

static int64_t round_step(int64_t least)
{
	static const int64_t steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800 };
	size_t k = 0;

	while (k < sizeof(steps) / sizeof(steps[0]) && steps[k] < least)
		k++;
	return k < sizeof(steps) / sizeof(steps[0]) ? steps[k] : (least + 604799) / 604800 * 604800;
}

int axis_make(struct axis *a, int64_t begin, int64_t end, size_t steps)
{
	int64_t span = end > begin ? end - begin : 1;

	a->step = round_step(span / (int64_t)steps + (span % (int64_t)steps > 0));
	a->n = (size_t)(span / a->step + (span % a->step > 0));
	a->bounds = malloc((a->n + 1) * sizeof(*a->bounds));
	if (!a->bounds)
		return -ENOMEM;
	for (size_t k = 0; k <= a->n; k++)
		a->bounds[k] = begin + (int64_t)k * a->step;
	return 0;
}

void axis_free(struct axis *a)
{
	free(a->bounds);
	a->bounds = NULL;
}
