/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that the scheduler starts for other work than tasks and does not wait for:
 * fairlead-shepherd(8), --tidy and --mail.
 *
 * Errands work for a user, who must not delay the errands of other users. Therefore only a few run
 * at a time, at most two of a user, and users take turns. Pending errands are kept in memory and
 * are lost with this process. An errand that takes too long is killed. The first line that it
 * writes to standard error is logged.
 */
#ifndef SCHED_QMASTER_LOCAL_ERRANDS_H
#define SCHED_QMASTER_LOCAL_ERRANDS_H

#include <stdint.h>

struct errand;
struct errand_user;
struct local;

enum errand_kind { ERRAND_TIDY, ERRAND_MAIL, ERRAND_KINDS };

struct errand_queue {
	/* users with an errand, in the order in which they are served */
	struct errand_user *users;
	unsigned nwaiting, nrunning;
};

struct errands {		/* Zero-initialized. */
	struct errand_queue queues[ERRAND_KINDS];
	struct errand *running;
};

/*
 * Start a program now or later. `words` are its arguments; `input` is its standard input, NULL:
 * empty. Both are copied. Returns 0, -EAGAIN if too many errands are pending, or -ENOMEM.
 */
int errand_send(struct local *local, enum errand_kind kind, uint32_t uid, const char *const words[], const char *input);
/* Handle the end of an errand, as reported by epoll. */
void errand_ended(struct local *local, struct errand *errand);
/* Kill errands whose time is over. */
void errands_due(struct local *local);
uint64_t errands_due_ns(const struct local *local);
void errands_close(struct local *local);	/* running errands continue */

#endif
