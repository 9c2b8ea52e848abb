/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the jobs of a category request, and the search for a place for one of their tasks.
 *
 *     category_create(&category, dispatch, &facts)                once a category and run
 *     search_sequential(&s, &grant) or search_parallel(&s, &grant)
 *     grant_book(dispatch, category, &grant, begin, end)          it is taken
 *
 * A search changes nothing but the marks of the queue list (instances on which the category can't
 * start any more in this run) and the reasons of its category.
 */
#ifndef SCHED_DISPATCH_SEARCH_SEARCH_H
#define SCHED_DISPATCH_SEARCH_SEARCH_H

#include "conf/gridengine/resource_list.h"
#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/search/queue_list.h"
#include "sched/dispatch/quota/quota.h"
#include "sched/dispatch/why.h"
#include "sched/mirror/slots.h"

struct advance;
struct booked_task;
struct dispatch;
struct grant;
struct changes_view;

struct resource_request {
	uint32_t column;		/* NONE: no such complex */
	const char *text, *value_text;	/* "arch=lx*", perhaps cut, for reasons; "lx*" */
	double value;			/* NAN: no amount that anything could satisfy */
	uint32_t sieve;			/* sieve.h; UINT32_MAX: not known yet */
};

struct category_pe {			/* a parallel environment that its -pe may mean */
	uint32_t pe;			/* of cell->pes */
	/* in the queue list: instances that may still be good for it */
	uint32_t mark;
	bool marked;
	/* by which the last search for places now has tried amounts in it; PE_RANGE_AUTO: none has */
	enum pe_range_alg way;
	unsigned char *queues;		/* by cluster queue: parallel.c, 0 not known yet */
	struct quota_view view;
	/* by host: out of question for the category; NULL: none is. rule_out.c */
	unsigned char *out;
	/* host_capacity.h; NULL: no reservation in it was looked for yet */
	struct host_capacity *capacity;
	struct changes_view *changes;	/* relevant.c, borrowed; likewise */
};

/* on all jobs that Grid Engine takes for one category: categories.h */
struct verdict {
	bool rejected, reservation_rejected;
	uint32_t why;			/* their list of reasons */
};

struct category {
	/* as the qmaster sent them; borrowed for the run */
	const char *user, *group, *project, *ckpt, *pe, *hard_queues, *soft_queues, *master_queues;
	bool now;
	uint32_t ar;			/* -ar; 0: none */
	uint32_t avoided;		/* hosts that its only task avoids: avoided_by(); 0: none */
	struct advance *advance;	/* borrowed; NULL: none, or there is none of this number */
	bool free_of_quotas;		/* what runs in an advance reservation */
	/* users and @usersets that must be let in, all of them; NULL: `user` */
	const struct strlist *users;
	struct resource_list hard_list, soft_list;	/* what these point into */
	struct resource_request *hard, *soft;
	size_t nhard, nsoft;
	struct slot_ranges ranges;	/* parallel */
	double limit;			/* seconds that it asks for; INFINITY: it does not */
	/* seconds, with DURATION_OFFSET; TIMELINE_NEVER: for ever */
	int64_t duration;
	/* for each of cluster->consumables: of a slot, or of the job */
	double *need;
	bool *requested;		/* for each of cluster->columns: by name */
	bool exclusive_any;
	/*
	 * parallel: the hard requests by their complexes' names, if one is for exclusive use or for
	 * what a job takes once; else NULL. tag.h
	 */
	const struct resource_request **by_name;
	struct category_pe *pes;	/* sequential: one, with pe NONE */
	size_t npes;
	/*
	 * there are more jobs of the category, waiting or not; found out only where it makes a
	 * difference
	 */
	bool several;
	unsigned char *profiles;	/* by profile and PE of `pes`: FIT_UNKNOWN, ... */
	/* of the run */
	struct verdict *verdict;	/* its own, or borrowed: one that it shares with others */
	struct verdict own_verdict;
	/*
	 * reserve_sequential.c, by instance: there is no room before; then the least of each part
	 * of them. NULL: not looked for yet
	 */
	int64_t *from;
};

struct grant_entry {
	uint32_t instance, slots;
};

struct grant {				/* where a task goes; entries[0] is the master queue */
	struct grant_entry *entries;
	size_t n, capacity;
	uint32_t pe;			/* of cell->pes; NONE */
	/* of a task that runs: in all, also those in instances that there are no more */
	uint32_t slots;
	uint32_t violations;		/* of soft requests */
	/* its start overloads nothing: range.c */
	bool unadjusted;
	int64_t begin;
};

