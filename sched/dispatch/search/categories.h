/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories of jobs, as dispatch uses them: jobs that request the same and may use the same share
 * one. They differ in their requests and, only where some object of the cell makes a difference, in
 * the access lists that the owner is in, his name, and the project. A category that could not start
 * is not looked at again in a run.
 *
 * Where a rule like `projects {!red} to slots=1` counts for each other project by itself, Grid
 * Engine still takes jobs of all of them for one category, so that none of them is looked at again
 * when the first one's count is full. Here they are several, since each knows its counts, which
 * share the verdict.
 */
#ifndef SCHED_DISPATCH_SEARCH_CATEGORIES_H
#define SCHED_DISPATCH_SEARCH_CATEGORIES_H

#include "conf/text_set.h"
#include "sched/dispatch/search/kept.h"
#include "sched/dispatch/search/search.h"
#include "sched/run/run.h"

struct standing {			/* what of it matters */
	uint32_t number;		/* of its text */
	/* one that makes no difference to it, but has quota counts of its own; NONE */
	uint32_t project;
};

struct categories_item {
	struct category *category;		/* NULL: none of the category was looked at yet */
	uint32_t avoided;		/* by its only task: avoided_by(); 0 */
	bool is_kept;			/* it belongs to `kept` */
	bool listed;			/* categories_list() has met it */
};

struct categories {				/* private to categories.c */
	struct kept_categories kept;
	struct run *run;
	struct dispatch *d;
	bool *relevant;			/* by userset: some object refers to it */
	bool any_access;		/* owners make a difference at all */
	/* of access_key; verdict_key; categories_key */
	struct pool by_owner, verdict_keys, keys;
	struct text_set access_texts;	/* what owners may use, as far as it makes a difference */
	/* of verdict_key, held by all jobs there are, once `counted` */
	struct pool jobs;
	bool counted;
	struct standing *standing;	/* by number of by_owner */
	struct verdict **verdicts;	/* by number of verdict_keys */
	size_t nverdicts;
	/* by number of keys; as long as owners make no difference as they come, without keys */
	struct categories_item *items;
	size_t n, capacity;
	size_t over;			/* categories_are_over() need not look at so many again */
	/* 1 + number of items by category of requests, as long as owners make no difference; 0 */
	uint32_t *known;
	size_t known_capacity;
	/* number of keys by place in run.waiting, when listed; NONE. In memory of run.scratch */
	uint32_t *places;
};

/*
 * standing.c: which usersets matter, once for a cluster; and of the owner, project and Unix group
 * of a job. The number NONE: no memory.
 */
void standings_begin(struct categories *categories);
struct standing standing_of(struct categories *categories, uint32_t class_id, uint32_t group);

/*
 * Empty, for a run. What was there for the run before, of the same cluster, is reused; at first
 * NULL. -ENOMEM.
 */
int categories_begin(struct categories **categories, struct run *run, struct dispatch *dispatch);
void categories_free(struct categories *categories);

/* The category of the job in a row of the job table, as long as the run. NULL: no memory. */
struct category *categories_of(struct categories *categories, uint32_t row);
/* The same as far as bookings of what runs go: nothing else of it may be used. */
struct category *categories_of_running(struct categories *categories, uint32_t row);
/* The same for a task of it that avoids hosts, avoided_by(): one of its own. */
struct category *categories_avoiding(struct categories *categories, uint32_t row, uint32_t avoided);

/*
 * The categories of all waiting jobs, looked up in the order in which they lie in memory, for a
 * loop that has come so far that it will need most of them. -ENOMEM. Then categories_at() has that
 * of the job at a place of run.waiting; NULL: it takes no part, or none of its category was looked
 * at yet.
 */
int categories_list(struct categories *categories);
static inline const struct category *categories_at(const struct categories *categories, uint32_t place)
{
	return categories->places[place] == NONE ? NULL : categories->items[categories->places[place]].category;
}

static inline __attribute__((always_inline)) void categories_fetch(const struct categories *categories, uint32_t place)
{
	__builtin_prefetch(&categories->places[place]);
}

/*
 * Is none of the categories listed in question any more, as `is_over` has it? One that is over
 * stays so: it is not asked about again. After categories_list().
 */
bool categories_are_over(struct categories *categories,
			 bool (*is_over)(const void *context, const struct category *category), const void *context);

/*
 * All that were not reached must wait: they show their categories' reasons. That does not depend on
 * their order, so they are told in that in which they lie in memory. After categories_list().
 */
void categories_tell_why(struct categories *categories);

#endif
