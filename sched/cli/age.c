/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/age.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/*
 * Return the fields after the name in stat of proc(5). The name may have any character. False:
 * there is no such process.
 */
static bool process_line(uint32_t pid, char line[512], const char **behind)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, 512, file))
		line[0] = '\0';
	fclose(file);
	*behind = strrchr(line, ')');
	return *behind && (*behind)[1] == ' ';
}

char process_state(uint32_t pid)
{
	char line[512];
	const char *behind;

	return process_line(pid, line, &behind) ? behind[2] : 0;
}

int64_t process_age_s(uint32_t pid)
{
	char line[512];
	const char *behind;
	unsigned long long begin;
	struct timespec now;

	if (!process_line(pid, line, &behind) || clock_gettime(CLOCK_BOOTTIME, &now) ||
	    sscanf(behind + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &begin) != 1)
		return -1;
	return (int64_t)now.tv_sec - (int64_t)(begin / (unsigned long)sysconf(_SC_CLK_TCK));
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
