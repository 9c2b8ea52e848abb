/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of a category of jobs, and the search for a place for one of their tasks.
 *
 *     category_create(&category, dispatch, &facts)                once per category and run
 *     search_sequential(&s, &grant) or search_parallel(&s, &grant)
 *     grant_book(dispatch, category, &grant, begin, end)          book what was found
 *
 * A search changes only the marks of the queue list (instances on which the category cannot start
 * in this run) and the reasons of its category.
 */
#ifndef SCHED_DISPATCH_SEARCH_SEARCH_H
#define SCHED_DISPATCH_SEARCH_SEARCH_H

#include "conf/gridengine/resource_list.h"
#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/search/queue_list.h"
#include "sched/dispatch/quota/quota.h"
#include "sched/dispatch/why/why.h"
#include "sched/mirror/slots.h"

struct advance;
struct booked_task;
struct dispatch;
struct grant;
struct changes_view;

struct resource_request {
	uint32_t column;		/* column of the complex; NONE: unknown */
	const char *text, *value_text;	/* "arch=lx*", possibly cut, for reasons; "lx*" */
	double value;			/* NAN: not an amount that any object satisfies */
	uint32_t sieve;			/* sieve.h; UINT32_MAX: not known yet */
};

struct category_pe {			/* a parallel environment that matches its -pe */
	uint32_t pe;			/* index into cell->pes */
	/* mark in the queue list: instances that may still be suitable */
	uint32_t mark;
	bool marked;
	/* algorithm of the last search for now in this PE; PE_RANGE_AUTO: none */
	enum pe_range_alg way;
	unsigned char *queues;		/* per cluster queue: see parallel.c; 0: not known yet */
	struct quota_view view;
	/* per host: ruled out for the category; NULL: no host is. rule_out.c */
	unsigned char *out;
	/* host_capacity.h; NULL: no reservation in it was tried yet */
	struct host_capacity *capacity;
	struct changes_view *changes;	/* relevant.c, borrowed; NULL as above */
};

/* Verdict on all jobs that Grid Engine puts in one category: categories.h. */
struct verdict {
	bool rejected, reservation_rejected;
	uint32_t why;			/* number of their list of reasons */
};

struct category {
	/* Values from the qmaster; borrowed for the run. */
	const char *user, *group, *project, *ckpt, *pe, *hard_queues, *soft_queues, *master_queues;
	bool now;
	uint32_t ar;			/* -ar; 0: none */
	uint32_t avoided;		/* avoided_by() of its only task; 0: none */
	/* borrowed; NULL: none requested, or there is none with this number */
	struct advance *advance;
	bool free_of_quotas;		/* jobs run in an advance reservation */
	/* Users and @usersets that must all be admitted. NULL: only `user`. */
	const struct strlist *users;
	struct resource_list hard_list, soft_list;	/* memory of the requests */
	struct resource_request *hard, *soft;
	size_t nhard, nsoft;
	struct slot_ranges ranges;	/* parallel jobs */
	double limit;			/* requested seconds; INFINITY: none */
	/* seconds, with DURATION_OFFSET; TIMELINE_NEVER: without end */
	int64_t duration;
	/* indexed like cluster->consumables: amount per slot, or per job */
	double *need;
	bool *requested;		/* indexed like cluster->columns: requested by name */
	bool exclusive_any;
	/*
	 * Parallel jobs: the hard requests sorted by the names of their complexes, if one is for
	 * exclusive use or for a JOB consumable; otherwise NULL. See tag.h.
	 */
	const struct resource_request **by_name;
	struct category_pe *pes;	/* sequential: one, with pe NONE */
	size_t npes;
	/*
	 * The category has more than one job, waiting or not. Found out only where it makes a
	 * difference.
	 */
	bool several;
	unsigned char *profiles;	/* per profile and PE of `pes`: FIT_UNKNOWN, ... */
	/* results of the run */
	/* &own_verdict, or borrowed and shared with other categories */
	struct verdict *verdict;
	struct verdict own_verdict;
	/*
	 * reserve_sequential.c, by instance: time before which there is no room. After these, the
	 * minimum of each group of instances. NULL: not computed yet.
	 */
	int64_t *from;
};

struct grant_entry {
	uint32_t instance, slots;
};

struct grant {				/* places of a task; entries[0] is the master queue */
	struct grant_entry *entries;
	size_t n, capacity;
	uint32_t pe;			/* index into cell->pes; NONE */
	/* Total of a running task, including slots in instances that no longer exist. */
	uint32_t slots;
	uint32_t violations;		/* violated soft requests */
	/* The start overloads nothing: range.c. */
	bool unadjusted;
	int64_t begin;
};

