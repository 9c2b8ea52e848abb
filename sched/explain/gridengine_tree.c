/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Share tree tickets: what the target of a node comes to for one of its tasks. Of those that wait
 * each gets less than the one before it; sge_priority(5), share_tree(5), tickets/sharetree.h.
 */
#include <string.h>

#include "conf/lists.h"
#include "sched/explain/gridengine.h"

#define BEFORE_COLUMNS "owner", "tasks", "slots", "their tickets"
#define OWNERS_SHOWN 12

const char *gridengine_node_name(const struct subject *s, uint32_t node)
{
	const struct cell_tree *tree = &s->g->tree;
	uint32_t user;

	if (node < tree->nodes.configured)
		return mirror_text(s->run->mirror, tree->names[node]);
	user = tree->nodes.nodes[node].user;
	return gridengine_sharer_name(s, SHARER_USER, user);
}

/* A task that runs */

static uint32_t derive_running(const struct subject *s, uint32_t pool)
{
	const struct share_node *node = &s->own->of_running[subject_class(s)->node];
	struct path_lines at;
	uint32_t all, part;

	gridengine_derive_path(s, s->own->of_running, subject_class(s)->node, subject_class(s)->node, &at);
	all = derived_unit(s->d, derive(s->d, "tickets of the node", OPERATION_PRODUCT, 2, at.ostt, pool), "tickets");
	sections_begin(s->x, "Share tree tickets");
	sections_line(s->x, pool);
	sections_line(s->x, at.ostt);
	sections_line(s->x, all);
	if (node->jobshares == 0) {
		part = derived_unit(s->d, derive_whole(s->d, "running tasks of the node", node->refs, "run"), "tasks");
		sections_line(s->x, part);
		part = derive(s->d, "stckt", OPERATION_QUOTIENT, 2, all, part);
	} else {
		uint32_t own = derive_whole(s->d, "job share", subject_class(s)->jobshare, "-js");
		uint32_t sum = derive_whole(s->d, "job shares of the running tasks of the node", node->jobshares, "-js");

		sections_line(s->x, own);
		sections_line(s->x, sum);
		part = derive_in(s->d, PRECISION_DOUBLE, "job share x tickets", OPERATION_PRODUCT, 2, own, all);
		part = derive(s->d, "part of the node", OPERATION_QUOTIENT, 2, part, sum);
		part = derive(s->d, "stckt", OPERATION_TRUNCATED, 1, part);
	}
	sections_line(s->x, part);
	sections_note(s->x, "Running tasks share among themselves, as if nobody waited.");
	return part;
}

/* A task that waits */

/* The node whose ranking of the task counts: the start node, or its child on the way. */
static uint32_t ranking_node(const struct subject *s, uint32_t node)
{
	const struct share_node *nodes = s->own->of_pending;

	while (node != s->own->start && !(nodes[node].parent == s->own->start && !nodes[s->own->start].has_own))
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
	struct owner_before *o;

	for (size_t i = 0; i < *n; i++)
		if ((*owners)[i].owner == owner)
			return &(*owners)[i];
	o = array_add(owners, n, sizeof(*o));
	if (o)
		o->owner = owner;
	return o;
}

/*
 * Those before it have more: the target is divided by what stands before a task, which grows from
 * one to the next.
 */
static size_t find_before(const struct subject *s, uint32_t above, struct owner_before **owners)
{
	const struct class_walk *walk = &s->g->classes;
	double own = s->g->pending.share_tree[s->pending];
	size_t n = 0;

	for (size_t i = 0; i < walk->n; i++) {
		const struct ticket_class *c = &s->run->mirror->classes.items[walk->order[i]];
		struct owner_before *o = NULL;

		if (c->node == TICKETS_NONE || !is_below(s->own->of_pending, c->node, above))
			continue;
		for (uint32_t task = c->begin; task < c->begin + c->pending; task++) {
			if (!(s->g->pending.share_tree[task] > own))
				continue;
			if (!o)
				o = owner_find(owners, &n, classes_key(&s->run->mirror->classes, walk->order[i])->owner);
			if (!o) {
				s->d->rc = -ENOMEM;
				return n;
			}
			o->tasks++;
			o->slots += s->g->pending.weight[task];
			o->tickets += s->g->pending.share_tree[task];
		}
	}
	return n;
}

static int by_slots(const void *a, const void *b)
{
	const struct owner_before *x = a, *y = b;

	return x->slots != y->slots ? x->slots < y->slots ? 1 : -1 : x->owner < y->owner ? -1 : x->owner > y->owner;
}

