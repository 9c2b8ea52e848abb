/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way from the root of the share tree to a node: at each step what shares and usage, beside
 * those of the active siblings, entitle it to; share_tree(5), sched_conf(5) compensation_factor.
 * Formulas are those of tickets/sharetree_targets.c.
 */
#include <math.h>
#include <stdlib.h>

#include "sched/explain/gridengine.h"

#define PATH_COLUMNS "node", "shares", "of active", "usage", "long target", "short target", "of the whole"
#define SIBLING_COLUMNS "node", "shares", "usage", "counts as", "long target", "weight", "short target"
#define SIBLINGS_SHOWN 16

struct sibling {
	uint32_t node;
	uint32_t shares, usage, oltt, counted, square, weight;	/* lines */
	double w, stt, ostt;		/* as they are before compensation */
	double compensated;
};

struct active_level {				/* active children of one node */
	const struct subject *s;
	const struct share_node *nodes;
	uint32_t parent;
	uint32_t parent_oltt, parent_ostt;	/* lines */
	uint32_t of;			/* the one on the way */
	struct sibling *items;
	size_t n;
	uint32_t sum;			/* of shares */
};

static int level_fill(struct active_level *l)
{
	size_t n = 0;

	for (uint32_t c = l->nodes[l->parent].first_child; c != TICKETS_NONE; c = l->nodes[c].next)
		n += l->nodes[c].refs > 0;
	l->items = calloc(n + 1, sizeof(*l->items));
	for (uint32_t c = l->nodes[l->parent].first_child; l->items && c != TICKETS_NONE; c = l->nodes[c].next)
		if (l->nodes[c].refs > 0)
			l->items[l->n++].node = c;
	if (!l->items)
		l->s->d->rc = -ENOMEM;
	return l->items ? 0 : -1;
}

static uint32_t sum_of(const struct active_level *l, enum precision precision, const char *name, size_t offset)
{
	struct line_operand *terms = calloc(l->n + 1, sizeof(*terms));
	uint32_t line = DERIVED_NONE;

	for (size_t i = 0; terms && i < l->n; i++)
		terms[i] = (struct line_operand){ *(const uint32_t *)(const void *)((const char *)&l->items[i] + offset), 1 };
	if (terms)
		line = derive_from(l->s->d, precision, name, OPERATION_SUM, terms, l->n);
	else
		l->s->d->rc = -ENOMEM;
	free(terms);
	return line;
}

static void derive_shares(struct active_level *l)
{
	char text[TEXT_BYTES];

	for (size_t i = 0; i < l->n; i++) {
		const char *name = gridengine_node_name(l->s, l->items[i].node);

		l->items[i].shares = derive_whole(l->s->d, text_made(text, "shares of %s", name), l->nodes[l->items[i].node].shares, "share tree");
		derived_holder(l->s->d, l->items[i].shares, HOLDER_NODE, name);
	}
	l->sum = sum_of(l, PRECISION_WHOLE, "shares of active siblings", offsetof(struct sibling, shares));
}

/* Shares squared over usage, as if each had used at least its long term target. */
static void derive_weight(const struct active_level *l, struct sibling *b)
{
	struct derivation *d = l->s->d;
	const char *name = gridengine_node_name(l->s, b->node);
	bool any = derived_value(d, l->sum) > 0;
	char text[TEXT_BYTES];
	uint32_t ltt;

	ltt = any ? derive(d, text_made(text, "shares of %s among active siblings", name), OPERATION_QUOTIENT, 2, b->shares, l->sum) :
		    derive_given(d, "shares among active siblings", 0.0, "nobody has any");
	b->oltt = derive(d, text_made(text, "long target of %s", name), OPERATION_PRODUCT, 2, l->parent_oltt, ltt);
	b->usage = b->node == l->of ? gridengine_derive_usage(l->s, b->node) :
		derived_holder(d, derive_given(d, text_made(text, "usage of %s", name), l->nodes[b->node].usage, "share tree"), HOLDER_NODE, name);
	b->counted = derive(d, text_made(text, "usage of %s that counts", name), OPERATION_GREATEST, 2, b->usage, b->oltt);
	b->square = derive(d, text_made(text, "shares of %s squared", name), OPERATION_PRODUCT, 2, b->shares, b->shares);
	b->weight = derived_value(d, b->oltt) > 0 ? derive(d, text_made(text, "weight of %s", name), OPERATION_QUOTIENT, 2, b->square, b->counted) :
						     derive_given(d, text_made(text, "weight of %s", name), 0.0, "no long target");
	b->w = derived_value(d, b->weight);
}

/* stt and ostt of the one on the way, by these weights. */
static struct path_lines derive_target(const struct active_level *l, const struct sibling *b, uint32_t sum, const char *how)
{
	const char *name = gridengine_node_name(l->s, b->node);
	struct path_lines lines;
	char text[TEXT_BYTES];

	lines.stt = derived_value(l->s->d, sum) > 0 ?
		derive(l->s->d, text_made(text, "short target of %s among siblings%s", name, how), OPERATION_QUOTIENT, 2, b->weight, sum) :
		derive_given(l->s->d, "short target", 0.0, "no weights");
	lines.ostt = derive(l->s->d, text_made(text, "short target of %s of the whole%s", name, how), OPERATION_PRODUCT, 2, l->parent_ostt, lines.stt);
	return lines;
}

