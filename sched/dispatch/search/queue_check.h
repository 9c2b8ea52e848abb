/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of a job against the cluster queue of an instance as a whole. Each result is kept for
 * the category and PE until the end of the run.
 */
#ifndef SCHED_DISPATCH_SEARCH_QUEUE_CHECK_H
#define SCHED_DISPATCH_SEARCH_QUEUE_CHECK_H

#include "sched/dispatch/search/search.h"

/*
 * Return whether the cluster queue of an instance is suitable for so many slots. Other instances do
 * not determine when their host is visited, and a sequential job skips them.
 */
bool queue_check_counts(struct search *search, uint32_t instance, uint32_t slots);
/*
 * Return whether the job is admitted to the cluster queue of an instance, whatever the queue has
 * configured.
 */
bool queue_check_admits(struct search *search, uint32_t instance);

#endif
