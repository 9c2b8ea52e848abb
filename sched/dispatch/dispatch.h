/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch: assign pending jobs to queue instances, highest priority first. See sched_conf(5),
 * queue_conf(5), sge_pe(5), complex(5) and sge_resource_quota(5). The code here needs no process
 * and no clock. This header has what the files of dispatch share; phase.h is the interface for
 * other code.
 *
 *     dispatch.h          the data of a run
 *     create.c            the data that is kept from run to run
 *     phase.c             offers of the cluster; running.c: usage of running tasks; suspend.c:
 *                         suspend thresholds
 *     calendars.c         instances that calendars close, now and later
 *     loop.c              job by job, from pending.c: start, reserve, or record the reasons
 *     ├─ search/          search for places at which a task can start now
 *     │  ├─ categories.c  categories of jobs; category.c: the requests of one category
 *     │  ├─ sequential.c  one slot: the first instance that fits; sieve.c: results that many
 *     │  │                categories share
 *     │  ├─ parallel.c    many slots: hosts (visit.c) and instances by the allocation rule;
 *     │  │                ranges: range.c, rule_out.c; soft requests: soft.c
 *     │  ├─ tag.c         instances that are set aside when the next job starts
 *     │  ├─ queue_check.c one cluster queue against the job
 *     │  ├─ match.c       one object against the requests; match_access.c, match_quota.c, pattern.c
 *     │  ├─ advance.c     resources kept free for advance reservations; pledge.c: their part in
 *     │  │                pending reasons; avoid.c: hosts on which single tasks do not start
 *     │  ├─ host_capacity.c  time from which each host has room for a job; shortage.c
 *     │  └─ ranking.c     the order of instances after each job start; queue_list.c; host_order.c,
 *     │                   the order of hosts, and numbers.c
 *     ├─ reserve/         search for times at which a task can start later: overview in reserve.h
 *     ├─ advance_find.c   places for an advance reservation; verify.c: whether a job can ever start
 *     ├─ book.c           bookings of a task; bookings.c: bookings kept from run to run
 *     ├─ review.c         instances that a job start has filled or overloaded
 *     ├─ invariants.c     no object gives more than it has
 *     ├─ schedule.c       the lines of the file `schedule`; schedule_grant.c: the lines of a grant
 *     └─ publish_why.c    the published pending reasons
 *     picture.c           the published snapshot: picture_states.c, picture_quotas.c
 *     decisions.c         decisions become orders
 *     suit.c              instances that a filter names, and instances that a request could use
 *     places.c            the same services for a policy that negotiates, instead of loop.c;
 *                         places_start.c
 *
 * The folders cluster/ (hosts, instances and what they offer), quota/ (resource quota sets) and why/
 * (pending reasons) do not depend on the files above. The first two use timeline/ (how much of a
 * resource is booked at which time).
 */
#ifndef SCHED_DISPATCH_DISPATCH_H
#define SCHED_DISPATCH_DISPATCH_H

#include "sched/dispatch/search/advance.h"
#include "sched/dispatch/bookings.h"
#include "sched/dispatch/decisions.h"
#include "sched/dispatch/search/pledge.h"
#include "sched/dispatch/timeline/changes.h"
#include "sched/dispatch/schedule.h"
#include "sched/dispatch/picture_inside.h"
#include "sched/dispatch/search/ranking.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/sieve.h"
#include "sched/dispatch/search/skips.h"
#include "sched/dispatch/search/tags.h"
#include "sched/dispatch/search/attempt.h"

struct pe_state {
	uint64_t used;			/* slots in use */
	uint64_t place;			/* rank of its last use */
	uint32_t line;
};

struct access {
	struct strlist user_lists, xuser_lists, projects, xprojects;
};

/*
 * Grid Engine 8.1.9 knows the current state of a calendar and the next one. It assumes that the
 * calendar is open after that.
 */
#define CALENDAR_AHEAD 2

struct calendar_ahead {			/* computed once; valid until the first change */
	int64_t from;
	struct calendar_change changes[CALENDAR_AHEAD];
	size_t n;			/* 0: not computed yet */
};

struct why_names {			/* string ids of the reasons' names, held */
	uint32_t *ids;
	size_t n, capacity;
};

struct avoided {			/* a task that does not start on a host */
	uint32_t job_number, task, host;
};

struct review {				/* instances that a job start may have filled; scratch */
	uint32_t *instances;
	uint32_t *hosts;		/* per host: last job start that has checked it */
	uint32_t starts;		/* job starts and reservations in this run */
};

