/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events name and nobody knows: a member that its event does not have, or a queue, a resource,
 * a value, a parallel environment, a project that the cell does not have. Each may be meant so, by
 * a newer qmaster or one that is ahead of the cell's files; more often it is a slip, and the job
 * waits for ever. So it is told once in the log and counted; or, where the qmaster's author has
 * asked for that with --strict, the event is refused.
 */
#ifndef SCHED_QMASTER_JSON_UNKNOWNS_H
#define SCHED_QMASTER_JSON_UNKNOWNS_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"
#include "conf/text_set.h"
#include "sched/qmaster/members/event.h"

#define UNKNOWNS_MEMBERS 8		/* of a job, whose texts name something of the cell */
#define UNKNOWNS_TOLD 100		/* so many different ones in the log; others are counted */

struct unknowns {			/* zero-initialise; unknowns_free() */
	bool strict;			/* events that have one are refused */
	uint64_t count;			/* events that had one, since the process began */
	struct text_set told;		/* what the log has */
	struct text_set known[UNKNOWNS_MEMBERS];	/* what was looked up and is there, by member */
};

/*
 * An event that was read, `taking` of it. 0; -EINVAL with the reason: it names something that is
 * not there, and `strict` refuses it.
 */
int unknowns_check(struct unknowns *unknowns, const struct cell *cell, const struct event_form *form,
		   const struct taking *taking, const struct event *event, struct error *error);
/* Another configuration is in force: what was looked up is looked up again. */
void unknowns_forget(struct unknowns *unknowns);
void unknowns_free(struct unknowns *unknowns);

#endif
