/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ledger of a scheduler with a store is answered, as lines: what was booked of a job or
 * task before this scheduler was started decides what its runs book.
 */
#ifndef SCHED_QMASTER_JOURNAL_ANSWERS_WRITTEN_H
#define SCHED_QMASTER_JOURNAL_ANSWERS_WRITTEN_H

#include "sched/mirror/ledger.h"
#include "sched/process/output.h"

struct mirror;

struct answers_written {		/* zero: nobody is watched */
	struct ledger *ledger;
	struct ledger_calls inner;	/* who answers */
	const struct mirror *mirror;
	/* where lines go; NULL: nowhere */
	struct out *(*to)(void *context);
	void *context;
};

/* `ledger` NULL: there is none, and this is a no-op. All are borrowed. */
void answers_watch(struct answers_written *answers, struct ledger *ledger, const struct mirror *mirror,
		   struct out *(*to)(void *context), void *context);
void answers_unwatch(struct answers_written *answers);

#endif
