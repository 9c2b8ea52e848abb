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

const char *gridengine_sharer_name(const struct subject *subject, enum sharer_kind kind, uint32_t object)
{
	return mirror_text(subject->run->mirror, subject->run->mirror->objects[kind].items[object].name);
}

const char *gridengine_kind_name(enum sharer_kind kind)
{
	static const char *const names[] = {
		[SHARER_USER] = "user", [SHARER_PROJECT] = "project", [SHARER_DEPARTMENT] = "department"
	};

	return names[kind];
}

enum holder_kind gridengine_holder_kind(enum sharer_kind kind)
{
	static const enum holder_kind kinds[] = { [SHARER_USER] = HOLDER_USER, [SHARER_PROJECT] = HOLDER_PROJECT,
						  [SHARER_DEPARTMENT] = HOLDER_DEPARTMENT };

	return kinds[kind];
}

/* Preparation for all jobs */

static struct share_node *nodes_copy(const struct share_tree *tree)
{
	struct share_node *copy = malloc(tree->n * sizeof(*copy));

	if (copy)
		memcpy(copy, tree->nodes, tree->n * sizeof(*copy));
	return copy;
}

/* Set the weights by which pending tasks are ranked, as tickets/sharetree_pending.c does. */
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
 * Keep both states of the share tree. The run leaves the state for running tasks. The state for
 * pending tasks is computed again from the same classes, users and usage.
 */
static int keep_trees(struct explainer *explainer, struct gridengine_own *own)
{
	struct gridengine *gridengine = (struct gridengine *)explainer->sched->policies.in_force;
	const struct mirror *mirror = &explainer->sched->mirror;
	const struct ticket_classes classes = { .items = mirror->classes.items, .n = mirror->classes.pool.n };

	if (!gridengine->tree.exists)
		return 0;
	own->of_running = nodes_copy(&gridengine->tree.nodes);
	sharetree_refs(&gridengine->tree.nodes, &classes, true);
	sharetree_targets(&gridengine->tree.nodes, gridengine->tickets.compensation_factor);
	weigh_running(&gridengine->tree.nodes, &explainer->sched->run);
	own->start = sharetree_start(&gridengine->tree.nodes);
	own->of_pending = nodes_copy(&gridengine->tree.nodes);
	return own->of_running && own->of_pending ? 0 : -ENOMEM;
}

static int begin(struct explainer *explainer)
{
	struct gridengine_own *own = explainer->own = calloc(1, sizeof(*own));

	if (!own || keep_trees(explainer, own))
		return -ENOMEM;
	gridengine_find_spread(explainer, own);
	return 0;
}

static void end(struct explainer *explainer)
{
	struct gridengine_own *own = explainer->own;

	if (!own)
		return;
	free(own->of_running);
	free(own->of_pending);
	free(own);
}

/* The sum */

static uint32_t derive_weight(const struct subject *subject, const char *name, double value)
{
	return derive_given(subject->d, name, weight_bounded(value), "sched_conf");
}

static uint32_t derive_half(const struct subject *subject, const char *name, const char *weight)
{
	char text[TEXT_BYTES];

	return derive_given(subject->d, name, normalize_used(false, 0.0),
			    text_made(text, "%s and report_pjob_tickets are off", weight));
}

static struct explained_term no_lines(const char *name)
{
	return (struct explained_term){ name,	      DERIVED_NONE, DERIVED_NONE, DERIVED_NONE,
					DERIVED_NONE, DERIVED_NONE, DERIVED_NONE };
}

/* Derive the normalised urgency. If no weight uses it, it was not computed and is shown as 0. */
static void derive_nurg(const struct subject *subject, struct explained_term *term)
{
	const struct run_record *record = &subject->run->record;

	if (!record->use_urgency) {
		term->normalised = derive_half(subject, "nurg", "weight_urgency");
		return;
	}
	term->raw = gridengine_derive_urgency(subject);
	term->least = derive_given(subject->d, "least urgency", record->urg_min, "run");
	gridengine_hold(subject, term->least, &subject->own->spread.urg_least);
	term->most = derive_given(subject->d, "greatest urgency", record->urg_max, "run");
	gridengine_hold(subject, term->most, &subject->own->spread.urg_most);
	term->normalised = derive(subject->d, "nurg", OPERATION_NORMALISED, 3, term->raw, term->least, term->most);
	value_add(subject->x, "nurg", term->normalised);
}

