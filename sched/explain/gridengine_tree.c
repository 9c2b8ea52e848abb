/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree tickets: part of a node's target for one of its tasks. Each pending task gets less
 * than the one before it; sge_priority(5), share_tree(5), tickets/sharetree.h.
 */
#include <string.h>

#include "conf/lists.h"
#include "sched/explain/gridengine.h"

#define BEFORE_COLUMNS "owner", "tasks", "slots", "their tickets"
#define OWNERS_SHOWN 12

const char *gridengine_node_name(const struct subject *subject, uint32_t node)
{
	const struct cell_tree *tree = &subject->g->tree;
	uint32_t user;

	if (node < tree->nodes.configured)
		return mirror_text(subject->run->mirror, tree->names[node]);
	user = tree->nodes.nodes[node].user;
	return gridengine_sharer_name(subject, SHARER_USER, user);
}

/* Running task */

static uint32_t derive_running(const struct subject *subject, uint32_t pool)
{
	const struct share_node *node = &subject->own->of_running[subject_class(subject)->node];
	struct path_lines at;
	uint32_t all, part;

	gridengine_derive_path(subject, subject->own->of_running, subject_class(subject)->node,
			       subject_class(subject)->node, &at);
	all = derived_unit(subject->d, derive(subject->d, "tickets of the node", OPERATION_PRODUCT, 2, at.ostt, pool),
			   "tickets");
	sections_begin(subject->x, "Share tree tickets");
	sections_line(subject->x, pool);
	sections_line(subject->x, at.ostt);
	sections_line(subject->x, all);
	if (node->jobshares == 0) {
		part = derived_unit(subject->d,
				    derive_whole(subject->d, "running tasks of the node", node->refs, "run"), "tasks");
		sections_line(subject->x, part);
		part = derive(subject->d, "stckt", OPERATION_QUOTIENT, 2, all, part);
	} else {
		uint32_t own = derive_whole(subject->d, "job share", subject_class(subject)->jobshare, "-js");
		uint32_t sum =
			derive_whole(subject->d, "job shares of the running tasks of the node", node->jobshares, "-js");

		sections_line(subject->x, own);
		sections_line(subject->x, sum);
		part = derive_in(subject->d, PRECISION_DOUBLE, "job share x tickets", OPERATION_PRODUCT, 2, own, all);
		part = derive(subject->d, "part of the node", OPERATION_QUOTIENT, 2, part, sum);
		part = derive(subject->d, "stckt", OPERATION_TRUNCATED, 1, part);
	}
	sections_line(subject->x, part);
	sections_note(subject->x, "Running tasks are ranked without pending tasks.");
	return part;
}

/* Pending task */

/* Return the node whose ranking of the task counts: the start node, or its child on the path. */
static uint32_t ranking_node(const struct subject *subject, uint32_t node)
{
	const struct share_node *nodes = subject->own->of_pending;

	while (node != subject->own->start &&
	       !(nodes[node].parent == subject->own->start && !nodes[subject->own->start].has_own))
		node = nodes[node].parent;
	return node;
}

static bool is_below(const struct share_node *nodes, uint32_t node, uint32_t above)
{
	while (node != TICKETS_NONE && node != above)
		node = nodes[node].parent;
	return node == above;
}

struct owner_before {
	uint32_t owner;			/* string id */
	uint32_t tasks;
	uint64_t slots;
	double tickets;
};

static struct owner_before *owner_find(struct owner_before **owners, size_t *n, uint32_t owner)
{
	struct owner_before *owner_before;

	for (size_t i = 0; i < *n; i++)
		if ((*owners)[i].owner == owner)
			return &(*owners)[i];
	owner_before = array_add(owners, n, sizeof(*owner_before));
	if (owner_before)
		owner_before->owner = owner;
	return owner_before;
}

/*
 * Find the tasks before this one, which have more tickets. The target is divided by a number that
 * grows from each task to the next.
 */
static size_t find_before(const struct subject *subject, uint32_t above, struct owner_before **owners)
{
	const struct class_walk *walk = &subject->g->classes;
	double own = subject->g->pending.share_tree[subject->pending];
	size_t n = 0;

	for (size_t i = 0; i < walk->n; i++) {
		const struct ticket_class *class = &subject->run->mirror->classes.items[walk->order[i]];
		struct owner_before *owner = NULL;

		if (class->node == TICKETS_NONE || !is_below(subject->own->of_pending, class->node, above))
			continue;
		for (uint32_t task = class->begin; task < class->begin + class->pending; task++) {
			if (!(subject->g->pending.share_tree[task] > own))
				continue;
			if (!owner)
				owner = owner_find(owners, &n,
						   classes_key(&subject->run->mirror->classes, walk->order[i])->owner);
			if (!owner) {
				subject->d->rc = -ENOMEM;
				return n;
			}
			owner->tasks++;
			owner->slots += subject->g->pending.weight[task];
			owner->tickets += subject->g->pending.share_tree[task];
		}
	}
	return n;
}

