/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "sched/cli/negotiate/negotiate.h"
#include "sched/process/json.h"
#include "sched/process/json_members.h"

static const struct json_member cycle_members[] = {
	JSON_MEMBER(struct fl_negotiation, cycle, "cycle"),
	JSON_MEMBER(struct fl_negotiation, begin, "begin"),
	JSON_MEMBER(struct fl_negotiation, last_update, "last_update"),
	JSON_MEMBER(struct fl_negotiation, next, "next"),
	JSON_MEMBER(struct fl_negotiation, duration_ns, "duration_ns"),
};

static const struct json_member phase_members[] = {
	JSON_MEMBER(struct fl_negotiation, account_ns, "account"),
	JSON_MEMBER(struct fl_negotiation, quota_ns, "quota"),
	JSON_MEMBER(struct fl_negotiation, slice_ns, "slice"),
	JSON_MEMBER(struct fl_negotiation, match_ns, "match"),
};

static const struct json_member pool_members[] = {
	JSON_MEMBER(struct fl_negotiation, pool_weight, "pool_weight"),
	JSON_MEMBER(struct fl_negotiation, pool_counted, "pool_counted"),
	JSON_MEMBER(struct fl_negotiation, least_weight, "least_weight"),
	JSON_MEMBER(struct fl_negotiation, halflife, "halflife"),
	JSON_MEMBER(struct fl_negotiation, use_weights, "use_weights"),
	JSON_MEMBER(struct fl_negotiation, consider_preemption, "consider_preemption"),
	JSON_MEMBER(struct fl_negotiation, trimmed, "slots_trimmed"),
	JSON_MEMBER(struct fl_negotiation, spins, "spins"),
	JSON_MEMBER(struct fl_negotiation, rounds, "rounds"),
	JSON_MEMBER(struct fl_negotiation, matches, "matched"),
	JSON_MEMBER(struct fl_negotiation, preemptions, "preempted"),
};

static void write_cycle(struct out *out, const struct fl_negotiation *negotiation)
{
	JSON_WRITE_MEMBERS(out, ",\n", cycle_members, negotiation);
	JSON_WRITE_MEMBERS(out, ",\"phase_ns\":{", phase_members, negotiation);
	JSON_WRITE_MEMBERS(out, "},\n", pool_members, negotiation);
}

static const struct json_member group_members[] = {
	JSON_MEMBER(struct fl_quota_group, name, "name"),
	JSON_MEMBER(struct fl_quota_group, parent, "parent"),
	JSON_MEMBER(struct fl_quota_group, is_static, "static"),
	JSON_MEMBER(struct fl_quota_group, configured, "configured"),
	JSON_NAME(struct fl_quota_group, quota_by, "quota_by"),
	JSON_MEMBER(struct fl_quota_group, accepts_surplus, "accepts_surplus"),
	JSON_NAME(struct fl_quota_group, surplus_by, "surplus_by"),
	JSON_MEMBER(struct fl_quota_group, autoregroup, "autoregroup"),
	JSON_NAME(struct fl_quota_group, autoregroup_by, "autoregroup_by"),
	JSON_MEMBER(struct fl_quota_group, quota, "quota"),
	JSON_MEMBER(struct fl_quota_group, subtree_quota, "subtree_quota"),
	JSON_MEMBER(struct fl_quota_group, requested, "requested"),
	JSON_MEMBER(struct fl_quota_group, first_allocated, "allocated_first"),
	JSON_MEMBER(struct fl_quota_group, allocated, "allocated"),
	JSON_MEMBER(struct fl_quota_group, uncut, "limit_before_cut"),
	JSON_MEMBER(struct fl_quota_group, limit, "limit"),
	JSON_NAME(struct fl_quota_group, capped_by, "capped_by"),
	JSON_MEMBER(struct fl_quota_group, weight_used, "weight_used"),
	JSON_MEMBER(struct fl_quota_group, tree_used, "tree_used"),
	JSON_MEMBER(struct fl_quota_group, sort_key, "sort_key"),
	JSON_MEMBER(struct fl_quota_group, order, "order"),
};

/* Write the group. Its limits are null if it was not served. */
static void write_group(struct out *out, struct fl_quota_group *group)
{
	if (group->limit < 0.0)
		group->uncut = group->limit = NAN;
	JSON_WRITE_MEMBERS(out, "{", group_members, group);
	json_write_literal(out, "}");
}

static const struct json_member submitter_members[] = {
	JSON_MEMBER(struct fl_submitter, name, "name"),
	JSON_MEMBER(struct fl_submitter, group, "group"),
	JSON_MEMBER(struct fl_submitter, rup, "rup"),
	JSON_MEMBER(struct fl_submitter, factor, "factor"),
	JSON_MEMBER(struct fl_submitter, eup, "eup"),
	JSON_MEMBER(struct fl_submitter, weight_used, "weight_used"),
	JSON_MEMBER(struct fl_submitter, ceiling, "ceiling"),
	JSON_MEMBER(struct fl_submitter, floor, "floor"),
	JSON_MEMBER(struct fl_submitter, idle, "idle"),
	JSON_MEMBER(struct fl_submitter, running, "running"),
	JSON_MEMBER(struct fl_submitter, weight_idle, "weight_idle"),
	JSON_MEMBER(struct fl_submitter, weight_running, "weight_running"),
	JSON_MEMBER(struct fl_submitter, share, "share"),
	JSON_MEMBER(struct fl_submitter, slice, "slice"),
	JSON_MEMBER(struct fl_submitter, limit, "limit"),
};

