/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for a place for a task of a category, at a fixed time.
 *
 *     supply.c         the data that searches read: instances, quotas, PEs, advance.c
 *     searches.c       the state that the searches of a run share
 *     ├─ ranking.c     the order of instances after each job start; queue_list.c; host_order.c, the
 *     │                order of hosts, and numbers.c
 *     ├─ tags.c        instances that are set aside when the next job starts; tag.c: which ones
 *     ├─ skips.c       cluster queues and hosts that a search no longer tries
 *     ├─ sieve.c       results that many categories share
 *     ├─ pledge.c      jobs for which free resources are kept
 *     └─ avoid.c       hosts on which single tasks do not start
 *     categories.c     categories of jobs: standing.c, kept.c
 *     category.c       the requests of one category; category_renew.c: its results of a run
 *     sequential.c     one slot: the first instance that fits
 *     range.c          many slots: how many, of the amounts.c that the job accepts
 *     ├─ parallel.c    one attempt: hosts (visit.c) and instances by the allocation rule
 *     ├─ soft.c        soft requests
 *     └─ rule_out.c    hosts that are ruled out for a category
 *     match.c          one object against the requests; match_access.c, match_quota.c,
 *                      match_left.c, match_soft.c, queue_check.c, pattern.c; quota_use.c: use of
 *                      quotas
 *     host_room.c      time from which each host has room for a job; host_capacity.c, shortage.c
 *
 * A search changes the state in `shared`: the order of instances, marks and tags, and the reasons
 * of its category. It books nothing.
 */
#ifndef SCHED_DISPATCH_SEARCH_SEARCH_H
#define SCHED_DISPATCH_SEARCH_SEARCH_H

#include "sched/dispatch/search/category.h"
#include "sched/dispatch/search/searches.h"
#include "sched/dispatch/search/supply.h"

/* Purpose of a search. From SEARCH_RESERVE on it is for a later time: search_is_later(). */
enum search_purpose {
	SEARCH_START,			/* start a job now */
	SEARCH_RULE_OUT,		/* an attempt for now, only to rule out hosts: rule_out.c */
	/* Instances that are aside are considered. Nothing is learnt for searches for now. */
	SEARCH_RESERVE,
	/*
	 * Only find out whether there will ever be room, which Grid Engine 8.1.9 does as a side
	 * effect of a failed search for now.
	 */
	SEARCH_FORECAST,
	/* the same, for an amount that the search for now has tried */
	SEARCH_FORECAST_TRIED
};

/* Bookings that count against the resources of the cluster. */
enum search_counts {
	COUNT_NOW,			/* amounts in use at present */
	COUNT_IN_TIME,			/* all bookings during the time of the question */
	COUNT_NOTHING			/* none: assume that the cluster is empty */
};

struct search_question {		/* immutable once a search has it */
	struct category *category;	/* category of the job; only its results change */
	enum search_purpose purpose;
	enum search_counts counts;
	int64_t begin, end;		/* time for which a place is needed */
	bool silent;			/* record no reasons */
	bool may_reserve;		/* for now: a reservation is tried if the search fails */
	/* respect the hosts that jobs of the category have ruled out */
	bool shares;
	const unsigned char *only;	/* per instance: whether it is considered; NULL: all are */
};

struct search {				/* an attempt to answer a question */
	const struct search_question question;
	struct supply *supply;
	struct searches *shared;
	struct category_pe *with;	/* PE that is tried */
	uint32_t number;		/* skips_next(): identifies the skips of this search */
	bool skips;			/* queues or hosts are skipped under this number */
	/* An amount was found in this PE: load thresholds do not matter for further amounts. */
	bool found;
	/* Request that the last object never satisfies, whatever is free; or NULL. */
	struct resource_request *failed;
};

static inline bool search_is_later(const struct search *search)
{
	return search->question.purpose >= SEARCH_RESERVE;
}

static inline bool search_is_forecast(const struct search *search)
{
	return search->question.purpose >= SEARCH_FORECAST;
}

/* Return the end of a job of the category that begins at `begin`. */
static inline int64_t category_end(const struct category *category, int64_t begin)
{
	return timeline_after(begin, category->duration);
}

/* Return a search like `search`, for another question about the same category. */
static inline struct search search_with(const struct search *search, struct search_question question)
{
	return (struct search){ .question = question,
				.supply = search->supply,
				.shared = search->shared,
				.with = search->with,
				.number = search->number,
				.skips = search->skips,
				.found = search->found };
}

/* Return a search for a place from `begin` on, for as long as the job lasts. */
static inline struct search search_at(const struct search *search, int64_t begin)
{
	struct search_question question = search->question;

	question.begin = begin;
	question.end = category_end(question.category, begin);
	return search_with(search, question);
}

/* Return a search for which nothing is booked. */
static inline struct search search_empty(const struct search *search)
{
	struct search_question question = search->question;

	question.counts = COUNT_NOTHING;
	return search_with(search, question);
}

/* Return a search that records no reasons. */
static inline struct search search_silent(const struct search *search)
{
	struct search_question question = search->question;

	question.silent = true;
	return search_with(search, question);
}

/*
 * Return whether a search can succeed at all. It cannot if an object that the category names does
 * not exist, or if the category may not use the cluster.
 */
bool category_is_possible(struct search *search);
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
/* Return whether a quota leaves no slot, apart from what the attempt has taken. Nothing is recorded. */
bool match_quotas_used_up(const struct search *search, uint32_t instance);
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

#endif
