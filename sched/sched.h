/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler: a cell, what the qmaster reported, the policies, and the segment it publishes to.
 * No input, output or clock of its own: a process (daemon/, bench/) feeds the mirror and says when
 * to run.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"
#include "conf/error.h"
#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"
#include "sched/run/records_place.h"
#include "shm/segment.h"

struct durable;
struct sched;
struct schedule_lines;

/*
 * Read the cell and take over its segment. The caller destroys. -EINVAL: the cell has faults (in
 * `report`); -EBUSY: a scheduler runs on this cell already; and the errors of segment_create().
 */
int sched_create(struct sched **sched, const char *directory, const struct segment_options *options,
		 struct report *report, struct error *error);
/*
 * The same for a cell whose configuration the qmaster tells: at first it has none, which is a cell
 * with the installed defaults. The directory is by which readers find it.
 */
int sched_create_empty(struct sched **sched, const char *directory, const struct segment_options *options,
		       struct error *error);
void sched_destroy(struct sched *sched);

/*
 * Has a scheduler before this one left a run that readers still see? The first publication takes
 * its place.
 */
bool sched_has_predecessor(const struct sched *sched);

/*
 * Compute with `n` threads from now on, the caller's included; at first it is one. Results are the
 * same with any number. -EINVAL: 0; -ENOMEM, -EAGAIN: it stays as it was. Not while a run is on.
 */
int sched_workers(struct sched *sched, unsigned n);

/* Bind them to the nodes of this machine: workers_bind(). 0, or -errno: not all are bound. */
int sched_workers_bind(struct sched *sched, const struct topology *topology);

/*
 * Where runs write what they book from now on (dispatch/schedule.h); NULL: nowhere. Borrowed; the
 * caller begins and empties it.
 */
void sched_schedule(struct sched *sched, struct schedule_lines *lines);

struct mirror *sched_mirror(struct sched *sched);
const struct cell *sched_cell(const struct sched *sched);

/* What the runs have ordered; who sends the orders acknowledges them there. */
struct orders *sched_orders(struct sched *sched);

/* Off: runs compute priorities and order nothing. At first it is on. */
void sched_dispatch(struct sched *sched, bool on);

/*
 * Paused: runs decide and order nothing of it, so that readers see what has changed, and starts
 * wait for the run that is due. Not for a policy that negotiates. At first it is off.
 */
void sched_pause(struct sched *sched, bool on);

/*
 * Off: runs decide and order the same, tasks are settled the same, and readers are shown nothing of
 * it: they keep the last run that was published. At first it is on.
 */
void sched_publishes(struct sched *sched, bool on);

/* Where its memory is meant to lie, and whether that could be had. */
const struct placement *sched_placement(const struct sched *sched);

/*
 * What was moved out of the way of the cell's shared memory; its path is "" when there was nothing.
 */
const struct stranger *sched_stranger(const struct sched *sched);

/*
 * Read the cell's files again. -EINVAL: faults in `report`, the running configuration stays in
 * force. Nothing happens where the qmaster tells it.
 */
int sched_reload(struct sched *sched, struct report *report, struct error *error);
/* The same from these texts: conf/cell_source.h. */
int sched_reload_texts(struct sched *sched, const struct cell_files *texts, struct report *report, struct error *error);

/*
 * One scheduling run at `now` (epoch seconds) and its publication. `event` is the number of the
 * last event dealt with. -ENOMEM: not published, readers keep the run before; the next run tries
 * again.
 */
int sched_run(struct sched *sched, int64_t now, uint64_t event, struct error *error);

/*
 * Where an advance reservation would lie, for a qmaster that must find its place itself: see
 * dispatch/phase.h. -ENOENT: nowhere, with the reason; -ENOMEM.
 */
struct advance_wish;
struct advance_place_found;
int sched_find_advance(struct sched *sched, int64_t now, const struct advance_wish *wish,
		       struct advance_place_found *found, struct error *why);

