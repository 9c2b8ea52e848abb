/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/age.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "conf/base/number.h"

void age_look(struct run_age *age, const struct fl_view *view)
{
	const char *interval = fl_param(view, "schedule_interval");
	struct fl_run run;
	uint32_t seconds;

	fl_run(view, &run);
	if (!interval || number_time(interval, &seconds) || seconds == 0)
		seconds = 1;
	*age = (struct run_age){ .age_s = (int64_t)time(NULL) - run.now, .interval_s = seconds };
	age->late_s = LATE_INTERVALS * age->interval_s + LATE_S + (int64_t)(run.run_ns / 1000000000u);
}

void age_text(int64_t seconds, char to[AGE_BYTES])
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = { { "d", 86400 }, { "h", 3600 }, { "min", 60 }, { "s", 1 } };
	size_t k = 0;

	while (k < 3 && seconds < 2 * units[k].seconds)
		k++;
	snprintf(to, AGE_BYTES, "%" PRIi64 " %s", seconds / units[k].seconds, units[k].unit);
}
