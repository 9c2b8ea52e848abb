/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A category of jobs: the requests that its jobs have in common, and results of searches for one of
 * them that are valid for all of them in this run. Jobs with equal requests and equal access rights
 * share a category: categories.h.
 *
 *     category_create(&category, supply, &facts)     once per category
 *     category_renew(&category, supply, &facts)      in a later run
 */
#ifndef SCHED_DISPATCH_SEARCH_CATEGORY_H
#define SCHED_DISPATCH_SEARCH_CATEGORY_H

#include "conf/gridengine/resource_list.h"
#include "sched/dispatch/cluster/cluster.h"
#include "sched/dispatch/quota/quota.h"
#include "sched/dispatch/search/grant.h"
#include "sched/mirror/slots.h"

struct advance;
struct changes_view;
struct queue_ranking;
struct supply;

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

struct category_facts {			/* input of a category; texts are borrowed for the run */
	const char *user, *group, *project, *hard, *soft, *pe, *pe_range, *ckpt, *hard_queues, *soft_queues,
		*master_queues;
	bool now, free_of_quotas;
	uint32_t ar;
	struct advance *advance;	/* the reservation with this number, or NULL */
	uint32_t avoided;		/* avoided_by() */
};

/* Return 0 or -ENOMEM. Call category_destroy() in both cases. */
int category_create(struct category *category, struct supply *supply, const struct category_facts *facts);
void category_destroy(struct category *category);
/*
 * Reuse a category of an earlier run, of the same cluster and the same request, as if it were
 * created now. Not for jobs in advance reservations. Return 0, -ENOENT if the order of PEs has
 * changed, or -ENOMEM. After an error it can only be destroyed.
 */
int category_renew(struct category *category, struct supply *supply, const struct category_facts *facts);
/*
 * category_texts() sets the texts of a category. category_forget() discards the results of a run
 * and the memory for them.
 */
void category_texts(struct category *category, const struct category_facts *facts);
void category_forget(struct category *category);
/*
 * Give the category its own mark in the queue list at its first search in a PE, so that unsuitable
 * instances are not tried again.
 */
void category_mark(struct queue_ranking *ranking, struct category_pe *with);
/*
 * Return the duration of a running task in seconds, or TIMELINE_NEVER. `limit`: the task's own
 * limit, as in struct task.
 */
int64_t category_running_duration(const struct supply *supply, const struct category *category, uint32_t limit,
				  const struct grant *grant);
/* Return whether that is default_duration because neither the task nor its queues have a limit. */
bool category_runs_without_limit(const struct supply *supply, const struct category *category, uint32_t limit,
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
const struct resource_request *category_request(const struct supply *supply, const struct category *category,
						const struct complex *complex);
double category_amount(const struct supply *supply, const struct category *category, const struct complex *complex);
/* Return whether the user or the user's group is in one of these usersets. */
bool category_in_lists(const struct cell *cell, const struct category *category, const struct strlist *lists);
/* Return whether all users that must be admitted are in the lists, or whether any of them is. */
bool category_all_in_lists(const struct cell *cell, const struct category *category,
			   const struct strlist *lists);
bool category_any_in_lists(const struct cell *cell, const struct category *category,
			   const struct strlist *lists);

/*
 * limit_use() returns how much `slots` slots of a job use of a limited complex. For a JOB
 * consumable the master's entry uses all; a complex that is not consumable uses nothing.
 */
bool limit_is_counted(const struct complex *complex);
double limit_use(const struct supply *supply, const struct category *category, const struct complex *complex,
		 uint32_t slots, bool master);
/* Return the data of one PE (NONE: sequential). NULL: the category cannot use this PE. */
const struct category_pe *category_pe_of(const struct category *category, uint32_t pe);

#endif