static const struct json_member service_members[] = {
	JSON_MEMBER(struct fl_submitter, spins, "spins"),
	JSON_MEMBER(struct fl_submitter, visits, "visits"),
	JSON_MEMBER(struct fl_submitter, matches, "matches"),
	JSON_MEMBER(struct fl_submitter, preemptions, "preemptions"),
	JSON_MEMBER(struct fl_submitter, rejected, "rejected"),
	JSON_NAME(struct fl_submitter, stop, "stopped_by"),
};

static void write_submitter(struct out *out, const struct long_run *run, const struct fl_submitter *submitter)
{
	JSON_WRITE_MEMBERS(out, "{", submitter_members, submitter);
	json_write_exact(out, ",\"long_run\":", long_run_part(run, submitter));
	JSON_WRITE_MEMBERS(out, ",", service_members, submitter);
	json_write_literal(out, "}");
}

static const struct json_member slot_members[] = {
	JSON_MEMBER(struct fl_slot, name, "name"),
	JSON_MEMBER(struct fl_slot, state, "state"),
	JSON_MEMBER(struct fl_slot, weight, "weight"),
	JSON_NAME(struct fl_slot, customer, "customer"),
	JSON_MEMBER(struct fl_slot, since, "since"),
	JSON_MEMBER(struct fl_slot, current_rank, "current_rank"),
	JSON_MEMBER(struct fl_slot, job_number, "job_number"),
	JSON_MEMBER(struct fl_slot, task, "task"),
	JSON_NAME(struct fl_slot, preempting, "preempting"),
	JSON_MEMBER(struct fl_slot, winner_job, "winner_job"),
	JSON_MEMBER(struct fl_slot, winner_task, "winner_task"),
};

static const struct json_member match_members[] = {
	JSON_MEMBER(struct fl_match, submitter, "submitter"),
	JSON_NAME(struct fl_match, slot, "slot"),
	JSON_MEMBER(struct fl_match, job_number, "job_number"),
	JSON_MEMBER(struct fl_match, task, "task"),
	JSON_MEMBER(struct fl_match, weight, "weight"),
	JSON_MEMBER(struct fl_match, rank, "rank"),
	JSON_NAME(struct fl_match, preemption, "preemption"),
	JSON_NAME(struct fl_match, loser, "preempts"),
	JSON_MEMBER(struct fl_match, loser_job, "preempts_job"),
	JSON_MEMBER(struct fl_match, loser_task, "preempts_task"),
};

static const struct json_member contact_members[] = {
	JSON_MEMBER(struct fl_contact, submitter, "submitter"),
	JSON_MEMBER(struct fl_contact, group, "group"),
	JSON_MEMBER(struct fl_contact, spin, "spin"),
};

static const struct json_member limit_members[] = {
	JSON_MEMBER(struct fl_concurrency_limit, name, "name"),
	JSON_MEMBER(struct fl_concurrency_limit, most, "most"),
	JSON_MEMBER(struct fl_concurrency_limit, used, "used"),
};

static void begin_row(struct out *out, size_t k)
{
	json_write_literal(out, k > 0 ? ",\n" : "\n");
}

static void write_queue(struct out *out, const struct fl_view *view, const struct long_run *run)
{
	struct fl_submitter submitter;
	struct fl_contact contact;
	struct fl_match match;

	json_write_literal(out, "],\n\"submitters\":[");
	for (size_t k = 0; !out->error && fl_submitter(view, k, &submitter) == 0; k++) {
		begin_row(out, k);
		write_submitter(out, run, &submitter);
	}
	json_write_literal(out, "],\n\"contacts\":[");
	for (size_t k = 0; !out->error && fl_contact(view, k, &contact) == 0; k++) {
		begin_row(out, k);
		JSON_WRITE_MEMBERS(out, "{", contact_members, &contact);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "],\n\"matches\":[");
	for (size_t k = 0; !out->error && fl_match(view, k, &match) == 0; k++) {
		begin_row(out, k);
		JSON_WRITE_MEMBERS(out, "{", match_members, &match);
		json_write_literal(out, "}");
	}
}

int negotiate_json(const struct fl_view *view, struct out *out, void *query)
{
	struct negotiation_query *negotiation_query = query;
	struct fl_negotiation negotiation;
	struct fl_quota_group group;
	struct fl_concurrency_limit limit;
	struct fl_slot slot;
	struct long_run run;

	negotiation_query->no_userprio = fl_negotiation(view, &negotiation) != 0;
	if (negotiation_query->no_userprio || long_run_begin(&run, view, negotiation_query))
		return EXIT_OK;
	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_bool(out, ",\n\"dry\":", negotiation_query->dry);
	write_cycle(out, &negotiation);
	json_write_literal(out, ",\n\"groups\":[");
	for (size_t k = 0; !out->error && fl_quota_group(view, k, &group) == 0; k++) {
		begin_row(out, k);
		write_group(out, &group);
	}
	write_queue(out, view, &run);
	json_write_literal(out, "],\n\"limits\":[");
	for (size_t k = 0; !out->error && fl_concurrency_limit(view, k, &limit) == 0; k++) {
		begin_row(out, k);
		JSON_WRITE_MEMBERS(out, "{", limit_members, &limit);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "],\n\"slots\":[");
	for (size_t k = 0; !out->error && fl_slot(view, k, &slot) == 0; k++) {
		begin_row(out, k);
		JSON_WRITE_MEMBERS(out, "{", slot_members, &slot);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]}\n");
	long_run_end(&run);
	return EXIT_OK;
}
