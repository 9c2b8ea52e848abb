/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that do something for us beside tasks, since it may take long or is a user's work, and
 * that nobody waits for: fairlead-shepherd(8), --tidy and --mail. A few at a time; the others wait
 * here, and are lost with this process.
 */
#ifndef SCHED_QMASTER_LOCAL_ERRANDS_H
#define SCHED_QMASTER_LOCAL_ERRANDS_H

#include <stdint.h>

struct errand;
struct local;

struct errands {		/* zero at first */
	struct errand *first, **last;	/* those that wait */
	struct errand *under_way;
	unsigned nwaiting, nunder_way;
};

/*
 * A program with its words, and what it reads from standard input, NULL: nothing; both are copied.
 * 0; -EAGAIN: too many are waiting; -ENOMEM.
 */
int errand_send(struct local *l, const char *const words[], const char *input);
/* The one of which epoll tells that it has ended. */
void errand_ended(struct local *l, struct errand *e);
void errands_close(struct local *l);	/* those that are under way go on */

#endif