struct search {
	struct dispatch *d;
	struct category *category;
	struct category_pe *with;	/* PE to try */
	int64_t begin, end;		/* time for which a place is needed */
	/*
	 * Search for a reservation: instances that are aside are considered, nothing is learnt for
	 * this run.
	 */
	bool later;
	bool timed;			/* bookings are checked in time */
	bool free;			/* assume that nothing is booked */
	bool silent;			/* record no reasons */
	const unsigned char *only;	/* per instance: whether it is considered; NULL: all are */
	bool no_tags;			/* set no tags either: the search leaves no trace */
	bool after_now;			/* reservation: a search for now has just failed */
	bool may_reserve;		/* search for now: a reservation is tried if it fails */
	/*
	 * Only find out whether there will ever be room, which Grid Engine 8.1.9 does as a side
	 * effect. The search leaves no trace.
	 */
	bool is_forecast;
	uint32_t number;		/* number of the job's search in this run */
	/* An attempt in this PE has succeeded: load thresholds do not matter any more. */
	bool found;
	/* Respect what jobs of the category have ruled out. */
	bool shares;
	bool rules_out;			/* the attempt rules out hosts */
	/*
	 * `slots` slots were tried for now and failed. Find out whether they will ever fit:
	 * match_quota.c.
	 */
	bool after;
	/* A quota has ruled out queues or hosts for this job, or this time. */
	bool skips;
	/* Request that the last object never satisfies, whatever is free; or NULL. */
	struct resource_request *failed;
};

/* Set the time of the search: it begins at `begin` and lasts as long as the job. */
static inline void search_at(struct search *search, int64_t begin)
{
	search->begin = begin;
	search->end = timeline_after(begin, search->category->duration);
}

struct category_facts {			/* input of a category; texts are borrowed for the run */
	const char *user, *group, *project, *hard, *soft, *pe, *pe_range, *ckpt, *hard_queues, *soft_queues,
		*master_queues;
	bool now, free_of_quotas;
	uint32_t ar;
	uint32_t avoided;		/* avoided_by() */
};

/* Return 0 or -ENOMEM. Call category_destroy() in both cases. */
int category_create(struct category *category, struct dispatch *dispatch, const struct category_facts *facts);
void category_destroy(struct category *category);
/*
 * Reuse a category of an earlier run, of the same cluster and the same request, as if it were
 * created now. Not for jobs in advance reservations. Return 0, -ENOENT if the order of PEs has
 * changed, or -ENOMEM. After an error it can only be destroyed.
 */
int category_renew(struct category *category, struct dispatch *dispatch, const struct category_facts *facts);
/*
 * category_texts() sets the texts of a category. category_forget() discards the results of a run
 * and the memory for them.
 */
void category_texts(struct category *category, const struct category_facts *facts);
void category_forget(struct category *category);
/*
 * Give the category its own mark in the queue list at its first search, so that unsuitable
 * instances are not tried again. Marks slow down changes of the list, so only a limited number of
 * categories gets one.
 */
void category_mark(struct dispatch *dispatch, struct category_pe *with);
/*
 * Return whether a search can succeed at all. It cannot if an object that the category names does
 * not exist, or if the category may not use the cluster.
 */
bool category_is_possible(struct search *search);
/*
 * Return the duration of a running task in seconds, or TIMELINE_NEVER. `limit`: the task's own
 * limit, as in struct task.
 */
int64_t category_running_duration(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
				  const struct grant *grant);
/* Return whether that is default_duration because neither the task nor its queues have a limit. */
bool category_runs_without_limit(const struct dispatch *dispatch, const struct category *category, uint32_t limit,
				 const struct grant *grant);
static inline bool category_is_soft(const struct category *category)
{
	return category->nsoft > 0 || category->soft_queues;
}
/*
 * category_request() returns the hard request for a complex, or NULL. category_amount() returns the
 * amount that a slot, or the job, takes of it: the requested amount, or the default consumption. It
 * is 0 if the request is not an amount.
 */
const struct resource_request *category_request(const struct dispatch *dispatch, const struct category *category,
						const struct complex *complex);
double category_amount(const struct dispatch *dispatch, const struct category *category, const struct complex *complex);
/* Return whether the user or the user's group is in one of these usersets. */
bool category_in_lists(const struct dispatch *dispatch, const struct category *category, const struct strlist *lists);
/* Return whether all users that must be admitted are in the lists, or whether any of them is. */
bool category_all_in_lists(const struct dispatch *dispatch, const struct category *category,
			   const struct strlist *lists);
bool category_any_in_lists(const struct dispatch *dispatch, const struct category *category,
			   const struct strlist *lists);

/*
 * Return how many slots an object can give to the category, at most `most`. 0: none, and the reason
 * is recorded. Requests that no level offers fail at LEVEL_QUEUE. See match.c, match_access.c and
 * match_quota.c.
 */
uint32_t match_object(struct search *search, enum level level, uint32_t object, uint32_t most);
/*
 * Return whether jobs of the category may use this instance at all, whatever is free. `as_master`:
 * only as the master queue.
 */
bool match_ever(struct search *search, uint32_t instance, bool *as_master);
/*
 * Find out which queue configurations suit the category, before several threads call match_ever().
 */
void match_profiles(struct search *search);
/* Return whether the host admits the category, by access lists and FORCED attributes. */
bool match_host(struct search *search, uint32_t host);
/*
 * Return whether the category may use the instance and the instance is considered in this search.
 */