/*
 * Nobody shall get more than compensation_factor times the long term target: whoever would, counts
 * as having used that much more. Returns whether anybody would.
 */
static bool derive_compensation(struct active_level *l, uint32_t sum)
{
	double factor = l->s->g->tickets.compensation_factor, all = derived_value(l->s->d, sum), parent = derived_value(l->s->d, l->parent_ostt);
	bool hit = false;
	char text[TEXT_BYTES];

	for (size_t i = 0; i < l->n && factor != 0; i++) {
		struct sibling *b = &l->items[i];
		const char *name = gridengine_node_name(l->s, b->node);
		double stt = all > 0 ? b->w / all : 0.0, oltt = derived_value(l->s->d, b->oltt);
		struct path_lines before;
		uint32_t most, over;

		if (!(parent * stt > factor * oltt))
			continue;
		before = derive_target(l, b, sum, ", before compensation");
		most = derive_given(l->s->d, "compensation_factor", factor, "sched_conf");
		most = derive(l->s->d, text_made(text, "most that %s may have", name), OPERATION_PRODUCT, 2, most, b->oltt);
		over = derive(l->s->d, text_made(text, "%s would have too much by the factor", name), OPERATION_QUOTIENT, 2, before.ostt, most);
		over = derive(l->s->d, text_made(text, "usage of %s that counts, compensated", name), OPERATION_PRODUCT, 2, b->counted, over);
		b->weight = derive(l->s->d, text_made(text, "weight of %s, compensated", name), OPERATION_QUOTIENT, 2, b->square, over);
		b->counted = over;
		hit = true;
	}
	return hit;
}

static void show_siblings(const struct active_level *l, uint32_t sum)
{
	struct path_lines target;
	char text[TEXT_BYTES];
	size_t shown = 0;

	sections_begin(l->s->x, text_made(text, "Active below %s", gridengine_node_name(l->s, l->parent)));
	sections_columns(l->s->x, COLUMNS_OF(SIBLING_COLUMNS));
	for (size_t i = 0; i < l->n; i++) {
		const struct sibling *b = &l->items[i];

		if (b->node != l->of && shown == SIBLINGS_SHOWN)
			continue;
		shown += b->node != l->of;
		target = derive_target(l, b, sum, "");
		sections_row(l->s->x, gridengine_node_name(l->s, b->node), ROW(b->shares, b->usage, b->counted, b->oltt, b->weight, target.stt));
	}
	if (shown + 1 < l->n)
		sections_note(l->s->x, "And %zu others.", l->n - shown - 1);
	sections_row(l->s->x, "sum", ROW(l->sum, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, sum));
}

struct path_step {				/* a node on the way, for the table */
	uint32_t node, shares, sum, usage, oltt;
	struct path_lines target;
};

static void derive_level(struct active_level *l, struct path_step *step)
{
	const struct sibling *own = NULL;
	uint32_t sum;

	if (level_fill(l))
		return;
	derive_shares(l);
	for (size_t i = 0; i < l->n; i++)
		derive_weight(l, &l->items[i]);
	sum = sum_of(l, PRECISION_DOUBLE, "weights of active siblings", offsetof(struct sibling, weight));
	if (derive_compensation(l, sum))
		sum = sum_of(l, PRECISION_DOUBLE, "weights of active siblings, compensated", offsetof(struct sibling, weight));
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].node == l->of)
			own = &l->items[i];
	show_siblings(l, sum);
	if (own)
		*step = (struct path_step){ own->node, own->shares, l->sum, own->usage, own->oltt, derive_target(l, own, sum, "") };
	free(l->items);
}

void gridengine_derive_path(const struct subject *s, const struct share_node *nodes, uint32_t node, uint32_t wanted, struct path_lines *at)
{
	uint32_t depth = nodes[node].depth, one = derive_given(s->d, "root of the share tree", 1.0, "constant");
	struct path_step *steps = calloc((size_t)depth + 1, sizeof(*steps));
	size_t sections = s->x->nsections;

	*at = (struct path_lines){ one, one };
	if (!steps) {
		s->d->rc = -ENOMEM;
		return;
	}
	steps[0] = (struct path_step){ 0, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, one, { one, one } };
	for (uint32_t i = node, k = depth; k > 0; i = nodes[i].parent)
		steps[k--].node = i;
	for (uint32_t k = 1; k <= depth && !s->d->rc; k++) {
		struct active_level l = { .s = s, .nodes = nodes, .parent = steps[k - 1].node, .parent_oltt = steps[k - 1].oltt,
				   .parent_ostt = steps[k - 1].target.ostt, .of = steps[k].node };

		derive_level(&l, &steps[k]);
	}
	sections_begin(s->x, "Share tree, from its root to the task");
	sections_columns(s->x, COLUMNS_OF(PATH_COLUMNS));
	for (uint32_t k = 0; k <= depth; k++) {
		sections_row(s->x, gridengine_node_name(s, steps[k].node),
			    ROW(steps[k].shares, steps[k].sum, steps[k].usage, steps[k].oltt, steps[k].target.stt, steps[k].target.ostt));
		if (steps[k].node == wanted)
			*at = steps[k].target;
	}
	sections_move(s->x, sections);
	free(steps);
}
