/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/clock.h"

#include <time.h>

#include "sched/process/log.h"

int64_t clock_next(struct clock *clock, int64_t date)
{
	bool held = date < clock->now;

	if (held && !clock->held)
		log_line(
			LOG_ODD,
			"the clock was set back by %lld s: runs keep the last time until it has caught up, "
			"or a restart",
			(long long)(clock->now - date));
	if (!held && clock->held)
		log_line(LOG_NOTE, "the clock has caught up");
	clock->held = held;
	if (!held)
		clock->now = date;
	return clock->now;
}

int64_t clock_date(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_REALTIME, &timespec);
	return timespec.tv_sec;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_MONOTONIC, &timespec);
	return (uint64_t)timespec.tv_sec * 1000000000 + (uint64_t)timespec.tv_nsec;
}

uint64_t clock_at_date_ns(int64_t date)
{
	const int64_t far = 1000000000;		/* 30 years: no sum overflows */
	uint64_t now = clock_monotonic_ns();
	struct timespec timespec;
	int64_t left;

	clock_gettime(CLOCK_REALTIME, &timespec);
	left = date - timespec.tv_sec > far ? far : date - timespec.tv_sec;
	return left <= 0 ? now : now + (uint64_t)left * 1000000000 - (uint64_t)timespec.tv_nsec;
}

uint64_t clock_processor_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &timespec);
	return (uint64_t)timespec.tv_sec * 1000000000 + (uint64_t)timespec.tv_nsec;
}
