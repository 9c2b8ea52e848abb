/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path from the root of the share tree to a node. Each step derives the target of a node from its
 * shares and usage and from those of its active siblings; share_tree(5), sched_conf(5)
 * compensation_factor. Formulas are those of tickets/sharetree_targets.c.
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
	double w, stt, ostt;		/* values before compensation */
	double compensated;
};

struct active_level {				/* active children of one node */
	const struct subject *s;
	const struct share_node *nodes;
	uint32_t parent;
	uint32_t parent_oltt, parent_ostt;	/* lines */
	uint32_t of;			/* child on the path */
	struct sibling *items;
	size_t n;
	uint32_t sum;			/* sum of shares */
};

static int level_fill(struct active_level *level)
{
	size_t n = 0;

	for (uint32_t c = level->nodes[level->parent].first_child; c != TICKETS_NONE; c = level->nodes[c].next)
		n += level->nodes[c].refs > 0;
	level->items = calloc(n + 1, sizeof(*level->items));
	for (uint32_t c = level->nodes[level->parent].first_child; level->items && c != TICKETS_NONE;
	     c = level->nodes[c].next)
		if (level->nodes[c].refs > 0)
			level->items[level->n++].node = c;
	if (!level->items)
		level->s->d->rc = -ENOMEM;
	return level->items ? 0 : -1;
}

static uint32_t sum_of(const struct active_level *level, enum precision precision, const char *name, size_t offset)
{
	struct line_operand *terms = calloc(level->n + 1, sizeof(*terms));
	uint32_t line = DERIVED_NONE;

	for (size_t i = 0; terms && i < level->n; i++)
		terms[i] = (struct line_operand){
			*(const uint32_t *)(const void *)((const char *)&level->items[i] + offset), 1
		};
	if (terms)
		line = derive_from(level->s->d, precision, name, OPERATION_SUM, terms, level->n);
	else
		level->s->d->rc = -ENOMEM;
	free(terms);
	return line;
}

static void derive_shares(struct active_level *level)
{
	char text[TEXT_BYTES];

	for (size_t i = 0; i < level->n; i++) {
		const char *name = gridengine_node_name(level->s, level->items[i].node);

		level->items[i].shares = derive_whole(level->s->d, text_made(text, "shares of %s", name),
						      level->nodes[level->items[i].node].shares, "share tree");
		derived_holder(level->s->d, level->items[i].shares, HOLDER_NODE, name);
	}
	level->sum = sum_of(level, PRECISION_WHOLE, "shares of active siblings", offsetof(struct sibling, shares));
}

/*
 * Derive the weight of a sibling: shares squared over usage. The usage is at least the long term
 * target.
 */
static void derive_weight(const struct active_level *level, struct sibling *sibling)
{
	struct derivation *derivation = level->s->d;
	const char *name = gridengine_node_name(level->s, sibling->node);
	bool any = derived_value(derivation, level->sum) > 0;
	char text[TEXT_BYTES];
	uint32_t ltt;

	ltt = any ? derive(derivation, text_made(text, "shares of %s among active siblings", name), OPERATION_QUOTIENT,
			   2, sibling->shares, level->sum)
		  : derive_given(derivation, "shares among active siblings", 0.0, "none has shares");
	sibling->oltt = derive(derivation, text_made(text, "long target of %s", name), OPERATION_PRODUCT, 2,
			       level->parent_oltt, ltt);
	sibling->usage = sibling->node == level->of
				 ? gridengine_derive_usage(level->s, sibling->node)
				 : derived_holder(derivation,
						  derive_given(derivation, text_made(text, "usage of %s", name),
							       level->nodes[sibling->node].usage, "share tree"),
						  HOLDER_NODE, name);
	sibling->counted = derive(derivation, text_made(text, "usage of %s that counts", name), OPERATION_GREATEST, 2,
				  sibling->usage, sibling->oltt);
	sibling->square = derive(derivation, text_made(text, "shares of %s squared", name), OPERATION_PRODUCT, 2,
				 sibling->shares, sibling->shares);
	sibling->weight =
		derived_value(derivation, sibling->oltt) > 0
			? derive(derivation, text_made(text, "weight of %s", name), OPERATION_QUOTIENT, 2,
				 sibling->square, sibling->counted)
			: derive_given(derivation, text_made(text, "weight of %s", name), 0.0, "no long target");
	sibling->w = derived_value(derivation, sibling->weight);
}

/* Derive stt and ostt of the child on the path from these weights. */
static struct path_lines derive_target(const struct active_level *level, const struct sibling *sibling, uint32_t sum,
				       const char *how)
{
	const char *name = gridengine_node_name(level->s, sibling->node);
	struct path_lines lines;
	char text[TEXT_BYTES];

	lines.stt = derived_value(level->s->d, sum) > 0
			    ? derive(level->s->d, text_made(text, "short target of %s among siblings%s", name, how),
				     OPERATION_QUOTIENT, 2, sibling->weight, sum)
			    : derive_given(level->s->d, "short target", 0.0, "no weights");
	lines.ostt = derive(level->s->d, text_made(text, "short target of %s of the whole%s", name, how),
			    OPERATION_PRODUCT, 2, level->parent_ostt, lines.stt);
	return lines;
}

/*
 * Apply compensation_factor. No sibling gets more than this factor times its long term target. If
 * it would get more, its usage counts as that much higher. Returns whether any sibling was limited.
 */
