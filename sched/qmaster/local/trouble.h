/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of the store: trouble.c. */
#ifndef SCHED_QMASTER_LOCAL_TROUBLE_H
#define SCHED_QMASTER_LOCAL_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/error.h"

struct local;

/* Pause after a turn was undone. It is doubled each time, up to the maximum. */
#define RETRY_NS (SECOND_NS / 10)
#define RETRY_MOST_NS (60 * SECOND_NS)

struct trouble {
	/* "": the store accepts data. Otherwise requests are refused for this reason. */
	struct error refusing;
	uint64_t probe_ns;	/* earliest time of the next probe of the store */
	/* Ends and orders wait until then, because a turn was undone; 0: they do not wait. */
	uint64_t retry_ns;
	uint64_t pause_ns;	/* last pause; 0: the last turn was committed */
	/* reporting the state without the turn has also failed */
	bool stale;
	bool failing;		/* the failure of the store was logged */
};

/* Undo the turn and report the state without it to the scheduler. */
void trouble_undo(struct local *local, const struct error *why);
/*
 * Return whether requests are accepted. If they are not, this probes the store from time to time.
 */
bool trouble_is_over(struct local *local);
/* Return whether ends and orders wait. */
bool trouble_waits(const struct local *local);
/*
 * Let ends and orders wait for a pause of at least ten times `cost_ns`, the time that the failure
 * took.
 */
void trouble_pause(struct local *local, uint64_t cost_ns);
/* Try the waiting work again when the pause is over. Called in each turn. */
void trouble_look(struct local *local);
uint64_t trouble_due_ns(const struct local *local);

#endif