struct search {
	struct dispatch *d;
	struct category *category;
	struct category_pe *with;	/* the PE tried */
	int64_t begin, end;		/* the time for which a place is searched */
	/* a reservation: instances set aside take part, nothing is learnt for this run */
	bool later;
	bool timed;			/* bookings are looked up in time */
	bool free;			/* as if nothing were booked */
	bool silent;			/* no reasons */
	const unsigned char *only;	/* by instance: whether it takes part; NULL: each does */
	bool untold;			/* nor tags: nobody is to know of it */
	bool after_now;			/* a reservation: a search for places now was in vain just before */
	bool may_reserve;		/* places now: a reservation is sought if there are none */
	/* whether there will ever be places is asked, which 8.1.9 finds out by the way: nothing is left behind */
	bool by_the_way;
	uint32_t number;		/* of the job's search, in this run */
	/* by an attempt in this PE: load thresholds do not matter any more */
	bool found;
	/* what the category's jobs have put out of question counts */
	bool shares;
	bool rules_out;			/* this attempt does so */
	/*
	 * so many slots were tried now, in vain, and it is asked whether there will be a place at all:
	 * match_quota.c
	 */
	bool after;
	/* a quota has put queues or hosts out of question for this job, or moment */
	bool skips;
	/* the request that the object tried last does not satisfy, whatever is free; or NULL */
	struct resource_request *failed;
};

/* The search is about this moment now, and as long after it as the job takes. */
static inline void search_at(struct search *search, int64_t begin)
{
	search->begin = begin;
	search->end = timeline_after(begin, search->category->duration);
}

struct category_facts {			/* what makes a category; texts borrowed for the run */
	const char *user, *group, *project, *hard, *soft, *pe, *pe_range, *ckpt, *hard_queues, *soft_queues,
		*master_queues;
	bool now, free_of_quotas;
	uint32_t ar;
	uint32_t avoided;		/* avoided_by() */
};

/* -ENOMEM. category_destroy() in any case. */
int category_create(struct category *category, struct dispatch *dispatch, const struct category_facts *facts);
void category_destroy(struct category *category);
/*
 * One that was created for an earlier run, of the same cluster and the same request: as if it was
 * created now. Not of jobs in advance reservations. -ENOENT: PEs are in another order by now;
 * -ENOMEM. It can only be destroyed then.
 */
int category_renew(struct category *category, struct dispatch *dispatch, const struct category_facts *facts);
/* For these: the texts of the facts; and forget what a run has found out, and has made for that. */
void category_texts(struct category *category, const struct category_facts *facts);
void category_forget(struct category *category);
/*
 * A mark of its own in the queue list, at its first search: what does not fit is not looked at
 * again. Marks cost where the list changes, so only so many categories get one.
 */
void category_mark(struct dispatch *dispatch, struct category_pe *with);
/* Whether it makes sense to search at all: what it names exists. */
bool category_is_possible(struct search *search);
/*
 * How long a task of it that runs there will take, in seconds; TIMELINE_NEVER. `limit`: its own, as
 * struct task has it.
 */
int64_t category_running_duration(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
				  const struct grant *grant);
/* Whether that is default_duration, since neither the task nor its queues have a limit. */
bool category_runs_without_limit(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
				 const struct grant *grant);
static inline bool category_is_soft(const struct category *category)
{
	return category->nsoft > 0 || category->soft_queues;
}
/*
 * The hard request for a complex; NULL: there is none. And what a slot, or the job, takes of it:
 * what it requests, else what it consumes by default; 0 if the request is no amount.
 */
const struct resource_request *category_request(const struct dispatch *dispatch, const struct category *category,
						const struct complex *complex);
double category_amount(const struct dispatch *dispatch, const struct category *category, const struct complex *complex);
/* Is a user, or one of his groups, in one of these usersets? */
bool category_in_lists(const struct dispatch *dispatch, const struct category *category, const struct strlist *lists);
/* Are all who must be let in, or any of them? */
bool category_all_in_lists(const struct dispatch *dispatch, const struct category *category,
			   const struct strlist *lists);
bool category_any_in_lists(const struct dispatch *dispatch, const struct category *category,
			   const struct strlist *lists);

/*
 * One object: match.c, match_access.c, match_quota.c.
 *
 * How many slots an object can give to the category, at most `most`; 0: none, and the reason is
 * noted. Requests that no level offers fail at LEVEL_QUEUE.
 */
uint32_t match_object(struct search *search, enum level level, uint32_t object, uint32_t most);
/*
 * May the category's jobs use this instance at all, whatever is free? `as_master`: as master queue
 * only.
 */
