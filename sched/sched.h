/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduler: a cell, the objects that the qmaster reported, the policies, and the segment that runs
 * are published in. It has no input, output or clock of its own. A process (daemon/, bench/) feeds
 * the mirror and decides when to run.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/cell.h"
#include "conf/base/error.h"
#include "sched/mirror/mirror.h"
#include "sched/qmaster/orders.h"
#include "sched/run/records_place.h"
#include "shm/segment.h"

struct durable;
struct sched;
struct schedule_lines;

/*
 * Read the cell and take over its segment. The caller destroys the scheduler. -EINVAL: the cell has
 * faults (in `report`); -EBUSY: a scheduler already runs on this cell; and the errors of
 * segment_create().
 */
int sched_create(struct sched **sched, const char *directory, const struct segment_options *options,
		 struct report *report, struct error *error);
/*
 * Create a scheduler for a cell whose configuration the qmaster reports. Until then the cell has
 * the installed defaults. Readers find the scheduler by the directory.
 */
int sched_create_empty(struct sched **sched, const char *directory, const struct segment_options *options,
		       struct error *error);
void sched_destroy(struct sched *sched);

/*
 * Return whether an earlier scheduler left a run that readers still see. The first publication
 * replaces it.
 */
bool sched_has_predecessor(const struct sched *sched);

/*
 * Compute with `n` threads from now on, including the caller's. The initial number is 1. Results do
 * not depend on the number. -EINVAL: n is 0; -ENOMEM, -EAGAIN: the number is unchanged. Do not call
 * during a run.
 */
int sched_workers(struct sched *sched, unsigned n);

/*
 * Bind the threads to the nodes of this machine (workers_bind()). 0, or -errno: some are not bound.
 */
int sched_workers_bind(struct sched *sched, const struct topology *topology);

/*
 * Set where runs write the decisions that they book (dispatch/schedule.h). NULL: nowhere. Borrowed;
 * the caller begins and empties it.
 */
void sched_schedule(struct sched *sched, struct schedule_lines *lines);

struct mirror *sched_mirror(struct sched *sched);
const struct cell *sched_cell(const struct sched *sched);

/* Return the orders of the runs. The sender of the orders acknowledges them there. */
struct orders *sched_orders(struct sched *sched);

/* Switch dispatch on or off. Off: runs compute priorities and order nothing. Initially on. */
void sched_dispatch(struct sched *sched, bool on);

/*
 * Pause or resume ordering. While paused, runs decide but order nothing, so that readers see
 * changes and job starts wait for the next regular run. Not for a policy that negotiates. Initially
 * off.
 */
void sched_pause(struct sched *sched, bool on);

/*
 * Switch publication on or off. Off: runs decide, order and settle tasks as usual, but readers keep
 * the last published run. Initially on.
 */
void sched_publishes(struct sched *sched, bool on);

/* Return where the scheduler's memory was requested, and whether that was possible. */
const struct placement *sched_placement(const struct sched *sched);

/*
 * Return what was moved out of the way of the cell's shared memory. Its path is "" if nothing was.
 */
const struct other_owner *sched_other_owner(const struct sched *sched);

/*
 * Read the cell's files again. -EINVAL: faults in `report`; the active configuration is kept. No
 * effect if the qmaster reports the configuration.
 */
int sched_reload(struct sched *sched, struct report *report, struct error *error);
/* Load the cell from `texts` (conf/cell_source.h), with the results of sched_reload(). */
int sched_reload_texts(struct sched *sched, const struct cell_files *texts, struct report *report, struct error *error);

/*
 * Make one scheduling run at `now` (epoch seconds) and publish it. `event` is the number of the
 * last event processed. -ENOMEM: nothing is published, and readers keep the previous run. The next
 * run tries again.
 */
int sched_run(struct sched *sched, int64_t now, uint64_t event, struct error *error);

/*
 * Find a place for an advance reservation, for a qmaster that must choose it itself (see
 * dispatch/phase.h). -ENOENT: there is no place, for the reason in `why`; -ENOMEM.
 */
