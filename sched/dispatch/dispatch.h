/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatch: pending jobs, best first, meet queue instances. sched_conf(5), queue_conf(5),
 * sge_pe(5), complex(5), sge_resource_quota(5). No process and no clock. This is what its files
 * share; phase.h is what others call.
 *
 *     dispatch.h          this: what a run works on
 *     create.c            what lasts from run to run
 *     phase.c             what the cluster offers; running.c: what is taken already; suspend.c:
 *                         suspend thresholds
 *     calendars.c         what calendars close, now and later
 *     loop.c              job by job, from pending.c: start, reserve, or why not
 *     ├─ search/          where one task goes now
 *     │  ├─ categories.c  categories of jobs; category.c: what the jobs of one request
 *     │  ├─ sequential.c  one slot: the first instance that fits; what many categories have in
 *     │  │                common: sieve.c
 *     │  ├─ parallel.c    many slots: hosts (visit.c) and instances by the allocation rule;
 *     │  │                ranges: range.c, rule_out.c; soft requests: soft.c
 *     │  ├─ tag.c         which instances are lost when the next job starts
 *     │  ├─ match.c       one object against the requests; match_access.c, match_quota.c, pattern.c
 *     │  └─ ranking.c     the order of instances after each start; queue_list.c; host_order.c, the
 *     │                   order of hosts, and numbers.c
 *     ├─ reserve/         not now, but when: reserve.h has the map and the argument
 *     ├─ advance.c        what is kept free for jobs that ask for it: advance reservations
 *     ├─ advance_find.c   where one could lie; verify.c: whether a job could ever start
 *     ├─ book.c           what is taken is gone; bookings.c: and stays so from run to run
 *     ├─ review.c         what a start has filled or overloaded
 *     ├─ invariants.c     nothing gives more than it has
 *     ├─ schedule.c       the lines of the file `schedule`; schedule_grant.c: those of a grant
 *     └─ why.c            reasons; why_sentence.c, publish_why.c
 *     picture.c             what readers see of the cluster: picture_states.c, picture_quotas.c
 *     avoid.c             hosts on which single tasks don't start
 *     decisions.c         what was decided becomes orders
 *     suit.c              which instances are named by who looks at a run, and who could go there
 *     places.c            all this for a policy that negotiates, in place of loop.c;
 *                         places_start.c
 *
 * Below these, knowing nothing of them: cluster/ (hosts, instances and what they offer), quota/
 * (resource quota sets) and, below both, timeline/ (how much of a resource is booked when).
 */
#ifndef SCHED_DISPATCH_DISPATCH_H
#define SCHED_DISPATCH_DISPATCH_H

#include "sched/dispatch/advance.h"
#include "sched/dispatch/bookings.h"
#include "sched/dispatch/decisions.h"
#include "sched/dispatch/pledge.h"
#include "sched/dispatch/timeline/changes.h"
#include "sched/dispatch/schedule.h"
#include "sched/dispatch/picture_inside.h"
#include "sched/dispatch/search/host_order.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/sieve.h"

struct pe_state {
	uint64_t used;			/* slots */
	uint64_t place;			/* of its last use */
	uint32_t line;
};

struct access {
	struct strlist user_lists, xuser_lists, projects, xprojects;
};

/*
 * 8.1.9 knows the state that a calendar is in and the next one, and takes it that it is open then
 */
#define CALENDAR_AHEAD 2

struct calendar_ahead {			/* as it was worked out, good until the first change */
	int64_t from;
	struct calendar_change changes[CALENDAR_AHEAD];
	size_t n;			/* 0: not yet */
};

struct why_names {			/* string ids of the reasons' names, held */
	uint32_t *ids;
	size_t n, capacity;
};

struct avoided {			/* a task does not start on a host */
	uint32_t job_number, task, host;
};

