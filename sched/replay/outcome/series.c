/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/search.h"

int series_make(struct series *series, const int64_t *bounds, size_t n)
{
	*series = (struct series){ .bounds = bounds,
				   .n = n,
				   .values = calloc(n + 1, sizeof(double)),
				   .changes = calloc(n + 1, sizeof(double)) };
	if (series->values && series->changes)
		return 0;
	series_free(series);
	return -ENOMEM;
}

void series_free(struct series *series)
{
	free(series->values);
	free(series->changes);
	series->values = series->changes = NULL;
}

void series_clear(struct series *series)
{
	memset(series->values, 0, (series->n + 1) * sizeof(double));
	memset(series->changes, 0, (series->n + 1) * sizeof(double));
}

/* Return the interval that contains a time between the outer bounds. */
static size_t interval_of(const struct series *series, int64_t time)
{
	size_t at;

	lower_bound(at, series->n, series->bounds[at + 1] <= time);
	return at < series->n ? at : series->n - 1;
}

void series_add(struct series *series, int64_t begin, int64_t end, double amount)
{
	size_t first, last;

	begin = begin > series->bounds[0] ? begin : series->bounds[0];
	end = end < series->bounds[series->n] ? end : series->bounds[series->n];
	if (begin >= end)
		return;
	first = interval_of(series, begin);
	last = interval_of(series, end - 1);
	if (first == last) {
		series->values[first] += amount * (double)(end - begin);
		return;
	}
	series->values[first] += amount * (double)(series->bounds[first + 1] - begin);
	series->values[last] += amount * (double)(end - series->bounds[last]);
	series->changes[first + 1] += amount;
	series->changes[last] -= amount;
}

void series_settle(struct series *series)
{
	double going_on = 0.0;

	for (size_t k = 0; k < series->n; k++) {
		going_on += series->changes[k];
		series->values[k] += going_on * (double)(series->bounds[k + 1] - series->bounds[k]);
	}
}

static int64_t round_step(int64_t least)
{
	static const int64_t steps[] = { 1,   2,    5,	  10,	15,    30,    60,    120,   300,    600,
					 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800 };
	size_t k = 0;

	while (k < sizeof(steps) / sizeof(steps[0]) && steps[k] < least)
		k++;
	return k < sizeof(steps) / sizeof(steps[0]) ? steps[k] : (least + 604799) / 604800 * 604800;
}

int axis_make(struct axis *axis, int64_t begin, int64_t end, size_t steps)
{
	int64_t span = end > begin ? end - begin : 1;

	axis->step = round_step(span / (int64_t)steps + (span % (int64_t)steps > 0));
	axis->n = (size_t)(span / axis->step + (span % axis->step > 0));
	axis->bounds = malloc((axis->n + 1) * sizeof(*axis->bounds));
	if (!axis->bounds)
		return -ENOMEM;
	for (size_t k = 0; k <= axis->n; k++)
		axis->bounds[k] = begin + (int64_t)k * axis->step;
	return 0;
}

void axis_free(struct axis *axis)
{
	free(axis->bounds);
	axis->bounds = NULL;
}
