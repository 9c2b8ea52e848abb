/* SPDX-License-Identifier: Apache-2.0 */
/* A store that does not take what it is given: trouble.c. */
#ifndef SCHED_QMASTER_LOCAL_TROUBLE_H
#define SCHED_QMASTER_LOCAL_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"

struct local;

/* the pause after a turn was undone; twice as long each time, up to the most */
#define RETRY_NS (SECOND_NS / 10)
#define RETRY_MOST_NS (60 * SECOND_NS)

struct trouble {
	/* "": the store takes what it is given. Else requests are refused, and this is why. */
	struct error refusing;
	uint64_t probe_ns;	/* the next probe of the store is not made before */
	/* Ends and orders wait until then, since a turn was undone. 0: they do not */
	uint64_t retry_ns;
	uint64_t pause_ns;	/* the last pause; 0: the last turn was committed */
	/* the scheduler could not be told of the state without the turn, either */
	bool stale;
	bool failing;		/* the log says that the store does not take things */
};

/* Undoes the turn, and tells the scheduler of the state without it. */
void trouble_undo(struct local *local, const struct error *why);
/* Are requests taken? While they are not, this probes the store now and then. */
bool trouble_is_over(struct local *local);
/* Do ends and orders wait? */
bool trouble_waits(const struct local *local);
/* They wait from now on, at least ten times as long as it took to find out that they must. */
void trouble_pause(struct local *local, uint64_t cost_ns);
/* In each turn: tries what waits, once the pause is over. */
void trouble_look(struct local *local);
uint64_t trouble_due_ns(const struct local *local);

#endif
