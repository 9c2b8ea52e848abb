/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log of a local cell: which user made which request, which tasks have started and how they have
 * ended. Each committed event is one line.
 */
#ifndef SCHED_QMASTER_LOCAL_DIARY_H
#define SCHED_QMASTER_LOCAL_DIARY_H

#include <stdint.h>

struct client;
struct local;
struct local_task;

struct diary {				/* Zero-initialized. */
	/* lines of a kind in the current second, omitted lines, and the beginning of the second */
	struct diary_rate {
		unsigned lines, left_out;
		uint64_t second_ns;
	} refusals, changes;
};

/* Log the results of a request that are not in the log yet: changes and refusals. */
void diary_results(struct local *local, struct client *client);
void diary_start(const struct local *local, const struct local_task *task);
void diary_end(const struct local_task *task);
/* Log the tasks that a restarted scheduler has found. */
void diary_found(const struct local *local);

#endif