struct advance_wish;
struct advance_place_found;
int sched_find_advance(struct sched *sched, int64_t now, const struct advance_wish *wish,
		       struct advance_place_found *found, struct error *why);

/*
 * Check whether a job with such requests could start in this cell if nothing was in use (see
 * dispatch/phase.h). -ENOENT: it could not, for the reason in `why`; -ENOMEM.
 */
int sched_verify(struct sched *sched, int64_t now, const struct advance_wish *wish, struct error *why);

/*
 * Apply an operator's change to a customer of the active policy, between runs. It takes effect at
 * once. -EINVAL, -ENOENT, -EALREADY with a message; -ENOTSUP: the policy has no customers; -ENOMEM.
 * 0 with a message: the change has ended a lease.
 */
struct customer_edit;
int sched_edit_customer(struct sched *sched, int64_t now, const char *customer, const struct customer_edit *edit,
			struct error *error);
/* Undo the edits made since the last run, because they could not be stored. */
void sched_unedit_customers(struct sched *sched);

/*
 * Receiver of tasks that have ended, after a run has booked them. A call passes tasks of one job
 * with all usage booked for them, including tasks booked before. Borrowed; the tasks are borrowed
 * during the call.
 */
struct ended_task;
struct ends_watch {
	void *context;
	void (*ended)(void *context, const struct ended_task *tasks, size_t n);
};
/* NULL: no receiver */
void sched_watch_ends(struct sched *sched, const struct ends_watch *watch);

/*
 * Receiver of changes that are neither reported by events nor computed: another configuration was
 * activated, an operator's edit was applied at that time, edits were undone. Borrowed; each member
 * may be NULL.
 */
struct sched_witness {
	void *context;
	void (*reloaded)(void *context);
	void (*edited)(void *context, int64_t now, const char *customer, const struct customer_edit *edit);
	void (*unedited)(void *context);
};
/* NULL: no receiver */
void sched_witness(struct sched *sched, const struct sched_witness *witness);

/* Return references to the data that must survive the scheduler, for a store. Borrowed. */
const struct durable *sched_durable(const struct sched *sched);

/*
 * Return the number of ended tasks, running jobs and reported usage of associations that the last
 * run could not book. A later run books them; until then they are not stored.
 */
size_t sched_unbooked(const struct sched *sched);

/* Absolute paths of files that a qmaster keeps. NULL: not kept, or not known. */
struct qmaster_files {
	const char *state;		/* directory of a local cell */
	const char *accounting;		/* accounting(5) */
};

/* Facts about the process, published with the following runs. */
struct process_facts {
	uint64_t hosts_up;		/* execution hosts that are connected */
	uint64_t store_failures;	/* count so far */
	/* zero: the qmaster has no scheduler role that could be lost */
	struct place_record place;
	struct source_record source;	/* zero: no events come from outside */
	struct qmaster_files files;	/* borrowed while runs are made */
};
void sched_process(struct sched *sched, const struct process_facts *facts);

/* Duration of the phases of the last run, for PROFILE and bench/. */
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
	uint64_t run;			/* number of the run, from 1 */
	uint64_t ns[PHASES];
	uint64_t pending_jobs, started_tasks, pending_tasks;	/* eligible jobs and tasks */
	uint64_t starts, reservations;	/* decisions */
	uint64_t clamped;	/* values that would have been NaN or infinite */
	uint64_t shared_bytes;	/* size of one generation */
	/* Chunks of the job table; chunks shared with the previous generation. */
	uint64_t chunks, chunks_shared;
};
const char *phase_name(enum phase phase);
/* Return the next calendar change after the last run's `now`. INT64_MAX: there is none. */
int64_t sched_next_change(const struct sched *sched);
/* Return whether the active policy wants a run as soon as a job or slot has come or gone. */
bool sched_is_eager(const struct sched *sched);
void sched_profile(const struct sched *sched, struct profile *profile);

#endif
