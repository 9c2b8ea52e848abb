/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the mirror, which a run reads and in which it accounts usage. The files that fill them
 * share inside.h. Rooms that are not part of a run ask queries.h and usage.h.
 */
#ifndef SCHED_MIRROR_TABLES_H
#define SCHED_MIRROR_TABLES_H

#include "conf/slurm.h"
#include "sched/mirror/ads.h"
#include "sched/mirror/classes.h"
#include "sched/mirror/queries.h"
#include "sched/mirror/usage.h"

/* state of an accountant; names are string ids, held; NONE: none */
struct reported_customer {
	uint32_t name;
	uint32_t waited;
	bool hidden;
	struct customer values;
};

struct reported_charge {
	uint32_t slot, customer, negotiating_group;
	struct charge_values values;
};

struct reported_winner {
	uint32_t slot, customer, negotiating_group;
	struct winner_values values;
};

struct resume {				/* state from which the next run continues */
	bool given;
	struct scheduler_event from;
	uint32_t *removed;		/* memory of from.removed */
	struct reported_customer *customers;	/* in the order of the events */
	struct reported_charge *charges;
	struct reported_winner *winners;
	size_t ncustomers, ncharges, nwinners;
	size_t customers_capacity, charges_capacity, winners_capacity;
};

struct mirror {
	const struct cell *cell;	/* active; borrowed */
	struct strings *strings;	/* borrowed */
	struct segment *segment;	/* borrowed: memory of the job tables */
	struct objects objects[SHARER_KINDS];
	struct usage_names usage_names;
	/* number of reports of an object's usage; each makes earlier bookings obsolete */
	uint64_t report_count;
	struct classes classes;
	struct requests requests;
	struct ads ads;			/* ads of requests and slots */
	struct state *state;		/* active */
	struct state *snapshot;		/* being received; NULL: none */
	uint64_t reported_before;		/* `report_count` when the snapshot began */
	struct ledger *ledger;		/* NULL: bookings are not stored */
	/*
	 * from 1; changes when usage of a user, a project or a job is reported, forgotten or
	 * replaced
	 */
	uint64_t accounts;
	uint64_t begun;			/* number of starts so far, ordered ones included */
	struct resume resume;
};

/* Create a mirror. -ENOMEM. Call mirror_destroy() in any case. */
int mirror_create(struct mirror *mirror, const struct cell *cell, struct strings *strings, struct segment *segment);
void mirror_destroy(struct mirror *mirror);

/* Activate a new configuration. -ENOMEM: some jobs keep their old categories. */
int mirror_reload(struct mirror *mirror, const struct cell *cell);

#define NAME_MOST 512			/* bytes of a name */

/* Clear mirror->resume after a run has taken it over (event_resume.c). */
void mirror_resumed(struct mirror *mirror);

struct allocation {			/* resources allocated to a started task */
	uint32_t partition;		/* index in cell->slurm; UINT32_MAX: none */
	uint32_t time_limit;		/* minutes, SLURM_INFINITE */
	double usage_factor;		/* UsageFactor of its QOS, >= 0 */
	double billable;		/* cost of a second without the factor, finite, >= 0 */
	double counts[TRES_MOST];	/* counts by TRES, >= 0 */
};
/*
 * Compute the allocation. It is the same for tasks with the same request, slots, partition and
 * tres.
 */
void mirror_allocation(const struct mirror *mirror, const struct state *state, const struct task *task,
		       struct allocation *allocation);

/* association that pays for a started task, and the cost of a second */
struct charge {
	uint32_t association;		/* index in cell->slurm; UINT32_MAX: none */
	double rate;			/* finite, >= 0 */
};
struct charge mirror_charge(const struct mirror *mirror, const struct state *state, const struct task *task);

/* Drop the reported usage of associations: all, or only usage with a time stamp. */
void slurm_forget_reported(struct mirror *mirror, struct state *state, bool stamped);

#endif