struct dispatch {
	bool on;			/* start jobs */
	bool paused;			/* decide, and order nothing */
	struct strings *strings;	/* borrowed */
	const struct cell *cell;
	struct access global_access;	/* of sge_conf(5) */
	struct cluster cluster;
	struct bookings bookings;	/* of what runs */
	struct changes changes;		/* of cluster.timelines */
	struct changes_view **views;	/* of them: relevant.c */
	size_t nviews;
	struct calendar_ahead *calendars;	/* by cell->calendars */
	struct queue_list list;
	struct sieves sieves;
	uint32_t marked;		/* categories that have a mark in the list of their own */
	struct advances advances;	/* of this run */
	struct pledges pledges;	/* for whom is kept what is free */
	struct avoided *avoided;	/* avoid.c: by job number and task */
	size_t navoided;
	struct quotas *quotas;
	uint32_t *hits;			/* room for quota_rules() */
	uint32_t *skipped_queues, *skipped_hosts;	/* by number: the search that skips them */
	uint32_t searches;		/* so far in this run */
	struct pe_state *pes;		/* by cell->pes */
	uint32_t *pe_list;		/* of cell->pes, in Grid Engine's list order */
	struct decisions decisions;	/* of this run */
	struct removed removed;
	struct why *why;		/* the run's jobs did not start; its own */
	/* of the generation that readers see, of the one that is being made */
	struct why_names why_shown, why_next;
	struct cluster_picture picture;		/* what readers see of the cluster */
	/* borrowed; NULL: nobody wants them. Those of this run: only with MONITOR=1 */
	struct schedule_lines *wanted_lines, *lines;
	struct categories *categories;		/* of this run */
	struct load_text *loads;	/* reported ones of this run */
	bool hosts_restrict;		/* some host has access lists */
	bool global_thresholds;		/* a threshold is about what the whole cluster shares */
	int64_t now;
	/*
	 * of instances that are not out, when the run began, in use or not; of those that are open;
	 * not in use
	 */
	uint64_t all_slots, free_slots, unused_slots;
	bool bounded;			/* all instances say how many slots they have */
	/* a negative request has been booked: what is free does not only shrink in this run */
	bool gives;
	bool reserves;			/* max_reservation > 0 */
	/* that, or there are advance reservations: what is booked is booked in time */
	bool timed;

	/* ranking.c */
	/* a start has changed a sort value since a job was last looked at */
	bool host_changed;
	struct host_order order;
	/* the queue list may be in another order than that of the present numbers */
	bool is_stale;
	/*
	 * the last job placed was a parallel one with soft requests, or there was none; and no
	 * sequential search since
	 */
	bool placed_soft;
	bool in_soft_order;		/* the list is in the order that such a search has left */
	uint32_t *moved;		/* hosts whose sort value is not the one the list knows */
	size_t nmoved;
	unsigned char *is_moved;	/* by host */
	/* instances that are full, overloaded since the run began, or closed by calendar */
	uint32_t *aside;
	/* by instance, of those in the list: it stood there before ranking_merge() */
	unsigned char *was_aside;
	size_t naside;
	bool merged;			/* they are in the list */
	/* of hosts, in this run; as many when instances came back last */
	uint32_t renumberings, came_back_at;
	/* or some of them that have stayed are; behind all others or where their old numbers are */
	bool appended;
	int64_t front, back;		/* labels given out */
	struct ranking_entry *entries;	/* scratch of a sort */
	size_t entries_capacity;
	/*
	 * scratch; of a start: instances whose hosts it has changed; of a reservation: those that
	 * may have room
	 */
	uint32_t *touched;
	uint32_t starts;		/* so far in this run */

	/* tag.c */
	uint32_t tag_search;		/* the number of the one whose tags there are */
	uint32_t *tagged;		/* instances that it has tagged */
	size_t ntagged;

	/* parallel.c */
	struct parallel *parallel;
	int32_t range_scores[3];	/* least, bin, highest: live as long as the scheduler */
};

/* running.c: what tasks that run, or that are suspended, have taken. -ENOMEM. */
int running_book(const struct run *run, struct dispatch *dispatch);
/* Find the running tasks without a limit that are taken to run beyond a time. */
struct unlimited_tasks {
	uint64_t n;
	uint32_t job_number;		/* of the one that ends last */
	int64_t end;			/* TIMELINE_NEVER */
};
int running_unlimited(const struct run *run, struct dispatch *dispatch, int64_t beyond, struct unlimited_tasks *found);
/*
 * For bookings.c: what a task takes, and how long it is taken to run; from when until when, which
 * depends on now. -ENOMEM.
 */
int running_parts(const struct run *run, struct dispatch *dispatch, const struct task *task, struct category *category,
		  struct booked_task *booked_task);
void running_span(const struct dispatch *dispatch, const struct task *task, int64_t duration, int64_t *begin,
		  int64_t *end);
/*
 * calendars.c: which instances are closed now, and when others, or these still, will be. -ENOMEM.
 */
