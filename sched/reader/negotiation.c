/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's negotiation: groups, submitters and slots after the last cycle. */
#include <errno.h>

#include "sched/negotiation/negotiation.h"
#include "sched/reader/handle.h"

static const char *text(const struct fl_view *view, uint32_t id)
{
	return id == NONE ? "" : view_string(&view->view, id);
}

static size_t count(const struct fl_view *view, unsigned table, size_t bytes)
{
	uint64_t n;

	view_table(&view->view, table, bytes, &n);
	return (size_t)n;
}

int fl_negotiation(const struct fl_view *view, struct fl_negotiation *to)
{
	struct negotiation_record record;

	if (!RECORD_COPY(view, TABLE_NEGOTIATION, 0, &record))
		return -ENOENT;
	*to = (struct fl_negotiation){ .cycle = record.cycle,
				       .begin = record.begin,
				       .last_update = record.last_update,
				       .next = record.next,
				       .duration_ns = record.duration_ns,
				       .account_ns = record.account_ns,
				       .quota_ns = record.quota_ns,
				       .slice_ns = record.slice_ns,
				       .match_ns = record.match_ns,
				       .pool_weight = record.pool_weight,
				       .pool_counted = record.pool_counted,
				       .least_weight = record.least_weight,
				       .halflife = record.halflife,
				       .matches = record.matches,
				       .preemptions = record.preemptions,
				       .spins = record.spins,
				       .rounds = record.rounds,
				       .slots = record.slots,
				       .trimmed = record.trimmed,
				       .use_weights = record.use_weights,
				       .consider_preemption = record.consider_preemption,
				       .ngroups = count(view, TABLE_GROUPS, sizeof(struct group_record)),
				       .nsubmitters = count(view, TABLE_SUBMITTERS, sizeof(struct submitter_record)),
				       .nslots = count(view, TABLE_SLOTS, sizeof(struct slot_record)),
				       .nlimits = count(view, TABLE_LIMITS, sizeof(struct limit_record)),
				       .ncontacts = count(view, TABLE_CONTACTS, sizeof(struct contact_record)),
				       .nmatches = count(view, TABLE_MATCHES, sizeof(struct match_record)) };
	return 0;
}

static const char *customer_name(const struct fl_view *view, uint32_t customer)
{
	struct customer_record record;

	return customer != NONE && RECORD_COPY(view, TABLE_CUSTOMERS, customer, &record) ? text(view, record.name) : "";
}

static const char *group_name(const struct fl_view *view, uint32_t group)
{
	struct group_record record;

	return group != NONE && RECORD_COPY(view, TABLE_GROUPS, group, &record) ? customer_name(view, record.customer)
										: "";
}

static const char *submitter_name(const struct fl_view *view, uint32_t submitter)
{
	struct submitter_record record;

	return submitter != NONE && RECORD_COPY(view, TABLE_SUBMITTERS, submitter, &record)
		       ? customer_name(view, record.customer)
		       : "";
}

static const char *slot_name(const struct fl_view *view, uint32_t slot)
{
	struct slot_record record;

	return slot != NONE && RECORD_COPY(view, TABLE_SLOTS, slot, &record) ? text(view, record.name) : "";
}

int fl_quota_group(const struct fl_view *view, size_t k, struct fl_quota_group *to)
{
	static const struct customer_record no_customer = { .name = NONE };
	struct customer_record record;
	struct group_record group_record;

	if (!RECORD_COPY(view, TABLE_GROUPS, k, &group_record))
		return -ENOENT;
	if (!RECORD_COPY(view, TABLE_CUSTOMERS, group_record.customer, &record))
		record = no_customer;
	*to = (struct fl_quota_group){ .name = text(view, record.name),
				       .parent = k == 0 || group_record.parent > INT32_MAX
							 ? -1
							 : (int32_t)group_record.parent,
				       .is_static = group_record.is_static,
				       .accepts_surplus = group_record.accepts_surplus,
				       .autoregroup = group_record.autoregroup,
				       .configured = group_record.configured,
				       .quota = group_record.quota,
				       .subtree_quota = group_record.subtree_quota,
				       .requested = group_record.requested,
				       .first_allocated = group_record.first_allocated,
				       .allocated = group_record.allocated,
				       .uncut = group_record.uncut,
				       .limit = group_record.limit,
				       .weight_used = record.weight_used,
				       .tree_used = group_record.tree_used,
				       .sort_key = group_record.sort_key,
				       .capped_by = group_name(view, group_record.capped_by),
				       .order = group_record.order,
				       .quota_by = text(view, group_record.quota_by),
				       .surplus_by = text(view, group_record.surplus_by),
				       .autoregroup_by = text(view, group_record.autoregroup_by) };
	return 0;
}

