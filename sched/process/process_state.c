/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/process_state.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
