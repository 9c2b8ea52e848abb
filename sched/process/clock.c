/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/clock.h"

#include <time.h>

#include "sched/process/log.h"

int64_t clock_next(struct clock *c, int64_t date)
{
	bool held = date < c->now;

	if (held && !c->held)
		log_line(LOG_ODD, "the clock was set back by %lld s: time stands still until it has caught up, or until a restart",
			 (long long)(c->now - date));
	if (!held && c->held)
		log_line(LOG_NOTE, "the clock has caught up");
	c->held = held;
	if (!held)
		c->now = date;
	return c->now;
}

int64_t clock_date(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t clock_at_date_ns(int64_t date)
{
	const int64_t far = 1000000000;		/* half a life: no sum overflows */
	uint64_t now = clock_monotonic_ns();
	struct timespec t;
	int64_t left;

	clock_gettime(CLOCK_REALTIME, &t);
	left = date - t.tv_sec > far ? far : date - t.tv_sec;
	return left <= 0 ? now : now + (uint64_t)left * 1000000000 - (uint64_t)t.tv_nsec;
}

uint64_t clock_processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