/*
 * Whether a job with such requests could start in this cell if nothing was in use: see
 * dispatch/phase.h. -ENOENT: it could not, with the reason; -ENOMEM.
 */
int sched_verify(struct sched *sched, int64_t now, const struct advance_wish *wish, struct error *why);

/*
 * What an operator changes of a customer of the policy in force, between runs; it counts at once.
 * -EINVAL, -ENOENT, -EALREADY with the sentence, -ENOTSUP: the policy has no customers; -ENOMEM. 0
 * with a sentence: a lease has ended with it.
 */
struct customer_edit;
int sched_edit_customer(struct sched *sched, int64_t now, const char *customer, const struct customer_edit *edit,
			struct error *error);
/* What was edited since the last run could not be stored, and is undone. */
void sched_unedit_customers(struct sched *sched);

/*
 * Who hears of tasks that have ended, as a run has booked them: those of one job, with all that is
 * booked of them, and those that were booked before. Borrowed; the tasks during the call.
 */
struct ended_task;
struct ends_watch {
	void *context;
	void (*ended)(void *context, const struct ended_task *tasks, size_t n);
};
void sched_watch_ends(struct sched *sched, const struct ends_watch *watch);	/* NULL: nobody */

/*
 * Who hears of what is neither told by events nor computed: another configuration is in force, an
 * operator's edit at that time has counted, edits were undone. Borrowed; each call may be NULL.
 */
struct sched_witness {
	void *context;
	void (*reloaded)(void *context);
	void (*edited)(void *context, int64_t now, const char *customer, const struct customer_edit *edit);
	void (*unedited)(void *context);
};
void sched_witness(struct sched *sched, const struct sched_witness *witness);	/* NULL: nobody */

/* What of it is to survive it, for who stores that; borrowed. */
const struct durable *sched_durable(const struct sched *sched);

/*
 * Ended tasks, running jobs and reported usage of associations that the last run could not book.
 * One of the next will; until then it is not kept.
 */
size_t sched_unbooked(const struct sched *sched);

/* Files that a qmaster keeps, by absolute paths; NULL: it has none, or nobody knows. */
struct qmaster_files {
	const char *state;		/* the directory of a local cell */
	const char *accounting;		/* accounting(5) */
};

/* What the process knows of itself, for readers of the runs from now on. */
struct process_facts {
	uint64_t hosts_up;		/* execution hosts that are connected */
	uint64_t store_failures;	/* so far */
	struct place_record place;	/* zero: there is none that could be lost */
	struct source_record source;	/* zero: no events come from outside */
	struct qmaster_files files;	/* borrowed for as long as runs are made */
};
void sched_process(struct sched *sched, const struct process_facts *facts);

/* How long the phases of the last run took, for PROFILE and bench/. */
enum phase {
	PHASE_LIST,
	PHASE_CLUSTER,
	PHASE_COLLECT,
	PHASE_ACCOUNT,
	PHASE_URGENCY,
	PHASE_TICKETS,
	PHASE_NORMALIZE,
	PHASE_ORDER,
	PHASE_DISPATCH,
	PHASE_ORDERS,
	PHASE_PUBLISH,
	PHASES
};
struct profile {
	uint64_t ns[PHASES];
	uint64_t pending_jobs, started_tasks, pending_tasks;	/* that took part */
	uint64_t starts, reservations;	/* decided */
	uint64_t clamped;	/* values that would have been NaN or infinite */
	uint64_t shared_bytes;	/* of one generation */
	/* of the job table; those the generation before shows as well */
	uint64_t chunks, chunks_shared;
};
const char *phase_name(enum phase phase);
/* The next change of a calendar behind the last run's `now`; INT64_MAX: there is none. */
int64_t sched_next_change(const struct sched *sched);
/* Does the policy in force want a run as soon as something has come or gone? */
bool sched_is_eager(const struct sched *sched);
void sched_profile(const struct sched *sched, struct profile *profile);

#endif
