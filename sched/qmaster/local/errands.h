/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that the scheduler starts beside tasks and does not wait for: fairlead-shepherd(8),
 * --tidy and --mail. They run a user's work, so that each user can delay only his own: a few run at
 * a time, two of a user at most, in turns; the others wait in memory, and are lost with this process.
 * One that takes too long is killed. What it writes to standard error goes to the log, its first line only.
 */
#ifndef SCHED_QMASTER_LOCAL_ERRANDS_H
#define SCHED_QMASTER_LOCAL_ERRANDS_H

#include <stdint.h>

struct errand;
struct errand_user;
struct local;

enum errand_kind { ERRAND_TIDY, ERRAND_MAIL, ERRAND_KINDS };

struct errand_queue {
	struct errand_user *users;	/* that have an errand here; the next one to be served first */
	unsigned nwaiting, nrunning;
};

struct errands {		/* zero at first */
	struct errand_queue queues[ERRAND_KINDS];
	struct errand *running;
};

/*
 * Start a program with its words, now or later; `input` is its standard input, NULL: empty. Both are
 * copied. 0; -EAGAIN: too many are waiting; -ENOMEM.
 */
int errand_send(struct local *local, enum errand_kind kind, uint32_t uid, const char *const words[], const char *input);
/* Epoll has reported that it has ended. */
void errand_ended(struct local *local, struct errand *errand);
/* Kill those whose time is over. */
void errands_due(struct local *local);
uint64_t errands_due_ns(const struct local *local);
void errands_close(struct local *local);	/* those that are running continue */

#endif