/* 1 and the slots of all tasks before it: first those that run, then those that wait. */
static uint32_t derive_dilution(const struct subject *s, uint32_t above)
{
	struct owner_before *owners = NULL;
	size_t n = find_before(s, above, &owners);
	struct line_operand *terms = calloc(n + 2, sizeof(*terms));
	char text[TEXT_BYTES];
	uint32_t line = DERIVED_NONE;

	sections_begin(s->x, text_made(text, "Before it at %s", gridengine_node_name(s, above)));
	sections_columns(s->x, COLUMNS_OF(BEFORE_COLUMNS));
	if (n > 1)
		qsort(owners, n, sizeof(*owners), by_slots);
	if (terms) {
		terms[0] = (struct line_operand){ derive_whole(s->d, "itself", 1, "constant"), 1 };
		terms[1] = (struct line_operand){ derived_unit(s->d, derive_whole(s->d, "slots of running tasks", (int64_t)s->own->of_pending[above].running_weight, "run"),
							       "slots"), 1 };
		sections_row(s->x, "running", ROW(DERIVED_NONE, terms[1].line));
	} else {
		s->d->rc = -ENOMEM;
	}
	for (size_t i = 0; terms && i < n; i++) {
		const char *who = mirror_text(s->run->mirror, owners[i].owner);
		uint32_t tasks = derived_unit(s->d, derive_whole(s->d, text_made(text, "tasks of %s before it", who), owners[i].tasks, "run"), "tasks");
		uint32_t slots = derive_whole(s->d, text_made(text, "slots of those of %s", who), (int64_t)owners[i].slots, "run");

		derived_holder(s->d, derived_unit(s->d, slots, "slots"), HOLDER_USER, who);
		terms[i + 2] = (struct line_operand){ slots, 1 };
		if (i < OWNERS_SHOWN)
			sections_row(s->x, who, ROW(tasks, slots, derive_given(s->d, text_made(text, "share tree tickets of those of %s", who),
									       owners[i].tickets, "run")));
	}
	if (n > OWNERS_SHOWN)
		sections_note(s->x, "And %zu other owners.", n - OWNERS_SHOWN);
	if (terms)
		line = derive_from(s->d, PRECISION_WHOLE, "1 and the slots before it", OPERATION_SUM, terms, n + 2);
	sections_row(s->x, "in sum, and 1", ROW(DERIVED_NONE, line));
	sections_note(s->x, "Tasks of a node take their turn by what earlier policies gave them and by -js; the next one has its target divided by one more slot.");
	free(terms);
	free(owners);
	return line;
}

static uint32_t derive_pending(const struct subject *s, uint32_t pool)
{
	uint32_t node = subject_class(s)->node, above = ranking_node(s, node), dilution, part, line;
	struct path_lines at;

	gridengine_derive_path(s, s->own->of_pending, node, above, &at);
	dilution = derive_dilution(s, above);
	sections_begin(s->x, "Share tree tickets");
	sections_line(s->x, at.stt);
	sections_line(s->x, dilution);
	part = derive(s->d, "part of the target", OPERATION_QUOTIENT, 2, at.stt, dilution);
	sections_line(s->x, part);
	sections_line(s->x, pool);
	line = derive(s->d, "stckt", OPERATION_PRODUCT, 2, part, pool);
	sections_line(s->x, line);
	sections_note(s->x, "What counts is the target of %s, where the tree branches first; nodes below it say in which order.", gridengine_node_name(s, above));
	return line;
}

static uint32_t none(const struct subject *s, const char *why)
{
	sections_begin(s->x, "Share tree tickets");
	sections_note(s->x, "%s", why);
	return derive_given(s->d, "stckt", 0.0, "no share tree tickets");
}

uint32_t gridengine_derive_tree(const struct subject *s)
{
	uint32_t pool;

	if (!(s->g->tickets.share_tickets > 0))
		return none(s, "weight_tickets_share is 0: there are none.");
	if (!s->g->tree.exists)
		return none(s, "There is no share tree.");
	if (subject_class(s)->node == TICKETS_NONE)
		return none(s, "The share tree has no node for it: neither its project nor, without a project, its owner or a node named default.");
	pool = derived_unit(s->d, derive_whole(s->d, "weight_tickets_share", (int64_t)s->g->tickets.share_tickets, "sched_conf"), "tickets");
	return s->pending == NONE ? derive_running(s, pool) : derive_pending(s, pool);
}
