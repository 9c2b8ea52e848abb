/* SPDX-License-Identifier: Apache-2.0 */
/* A store that does not take what it is given: trouble.c. */
#ifndef SCHED_QMASTER_LOCAL_TROUBLE_H
#define SCHED_QMASTER_LOCAL_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/error.h"

struct local;

/* after the store could not take something, and twice as long each time */
#define RETRY_NS (SECOND_NS / 10)
#define RETRY_MOST_NS (60 * SECOND_NS)

struct trouble {
	/* why requests are refused: a probe has failed; "": they are not */
	struct error refusing;
	uint64_t probe_ns;	/* the next probe not before */
	/* a turn was undone: ends and orders are not looked at before; 0: nothing waits */
	uint64_t retry_ns;
	uint64_t pause_ns;	/* how long that was */
	bool stale;		/* and what is true could not be told anew */
	bool failing;		/* said so in the log */
};

/* What the scheduler was told in this turn is not true: undone, and told anew. */
void trouble_undo(struct local *l, const struct error *why);
/* Whether requests are taken (again): while they are not, a probe is made now and then. */
bool trouble_is_over(struct local *l);
/* Whether ends and orders wait; the pause begins, after what has cost so long in vain. */
bool trouble_waits(const struct local *l);
void trouble_pause(struct local *l, uint64_t cost_ns);
void trouble_look(struct local *l);	/* whether it is over, and what waited can be tried */
uint64_t trouble_due_ns(const struct local *l);

#endif
