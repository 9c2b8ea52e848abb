/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchdog of the service manager: sd_watchdog_enabled(3). The main loop of a process feeds it, so
 * that a loop that hangs is noticed. A thread of its own would feed it for a loop that hangs.
 */
#ifndef SCHED_PROCESS_WATCHDOG_H
#define SCHED_PROCESS_WATCHDOG_H

#include <stdint.h>

struct watchdog {
	uint64_t interval_ns;	/* half of the time after which the manager ends the process */
	uint64_t due_ns;	/* next message, monotonic; UINT64_MAX: there is no watchdog */
};

/* Begin with the watchdog that WATCHDOG_USEC and WATCHDOG_PID announce to this process. */
void watchdog_begin(struct watchdog *watchdog);

/* Send a message if it is due. Call this in each turn of the loop, at `due_ns` at the latest. */
void watchdog_feed(struct watchdog *watchdog);

#endif
