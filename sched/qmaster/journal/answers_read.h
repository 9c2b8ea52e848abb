/* SPDX-License-Identifier: Apache-2.0 */
/* The other way round: a ledger that answers what another one was answered, when asked the same. */
#ifndef SCHED_QMASTER_JOURNAL_ANSWERS_READ_H
#define SCHED_QMASTER_JOURNAL_ANSWERS_READ_H

#include "sched/mirror/tables.h"
#include "sched/qmaster/members/event.h"

#define ANSWERS_MOST (1u << 20)		/* that wait to be asked for */

struct ledger_answer;

struct answers_read {			/* zero: there are none */
	struct mirror *mirror;
	/* that wait, in the order in which they were given */
	struct ledger_answer *items;
	size_t n, capacity;
	/* something was booked of the last one's job: the event that follows says what */
	bool wants_debited;
};

/* The mirror's ledger asks here from now on. -ENOMEM. */
int ledger_answers_serve(struct answers_read *answers, struct mirror *mirror, bool ends_asked);
void ledger_answers_free(struct answers_read *answers);

/* {"answer":...}; then the event, if that is wanted. -EINVAL with the reason, -ENOMEM. */
int ledger_answers_take(struct answers_read *answers, const struct value *object, struct error *error);
int ledger_answers_take_debited(struct answers_read *answers, const struct debited_event *event, struct error *error);

/* A run is over: what was asked in it is answered. */
void ledger_answers_forget(struct answers_read *answers);

#endif
