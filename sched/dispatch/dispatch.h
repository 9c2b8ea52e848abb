/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch: assign pending jobs to queue instances, highest priority first. See sched_conf(5),
 * queue_conf(5), sge_pe(5), complex(5) and sge_resource_quota(5). The code here needs no process
 * and no clock. phase.h is the interface for other code. This header has the data of a run, as
 * parts that their files own:
 *
 *     create.c            the dispatch object, which is kept from run to run
 *     phase.c             begin a run: what the cluster has and what is in use
 *     ├─ instances.c      instances that are open, aside or out
 *     ├─ calendars.c      instances that calendars close, now and later
 *     ├─ advances.c       advance reservations
 *     ├─ running.c        usage of running tasks; bookings.c: bookings kept from run to run
 *     └─ suspend.c        suspend thresholds
 *     loop.c              job by job, from pending.c: start, reserve, or record the reasons
 *     ├─ search/          places at which a task can start at a given time: search.h
 *     ├─ reserve/         times at which a task can start later: reserve.h
 *     ├─ book.c           bookings of a task
 *     ├─ review.c         instances that a job start has filled or overloaded
 *     ├─ invariants.c     no object gives more than it has
 *     └─ schedule.c       the lines of the file `schedule`; schedule_grant.c: the lines of a grant
 *     places.c            the same services for a policy that negotiates, instead of loop.c;
 *                         places_start.c
 *     decisions.c         decisions become orders
 *     picture.c           the published snapshot: picture_states.c, picture_quotas.c
 *     publish_why.c       the published pending reasons
 *     advance_find.c      places for an advance reservation, between two runs
 *     verify.c            whether a job can ever start
 *     suit.c              instances that a filter names, and instances that a request could use
 *
 * Direction: these files use reserve/, which uses search/. Both use cluster/ (hosts, instances and
 * what they offer), quota/ (resource quota sets), timeline/ (how much of a resource is booked at
 * which time), and search/ also why/ (pending reasons). None of them knows struct dispatch.
 */
#ifndef SCHED_DISPATCH_DISPATCH_H
#define SCHED_DISPATCH_DISPATCH_H

#include "sched/dispatch/bookings.h"
#include "sched/dispatch/calendars.h"
#include "sched/dispatch/decisions.h"
#include "sched/dispatch/picture_inside.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/review.h"
#include "sched/dispatch/schedule.h"
#include "sched/dispatch/search/searches.h"
#include "sched/dispatch/search/supply.h"

struct why_names {			/* string ids of the reasons' names, held */
	uint32_t *ids;
	size_t n, capacity;
};

struct dispatch {
	bool on;			/* start jobs */
	bool paused;			/* decide, but send no orders */
	struct strings *strings;	/* borrowed */
	struct supply supply;		/* what can be given, and what is booked */
	struct bookings bookings;	/* bookings of running tasks */
	struct calendars calendars;
	struct categories *categories;	/* job categories of this run */
	struct searches searches;
	struct reservations reservations;
	struct review review;
	struct decisions decisions;	/* made in this run */
	struct removed removed;
	struct why *why;		/* reasons why jobs of this run did not start; owned */
	/* names of the published generation, and of the generation that is being built */
	struct why_names why_shown, why_next;
	struct cluster_picture picture;	/* snapshot of the cluster for readers */
	/* Borrowed; NULL: not wanted. `lines` is set only with MONITOR=1. */
	struct schedule_lines *wanted_lines, *lines;
	struct load_text *loads;	/* load values that were reported for this run */
};

/* publish_why.c */
void publish_why_free(struct dispatch *dispatch);

/*
 * create.c: Build the data that depends on the cell for a changed set of instances. If it returns
 * -ENOMEM, nothing is kept and the next run builds all of it.
 */
int dispatch_learn(struct dispatch *dispatch, const struct cell *cell, const struct reported_instance *reported,
		   size_t n);

/*
 * phase.c: Prepare a search that is not part of a run. All instances except orphaned ones are
 * considered, whatever their state is now. dispatch_look_empty() leaves out what started tasks use.
 * Return 0 or -ENOMEM.
 */
int dispatch_look_ahead(struct dispatch *dispatch, struct run *run);
int dispatch_look_empty(struct dispatch *dispatch, struct run *run);
/* publish_why.c: Return the unit of `wanted` and `had`. */
enum why_unit why_unit(const struct cell *cell, unsigned kind, const char *subject);
/*
 * Count the slots that started tasks use, by instance of the mirror. The caller frees the array.
 * Returns NULL if memory is exhausted.
 */
uint64_t *reported_used_slots(const struct state *state);

#endif
