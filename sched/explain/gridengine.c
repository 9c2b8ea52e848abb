/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/explain/gridengine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/account.h"
#include "urgency/normalize.h"

#define NPPRIOR_LEAST 0.0
#define NPPRIOR_MOST 2048.0

/* Names */

const char *gridengine_sharer_name(const struct subject *s, enum sharer_kind kind, uint32_t object)
{
	return mirror_text(s->run->mirror, s->run->mirror->objects[kind].items[object].name);
}

const char *gridengine_kind_name(enum sharer_kind kind)
{
	static const char *const names[] = { [SHARER_USER] = "user", [SHARER_PROJECT] = "project", [SHARER_DEPARTMENT] = "department" };

	return names[kind];
}

enum holder_kind gridengine_holder_kind(enum sharer_kind kind)
{
	static const enum holder_kind kinds[] = { [SHARER_USER] = HOLDER_USER, [SHARER_PROJECT] = HOLDER_PROJECT,
						  [SHARER_DEPARTMENT] = HOLDER_DEPARTMENT };

	return kinds[kind];
}

/* Once for all jobs */

static struct share_node *nodes_copy(const struct share_tree *tree)
{
	struct share_node *copy = malloc(tree->n * sizeof(*copy));

	if (copy)
		memcpy(copy, tree->nodes, tree->n * sizeof(*copy));
	return copy;
}

/* What ranking of pending tasks goes by, as tickets/sharetree_pending.c has it. */
static void weigh_running(struct share_tree *tree, const struct run *run)
{
	const struct ticket_class *classes = run->mirror->classes.items;

	for (size_t i = 0; i < run->mirror->classes.pool.n; i++)
		if (classes[i].node != TICKETS_NONE && classes[i].running + classes[i].pending > 0)
			tree->nodes[classes[i].node].has_own = true;
	for (size_t i = 0; i < run->running.active; i++)
		if (classes[run->running.class_id[i]].node != TICKETS_NONE)
			tree->nodes[classes[run->running.class_id[i]].node].running_weight += run->running.weight[i];
	for (size_t i = tree->n; i-- > 1; )
		tree->nodes[tree->nodes[i].parent].running_weight += tree->nodes[i].running_weight;
}

/*
 * The run has left its tree as it is for running tasks. As it was for pending ones it is computed
 * again, from the same classes, users and usage.
 */
static int keep_trees(struct explainer *e, struct gridengine_own *own)
{
	struct gridengine *g = (struct gridengine *)e->sched->policies.in_force;
	const struct mirror *m = &e->sched->mirror;
	const struct ticket_classes classes = { .items = m->classes.items, .n = m->classes.pool.n };

	if (!g->tree.exists)
		return 0;
	own->of_running = nodes_copy(&g->tree.nodes);
	sharetree_refs(&g->tree.nodes, &classes, true);
	sharetree_targets(&g->tree.nodes, g->tickets.compensation_factor);
	weigh_running(&g->tree.nodes, &e->sched->run);
	own->start = sharetree_start(&g->tree.nodes);
	own->of_pending = nodes_copy(&g->tree.nodes);
	return own->of_running && own->of_pending ? 0 : -ENOMEM;
}

static int begin(struct explainer *e)
{
	struct gridengine_own *own = e->own = calloc(1, sizeof(*own));

	if (!own || keep_trees(e, own))
		return -ENOMEM;
	gridengine_find_spread(e, own);
	return 0;
}

static void end(struct explainer *e)
{
	struct gridengine_own *own = e->own;

	if (!own)
		return;
	free(own->of_running);
	free(own->of_pending);
	free(own);
}

/* The sum */

static uint32_t derive_weight(const struct subject *s, const char *name, double value)
{
	return derive_given(s->d, name, weight_bounded(value), "sched_conf");
}

static uint32_t derive_half(const struct subject *s, const char *name, const char *weight)
{
	char text[TEXT_BYTES];

	return derive_given(s->d, name, normalize_used(false, 0.0), text_made(text, "%s and report_pjob_tickets are off", weight));
}

