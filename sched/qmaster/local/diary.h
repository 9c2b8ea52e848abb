/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the log says of a local cell, once it is committed: who has asked for what, what has started
 * and how it has ended. A line each.
 */
#ifndef SCHED_QMASTER_LOCAL_DIARY_H
#define SCHED_QMASTER_LOCAL_DIARY_H

#include <stdint.h>

struct client;
struct local;
struct local_task;

struct diary {				/* zero-initialise */
	struct diary_rate {		/* lines of a kind in this second, those left out, and when it began */
		unsigned lines, left_out;
		uint64_t second_ns;
	} refusals, changes;
};

/* Results of a request that were not told of yet: of changes, and of what was refused. */
void diary_results(struct local *local, struct client *client);
void diary_start(const struct local *local, const struct local_task *task);
void diary_end(const struct local_task *task);
/* What a scheduler finds that begins again. */
void diary_found(const struct local *local);

#endif