bool match_ever(struct search *search, uint32_t instance, bool *as_master);
/* Which configurations of queues are good for it, for threads that will ask the one above. */
void match_profiles(struct search *search);
/* The same of a host, by access and FORCED attributes. */
bool match_host(struct search *search, uint32_t host);
/* The same of an instance, and it takes part in this search. */
bool match_static(struct search *search, uint32_t instance, bool *as_master);
/* Are all FORCED attributes of the instance and its host requested? */
bool match_has_forced(struct search *search, uint32_t instance);
/* May it be the master queue: -masterq, and what the job needs once. */
bool match_master(struct search *search, uint32_t instance);
/*
 * Is a cluster queue in question at all for a job: by -q, access, type or PE; and by what it has
 * configured, on any of its hosts, of each request? Of one slot all requests count, of more only
 * those that are no numbers.
 */
bool match_queue_admits(struct search *search, uint32_t queue);
bool match_queue_configured(struct search *search, uint32_t queue, uint32_t slots);
/* Soft requests that the instance does not fulfil. */
uint32_t match_violations(struct search *search, uint32_t instance);
/* Lists of the cluster, or of a PE. */
bool match_access(struct search *search, const struct strlist *user_lists, const struct strlist *xuser_lists,
		  const struct strlist *projects, const struct strlist *xprojects, const char *object);
/*
 * Slots that the quotas leave on an instance; and whether a failure elsewhere has put its cluster
 * queue, or a host, out of question for this job: that of a quota, or of the queue or the host as a
 * whole. A parallel search comes to a host once a round: what fails there on one of its queues
 * counts from the next host on; a reservation begins anew at each moment that it tries. To skip
 * returns false.
 */
bool match_skip_host(struct search *search, uint32_t host);
bool match_skip_queue(struct search *search, uint32_t queue);
/* A rule has nothing left on an instance. */
void match_skip_reach(struct search *search, uint32_t rule, uint32_t instance);
bool match_skips_host(const struct search *search, uint32_t host);
bool match_skips_queue(const struct search *search, uint32_t instance);
uint32_t match_quotas(struct search *search, uint32_t instance, uint32_t most);
/*
 * Does a limit on what is no consumable refuse the job? It bounds the request, and a FORCED one
 * must be there. Parallel jobs need not make it, but those that do are refused, whatever it is: not
 * what anyone would expect, but 8.1.9 does so.
 */
bool match_bounds(const struct search *search, const struct quota_limit_now *limit);
void match_why(struct search *search, enum why_kind kind, const char *subject, const char *object, double wanted,
	       double had);

/* The searches: 0 found, -ENOENT, -ENOMEM */
int search_sequential(struct search *search, struct grant *grant);
int search_parallel(struct search *search, struct grant *grant);
/*
 * Of a job that can't have a place, which 8.1.9 only sees when its search has begun, unless a ckpt is
 * missing: what that leaves behind. Return 0.
 */
int search_in_vain(struct search *search);

void grant_clear(struct grant *grant);
/* more of the same instance is added up. -ENOMEM */
int grant_add(struct grant *grant, uint32_t instance, uint32_t slots, bool at_head);
void grant_free(struct grant *grant);

/* Book.c: what a granted task uses, from `begin` to `end`. -ENOMEM: it may be booked in part. */
int grant_book(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t begin,
	       int64_t end);
/* The same of a task that runs. */
int grant_book_running(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t begin,
		       int64_t end, const struct quota_turn *turn);
/* The same into a record. */
int grant_record(struct dispatch *dispatch, struct category *category, const struct grant *grant,
		 struct booked_task *task);
int grant_record_host(struct dispatch *dispatch, struct category *category, uint32_t host, uint32_t slots, bool master,
		      struct booked_task *task);
/*
 * From g->begin on. Even if that is now it is not in use: no instance is full or overloaded by it.
 */
int grant_reserve(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t end);
/* Slots on a host in an instance that there is no more. */
int grant_book_host(struct dispatch *dispatch, struct category *category, uint32_t host, uint32_t slots, bool master,
		    int64_t begin, int64_t end);
/* Quotas count what an attempt has put together so far; in the end that is cleared. -ENOMEM. */
enum quota_taking { QUOTA_TAKE, QUOTA_GIVE_BACK, QUOTA_CLEAR };
int quota_take(struct search *search, uint32_t instance, uint32_t slots, enum quota_taking what);
/*
 * What so many slots of a job use of a limited complex: of a JOB consumable the master's entry all;
 * of what is no consumable nothing.
 */
bool limit_is_counted(const struct complex *complex);
double limit_use(const struct dispatch *dispatch, const struct category *category, const struct complex *complex,
		 uint32_t slots, bool master);
/* What belongs to one PE (NONE: sequential); NULL: it is none that the category may have. */
const struct category_pe *category_pe_of(const struct category *category, uint32_t pe);

#endif
