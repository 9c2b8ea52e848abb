/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/classes.h"

#include <stddef.h>

static const struct {
	uint32_t most;
	const char *name;
} sizes[SIZE_CLASSES] = {
	{ 1, "1 slot" }, { 4, "2-4 slots" }, { 16, "5-16 slots" }, { 64, "17-64 slots" }, { 256, "65-256 slots" },
	{ 1024, "257-1024 slots" },
	{ 4096, "1025-4096 slots" }, { UINT32_MAX, "over 4096 slots" },
};

static const struct {
	int64_t most;			/* seconds */
	const char *name;
} times[TIME_CLASSES] = {
	{ 60, "up to 1 min" }, { 600, "1-10 min" }, { 3600, "10-60 min" }, { 21600, "1-6 h" }, { 86400, "6-24 h" },
	{ 259200, "1-3 days" },
	{ INT64_MAX, "over 3 days" }, { -1, "unknown" },
};

unsigned size_class(uint32_t slots)
{
	unsigned k = 0;

	while (slots > sizes[k].most)
		k++;
	return k;
}

unsigned time_class(int64_t run_s)
{
	unsigned k = 0;

	if (run_s < 0)
		return TIME_CLASSES - 1;
	while (run_s > times[k].most)
		k++;
	return k;
}

const char *size_class_name(unsigned class)
{
	return class < SIZE_CLASSES ? sizes[class].name : "";
}

const char *time_class_name(unsigned class)
{
	return class < TIME_CLASSES ? times[class].name : "";
}