static struct explained_term urgency_term(const struct subject *subject)
{
	struct explained_term term = no_lines("urgency");

	term.weight = derive_weight(subject, "weight_urgency", subject->run->record.weight_urgency);
	derive_nurg(subject, &term);
	term.contribution = derive(subject->d, "urgency in prio", OPERATION_PRODUCT, 2, term.weight, term.normalised);
	return term;
}

/*
 * Derive the tickets of each policy in their configured order, because each one uses the results of
 * those before it.
 */
static uint32_t derive_tickets(const struct subject *subject)
{
	uint32_t (*const derivations[])(const struct subject *) = { gridengine_derive_override,
								    gridengine_derive_functional,
								    gridengine_derive_tree };
	const char *letters = "OFS", *listed = subject->g->tickets.policy_hierarchy;
	uint32_t lines[3] = { DERIVED_NONE, DERIVED_NONE, DERIVED_NONE }, sum;

	for (const char *l = listed; *l; l++)
		if (strchr(letters, *l))
			lines[strchr(letters, *l) - letters] = derivations[strchr(letters, *l) - letters](subject);
	for (size_t k = 0; k < 3; k++)
		if (!strchr(listed, letters[k]))
			lines[k] = derivations[k](subject);
	sum = derive_in(subject->d, PRECISION_DOUBLE, "tckts", OPERATION_SUM, 3, lines[2], lines[1], lines[0]);
	sections_begin(subject->x, "Tickets in sum");
	sections_columns(subject->x, COLUMNS_OF("", "tickets"));
	sections_row(subject->x, "share tree", ROW(lines[2]));
	sections_row(subject->x, "functional", ROW(lines[1]));
	sections_row(subject->x, "override", ROW(lines[0]));
	sections_row(subject->x, "tckts", ROW(sum));
	sections_note(subject->x,
		      *listed ? "policy_hierarchy %s: each policy ranks tasks by the tickets of those before it."
			      : "policy_hierarchy%s is NONE: no policy uses the tickets of another one.",
		      *listed ? listed : "");
	value_add(subject->x, "otckt", lines[0]);
	value_add(subject->x, "ftckt", lines[1]);
	value_add(subject->x, "stckt", lines[2]);
	value_add(subject->x, "tckts", sum);
	return sum;
}

static void derive_share(const struct subject *subject, uint32_t tickets)
{
	bool runs = subject->running != NONE;
	double all = runs ? subject->run->record.running_tickets : subject->run->record.pending_tickets;
	uint32_t sum;

	if (!(derived_value(subject->d, tickets) > 0) || !(all > 0))
		return;
	sum = derive_given(subject->d, runs ? "tickets of all running tasks" : "tickets of all pending tasks", all,
			   "run");
	value_add(subject->x, "share", derive(subject->d, "share", OPERATION_QUOTIENT, 2, tickets, sum));
	sections_line(subject->x, sum);
}

static struct explained_term ticket_term(const struct subject *subject)
{
	const struct run_record *record = &subject->run->record;
	struct explained_term term = { .name = "tickets",
				       .weight = derive_weight(subject, "weight_ticket", record->weight_ticket) };

	term.raw = derive_tickets(subject);
	derive_share(subject, term.raw);
	term.least = derive_given(subject->d, "least tickets", 0.0, "constant");
	term.most = derive_given(subject->d, "most tickets", record->tix_max, "run");
	gridengine_hold(subject, term.most, &subject->own->spread.tix_most);
	if (subject->own->spread.tix_most.with_pending)
		sections_note(
			subject->x,
			"Job %u has the most tickets when running and pending tasks are ranked together. It is "
			"running, so its tickets among running tasks are shown.",
			subject->own->spread.tix_most.job);
	term.normalised = derive(subject->d, "ntckts", OPERATION_NORMALISED, 3, term.raw, term.least, term.most);
	term.contribution = derive(subject->d, "tickets in prio", OPERATION_PRODUCT, 2, term.weight, term.normalised);
	value_add(subject->x, "ntckts", term.normalised);
	return term;
}