static int by_slots(const void *a, const void *b)
{
	const struct owner_before *x = a, *y = b;

	return x->slots != y->slots ? x->slots < y->slots ? 1 : -1 : x->owner < y->owner ? -1 : x->owner > y->owner;
}

/*
 * Derive the divisor: 1 and the slots of all tasks before it, first running tasks, then pending
 * ones.
 */
static uint32_t derive_dilution(const struct subject *subject, uint32_t above)
{
	struct owner_before *owners = NULL;
	size_t n = find_before(subject, above, &owners);
	struct line_operand *terms = calloc(n + 2, sizeof(*terms));
	char text[TEXT_BYTES];
	uint32_t line = DERIVED_NONE;

	sections_begin(subject->x, text_made(text, "Before it at %s", gridengine_node_name(subject, above)));
	sections_columns(subject->x, COLUMNS_OF(BEFORE_COLUMNS));
	if (n > 1)
		qsort(owners, n, sizeof(*owners), by_slots);
	if (terms) {
		terms[0] = (struct line_operand){ derive_whole(subject->d, "itself", 1, "constant"), 1 };
		terms[1] = (struct line_operand){
			derived_unit(subject->d,
				     derive_whole(subject->d, "slots of running tasks",
						  (int64_t)subject->own->of_pending[above].running_weight, "run"),
				     "slots"),
			1
		};
		sections_row(subject->x, "running", ROW(DERIVED_NONE, terms[1].line));
	} else {
		subject->d->rc = -ENOMEM;
	}
	for (size_t i = 0; terms && i < n; i++) {
		const char *who = mirror_text(subject->run->mirror, owners[i].owner);
		uint32_t tasks = derived_unit(
			subject->d,
			derive_whole(subject->d, text_made(text, "tasks of %s before it", who), owners[i].tasks, "run"),
			"tasks");
		uint32_t slots = derive_whole(subject->d, text_made(text, "slots of tasks of %s", who),
					      (int64_t)owners[i].slots, "run");

		derived_holder(subject->d, derived_unit(subject->d, slots, "slots"), HOLDER_USER, who);
		terms[i + 2] = (struct line_operand){ slots, 1 };
		if (i < OWNERS_SHOWN)
			sections_row(
				subject->x, who,
				ROW(tasks, slots,
				    derive_given(subject->d, text_made(text, "share tree tickets of tasks of %s", who),
						 owners[i].tickets, "run")));
	}
	if (n > OWNERS_SHOWN)
		sections_note(subject->x, "And %zu other owners.", n - OWNERS_SHOWN);
	if (terms)
		line = derive_from(subject->d, PRECISION_WHOLE, "1 and the slots before it", OPERATION_SUM, terms,
				   n + 2);
	sections_row(subject->x, "in sum, and 1", ROW(DERIVED_NONE, line));
	sections_note(
		subject->x,
		"Tasks of a node are sorted by the tickets of earlier policies and by -js. "
		"For each next task the target is divided by one slot more.");
	free(terms);
	free(owners);
	return line;
}

static uint32_t derive_pending(const struct subject *subject, uint32_t pool)
{
	uint32_t node = subject_class(subject)->node, above = ranking_node(subject, node), dilution, part, line;
	struct path_lines at;

	gridengine_derive_path(subject, subject->own->of_pending, node, above, &at);
	dilution = derive_dilution(subject, above);
	sections_begin(subject->x, "Share tree tickets");
	sections_line(subject->x, at.stt);
	sections_line(subject->x, dilution);
	part = derive(subject->d, "part of the target", OPERATION_QUOTIENT, 2, at.stt, dilution);
	sections_line(subject->x, part);
	sections_line(subject->x, pool);
	line = derive(subject->d, "stckt", OPERATION_PRODUCT, 2, part, pool);
	sections_line(subject->x, line);
	sections_note(
		subject->x,
		"The target of %s counts, where the tree branches first. Nodes below it set the order only.",
		gridengine_node_name(subject, above));
	return line;
}

static uint32_t none(const struct subject *subject, const char *why)
{
	sections_begin(subject->x, "Share tree tickets");
	sections_note(subject->x, "%s", why);
	return derive_given(subject->d, "stckt", 0.0, "no share tree tickets");
}

uint32_t gridengine_derive_tree(const struct subject *subject)
{
	uint32_t pool;

	if (!(subject->g->tickets.share_tickets > 0))
		return none(subject, "weight_tickets_share is 0: there are no share tree tickets.");
	if (!subject->g->tree.exists)
		return none(subject, "There is no share tree.");
	if (subject_class(subject)->node == TICKETS_NONE)
		return none(
			subject,
			"The share tree has no node for its project, or without a project for its owner, and no node "
			"named default.");
	pool = derived_unit(subject->d,
			    derive_whole(subject->d, "weight_tickets_share", (int64_t)subject->g->tickets.share_tickets,
					 "sched_conf"),
			    "tickets");
	return subject->pending == NONE ? derive_running(subject, pool) : derive_pending(subject, pool);
}