int calendars_put(struct dispatch *dispatch, struct run *run);
/* publish_why.c */
void publish_why_free(struct dispatch *dispatch);

/*
 * create.c: what is made from the cell, for instances that are others now. -ENOMEM: nothing of it
 * is kept, so that the next run begins anew.
 */
int dispatch_learn(struct dispatch *dispatch, const struct cell *cell, const struct told_instance *told, size_t n);

/*
 * phase.c: what there will be, for a search that is no run's: all instances but those that are
 * orphaned take part, whatever their state is now. -ENOMEM. dispatch_look_empty(): without what
 * started tasks use.
 */
int dispatch_look_ahead(struct dispatch *dispatch, struct run *run);
int dispatch_look_empty(struct dispatch *dispatch, struct run *run);
/* publish_why.c: of wanted and had. */
enum why_unit why_unit(const struct cell *cell, unsigned kind, const char *subject);
bool instance_is_full(const struct dispatch *dispatch, uint32_t instance);
/* By instance of the mirror, what started tasks have there; the caller frees. NULL: no memory. */
uint64_t *told_used_slots(const struct state *state);
/* A reason that holds whatever the job. `alarm`: the threshold crossed; NULL. */
struct alarm;
void instance_tell(struct dispatch *dispatch, enum why_kind kind, const struct alarm *alarm, uint32_t instance,
		   const char *subject);
/*
 * review.c: a task that begins has been given this: the loads of its hosts. The same, or it has a
 * reservation: what is open there.
 */
void dispatch_load(struct dispatch *dispatch, const struct grant *grant);
void dispatch_review(struct dispatch *dispatch, const struct grant *grant, bool begins);
/* invariants.c: what a start has touched does not give more than it has. */
bool invariants_hold(const struct dispatch *dispatch, const struct category *category, const struct grant *grant);
/* schedule_grant.c: the lines of a grant, and a duration as they have it. */
void schedule_grant(const struct dispatch *dispatch, const struct category *category, const struct grant *grant,
		    const struct schedule_task *task);
uint32_t schedule_seconds(int64_t end, int64_t begin);

/*
 * avoid.c: which tasks start on other hosts than some, as the mirror says. -ENOMEM. Of one of them
 * where its entries begin, + 1; 0: it has none.
 */
int avoided_find(struct dispatch *dispatch, const struct run *run);
uint32_t avoided_by(const struct dispatch *dispatch, uint32_t job_number, uint32_t task);
bool avoided_has(const struct dispatch *dispatch, uint32_t entries, uint32_t host);

/* ranking.c: the queue list of a run, from the instances that are open. -ENOMEM. */
int ranking_begin(struct dispatch *dispatch);
void ranking_free(struct dispatch *dispatch);
/* What an instance is sorted by at present. */
struct queue_key ranking_key(const struct dispatch *dispatch, uint32_t instance, int64_t label);
/* A search for it begins: the list is sorted, if that is due. */
void ranking_search(struct dispatch *dispatch, bool sequential);
/* A host's instances may belong elsewhere in the list: when it is sorted. */
void ranking_move(struct dispatch *dispatch, uint32_t host);
/* A host's load is another one now. */
void ranking_host_changed(struct dispatch *dispatch, uint32_t host);
/* An instance is full: it leaves the list, for reservations only. */
void ranking_set_aside(struct dispatch *dispatch, uint32_t instance);
/* It is overloaded: it leaves the list until a job comes that may be reserved. */
void ranking_drop(struct dispatch *dispatch, uint32_t instance);
/* The instances of a host that are in the list, to be put in the order of the list. */
size_t ranking_add_host(struct dispatch *dispatch, uint32_t host, uint32_t *instances, size_t n);
void ranking_order(const struct dispatch *dispatch, uint32_t *instances, size_t n);
/*
 * A reservation looks at full instances, too: they stand behind the others, until a search sorts.
 * As Grid Engine has it they stay among them, where no job finds a slot, until the next job starts
 * or is reserved; each part then keeps the order it has.
 */
void ranking_merge(struct dispatch *dispatch);
void ranking_split(struct dispatch *dispatch);
/* The list as an array; how many. */
size_t ranking_list(struct dispatch *dispatch, uint32_t *instances);
/* A soft parallel search has put the list in this order. */
void ranking_take_order(struct dispatch *dispatch, const uint32_t *instances, size_t n);

#endif
