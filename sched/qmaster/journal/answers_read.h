/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reverse of answers_written.h: a ledger that gives the same answers to the same questions as
 * the ledger of the recorded scheduler did.
 */
#ifndef SCHED_QMASTER_JOURNAL_ANSWERS_READ_H
#define SCHED_QMASTER_JOURNAL_ANSWERS_READ_H

#include "sched/mirror/usage.h"
#include "sched/qmaster/members/event.h"

#define ANSWERS_MOST (1u << 20)		/* limit of answers that wait to be asked for */

struct ledger_answer;

struct answers_read {			/* zero: no answers */
	struct mirror *mirror;
	/* Waiting answers, in the order in which they were given. */
	struct ledger_answer *items;
	size_t n, capacity;
	/*
	 * The last answer is that usage of the job was booked. The next event contains this usage.
	 */
	bool wants_debited;
};

/* Make the mirror's ledger use these answers from now on. -ENOMEM. */
int ledger_answers_serve(struct answers_read *answers, struct mirror *mirror, bool ends_asked);
void ledger_answers_free(struct answers_read *answers);

/* Take a line {"answer":...}, or the event that completes it. -EINVAL with the reason, -ENOMEM. */
int ledger_answers_take(struct answers_read *answers, const struct value *object, struct error *error);
int ledger_answers_take_debited(struct answers_read *answers, const struct debited_event *event, struct error *error);

/* Drop the answers of a run that is over. */
void ledger_answers_forget(struct answers_read *answers);

#endif
