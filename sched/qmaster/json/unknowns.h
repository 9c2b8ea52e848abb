/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unknown names in events. Such a name is a member that its event does not have, or an object that
 * the cell does not have: a queue, a resource, a value, a parallel environment or a project. A
 * newer qmaster, or one that is ahead of the cell's files, may use such names on purpose. More
 * often they are typing errors, and the job is pending for ever. Each such name is therefore logged
 * once and counted. With --strict, an option for authors of qmasters, the event is refused instead.
 */
#ifndef SCHED_QMASTER_JSON_UNKNOWNS_H
#define SCHED_QMASTER_JSON_UNKNOWNS_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"
#include "conf/base/text_set.h"
#include "sched/qmaster/members/event.h"

/* Members of a job whose texts name an object of the cell. */
#define UNKNOWNS_MEMBERS 8
/* Limit of different names in the log; further ones are only counted. */
#define UNKNOWNS_LOGGED 100

struct unknowns {			/* zero-initialise; free with unknowns_free() */
	bool strict;			/* events with unknown names are refused */
	uint64_t count;			/* events with unknown names since the process began */
	struct text_set logged;		/* names that were logged */
	/* Names that were found in the cell, by member. */
	struct text_set known[UNKNOWNS_MEMBERS];
};

/*
 * Check the names in an event that was read; `taking` is the state of reading it. Returns 0, or
 * -EINVAL with the reason if a name is not known and `strict` is set.
 */
int unknowns_check(struct unknowns *unknowns, const struct cell *cell, const struct event_form *form,
		   const struct taking *taking, const struct event *event, struct error *error);
/* Forget which names were found, because another configuration is active. */
void unknowns_forget(struct unknowns *unknowns);
void unknowns_free(struct unknowns *unknowns);

#endif
