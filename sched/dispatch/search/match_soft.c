/* SPDX-License-Identifier: Apache-2.0 */
/* The soft requests that an instance does not satisfy: qsub(1), -soft. */
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/pattern.h"

/*
 * Count one violation for each level that offers the attribute and does not satisfy the request.
 * Count one more if no level satisfies it and the queue does not offer it.
 */
static uint32_t soft_violations(struct search *search, const struct resource_request *request, uint32_t instance)
{
	struct column *column =
		request->column == UINT32_MAX ? NULL : &search->supply->cluster.columns[request->column];
	bool satisfied = false;
	uint32_t n = 0;

	if (!column)
		return 1;
	for (enum level level = LEVEL_GLOBAL; level < LEVELS; level++) {
		uint32_t object = level == LEVEL_HOST ? search->supply->cluster.instances[instance].host : instance;
		const struct offer *offer = category_offer(&search->supply->cluster, search->question.category, column,
							   level, object);

		if (!offer || (!offer->fixed_text && !offer->load_text)) {
			n += level == LEVEL_QUEUE && !satisfied;
		} else if (match_fits(search, request, level, object)) {
			satisfied = true;
		} else {
			n++;
		}
	}
	return n;
}

uint32_t match_violations(struct search *search, uint32_t instance)
{
	const struct queue_instance *queue_instance = &search->supply->cluster.instances[instance];
	uint32_t n = 0;

	for (size_t k = 0; k < search->question.category->nsoft; k++)
		n += soft_violations(search, &search->question.category->soft[k], instance);
	if (search->question.category->soft_queues)
		n += queue_list_misses(search->supply->cell, search->question.category->soft_queues,
				       search->supply->cluster.queue_names[queue_instance->queue],
				       search->supply->cluster.host_names[queue_instance->host]);
	return n;
}
