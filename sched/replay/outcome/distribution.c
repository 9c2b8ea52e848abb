/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/distribution.h"

/* Return a quantile. Its rank is computed in whole numbers to be the same on every machine. */
static double quantile(const double *sorted, size_t n, size_t percent)
{
	size_t rank = (n / 100) * percent + ((n % 100) * percent + 99) / 100;

	return sorted[rank > 0 ? rank - 1 : 0];
}

void distribution_of(struct distribution *distribution, const double *sorted, size_t n)
{
	double sum = 0.0;

	*distribution = (struct distribution){ .n = n };
	if (n == 0)
		return;
	for (size_t k = 0; k < n; k++)
		sum += sorted[k];
	distribution->mean = sum / (double)n;
	distribution->least = sorted[0];
	distribution->p5 = quantile(sorted, n, 5);
	distribution->p25 = quantile(sorted, n, 25);
	distribution->median = quantile(sorted, n, 50);
	distribution->p75 = quantile(sorted, n, 75);
	distribution->p95 = quantile(sorted, n, 95);
	distribution->most = sorted[n - 1];
}