static struct explained_term no_lines(const char *name)
{
	return (struct explained_term){ name, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE };
}

/* Where it counts nowhere it is not computed, and shown as zeros. */
static void derive_nurg(const struct subject *s, struct explained_term *t)
{
	const struct run_record *r = &s->run->record;

	if (!r->use_urgency) {
		t->normalised = derive_half(s, "nurg", "weight_urgency");
		return;
	}
	t->raw = gridengine_derive_urgency(s);
	t->least = derive_given(s->d, "least urgency", r->urg_min, "run");
	gridengine_hold(s, t->least, &s->own->spread.urg_least);
	t->most = derive_given(s->d, "greatest urgency", r->urg_max, "run");
	gridengine_hold(s, t->most, &s->own->spread.urg_most);
	t->normalised = derive(s->d, "nurg", OPERATION_NORMALISED, 3, t->raw, t->least, t->most);
	value_add(s->x, "nurg", t->normalised);
}

static struct explained_term urgency_term(const struct subject *s)
{
	struct explained_term t = no_lines("urgency");

	t.weight = derive_weight(s, "weight_urgency", s->run->record.weight_urgency);
	derive_nurg(s, &t);
	t.contribution = derive(s->d, "urgency in prio", OPERATION_PRODUCT, 2, t.weight, t.normalised);
	return t;
}

/* The policies in the order in which they see what those before them gave. */
static uint32_t derive_tickets(const struct subject *s)
{
	uint32_t (*const derivations[])(const struct subject *) = { gridengine_derive_override, gridengine_derive_functional,
								    gridengine_derive_tree };
	const char *letters = "OFS", *listed = s->g->tickets.policy_hierarchy;
	uint32_t lines[3] = { DERIVED_NONE, DERIVED_NONE, DERIVED_NONE }, sum;

	for (const char *l = listed; *l; l++)
		if (strchr(letters, *l))
			lines[strchr(letters, *l) - letters] = derivations[strchr(letters, *l) - letters](s);
	for (size_t k = 0; k < 3; k++)
		if (!strchr(listed, letters[k]))
			lines[k] = derivations[k](s);
	sum = derive_in(s->d, PRECISION_DOUBLE, "tckts", OPERATION_SUM, 3, lines[2], lines[1], lines[0]);
	sections_begin(s->x, "Tickets in sum");
	sections_columns(s->x, COLUMNS_OF("", "tickets"));
	sections_row(s->x, "share tree", ROW(lines[2]));
	sections_row(s->x, "functional", ROW(lines[1]));
	sections_row(s->x, "override", ROW(lines[0]));
	sections_row(s->x, "tckts", ROW(sum));
	sections_note(s->x, *listed ? "policy_hierarchy %s: each of these ranks by what those before it gave." :
		     "policy_hierarchy%s is NONE: no policy looks at what another one gave.", *listed ? listed : "");
	value_add(s->x, "otckt", lines[0]);
	value_add(s->x, "ftckt", lines[1]);
	value_add(s->x, "stckt", lines[2]);
	value_add(s->x, "tckts", sum);
	return sum;
}

static void derive_share(const struct subject *s, uint32_t tickets)
{
	bool runs = s->running != NONE;
	double all = runs ? s->run->record.running_tickets : s->run->record.pending_tickets;
	uint32_t sum;

	if (!(derived_value(s->d, tickets) > 0) || !(all > 0))
		return;
	sum = derive_given(s->d, runs ? "tickets of all running tasks" : "tickets of all pending tasks", all, "run");
	value_add(s->x, "share", derive(s->d, "share", OPERATION_QUOTIENT, 2, tickets, sum));
	sections_line(s->x, sum);
}

static struct explained_term ticket_term(const struct subject *s)
{
	const struct run_record *r = &s->run->record;
	struct explained_term t = { .name = "tickets", .weight = derive_weight(s, "weight_ticket", r->weight_ticket) };

