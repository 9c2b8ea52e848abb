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
 *     ├─ start.c          a task starts; book.c: bookings of a task
 *     ├─ review.c         instances that a job start has filled or overloaded
 *     ├─ invariants.c     no object gives more than it has
 *     └─ schedule.c       the lines of the file `schedule`; schedule_grant.c: the lines of a grant
 *     places.c            the same services for a policy that negotiates, instead of loop.c;
 *                         places_start.c
 *     decisions.c         decisions become orders
 *     picture.c           the published snapshot: picture_names.c, picture_states.c,
 *                         picture_quotas.c
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
#include "sched/dispatch/picture.h"
#include "sched/dispatch/publish_why.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/review.h"
#include "sched/dispatch/schedule.h"
#include "sched/dispatch/search/searches.h"
#include "sched/dispatch/search/supply.h"

struct dispatch {
	bool on;			/* start jobs */
	bool paused;			/* decide, but send no orders */
	struct supply supply;		/* resources of the cluster, and their bookings */
	struct bookings bookings;	/* bookings of running tasks */
	struct calendars calendars;	/* next changes of each calendar */
	struct categories *categories;	/* job categories of this run */
	struct searches searches;	/* state that the searches of this run share */
	struct reservations reservations;	/* times at which bookings of this run change */
	struct review review;		/* instances that a job start may have filled */
	struct decisions decisions;	/* made in this run */
	struct removed removed;		/* jobs whose removal was ordered */
	struct why *why;		/* reasons why jobs of this run did not start; owned */
	struct published_why published_why;	/* names in the published reasons */
	struct cluster_picture picture;	/* snapshot of the cluster for readers */
	/* Borrowed; NULL: not wanted. `lines` is set only with MONITOR=1. */
	struct schedule_lines *wanted_lines, *lines;
	struct load_text *loads;	/* load values that were reported for this run */
};

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

#endif
