/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "sched/cli/negotiate.h"
#include "sched/process/json.h"

static void write_cycle(struct out *o, const struct fl_negotiation *n)
{
	json_write_number(o, ",\n\"cycle\":", (int64_t)n->cycle);
	json_write_number(o, ",\"begin\":", n->begin);
	json_write_number(o, ",\"last_update\":", n->last_update);
	json_write_number(o, ",\"next\":", n->next);
	json_write_number(o, ",\"duration_ns\":", (int64_t)n->duration_ns);
	json_write_number(o, ",\"phase_ns\":{\"account\":", (int64_t)n->account_ns);
	json_write_number(o, ",\"quota\":", (int64_t)n->quota_ns);
	json_write_number(o, ",\"slice\":", (int64_t)n->slice_ns);
	json_write_number(o, ",\"match\":", (int64_t)n->match_ns);
	json_write_exact(o, "},\n\"pool_weight\":", n->pool_weight);
	json_write_exact(o, ",\"pool_counted\":", n->pool_counted);
	json_write_exact(o, ",\"least_weight\":", n->least_weight);
	json_write_exact(o, ",\"halflife\":", n->halflife);
	json_write_bool(o, ",\"use_weights\":", n->use_weights);
	json_write_bool(o, ",\"consider_preemption\":", n->consider_preemption);
	json_write_number(o, ",\"slots_trimmed\":", n->trimmed);
	json_write_number(o, ",\"spins\":", n->spins);
	json_write_number(o, ",\"rounds\":", n->rounds);
	json_write_number(o, ",\"matched\":", n->matches);
	json_write_number(o, ",\"preempted\":", n->preemptions);
}

static void write_group(struct out *o, const struct fl_quota_group *g)
{
	json_write_string(o, "{\"name\":", g->name);
	json_write_number(o, ",\"parent\":", g->parent);
	json_write_bool(o, ",\"static\":", g->is_static);
	json_write_exact(o, ",\"configured\":", g->configured);
	json_write_string_or_null(o, ",\"quota_by\":", g->quota_by);
	json_write_bool(o, ",\"accepts_surplus\":", g->accepts_surplus);
	json_write_string_or_null(o, ",\"surplus_by\":", g->surplus_by);
	json_write_bool(o, ",\"autoregroup\":", g->autoregroup);
	json_write_string_or_null(o, ",\"autoregroup_by\":", g->autoregroup_by);
	json_write_exact(o, ",\"quota\":", g->quota);
	json_write_exact(o, ",\"subtree_quota\":", g->subtree_quota);
	json_write_exact(o, ",\"requested\":", g->requested);
	json_write_exact(o, ",\"allocated_first\":", g->first_allocated);
	json_write_exact(o, ",\"allocated\":", g->allocated);
	json_write_exact(o, ",\"limit_before_cut\":", g->limit < 0.0 ? NAN : g->uncut);
	json_write_exact(o, ",\"limit\":", g->limit < 0.0 ? NAN : g->limit);
	json_write_string_or_null(o, ",\"capped_by\":", g->capped_by);
	json_write_exact(o, ",\"weight_used\":", g->weight_used);
	json_write_exact(o, ",\"tree_used\":", g->tree_used);
	json_write_exact(o, ",\"sort_key\":", g->sort_key);
	json_write_number(o, ",\"order\":", g->order);
	json_write_literal(o, "}");
}

static void write_submitter(struct out *o, const struct long_run *run, const struct fl_submitter *s)
{
	json_write_string(o, "{\"name\":", s->name);
	json_write_string(o, ",\"group\":", s->group);
	json_write_exact(o, ",\"rup\":", s->rup);
	json_write_exact(o, ",\"factor\":", s->factor);
	json_write_exact(o, ",\"eup\":", s->eup);
	json_write_exact(o, ",\"weight_used\":", s->weight_used);
	json_write_number(o, ",\"ceiling\":", s->ceiling);
	json_write_number(o, ",\"floor\":", s->floor);
	json_write_number(o, ",\"idle\":", s->idle);
	json_write_number(o, ",\"running\":", s->running);
	json_write_exact(o, ",\"weight_idle\":", s->weight_idle);
	json_write_exact(o, ",\"weight_running\":", s->weight_running);
	json_write_exact(o, ",\"share\":", s->share);
	json_write_exact(o, ",\"slice\":", s->slice);
	json_write_exact(o, ",\"limit\":", s->limit);
	json_write_exact(o, ",\"long_run\":", long_run_part(run, s));
	json_write_number(o, ",\"spins\":", s->spins);
	json_write_number(o, ",\"visits\":", s->visits);
	json_write_number(o, ",\"matches\":", s->matches);
	json_write_number(o, ",\"preemptions\":", s->preemptions);
	json_write_number(o, ",\"rejected\":", s->rejected);
	json_write_string_or_null(o, ",\"stopped_by\":", s->stop);
	json_write_literal(o, "}");
}

