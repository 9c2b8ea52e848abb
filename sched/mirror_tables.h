/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the mirror: for the files that fill it (mirror*.c) and for the run that reads it. */
#ifndef SCHED_MIRROR_TABLES_H
#define SCHED_MIRROR_TABLES_H

#include "sched/classes.h"
#include "sched/ledger.h"
#include "sched/requests.h"
#include "sched/state.h"

struct mirror {
	const struct cell *cell;	/* in force; borrowed */
	struct strings *strings;	/* borrowed */
	struct segment *segment;	/* borrowed: where job tables lie */
	struct objects objects[SHARER_KINDS];
	struct usage_names usage_names;
	uint64_t tellings;		/* how often the qmaster told an object's usage: what was booked before is forgotten then */
	struct classes classes;
	struct requests requests;
	struct state *state;		/* in force */
	struct state *snapshot;		/* coming in; NULL when none is */
	uint64_t told_before;		/* `tellings` when it began */
	struct ledger *ledger;		/* NULL: nobody keeps what is booked */
};

/* -ENOMEM. mirror_destroy() in any case. */
int mirror_create(struct mirror *m, const struct cell *cell, struct strings *strings, struct segment *segment);
void mirror_destroy(struct mirror *m);

/* A new configuration is in force. -ENOMEM: some jobs keep the old one's categories. */
int mirror_reload(struct mirror *m, const struct cell *cell);

/* Where events go: the snapshot that is coming in, else the state in force. */
static inline struct state *mirror_target(struct mirror *m)
{
	return m->snapshot ? m->snapshot : m->state;
}

struct state *state_create(struct segment *segment);
/* Drops everything its jobs, tasks and instances hold. */
void state_destroy(struct mirror *m, struct state *s);
/* Room for so many more ended tasks. -ENOMEM. */
int state_reserve_ended(struct state *s, size_t more);
/* The task ends here; its usage waits to be booked. Room must have been reserved. */
struct ended_task *state_end_task(struct mirror *m, struct state *s, uint32_t task, enum ending ending);
/* A job with all it holds. */
void state_remove_job(struct mirror *m, struct state *s, uint32_t row);

/* All that was told of hosts. */
void told_hosts_free(struct mirror *m, struct state *s);

/* Slots of an instance as its queue is configured for the host; 0 when there is no such queue. */
uint32_t instance_configured_slots(const struct mirror *m, const char *instance);

#endif
