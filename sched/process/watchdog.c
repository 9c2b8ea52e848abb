/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/watchdog.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/process/notify.h"

#define USEC_MOST (UINT64_MAX / 1000)

/* Read a variable of decimal digits. Returns whether it has a number from 1 to `most`. */
static bool variable_take(uint64_t *number, const char *name, uint64_t most)
{
	const char *text = getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !*end && !errno && *number > 0 && *number <= most;
}

void watchdog_begin(struct watchdog *watchdog)
{
	uint64_t usec, pid;

	*watchdog = (struct watchdog){ .due_ns = UINT64_MAX };
	if (!variable_take(&usec, "WATCHDOG_USEC", USEC_MOST))
		return;
	/* the variables may be those of a parent that has a watchdog */
	if (getenv("WATCHDOG_PID") && (!variable_take(&pid, "WATCHDOG_PID", INT32_MAX) || (pid_t)pid != getpid()))
		return;
	watchdog->interval_ns = usec * 1000 / 2;
	watchdog->due_ns = 0;
}

void watchdog_feed(struct watchdog *watchdog)
{
	uint64_t now_ns = watchdog->due_ns == UINT64_MAX ? 0 : clock_monotonic_ns();

	if (now_ns < watchdog->due_ns)
		return;
	notify_send("WATCHDOG=1");
	watchdog->due_ns = now_ns + watchdog->interval_ns;
}
