/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/usage/recovery.h"

#include <math.h>

#define MINUTE_S 60
#define LEFT_LEAST 1e-200		/* keeps the ratio of two amounts that decay alike */

static double after(double usage, double rate, double half_life_s, double seconds)
{
	double left;

	if (!(half_life_s > 0))
		return usage + rate * seconds;
	left = fmax(exp2(-seconds / half_life_s), LEFT_LEAST);
	return usage * left + rate * half_life_s / M_LN2 * (1 - left);
}

double recovery_received(const struct recovery *recovery, double seconds, bool is_idle)
{
	double mine = 0, all = 0;

	for (int k = 0; k < RECOVERY_KINDS; k++) {
		const struct recovery_kind *kind = &recovery->kinds[k];
		double my_rate = is_idle ? 0 : kind->my_rate, others_rate = fmax(kind->all_rate - kind->my_rate, 0);
		double my_usage = after(kind->mine, my_rate, kind->half_life_s, seconds);
		double others = after(fmax(kind->all - kind->mine, 0), others_rate, kind->half_life_s, seconds);

		mine += kind->weight * my_usage;
		all += kind->weight * (my_usage + others);
	}
	return all > 0 && isfinite(all) ? fmin(mine / all, 1) : 0;
}

static bool is_recovered(const struct recovery *recovery, int64_t minutes, bool is_idle)
{
	return recovery_received(recovery, (double)(minutes * MINUTE_S), is_idle) <= recovery->promised;
}

int64_t recovery_time(const struct recovery *recovery, bool is_idle)
{
	int64_t before = 0, found = 1;

	if (is_recovered(recovery, 0, is_idle))
		return 0;
	while (found * MINUTE_S <= RECOVERY_MOST_S && !is_recovered(recovery, found, is_idle)) {
		before = found;
		found += 1 + found / 16;
	}
	if (found * MINUTE_S > RECOVERY_MOST_S)
		return -1;
	while (found - before > 1) {
		int64_t middle = before + (found - before) / 2;

		if (is_recovered(recovery, middle, is_idle))
			found = middle;
		else
			before = middle;
	}
	return found * MINUTE_S;
}
