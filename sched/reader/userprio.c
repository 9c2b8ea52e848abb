/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's user priorities: submitters and groups with their usage. */
#include <errno.h>

#include "conf/base/search.h"
#include "sched/mirror/event_condor.h"
#include "sched/reader/handle.h"
#include "sched/run/records_state.h"

size_t fl_customers(const struct fl_view *view)
{
	uint64_t count;

	view_table(&view->view, TABLE_CUSTOMERS, sizeof(struct customer_record), &count);
	return count;
}

static const char *name_of(const struct fl_view *view, uint32_t customer)
{
	struct customer_record record;

	return customer != NONE && RECORD_COPY(view, TABLE_CUSTOMERS, customer, &record)
		       ? view_string(&view->view, record.name)
		       : "";
}

/*
 * Return the index of a group among the quota groups. Usually it is its own index, because both
 * tables are in breadth-first order.
 */
static int32_t quota_group(const struct fl_view *view, size_t k, uint32_t took_part)
{
	struct group_record record;
	uint64_t count;

	if (took_part != NONE && took_part <= INT32_MAX && RECORD_COPY(view, TABLE_GROUPS, took_part, &record) &&
	    record.customer == k)
		return (int32_t)took_part;
	view_table(&view->view, TABLE_GROUPS, sizeof(record), &count);
	for (uint64_t i = 0; i < count && i <= INT32_MAX; i++)
		if (RECORD_COPY(view, TABLE_GROUPS, i, &record) && record.customer == k)
			return (int32_t)i;
	return -1;
}

int fl_customer(const struct fl_view *view, size_t k, struct fl_customer *customer)
{
	struct customer_record record;
	struct submitter_record submitter_record = { .share = 0 };

	if (!RECORD_COPY(view, TABLE_CUSTOMERS, k, &record))
		return -ENOENT;
	if (!record.is_group &&
	    (record.took_part == NONE || !RECORD_COPY(view, TABLE_SUBMITTERS, record.took_part, &submitter_record) ||
	     submitter_record.customer != k))
		submitter_record = (struct submitter_record){ .share = 0 };
	*customer =
		(struct fl_customer){ .name = view_string(&view->view, record.name),
				      .group = name_of(view, record.group),
				      .is_group = record.is_group,
				      .used = record.used,
				      .rup = record.rup,
				      .factor = record.factor,
				      .weight_used = record.weight_used,
				      .tree_used = record.tree_used,
				      .accumulated = record.accumulated,
				      .weight_accumulated = record.weight_accumulated,
				      .begin = record.begin,
				      .last = record.last,
				      .ceiling = record.ceiling,
				      .floor = record.floor,
				      .factor_lease = { record.lease_until[0], record.lease_before[0] },
				      .ceiling_lease = { record.lease_until[1], record.lease_before[1] },
				      .floor_lease = { record.lease_until[2], record.lease_before[2] },
				      .share = submitter_record.share,
				      .limit = submitter_record.limit,
				      .quota_group = record.is_group ? quota_group(view, k, record.took_part) : -1 };
	return 0;
}

/* Jobs */

/* Copy a record of the state that a restart needs; false if there is none. */
static bool state_copy(const struct fl_view *view, unsigned part, uint64_t index, void *to, size_t bytes)
{
	uint64_t count;
	const uint8_t *records = view_state_part(&view->view, part, bytes, &count);

	if (index < count)
		view_copy(to, records + index * bytes, bytes);
	return index < count;
}

static void claimant_prio(const struct fl_view *view, uint32_t row, struct fl_claimant *claimant)
{
	struct condor_state state = { .row = NONE };
	uint64_t count, at;

	view_state_part(&view->view, STATE_CONDOR_JOBS, sizeof(state), &count);
	lower_bound(at, count, state_copy(view, STATE_CONDOR_JOBS, at, &state, sizeof(state)) && state.row < row);
	if (!state_copy(view, STATE_CONDOR_JOBS, at, &state, sizeof(state)) || state.row != row ||
	    !(state.given & CONDOR_JOB_PRIO))
		return;
	claimant->has_job_prio = true;
	claimant->job_prio = state.job_prio;
}

int fl_claimant(const struct fl_view *view, uint32_t job_number, struct fl_claimant *claimant)
{
	uint32_t row = row_find(view, job_number);
	const struct job_facts *facts = row == NONE ? NULL : records_facts(&view->view, row);
	const struct userprio_results *results = row == NONE ? NULL : records_userprio(&view->view, row);
	struct class_state class = { NONE, NONE, NONE };
	struct request_state request = { .ad = NONE };
	size_t i = row % CHUNK_ROWS;

	if (!facts || !results)
		return -ENOENT;
	state_copy(view, STATE_CLASSES, LOAD_ONCE(facts->class_id[i]), &class, sizeof(class));
	state_copy(view, STATE_REQUESTS, LOAD_ONCE(facts->category[i]), &request, sizeof(request));
	*claimant =
		(struct fl_claimant){ .submitter = name_of(view, LOAD_ONCE(results->customer[i])),
				      .place = LOAD_ONCE(results->place[i]),
				      .accounting_group = view_string(&view->view, class.accounting_group),
				      .accounting_group_user = view_string(&view->view, class.accounting_group_user),
				      .ad = view_string(&view->view, request.ad) };
	claimant_prio(view, row, claimant);
	return 0;
}