bool match_static(struct search *search, uint32_t instance, bool *as_master);
/* Return whether all FORCED attributes of the instance and its host are requested. */
bool match_has_forced(struct search *search, uint32_t instance);
/*
 * Return whether the instance can be the master queue: by -masterq and by what the job needs once.
 */
bool match_master(struct search *search, uint32_t instance);
/*
 * match_queue_admits() returns whether a cluster queue is suitable for a job by -q, access, type
 * and PE. match_queue_configured() returns whether its configuration on any host satisfies each
 * request. For one slot all requests count, for several slots only those that are not numbers.
 */
bool match_queue_admits(struct search *search, uint32_t queue);
bool match_queue_configured(struct search *search, uint32_t queue, uint32_t slots);
/* Return the number of soft requests that the instance does not satisfy. */
uint32_t match_violations(struct search *search, uint32_t instance);
/* Check the access lists of the cluster, or of a PE. */
bool match_access(struct search *search, const struct strlist *user_lists, const struct strlist *xuser_lists,
		  const struct strlist *projects, const struct strlist *xprojects, const char *object);
/*
 * match_quotas() returns the slots that quotas allow on an instance. The skip functions record or
 * check whether a failure elsewhere has ruled out a cluster queue, or a host, for this job. It may
 * be a failure of a quota, or of the queue or the host as a whole. In a parallel search, which
 * visits a host once per round, a failure on one of its queues counts from the next host on. A
 * reservation starts again at each time that it tries. match_skip_host() and match_skip_queue()
 * return false.
 */
bool match_skip_host(struct search *search, uint32_t host);
bool match_skip_queue(struct search *search, uint32_t queue);
/* Skip all that Grid Engine 8.1.9 skips when a rule has nothing left on an instance. */
void match_skip_reach(struct search *search, uint32_t rule, uint32_t instance);
bool match_skips_host(const struct search *search, uint32_t host);
bool match_skips_queue(const struct search *search, uint32_t instance);
uint32_t match_quotas(struct search *search, uint32_t instance, uint32_t most);
/*
 * Return whether a limit on a complex that is not consumable refuses the job. The limit applies to
 * the request, and a FORCED complex must be requested. Parallel jobs need not request it, but those
 * that do are refused, whatever the value. That is surprising, but Grid Engine 8.1.9 does it.
 */
bool match_bounds(const struct search *search, const struct quota_limit_now *limit);
void match_why(struct search *search, enum why_kind kind, const char *subject, const char *object, double wanted,
	       double had);

/* The searches return 0 if found, -ENOENT or -ENOMEM. */
int search_sequential(struct search *search, struct grant *grant);
int search_parallel(struct search *search, struct grant *grant);
/*
 * Apply the side effects of a search for a job that cannot have a place. Grid Engine 8.1.9 finds
 * that out only after the search has begun, unless a checkpointing environment is missing. Return
 * 0.
 */
int search_side_effects(struct search *search);

void grant_clear(struct grant *grant);
/* Add slots. Slots of one instance are added up. Return 0 or -ENOMEM. */
int grant_add(struct grant *grant, uint32_t instance, uint32_t slots, bool at_head);
void grant_free(struct grant *grant);

/*
 * book.c: Book what a granted task uses, from `begin` to `end`. Return 0 or -ENOMEM; then it may be
 * booked in part.
 */
int grant_book(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t begin,
	       int64_t end);
/* Book what a running task uses. */
int grant_book_running(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t begin,
		       int64_t end, const struct quota_turn *turn);
/* Write the bookings of a running task to a record. */
int grant_record(struct dispatch *dispatch, struct category *category, const struct grant *grant,
		 struct booked_task *task);
int grant_record_host(struct dispatch *dispatch, struct category *category, uint32_t host, uint32_t slots, bool master,
		      struct booked_task *task);
/*
 * Book from grant->begin on. Even if that is now the resources are not in use: no instance becomes
 * full or overloaded.
 */
int grant_reserve(struct dispatch *dispatch, struct category *category, const struct grant *grant, int64_t end);
/* Book slots on a host in an instance that no longer exists. */
int grant_book_host(struct dispatch *dispatch, struct category *category, uint32_t host, uint32_t slots, bool master,
		    int64_t begin, int64_t end);
/*
 * Add what an attempt has taken so far to the quotas. It is cleared at the end. Return 0 or
 * -ENOMEM.
 */
enum quota_taking { QUOTA_TAKE, QUOTA_GIVE_BACK, QUOTA_CLEAR };
int quota_take(struct search *search, uint32_t instance, uint32_t slots, enum quota_taking what);
/*
 * limit_use() returns how much `slots` slots of a job use of a limited complex. For a JOB
 * consumable the master's entry uses all; a complex that is not consumable uses nothing.
 */
bool limit_is_counted(const struct complex *complex);
double limit_use(const struct dispatch *dispatch, const struct category *category, const struct complex *complex,
		 uint32_t slots, bool master);
/* Return the data of one PE (NONE: sequential). NULL: the category cannot use this PE. */
const struct category_pe *category_pe_of(const struct category *category, uint32_t pe);

#endif