	t.raw = derive_tickets(s);
	derive_share(s, t.raw);
	t.least = derive_given(s->d, "least tickets", 0.0, "constant");
	t.most = derive_given(s->d, "most tickets", r->tix_max, "run");
	gridengine_hold(s, t.most, &s->own->spread.tix_most);
	if (s->own->spread.tix_most.with_pending)
		sections_note(s->x, "The most tickets are those of job %u among running and pending tasks; as it runs, it is shown what it has "
			     "among running ones.", s->own->spread.tix_most.job);
	t.normalised = derive(s->d, "ntckts", OPERATION_NORMALISED, 3, t.raw, t.least, t.most);
	t.contribution = derive(s->d, "tickets in prio", OPERATION_PRODUCT, 2, t.weight, t.normalised);
	value_add(s->x, "ntckts", t.normalised);
	return t;
}

static struct explained_term priority_term(const struct subject *s)
{
	const struct run_record *r = &s->run->record;
	struct explained_term t = { .name = "priority", .weight = derive_weight(s, "weight_priority", r->weight_priority) };
	int64_t p = (int64_t)job_fact(subject_jobs(s), s->row, priority) - 1024;
	uint32_t given = derive_whole(s->d, "priority of the job", p, "-p"), offset = derive_whole(s->d, "offset", 1024, "constant"), npprior;

	t.raw = derive(s->d, "priority from 1 to 2048", OPERATION_SUM, 2, offset, given);
	t.least = derive_given(s->d, "least priority", NPPRIOR_LEAST, "constant");
	t.most = derive_given(s->d, "greatest priority", NPPRIOR_MOST, "constant");
	npprior = derive(s->d, "npprior", OPERATION_NORMALISED, 3, t.raw, t.least, t.most);
	value_add(s->x, "npprior", npprior);
	t.normalised = r->use_priority ? npprior : derive_half(s, "npprior", "weight_priority");
	t.contribution = derive(s->d, "priority in prio", OPERATION_PRODUCT, 2, t.weight, t.normalised);
	return t;
}

static void derive_prio(const struct subject *s)
{
	struct explained_term urgency = urgency_term(s), tickets = ticket_term(s), priority = priority_term(s);
	struct explanation *x = s->x;

	term_add(x, &urgency);
	term_add(x, s->again ? &priority : &tickets);
	term_add(x, s->again ? &tickets : &priority);
	x->prio = s->again ? derive(s->d, "prio", OPERATION_SUM, 3, urgency.contribution, priority.contribution, tickets.contribution) :
			     derive(s->d, "prio", OPERATION_SUM, 3, urgency.contribution, tickets.contribution, priority.contribution);
	value_add(x, "prio", x->prio);
}

/* What readers are shown is something else there: nothing is compared. */
static void tell_what_is_shown(const struct subject *s)
{
	struct explanation *x = s->x;

	if (x->is_started_now)
		x->note = explanation_text(x, "This run has started it, by these numbers. It is shown none as a running task before the next run.");
	else if (s->running == NONE && !s->run->record.report_pending)
		x->note = explanation_text(x, "report_pjob_tickets is FALSE: all are shown 0 for it, and it is ordered by these.");
	else if (x->is_hidden)
		x->note = explanation_text(x, "It is shown with the first task of its array that waits.");
	else
		return;
	x->is_shown = false;
}

static int explain(struct explainer *e, struct explanation *x)
{
	struct subject s = { .e = e, .x = x, .d = &x->derivation, .g = (const struct gridengine *)e->sched->policies.in_force,
			     .run = &e->sched->run, .own = e->own, .pending = NONE, .running = NONE };
	const char *why = gridengine_find_subject(&s);

	if (s.row == INDEX_NONE)
		return -ESRCH;
	if (why) {
		x->why = why;
		return x->derivation.rc;
	}
	derive_prio(&s);
	tell_what_is_shown(&s);
	return x->derivation.rc;
}

const struct explained_policy gridengine_explained = { "default", true, begin, end, explain };
