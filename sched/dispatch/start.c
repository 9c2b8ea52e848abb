/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/start.h"

#include "sched/dispatch/book.h"
#include "sched/dispatch/search/search.h"

bool start_can_be_ordered(const struct dispatch *dispatch, const struct orders *orders, const struct grant *grant)
{
	size_t bytes = 0;

	for (size_t k = 0; k < grant->n && orders_fit(orders, bytes); k++)
		bytes += orders_instance_bytes(orders,
					       dispatch->supply.cluster.instances[grant->entries[k].instance].name);
	return orders_fit(orders, bytes);
}

int start_book(struct dispatch *dispatch, const struct category *category, const struct pending_job *job,
	       const struct grant *grant)
{
	int64_t now = dispatch->supply.now, end = category_end(category, now);
	const struct schedule_task line = { .job_number = job->number,
					    .task = job->task,
					    .state = SCHEDULE_STARTING,
					    .start = now,
					    .duration = schedule_seconds(end, now) };
	int rc = grant_book(&dispatch->bookings, category, grant, now, end);

	if (rc)
		return rc;
	schedule_grant(dispatch->lines, &dispatch->supply, category, grant, &line);
	review_load(&dispatch->review, grant);
	review_grant(&dispatch->review, grant, true);
	return 0;
}