static struct explained_term priority_term(const struct subject *subject)
{
	const struct run_record *record = &subject->run->record;
	struct explained_term term = { .name = "priority",
				       .weight = derive_weight(subject, "weight_priority", record->weight_priority) };
	int64_t p = (int64_t)job_fact(subject_jobs(subject), subject->row, priority) - 1024;
	uint32_t given = derive_whole(subject->d, "priority of the job", p, "-p"),
		 offset = derive_whole(subject->d, "offset", 1024, "constant"), npprior;

	term.raw = derive(subject->d, "priority from 1 to 2048", OPERATION_SUM, 2, offset, given);
	term.least = derive_given(subject->d, "least priority", NPPRIOR_LEAST, "constant");
	term.most = derive_given(subject->d, "greatest priority", NPPRIOR_MOST, "constant");
	npprior = derive(subject->d, "npprior", OPERATION_NORMALISED, 3, term.raw, term.least, term.most);
	value_add(subject->x, "npprior", npprior);
	term.normalised = record->use_priority ? npprior : derive_half(subject, "npprior", "weight_priority");
	term.contribution = derive(subject->d, "priority in prio", OPERATION_PRODUCT, 2, term.weight, term.normalised);
	return term;
}

static void derive_prio(const struct subject *subject)
{
	struct explained_term urgency = urgency_term(subject), tickets = ticket_term(subject),
			      priority = priority_term(subject);
	struct explanation *explanation = subject->x;

	term_add(explanation, &urgency);
	term_add(explanation, subject->again ? &priority : &tickets);
	term_add(explanation, subject->again ? &tickets : &priority);
	explanation->prio = subject->again ? derive(subject->d, "prio", OPERATION_SUM, 3, urgency.contribution,
						    priority.contribution, tickets.contribution)
					   : derive(subject->d, "prio", OPERATION_SUM, 3, urgency.contribution,
						    tickets.contribution, priority.contribution);
	value_add(explanation, "prio", explanation->prio);
}

/* Set the note if the published numbers are different ones, which are not compared. */
static void note_what_is_shown(const struct subject *subject)
{
	struct explanation *explanation = subject->x;

	if (explanation->is_started_now)
		explanation->note = explanation_text(
			explanation,
			"This run has started it with these numbers. "
			"The next run shows its numbers as a running task.");
	else if (subject->running == NONE && !subject->run->record.report_pending)
		explanation->note = explanation_text(
			explanation,
			"report_pjob_tickets is FALSE: 0 is shown for all tickets, but the job is sorted by these.");
	else if (explanation->is_hidden)
		explanation->note =
			explanation_text(explanation, "The list shows only the first pending task of its array.");
	else
		return;
	explanation->is_shown = false;
}

static int explain(struct explainer *explainer, struct explanation *explanation)
{
	struct subject subject = { .e = explainer,
				   .x = explanation,
				   .d = &explanation->derivation,
				   .g = (const struct gridengine *)explainer->sched->policies.in_force,
				   .run = &explainer->sched->run,
				   .own = explainer->own,
				   .pending = NONE,
				   .running = NONE };
	const char *why = gridengine_find_subject(&subject);

	if (subject.row == INDEX_NONE)
		return -ESRCH;
	if (why) {
		explanation->why = why;
		return explanation->derivation.rc;
	}
	derive_prio(&subject);
	note_what_is_shown(&subject);
	return explanation->derivation.rc;
}

const struct explained_policy gridengine_explained = {
	.name = "default", .looks_inside = true, .begin = begin, .end = end, .explain = explain,
};
