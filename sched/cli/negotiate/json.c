/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "sched/cli/negotiate/negotiate.h"
#include "sched/process/json.h"

static void write_cycle(struct out *out, const struct fl_negotiation *negotiation)
{
	json_write_number(out, ",\n\"cycle\":", (int64_t)negotiation->cycle);
	json_write_number(out, ",\"begin\":", negotiation->begin);
	json_write_number(out, ",\"last_update\":", negotiation->last_update);
	json_write_number(out, ",\"next\":", negotiation->next);
	json_write_number(out, ",\"duration_ns\":", (int64_t)negotiation->duration_ns);
	json_write_number(out, ",\"phase_ns\":{\"account\":", (int64_t)negotiation->account_ns);
	json_write_number(out, ",\"quota\":", (int64_t)negotiation->quota_ns);
	json_write_number(out, ",\"slice\":", (int64_t)negotiation->slice_ns);
	json_write_number(out, ",\"match\":", (int64_t)negotiation->match_ns);
	json_write_exact(out, "},\n\"pool_weight\":", negotiation->pool_weight);
	json_write_exact(out, ",\"pool_counted\":", negotiation->pool_counted);
	json_write_exact(out, ",\"least_weight\":", negotiation->least_weight);
	json_write_exact(out, ",\"halflife\":", negotiation->halflife);
	json_write_bool(out, ",\"use_weights\":", negotiation->use_weights);
	json_write_bool(out, ",\"consider_preemption\":", negotiation->consider_preemption);
	json_write_number(out, ",\"slots_trimmed\":", negotiation->trimmed);
	json_write_number(out, ",\"spins\":", negotiation->spins);
	json_write_number(out, ",\"rounds\":", negotiation->rounds);
	json_write_number(out, ",\"matched\":", negotiation->matches);
	json_write_number(out, ",\"preempted\":", negotiation->preemptions);
}

static void write_group(struct out *out, const struct fl_quota_group *group)
{
	json_write_string(out, "{\"name\":", group->name);
	json_write_number(out, ",\"parent\":", group->parent);
	json_write_bool(out, ",\"static\":", group->is_static);
	json_write_exact(out, ",\"configured\":", group->configured);
	json_write_string_or_null(out, ",\"quota_by\":", group->quota_by);
	json_write_bool(out, ",\"accepts_surplus\":", group->accepts_surplus);
	json_write_string_or_null(out, ",\"surplus_by\":", group->surplus_by);
	json_write_bool(out, ",\"autoregroup\":", group->autoregroup);
	json_write_string_or_null(out, ",\"autoregroup_by\":", group->autoregroup_by);
	json_write_exact(out, ",\"quota\":", group->quota);
	json_write_exact(out, ",\"subtree_quota\":", group->subtree_quota);
	json_write_exact(out, ",\"requested\":", group->requested);
	json_write_exact(out, ",\"allocated_first\":", group->first_allocated);
	json_write_exact(out, ",\"allocated\":", group->allocated);
	json_write_exact(out, ",\"limit_before_cut\":", group->limit < 0.0 ? NAN : group->uncut);
	json_write_exact(out, ",\"limit\":", group->limit < 0.0 ? NAN : group->limit);
	json_write_string_or_null(out, ",\"capped_by\":", group->capped_by);
	json_write_exact(out, ",\"weight_used\":", group->weight_used);
	json_write_exact(out, ",\"tree_used\":", group->tree_used);
	json_write_exact(out, ",\"sort_key\":", group->sort_key);
	json_write_number(out, ",\"order\":", group->order);
	json_write_literal(out, "}");
}

