/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's negotiation: groups, submitters and slots as the last cycle has left them. */
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
	struct negotiation_record r;

	if (!RECORD_COPY(view, TABLE_NEGOTIATION, 0, &r))
		return -ENOENT;
	*to = (struct fl_negotiation){
		.cycle = r.cycle, .begin = r.begin, .last_update = r.last_update, .next = r.next, .duration_ns = r.duration_ns,
		.account_ns = r.account_ns, .quota_ns = r.quota_ns, .slice_ns = r.slice_ns, .match_ns = r.match_ns, .pool_weight = r.pool_weight,
		.pool_counted = r.pool_counted, .least_weight = r.least_weight, .halflife = r.halflife, .matches = r.matches,
		.preemptions = r.preemptions, .spins = r.spins, .rounds = r.rounds, .slots = r.slots, .trimmed = r.trimmed,
		.use_weights = r.use_weights, .consider_preemption = r.consider_preemption,
		.ngroups = count(view, TABLE_GROUPS, sizeof(struct group_record)),
		.nsubmitters = count(view, TABLE_SUBMITTERS, sizeof(struct submitter_record)),
		.nslots = count(view, TABLE_SLOTS, sizeof(struct slot_record)), .nlimits = count(view, TABLE_LIMITS, sizeof(struct limit_record)),
		.ncontacts = count(view, TABLE_CONTACTS, sizeof(struct contact_record)),
		.nmatches = count(view, TABLE_MATCHES, sizeof(struct match_record)) };
	return 0;
}

static const char *customer_name(const struct fl_view *view, uint32_t customer)
{
	struct customer_record r;

	return customer != NONE && RECORD_COPY(view, TABLE_CUSTOMERS, customer, &r) ? text(view, r.name) : "";
}

static const char *group_name(const struct fl_view *view, uint32_t group)
{
	struct group_record r;

	return group != NONE && RECORD_COPY(view, TABLE_GROUPS, group, &r) ? customer_name(view, r.customer) : "";
}

static const char *submitter_name(const struct fl_view *view, uint32_t submitter)
{
	struct submitter_record r;

	return submitter != NONE && RECORD_COPY(view, TABLE_SUBMITTERS, submitter, &r) ? customer_name(view, r.customer) : "";
}

static const char *slot_name(const struct fl_view *view, uint32_t slot)
{
	struct slot_record r;

	return slot != NONE && RECORD_COPY(view, TABLE_SLOTS, slot, &r) ? text(view, r.name) : "";
}

int fl_quota_group(const struct fl_view *view, size_t k, struct fl_quota_group *to)
{
	static const struct customer_record no_customer = { .name = NONE };
	struct customer_record c;
	struct group_record r;

	if (!RECORD_COPY(view, TABLE_GROUPS, k, &r))
		return -ENOENT;
	if (!RECORD_COPY(view, TABLE_CUSTOMERS, r.customer, &c))
		c = no_customer;
	*to = (struct fl_quota_group){
		.name = text(view, c.name), .parent = k == 0 || r.parent > INT32_MAX ? -1 : (int32_t)r.parent, .is_static = r.is_static,
		.accepts_surplus = r.accepts_surplus, .autoregroup = r.autoregroup, .configured = r.configured, .quota = r.quota,
		.subtree_quota = r.subtree_quota, .requested = r.requested, .first_allocated = r.first_allocated, .allocated = r.allocated,
		.uncut = r.uncut, .limit = r.limit, .weight_used = c.weight_used, .tree_used = r.tree_used, .sort_key = r.sort_key,
		.capped_by = group_name(view, r.capped_by), .order = r.order, .quota_by = text(view, r.quota_by),
		.surplus_by = text(view, r.surplus_by), .autoregroup_by = text(view, r.autoregroup_by) };
	return 0;
}