static const char *stop_name(uint32_t stop)
{
	static const char *const names[] = {
		[STOP_NONE] = "",
		[STOP_NO_JOBS] = "no jobs",
		[STOP_SLICE] = "slice",
		[STOP_CEILING] = "ceiling",
		[STOP_GROUP] = "group",
		[STOP_NO_SLOTS] = "no slots",
		[STOP_TIME_CYCLE] = "time of the cycle",
		[STOP_TIME_SUBMITTER] = "time of the submitter",
		[STOP_TIME_SPIN] = "time of the spin",
		[STOP_REFUSED] = "nothing matches",
	};

	return stop < sizeof(names) / sizeof(*names) ? names[stop] : "";
}

int fl_submitter(const struct fl_view *view, size_t k, struct fl_submitter *to)
{
	static const struct customer_record no_customer = { .name = NONE, .ceiling = CEILING_NONE };
	struct customer_record record;
	struct submitter_record submitter_record;

	if (!RECORD_COPY(view, TABLE_SUBMITTERS, k, &submitter_record))
		return -ENOENT;
	if (!RECORD_COPY(view, TABLE_CUSTOMERS, submitter_record.customer, &record))
		record = no_customer;
	*to = (struct fl_submitter){ .name = text(view, record.name),
				     .group = group_name(view, submitter_record.group),
				     .quota_group = submitter_record.group,
				     .rup = record.rup,
				     .factor = record.factor,
				     .eup = record.rup * record.factor,
				     .weight_used = record.weight_used,
				     .ceiling = record.ceiling,
				     .floor = record.floor,
				     .idle = submitter_record.idle,
				     .running = submitter_record.running,
				     .weight_idle = submitter_record.weight_idle,
				     .weight_running = submitter_record.weight_running,
				     .share = submitter_record.share,
				     .slice = submitter_record.slice,
				     .limit = submitter_record.limit,
				     .spins = submitter_record.spins,
				     .visits = submitter_record.visits,
				     .matches = submitter_record.matches,
				     .preemptions = submitter_record.preemptions,
				     .rejected = submitter_record.rejected,
				     .stop = stop_name(submitter_record.stop) };
	return 0;
}

int fl_slot(const struct fl_view *view, size_t k, struct fl_slot *to)
{
	static const char *const states[] = {
		[SLOT_UNCLAIMED] = "unclaimed", [SLOT_CLAIMED] = "claimed", [SLOT_PREEMPTING] = "preempting"
	};
	struct slot_record record;

	if (!RECORD_COPY(view, TABLE_SLOTS, k, &record))
		return -ENOENT;
	*to = (struct fl_slot){ .name = text(view, record.name),
				.state = record.state < sizeof(states) / sizeof(*states) ? states[record.state] : "",
				.customer = customer_name(view, record.customer),
				.preempting = customer_name(view, record.preempting),
				.weight = record.weight,
				.current_rank = record.current_rank,
				.since = record.since,
				.job_number = record.job,
				.task = record.task,
				.winner_job = record.winner_job,
				.winner_task = record.winner_task };
	return 0;
}

int fl_concurrency_limit(const struct fl_view *view, size_t k, struct fl_concurrency_limit *to)
{
	struct limit_record record;

	if (!RECORD_COPY(view, TABLE_LIMITS, k, &record))
		return -ENOENT;
	*to = (struct fl_concurrency_limit){ text(view, record.name), record.most, record.used };
	return 0;
}

int fl_contact(const struct fl_view *view, size_t k, struct fl_contact *to)
{
	struct contact_record record;

	if (!RECORD_COPY(view, TABLE_CONTACTS, k, &record))
		return -ENOENT;
	*to = (struct fl_contact){ submitter_name(view, record.submitter), group_name(view, record.group),
				   record.spin };
	return 0;
}

int fl_match(const struct fl_view *view, size_t k, struct fl_match *to)
{
	static const char *const preemptions[] = {
		[PREEMPTS_NONE] = "", [PREEMPTS_BY_RANK] = "rank", [PREEMPTS_BY_PRIORITY] = "priority"
	};
	struct match_record record;

	if (!RECORD_COPY(view, TABLE_MATCHES, k, &record))
		return -ENOENT;
	*to = (struct fl_match){ .submitter = submitter_name(view, record.submitter),
				 .slot = slot_name(view, record.slot),
				 .job_number = record.job,
				 .task = record.task,
				 .preemption = record.preemption < sizeof(preemptions) / sizeof(*preemptions)
						       ? preemptions[record.preemption]
						       : "",
				 .loser = customer_name(view, record.loser),
				 .loser_job = record.loser_job,
				 .loser_task = record.loser_task,
				 .weight = record.weight,
				 .rank = record.rank };
	return 0;
}