static void write_submitter(struct out *out, const struct long_run *run, const struct fl_submitter *submitter)
{
	json_write_string(out, "{\"name\":", submitter->name);
	json_write_string(out, ",\"group\":", submitter->group);
	json_write_exact(out, ",\"rup\":", submitter->rup);
	json_write_exact(out, ",\"factor\":", submitter->factor);
	json_write_exact(out, ",\"eup\":", submitter->eup);
	json_write_exact(out, ",\"weight_used\":", submitter->weight_used);
	json_write_number(out, ",\"ceiling\":", submitter->ceiling);
	json_write_number(out, ",\"floor\":", submitter->floor);
	json_write_number(out, ",\"idle\":", submitter->idle);
	json_write_number(out, ",\"running\":", submitter->running);
	json_write_exact(out, ",\"weight_idle\":", submitter->weight_idle);
	json_write_exact(out, ",\"weight_running\":", submitter->weight_running);
	json_write_exact(out, ",\"share\":", submitter->share);
	json_write_exact(out, ",\"slice\":", submitter->slice);
	json_write_exact(out, ",\"limit\":", submitter->limit);
	json_write_exact(out, ",\"long_run\":", long_run_part(run, submitter));
	json_write_number(out, ",\"spins\":", submitter->spins);
	json_write_number(out, ",\"visits\":", submitter->visits);
	json_write_number(out, ",\"matches\":", submitter->matches);
	json_write_number(out, ",\"preemptions\":", submitter->preemptions);
	json_write_number(out, ",\"rejected\":", submitter->rejected);
	json_write_string_or_null(out, ",\"stopped_by\":", submitter->stop);
	json_write_literal(out, "}");
}

static void write_slot(struct out *out, const struct fl_slot *slot)
{
	json_write_string(out, "{\"name\":", slot->name);
	json_write_string(out, ",\"state\":", slot->state);
	json_write_exact(out, ",\"weight\":", slot->weight);
	json_write_string_or_null(out, ",\"customer\":", slot->customer);
	json_write_number(out, ",\"since\":", slot->since);
	json_write_exact(out, ",\"current_rank\":", slot->current_rank);
	json_write_number(out, ",\"job_number\":", slot->job_number);
	json_write_number(out, ",\"task\":", slot->task);
	json_write_string_or_null(out, ",\"preempting\":", slot->preempting);
	json_write_number(out, ",\"winner_job\":", slot->winner_job);
	json_write_number(out, ",\"winner_task\":", slot->winner_task);
	json_write_literal(out, "}");
}

static void write_match(struct out *out, const struct fl_match *match)
{
	json_write_string(out, "{\"submitter\":", match->submitter);
	json_write_string_or_null(out, ",\"slot\":", match->slot);
	json_write_number(out, ",\"job_number\":", match->job_number);
	json_write_number(out, ",\"task\":", match->task);
	json_write_exact(out, ",\"weight\":", match->weight);
	json_write_exact(out, ",\"rank\":", match->rank);
	json_write_string_or_null(out, ",\"preemption\":", match->preemption);
	json_write_string_or_null(out, ",\"preempts\":", match->loser);
	json_write_number(out, ",\"preempts_job\":", match->loser_job);
	json_write_number(out, ",\"preempts_task\":", match->loser_task);
	json_write_literal(out, "}");
}

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
		json_write_string(out, "{\"submitter\":", contact.submitter);
		json_write_string(out, ",\"group\":", contact.group);
		json_write_number(out, ",\"spin\":", contact.spin);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "],\n\"matches\":[");
	for (size_t k = 0; !out->error && fl_match(view, k, &match) == 0; k++) {
		begin_row(out, k);
		write_match(out, &match);
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
		json_write_string(out, "{\"name\":", limit.name);
		json_write_exact(out, ",\"most\":", limit.most);
		json_write_exact(out, ",\"used\":", limit.used);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "],\n\"slots\":[");
	for (size_t k = 0; !out->error && fl_slot(view, k, &slot) == 0; k++) {
		begin_row(out, k);
		write_slot(out, &slot);
	}
	json_write_literal(out, "]}\n");
	long_run_end(&run);
	return EXIT_OK;
}
