/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording, as lines, the answers of the ledger of a scheduler with a store. The usage that was
 * booked for a job or task before this scheduler was started affects what its runs book.
 */
#ifndef SCHED_QMASTER_JOURNAL_ANSWERS_WRITTEN_H
#define SCHED_QMASTER_JOURNAL_ANSWERS_WRITTEN_H

#include "sched/mirror/ledger.h"
#include "sched/process/output.h"

struct mirror;

struct answers_written {		/* zero: no ledger is watched */
	struct ledger *ledger;
	struct ledger_calls inner;	/* calls of the ledger itself */
	const struct mirror *mirror;
	/* Return the output for lines. NULL: none. */
	struct out *(*to)(void *context);
	void *context;
};

/* Record the answers of a ledger. `ledger` NULL: no-op. All arguments are borrowed. */
void answers_watch(struct answers_written *answers, struct ledger *ledger, const struct mirror *mirror,
		   struct out *(*to)(void *context), void *context);
void answers_unwatch(struct answers_written *answers);

#endif
