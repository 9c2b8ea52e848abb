/* SPDX-License-Identifier: Apache-2.0 */
/* What a part begins with, up to its state: a head, the cell's files, orders that are kept. */
#ifndef SCHED_QMASTER_JOURNAL_BEGINNING_H
#define SCHED_QMASTER_JOURNAL_BEGINNING_H

#include "conf/cell_source.h"
#include "sched/process/output.h"
#include "sched/sched.h"

#define JOURNAL_FORM 1			/* any change of the form changes this */
#define FILE_PIECE_BYTES (256u << 10)	/* of a file's text, in one line */
#define IN_LINE 1000u			/* orders, or places */

struct beginning {
	const struct sched *sched;
	uint64_t run;			/* which is to be made first */
	uint64_t last_order;		/* before it */
	const char *gap;		/* why the part before ended; "": it did not break off */
	uint64_t lost;			/* events, at least, that no part has */
	const struct free_places *places;
};

/*
 * Where started tasks, and what the policy has of the kind, stand before a run: the order of their
 * numbers decides where nothing else does, and a new one gets the number that was freed last.
 */
#define PLACES_POOLS 4u

struct free_places {
	struct pool_places { uint32_t *free_ids; size_t n, nfree, capacity; } of[PLACES_POOLS];
};

int places_take(struct free_places *places, const struct sched *sched);	/* -ENOMEM */
/* In a scheduler that nothing was told yet. -EINVAL: they can't be; -ENOMEM. */
int places_arrange(const struct free_places *places, const struct sched *sched);
void places_free(struct free_places *places);

void beginning_write(struct out *out, const struct beginning *beginning);

/* {"file":"sched_conf","text":"..."}, in pieces; bytes that are no UTF-8 are told as such. */
void beginning_files(struct out *out, const struct cell_files *files);

#endif
