/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Categories of jobs. Jobs with equal requests and equal access rights share a category. Categories
 * differ in their requests. They also differ in the access lists of the owner, the owner's name and
 * the project, but only where an object of the cell depends on them. A category that could not
 * start is not tried again in a run.
 *
 * A rule like `projects {!red} to slots=1` counts each other project separately. Grid Engine still
 * puts the jobs of these projects in one category. None of them is tried again when the count of
 * the first project is full. Here they are several categories, since each needs its own counters.
 * These categories share the verdict.
 */
#ifndef SCHED_DISPATCH_SEARCH_CATEGORIES_H
#define SCHED_DISPATCH_SEARCH_CATEGORIES_H

#include "conf/base/text_set.h"
#include "sched/dispatch/search/category.h"
#include "sched/dispatch/search/kept.h"
#include "sched/dispatch/search/supply.h"
#include "sched/dispatch/why/why.h"
#include "sched/run/run.h"

struct standing {			/* part of an owner's rights that makes a difference */
	uint32_t number;		/* number of its text */
	/* Project that makes no difference here but has its own quota counters; NONE. */
	uint32_t project;
};

struct categories_item {
	/* NULL: no job of the category was considered yet */
	struct category *category;
	uint32_t avoided;		/* avoided_by() of its only task; 0: none */
	bool is_kept;			/* the category belongs to `kept` */
	bool listed;			/* set by categories_list() */
};

struct categories {				/* private to categories.c */
	struct kept_categories kept;
	struct run *run;
	struct supply *supply;
	struct why *why;
	bool *relevant;			/* per userset: some object refers to it */
	bool any_access;		/* owners make a difference at all */
	/* keys: access_key; verdict_key; categories_key */
	struct pool by_owner, verdict_keys, keys;
	struct text_set access_texts;	/* rights of owners, as far as they make a difference */
	/* verdict_key of each job, held once per job, if `counted` */
	struct pool jobs;
	bool counted;
	struct standing *standing;	/* indexed by number in by_owner */
	struct verdict **verdicts;	/* indexed by number in verdict_keys */
	size_t nverdicts;
	/*
	 * Indexed by number in `keys`. If owners make no difference: in order of arrival, without
	 * keys.
	 */
	struct categories_item *items;
	size_t n, capacity;
	/* items before this index are finished: categories_are_over() */
	size_t over;
	/*
	 * 1 + number of the item, by category of requests, if owners make no difference. 0: not
	 * known.
	 */
	uint32_t *known;
	size_t known_capacity;
	/*
	 * Item number by position in run.waiting after categories_list(); NONE. Memory of
	 * run.scratch.
	 */
	uint32_t *places;
};

/*
 * standing.c. standings_begin() finds the usersets that matter, once for a cluster. standing_of()
 * returns the standing of the owner, project and Unix group of a job. Its number is NONE if memory
 * is exhausted.
 */
void standings_begin(struct categories *categories);
struct standing standing_of(struct categories *categories, uint32_t class_id, uint32_t group);

/*
 * Begin a run with an empty table. *categories is NULL at first; later it is the table of the run
 * before, of the same cluster, which is reused. Return 0 or -ENOMEM.
 */
int categories_begin(struct categories **categories, struct run *run, struct supply *supply, struct why *why);
void categories_free(struct categories *categories);

/*
 * Return the category of the job in a row of the job table, valid for the run. NULL: memory is
 * exhausted.
 */
struct category *categories_of(struct categories *categories, uint32_t row);
/* Return a category that is only valid for bookings of a running job. */
struct category *categories_of_running(struct categories *categories, uint32_t row);
/*
 * Return the category of a task that avoids hosts. `avoided` is the result of avoided_by(). The
 * category belongs to this task alone.
 */
struct category *categories_avoiding(struct categories *categories, uint32_t row, uint32_t avoided);

/*
 * Return the number of the item of a job's category, added if needed. NONE: memory is exhausted.
 * `avoided` is the result of avoided_by(). categories_number() is for jobs whose tasks avoid no
 * hosts.
 */
uint32_t categories_number_find(struct categories *categories, uint32_t row, uint32_t avoided);
static inline uint32_t categories_number(struct categories *categories, uint32_t row)
{
	uint32_t known =
		categories->known[categories->run->mirror->requests
					  .facts[job_fact(&categories->run->mirror->state->jobs, row, category)]
					  .category];

	return known > 0 ? known - 1 : categories_number_find(categories, row, 0);
}

/*
 * categories_list.c: Find the categories of all waiting jobs in memory order, for a loop that will
 * need most of them. Return 0 or -ENOMEM. After that categories_at() returns the category of the
 * job at a position of run.waiting. NULL: the job is not considered, or no job of its category was
 * tried yet.
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
 * Return whether all listed categories are finished, as `is_over` decides. A finished category
 * stays finished and is not asked about again. Call after categories_list().
 */
bool categories_are_over(struct categories *categories,
			 bool (*is_over)(const void *context, const struct category *category), const void *context);

/*
 * Assign the reasons of their categories to all jobs that were not reached. The result does not
 * depend on their order, so they are visited in memory order. Call after categories_list().
 */
void categories_set_why(struct categories *categories);

#endif