static void write_slot(struct out *o, const struct fl_slot *s)
{
	json_write_string(o, "{\"name\":", s->name);
	json_write_string(o, ",\"state\":", s->state);
	json_write_exact(o, ",\"weight\":", s->weight);
	json_write_string_or_null(o, ",\"customer\":", s->customer);
	json_write_number(o, ",\"since\":", s->since);
	json_write_exact(o, ",\"current_rank\":", s->current_rank);
	json_write_number(o, ",\"job_number\":", s->job_number);
	json_write_number(o, ",\"task\":", s->task);
	json_write_string_or_null(o, ",\"preempting\":", s->preempting);
	json_write_number(o, ",\"winner_job\":", s->winner_job);
	json_write_number(o, ",\"winner_task\":", s->winner_task);
	json_write_literal(o, "}");
}

static void write_match(struct out *o, const struct fl_match *m)
{
	json_write_string(o, "{\"submitter\":", m->submitter);
	json_write_string_or_null(o, ",\"slot\":", m->slot);
	json_write_number(o, ",\"job_number\":", m->job_number);
	json_write_number(o, ",\"task\":", m->task);
	json_write_exact(o, ",\"weight\":", m->weight);
	json_write_exact(o, ",\"rank\":", m->rank);
	json_write_string_or_null(o, ",\"preemption\":", m->preemption);
	json_write_string_or_null(o, ",\"preempts\":", m->loser);
	json_write_number(o, ",\"preempts_job\":", m->loser_job);
	json_write_number(o, ",\"preempts_task\":", m->loser_task);
	json_write_literal(o, "}");
}

static void begin_row(struct out *o, size_t k)
{
	json_write_literal(o, k > 0 ? ",\n" : "\n");
}

static void write_queue(struct out *o, const struct fl_view *view, const struct long_run *run)
{
	struct fl_submitter s;
	struct fl_contact c;
	struct fl_match m;

	json_write_literal(o, "],\n\"submitters\":[");
	for (size_t k = 0; !o->error && fl_submitter(view, k, &s) == 0; k++) {
		begin_row(o, k);
		write_submitter(o, run, &s);
	}
	json_write_literal(o, "],\n\"contacts\":[");
	for (size_t k = 0; !o->error && fl_contact(view, k, &c) == 0; k++) {
		begin_row(o, k);
		json_write_string(o, "{\"submitter\":", c.submitter);
		json_write_string(o, ",\"group\":", c.group);
		json_write_number(o, ",\"spin\":", c.spin);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "],\n\"matches\":[");
	for (size_t k = 0; !o->error && fl_match(view, k, &m) == 0; k++) {
		begin_row(o, k);
		write_match(o, &m);
	}
}

int negotiate_json(const struct fl_view *view, struct out *o, void *query)
{
	struct negotiation_query *q = query;
	struct fl_negotiation n;
	struct fl_quota_group g;
	struct fl_concurrency_limit l;
	struct fl_slot s;
	struct long_run run;

	q->no_userprio = fl_negotiation(view, &n) != 0;
	if (q->no_userprio || long_run_begin(&run, view, q))
		return EXIT_OK;
	json_write_literal(o, "{");
	cli_json_run(o, view);
	json_write_bool(o, ",\n\"dry\":", q->dry);
	write_cycle(o, &n);
	json_write_literal(o, ",\n\"groups\":[");
	for (size_t k = 0; !o->error && fl_quota_group(view, k, &g) == 0; k++) {
		begin_row(o, k);
		write_group(o, &g);
	}
	write_queue(o, view, &run);
	json_write_literal(o, "],\n\"limits\":[");
	for (size_t k = 0; !o->error && fl_concurrency_limit(view, k, &l) == 0; k++) {
		begin_row(o, k);
		json_write_string(o, "{\"name\":", l.name);
		json_write_exact(o, ",\"most\":", l.most);
		json_write_exact(o, ",\"used\":", l.used);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "],\n\"slots\":[");
	for (size_t k = 0; !o->error && fl_slot(view, k, &s) == 0; k++) {
		begin_row(o, k);
		write_slot(o, &s);
	}
	json_write_literal(o, "]}\n");
	long_run_end(&run);
	return EXIT_OK;
}
