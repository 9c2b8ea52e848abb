/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's user priorities: submitters and groups with what they have used. */
#include <errno.h>

#include "conf/search.h"
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
	struct customer_record r;

	return customer != NONE && RECORD_COPY(view, TABLE_CUSTOMERS, customer, &r) ? view_string(&view->view, r.name) : "";
}

/*
 * Where a group is among those that have quotas: mostly at its own place, as both are breadth
 * first.
 */
static int32_t quota_group(const struct fl_view *view, size_t k, uint32_t took_part)
{
	struct group_record g;
	uint64_t count;

	if (took_part != NONE && took_part <= INT32_MAX && RECORD_COPY(view, TABLE_GROUPS, took_part, &g) && g.customer == k)
		return (int32_t)took_part;
	view_table(&view->view, TABLE_GROUPS, sizeof(g), &count);
	for (uint64_t i = 0; i < count && i <= INT32_MAX; i++)
		if (RECORD_COPY(view, TABLE_GROUPS, i, &g) && g.customer == k)
			return (int32_t)i;
	return -1;
}

int fl_customer(const struct fl_view *view, size_t k, struct fl_customer *customer)
{
	struct customer_record r;
	struct submitter_record s = { .share = 0 };

	if (!RECORD_COPY(view, TABLE_CUSTOMERS, k, &r))
		return -ENOENT;
	if (!r.is_group && (r.took_part == NONE || !RECORD_COPY(view, TABLE_SUBMITTERS, r.took_part, &s) || s.customer != k))
		s = (struct submitter_record){ .share = 0 };
	*customer = (struct fl_customer){
		.name = view_string(&view->view, r.name), .group = name_of(view, r.group), .is_group = r.is_group, .used = r.used, .rup = r.rup,
		.factor = r.factor, .weight_used = r.weight_used, .tree_used = r.tree_used, .accumulated = r.accumulated,
		.weight_accumulated = r.weight_accumulated, .begin = r.begin, .last = r.last, .ceiling = r.ceiling, .floor = r.floor,
		.factor_lease = { r.lease_until[0], r.lease_before[0] }, .ceiling_lease = { r.lease_until[1], r.lease_before[1] },
		.floor_lease = { r.lease_until[2], r.lease_before[2] }, .share = s.share, .limit = s.limit,
		.quota_group = r.is_group ? quota_group(view, k, r.took_part) : -1 };
	return 0;
}

/* Jobs */

/* A record of what a restart needs; false when there is none. */
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
	struct condor_state r = { .row = NONE };
	uint64_t count, at;

	view_state_part(&view->view, STATE_CONDOR_JOBS, sizeof(r), &count);
	lower_bound(at, count, state_copy(view, STATE_CONDOR_JOBS, at, &r, sizeof(r)) && r.row < row);
	if (!state_copy(view, STATE_CONDOR_JOBS, at, &r, sizeof(r)) || r.row != row || !(r.given & CONDOR_JOB_PRIO))
		return;
	claimant->has_job_prio = true;
	claimant->job_prio = r.job_prio;
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
	*claimant = (struct fl_claimant){
		.submitter = name_of(view, LOAD_ONCE(results->customer[i])), .place = LOAD_ONCE(results->place[i]),
		.accounting_group = view_string(&view->view, class.accounting_group),
		.accounting_group_user = view_string(&view->view, class.accounting_group_user), .ad = view_string(&view->view, request.ad) };
	claimant_prio(view, row, claimant);
	return 0;
}