static const char *stop_name(uint32_t stop)
{
	static const char *const names[] = {
		[STOP_NONE] = "", [STOP_NO_JOBS] = "no jobs", [STOP_SLICE] = "slice", [STOP_CEILING] = "ceiling", [STOP_GROUP] = "group",
		[STOP_NO_SLOTS] = "no slots", [STOP_TIME_CYCLE] = "time of the cycle", [STOP_TIME_SUBMITTER] = "time of the submitter",
		[STOP_TIME_SPIN] = "time of the spin", [STOP_REFUSED] = "nothing matches",
	};

	return stop < sizeof(names) / sizeof(*names) ? names[stop] : "";
}

int fl_submitter(const struct fl_view *view, size_t k, struct fl_submitter *to)
{
	static const struct customer_record no_customer = { .name = NONE, .ceiling = CEILING_NONE };
	struct customer_record c;
	struct submitter_record r;

	if (!RECORD_COPY(view, TABLE_SUBMITTERS, k, &r))
		return -ENOENT;
	if (!RECORD_COPY(view, TABLE_CUSTOMERS, r.customer, &c))
		c = no_customer;
	*to = (struct fl_submitter){
		.name = text(view, c.name), .group = group_name(view, r.group), .quota_group = r.group, .rup = c.rup, .factor = c.factor, .eup = c.rup * c.factor,
		.weight_used = c.weight_used, .ceiling = c.ceiling, .floor = c.floor, .idle = r.idle, .running = r.running,
		.weight_idle = r.weight_idle, .weight_running = r.weight_running, .share = r.share, .slice = r.slice, .limit = r.limit,
		.spins = r.spins, .visits = r.visits, .matches = r.matches, .preemptions = r.preemptions, .rejected = r.rejected,
		.stop = stop_name(r.stop) };
	return 0;
}

int fl_slot(const struct fl_view *view, size_t k, struct fl_slot *to)
{
	static const char *const states[] = { [SLOT_UNCLAIMED] = "unclaimed", [SLOT_CLAIMED] = "claimed", [SLOT_PREEMPTING] = "preempting" };
	struct slot_record r;

	if (!RECORD_COPY(view, TABLE_SLOTS, k, &r))
		return -ENOENT;
	*to = (struct fl_slot){
		.name = text(view, r.name), .state = r.state < sizeof(states) / sizeof(*states) ? states[r.state] : "",
		.customer = customer_name(view, r.customer), .preempting = customer_name(view, r.preempting), .weight = r.weight,
		.current_rank = r.current_rank, .since = r.since, .job_number = r.job, .task = r.task, .winner_job = r.winner_job,
		.winner_task = r.winner_task };
	return 0;
}

int fl_concurrency_limit(const struct fl_view *view, size_t k, struct fl_concurrency_limit *to)
{
	struct limit_record r;

	if (!RECORD_COPY(view, TABLE_LIMITS, k, &r))
		return -ENOENT;
	*to = (struct fl_concurrency_limit){ text(view, r.name), r.most, r.used };
	return 0;
}

int fl_contact(const struct fl_view *view, size_t k, struct fl_contact *to)
{
	struct contact_record r;

	if (!RECORD_COPY(view, TABLE_CONTACTS, k, &r))
		return -ENOENT;
	*to = (struct fl_contact){ submitter_name(view, r.submitter), group_name(view, r.group), r.spin };
	return 0;
}

int fl_match(const struct fl_view *view, size_t k, struct fl_match *to)
{
	static const char *const preemptions[] = { [PREEMPTS_NOBODY] = "", [PREEMPTS_BY_RANK] = "rank", [PREEMPTS_BY_PRIORITY] = "priority" };
	struct match_record r;

	if (!RECORD_COPY(view, TABLE_MATCHES, k, &r))
		return -ENOENT;
	*to = (struct fl_match){
		.submitter = submitter_name(view, r.submitter), .slot = slot_name(view, r.slot), .job_number = r.job, .task = r.task,
		.preemption = r.preemption < sizeof(preemptions) / sizeof(*preemptions) ? preemptions[r.preemption] : "",
		.loser = customer_name(view, r.loser), .loser_job = r.loser_job, .loser_task = r.loser_task, .weight = r.weight, .rank = r.rank };
	return 0;
}