static bool derive_compensation(struct active_level *level, uint32_t sum)
{
	double factor = level->s->g->tickets.compensation_factor, all = derived_value(level->s->d, sum),
	       parent = derived_value(level->s->d, level->parent_ostt);
	bool hit = false;
	char text[TEXT_BYTES];

	for (size_t i = 0; i < level->n && factor != 0; i++) {
		struct sibling *sibling = &level->items[i];
		const char *name = gridengine_node_name(level->s, sibling->node);
		double stt = all > 0 ? sibling->w / all : 0.0, oltt = derived_value(level->s->d, sibling->oltt);
		struct path_lines before;
		uint32_t most, over;

		if (!(parent * stt > factor * oltt))
			continue;
		before = derive_target(level, sibling, sum, ", before compensation");
		most = derive_given(level->s->d, "compensation_factor", factor, "sched_conf");
		most = derive(level->s->d, text_made(text, "most that %s may have", name), OPERATION_PRODUCT, 2, most,
			      sibling->oltt);
		over = derive(level->s->d, text_made(text, "%s, limited by compensation_factor", name),
			      OPERATION_QUOTIENT, 2, before.ostt, most);
		over = derive(level->s->d, text_made(text, "usage of %s that counts, compensated", name),
			      OPERATION_PRODUCT, 2, sibling->counted, over);
		sibling->weight = derive(level->s->d, text_made(text, "weight of %s, compensated", name),
					 OPERATION_QUOTIENT, 2, sibling->square, over);
		sibling->counted = over;
		hit = true;
	}
	return hit;
}

static void show_siblings(const struct active_level *level, uint32_t sum)
{
	struct path_lines target;
	char text[TEXT_BYTES];
	size_t shown = 0;

	sections_begin(level->s->x, text_made(text, "Active below %s", gridengine_node_name(level->s, level->parent)));
	sections_columns(level->s->x, COLUMNS_OF(SIBLING_COLUMNS));
	for (size_t i = 0; i < level->n; i++) {
		const struct sibling *sibling = &level->items[i];

		if (sibling->node != level->of && shown == SIBLINGS_SHOWN)
			continue;
		shown += sibling->node != level->of;
		target = derive_target(level, sibling, sum, "");
		sections_row(level->s->x, gridengine_node_name(level->s, sibling->node),
			     ROW(sibling->shares, sibling->usage, sibling->counted, sibling->oltt, sibling->weight,
				 target.stt));
	}
	if (shown + 1 < level->n)
		sections_note(level->s->x, "And %zu others.", level->n - shown - 1);
	sections_row(level->s->x, "sum", ROW(level->sum, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, sum));
}

struct path_step {				/* a node on the path, for the table */
	uint32_t node, shares, sum, usage, oltt;
	struct path_lines target;
};

static void derive_level(struct active_level *level, struct path_step *step)
{
	const struct sibling *own = NULL;
	uint32_t sum;

	if (level_fill(level))
		return;
	derive_shares(level);
	for (size_t i = 0; i < level->n; i++)
		derive_weight(level, &level->items[i]);
	sum = sum_of(level, PRECISION_DOUBLE, "weights of active siblings", offsetof(struct sibling, weight));
	if (derive_compensation(level, sum))
		sum = sum_of(level, PRECISION_DOUBLE, "weights of active siblings, compensated",
			     offsetof(struct sibling, weight));
	for (size_t i = 0; i < level->n; i++)
		if (level->items[i].node == level->of)
			own = &level->items[i];
	show_siblings(level, sum);
	if (own)
		*step = (struct path_step){ own->node,	own->shares, level->sum,
					    own->usage, own->oltt,   derive_target(level, own, sum, "") };
	free(level->items);
}

void gridengine_derive_path(const struct subject *subject, const struct share_node *nodes, uint32_t node,
			    uint32_t wanted, struct path_lines *at)
{
	uint32_t depth = nodes[node].depth, one = derive_given(subject->d, "root of the share tree", 1.0, "constant");
	struct path_step *steps = calloc((size_t)depth + 1, sizeof(*steps));
	size_t sections = subject->x->nsections;

	*at = (struct path_lines){ one, one };
	if (!steps) {
		subject->d->rc = -ENOMEM;
		return;
	}
	steps[0] = (struct path_step){ 0, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, one, { one, one } };
	for (uint32_t i = node, k = depth; k > 0; i = nodes[i].parent)
		steps[k--].node = i;
	for (uint32_t k = 1; k <= depth && !subject->d->rc; k++) {
		struct active_level level = { .s = subject,
					      .nodes = nodes,
					      .parent = steps[k - 1].node,
					      .parent_oltt = steps[k - 1].oltt,
					      .parent_ostt = steps[k - 1].target.ostt,
					      .of = steps[k].node };

		derive_level(&level, &steps[k]);
	}
	sections_begin(subject->x, "Share tree, from its root to the task");
	sections_columns(subject->x, COLUMNS_OF(PATH_COLUMNS));
	for (uint32_t k = 0; k <= depth; k++) {
		sections_row(subject->x, gridengine_node_name(subject, steps[k].node),
			     ROW(steps[k].shares, steps[k].sum, steps[k].usage, steps[k].oltt, steps[k].target.stt,
				 steps[k].target.ostt));
		if (steps[k].node == wanted)
			*at = steps[k].target;
	}
	sections_move(subject->x, sections);
	free(steps);
}
