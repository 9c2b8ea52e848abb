/* SPDX-License-Identifier: Apache-2.0 */
/* Data shared by places.c and places_start.c, which implement sched/policy/places.h. */
#ifndef SCHED_DISPATCH_PLACES_H
#define SCHED_DISPATCH_PLACES_H

#include "sched/dispatch/dispatch.h"
#include "sched/policy/places.h"

struct startable {			/* ids of an array's tasks in run->pending */
	uint32_t *ids;
	size_t n;
};

struct negotiated {			/* `self` of struct places */
	struct dispatch *d;
	struct run *run;
	const struct policy *policy;
	struct orders *orders;
	struct grant grant;		/* scratch */
	/* Arrays with a started task, indexed by position in run->waiting. */
	struct startable *arrays;
	uint32_t *array_places;
	size_t narrays;
	struct index array_index;
};

static inline const struct instance *reported_of(const struct negotiated *negotiated, uint32_t instance)
{
	return &negotiated->run->mirror->state->instances[instance];
}

/* Return the instance of the cluster, or NONE if there is none. */
static inline uint32_t instance_of(const struct negotiated *negotiated, uint32_t reported)
{
	return cluster_instance(&negotiated->d->supply.cluster, reported);
}

/*
 * Prevent a category from learning. Each job tries only some instances, so its results do not apply
 * to other instances.
 */
static inline void prevent_learning(struct category *category)
{
	for (size_t k = 0; k < category->npes; k++)
		category->pes[k].marked = true;
}

/* Return a search for a question about the present that records no reasons. */
static inline struct search places_search(const struct negotiated *negotiated, struct search_question question)
{
	struct dispatch *dispatch = negotiated->d;

	question.begin = dispatch->supply.now;
	question.end = category_end(question.category, question.begin);
	question.silent = true;
	return (struct search){ .question = question,
				.supply = &dispatch->supply,
				.shared = &dispatch->searches,
				.number = dispatch->searches.skips.searches };
}

static inline enum search_counts places_counts(const struct negotiated *negotiated)
{
	return negotiated->d->supply.timed ? COUNT_IN_TIME : COUNT_NOW;
}

/* places_start.c: members of struct places */
int places_start(void *self, uint32_t task, uint32_t reported, uint32_t slots, double key, uint32_t *id);
int places_start_parallel(void *self, uint32_t task, const uint32_t *instances, uint32_t ninstances, double key,
			  uint32_t *id, void (*each)(void *context, uint32_t instance, uint32_t slots), void *context);
void places_started_free(struct negotiated *negotiated);

#endif