struct dispatch {
	bool on;			/* start jobs */
	bool paused;			/* decide, but send no orders */
	struct strings *strings;	/* borrowed */
	const struct cell *cell;
	struct access global_access;	/* from sge_conf(5) */
	struct cluster cluster;
	struct bookings bookings;	/* bookings of running tasks */
	struct changes changes;		/* changes of cluster.timelines */
	struct changes_view **views;	/* views of `changes`: relevant.c */
	size_t nviews;
	struct calendar_ahead *calendars;	/* indexed like cell->calendars */
	struct sieves sieves;
	struct advances advances;	/* advance reservations of this run */
	/* jobs and advance reservations for which free resources are kept */
	struct pledges pledges;
	struct avoided *avoided;	/* avoid.c: sorted by job number and task */
	size_t navoided;
	struct quotas *quotas;
	uint32_t *hits;			/* scratch for quota_rules() */
	struct pe_state *pes;		/* indexed like cell->pes */
	uint32_t *pe_list;		/* indices into cell->pes, in Grid Engine's list order */
	struct decisions decisions;	/* made in this run */
	struct removed removed;
	struct why *why;		/* reasons why jobs of this run did not start; owned */
	/* names of the published generation, and of the generation that is being built */
	struct why_names why_shown, why_next;
	struct cluster_picture picture;		/* snapshot of the cluster for readers */
	/* Borrowed; NULL: not wanted. `lines` is set only with MONITOR=1. */
	struct schedule_lines *wanted_lines, *lines;
	struct categories *categories;		/* job categories of this run */
	struct load_text *loads;	/* load values that were reported for this run */
	bool hosts_restrict;		/* some host has access lists */
	/* some threshold is on a resource that the whole cluster shares */
	bool global_thresholds;
	int64_t now;
	/*
	 * Slots at the beginning of the run. all_slots: total of the instances in service.
	 * unused_slots: unused slots of these. free_slots: unused slots of the open instances.
	 */
	uint64_t all_slots, free_slots, unused_slots;
	bool bounded;			/* every instance has a known number of slots */
	/* A negative request has been booked, so free resources can also grow in this run. */
	bool gives;
	bool reserves;			/* max_reservation > 0 */
	/* Bookings are kept in time: `reserves` is set or there are advance reservations. */
	bool timed;

	struct queue_ranking ranking;	/* order of the instances in this run */
	struct review review;
	struct tags tags;
	struct skips skips;
	struct parallel parallel;
	/* least, bin, highest; kept as long as the scheduler lives */
	int32_t range_scores[3];
};

/* running.c: Book what running and suspended tasks use. Return 0 or -ENOMEM. */
int running_book(const struct run *run, struct dispatch *dispatch);
/* Find the running tasks without a limit that are assumed to run beyond a time. */
struct unlimited_tasks {
	uint64_t n;
	uint32_t job_number;		/* the job that ends last */
	int64_t end;			/* TIMELINE_NEVER: no end */
};
int running_unlimited(const struct run *run, struct dispatch *dispatch, int64_t beyond, struct unlimited_tasks *found);
/*
 * For bookings.c. running_parts(): compute what a task uses and how long it is assumed to run.
 * Return 0 or -ENOMEM. running_span(): compute its begin and end, which depend on `now`.
 */
int running_parts(const struct run *run, struct dispatch *dispatch, const struct task *task, struct category *category,
		  struct booked_task *booked_task);
void running_span(const struct dispatch *dispatch, const struct task *task, int64_t duration, int64_t *begin,
		  int64_t *end);
/*
 * calendars.c: Close instances whose calendars are closed now, and book the times at which
 * calendars will close instances. Return 0 or -ENOMEM.
 */
int calendars_put(struct dispatch *dispatch, struct run *run);
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
bool instance_is_full(const struct dispatch *dispatch, uint32_t instance);
/*
 * Count the slots that started tasks use, by instance of the mirror. The caller frees the array.
 * Returns NULL if memory is exhausted.
 */
uint64_t *reported_used_slots(const struct state *state);
/* Record a reason that applies to every job. `alarm` is the threshold that was crossed, or NULL. */
struct alarm;
void instance_why(struct dispatch *dispatch, enum why_kind kind, const struct alarm *alarm, uint32_t instance,
		  const char *subject);
/*
 * review.c. review_begin(): begin a run; return 0 or -ENOMEM. dispatch_load(): adjust the loads of the hosts on which a task of this grant begins.
 * dispatch_review(): update which instances are open, after a task with this grant begins, or gets
 * a reservation (`begins` is false).
 */
int review_begin(struct review *review, const struct cluster *cluster);
void review_free(struct review *review);
void dispatch_load(struct dispatch *dispatch, const struct grant *grant);
void dispatch_review(struct dispatch *dispatch, const struct grant *grant, bool begins);
/* invariants.c: Check that no object used by a job start gives more than it has. */
bool invariants_hold(const struct dispatch *dispatch, const struct category *category, const struct grant *grant);
/*
 * schedule_grant.c: Write the lines of a grant. schedule_seconds() returns a duration as these
 * lines show it.
 */
void schedule_grant(const struct dispatch *dispatch, const struct category *category, const struct grant *grant,
		    const struct schedule_task *task);
uint32_t schedule_seconds(int64_t end, int64_t begin);

/*
 * search/avoid.c. avoided_find(): read from the mirror which tasks must not start on some hosts. Return 0
 * or -ENOMEM. avoided_by(): return 1 + the index of the first entry of a task, or 0 if it has none.
 */
int avoided_find(struct dispatch *dispatch, const struct run *run);
uint32_t avoided_by(const struct dispatch *dispatch, uint32_t job_number, uint32_t task);
bool avoided_has(const struct dispatch *dispatch, uint32_t entries, uint32_t host);

#endif
