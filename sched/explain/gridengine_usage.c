/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of a node of the share tree: usage of its own user or project, by usage_weight_list, and of
 * the nodes below it; share_tree(5). Published usage is decayed up to the run. No run keeps the
 * usage from before the decay.
 */
#include "conf/lists.h"
#include "sched/explain/gridengine.h"
#include "sched/run/account.h"

#define NODES(S) ((S)->own->of_pending)
#define FOR_EACH_CHILD(S, NODE, C) for (uint32_t C = (NODE)->first_child; C != TICKETS_NONE; C = NODES(S)[C].next)

struct used {				/* owner of the usage that a node itself has */
	const struct usage *usage;	/* NULL: none */
	const char *who, *in_project;	/* "" */
	enum holder_kind kind;
};

static const struct usage *usage_in_project(const struct subject *subject, uint32_t user, uint32_t project)
{
	const struct objects *objects = subject->run->mirror->objects;
	const struct usage_in_project *usage =
		object_find_project(&objects[SHARER_USER].items[user], objects[SHARER_PROJECT].items[project].name);

	return usage ? &usage->usage : NULL;
}

static bool is_project_node(const struct share_node *node)
{
	return node->first_child != TICKETS_NONE && node->in_project == TICKETS_NONE && node->project != TICKETS_NONE;
}

static struct used of_object(const struct subject *subject, enum sharer_kind kind, uint32_t object)
{
	return (struct used){ &subject->run->mirror->objects[kind].items[object].usage,
			      gridengine_sharer_name(subject, kind, object), "", gridengine_holder_kind(kind) };
}

static struct used used_by(const struct subject *subject, const struct share_node *node)
{
	if (is_project_node(node))
		return of_object(subject, SHARER_PROJECT, node->project);
	if (node->first_child != TICKETS_NONE)
		return (struct used){ NULL, "", "", HOLDER_NONE };
	if (node->in_project != TICKETS_NONE && node->user != TICKETS_NONE)
		return (struct used){ usage_in_project(subject, node->user, node->in_project),
				      gridengine_sharer_name(subject, SHARER_USER, node->user),
				      gridengine_sharer_name(subject, SHARER_PROJECT, node->in_project), HOLDER_USER };
	if (node->in_project != TICKETS_NONE)
		return (struct used){ NULL, "", "", HOLDER_NONE };
	if (node->user != TICKETS_NONE)
		return of_object(subject, SHARER_USER, node->user);
	if (node->project != TICKETS_NONE)
		return of_object(subject, SHARER_PROJECT, node->project);
	return (struct used){ NULL, "", "", HOLDER_NONE };
}

static double combined(const struct subject *subject, const struct used *used)
{
	uint64_t clamped = 0;

	return used->usage ? tickets_finite(usage_combine(used->usage, &subject->run->account->weights), &clamped)
			   : 0.0;
}

/*
 * Return the usage of a node without the rest of a project that its users do not have. The rest is
 * added later to the nodes on the path to the project's default node.
 */
static double without_rest(const struct subject *subject, const struct share_node *node)
{
	const struct used used = used_by(subject, node);
	double sum = 0.0;

	FOR_EACH_CHILD(subject, node, c)
		sum += without_rest(subject, &NODES(subject)[c]);
	return is_project_node(node) ? combined(subject, &used) : combined(subject, &used) + sum;
}

/* Derive weight / sum of all weights. */
static uint32_t derive_weight(const struct subject *subject, uint32_t name, uint32_t *sum)
{
	const struct pairs *list = &subject->run->cell->sched.usage_weight_list;
	uint32_t weight = DERIVED_NONE, given;
	struct line_operand *terms = calloc(list->n + 1, sizeof(*terms));

	if (!terms)
		subject->d->rc = -ENOMEM;
	for (size_t i = 0; terms && i < list->n; i++) {
		given = derive_given(subject->d, list->items[i].name, weight_bounded(list->items[i].value),
				     "usage_weight_list");
		terms[i] = (struct line_operand){ given, 1 };
		if (usage_name(&subject->run->mirror->usage_names, subject->run->strings, list->items[i].name) == name)
			weight = given;
	}
	if (*sum == DERIVED_NONE && terms)
		*sum = derive_from(subject->d, PRECISION_DOUBLE, "sum of usage weights", OPERATION_SUM, terms, list->n);
	free(terms);
	return derive(subject->d, "weight of it", OPERATION_QUOTIENT, 2, weight, *sum);
}

/*
 * Derive the part of a value that is left after a minute: 1 - ln 2 / half-life, as Grid Engine
 * approximates it.
 */
static uint32_t derive_decay(const struct subject *subject, const char *name)
{
	const struct pair *own = pairs_find(&subject->run->cell->sched.halflife_decay_list, name);
	double minutes = own ? own->value : 60.0 * subject->run->cell->sched.halftime;
	uint32_t given, half, seconds, part;

	if (!(minutes > 0))
		return derive_given(subject->d, "left after a minute", decay_constant(minutes),
				    own ? "halflife_decay_list" : "halftime");
	given = derived_unit(subject->d,
			     derive_given(subject->d, "half-life", minutes, own ? "halflife_decay_list" : "halftime"),
			     "minutes");
	half = derive(subject->d, "ln 0.5", OPERATION_LOGARITHM, 1, derive_given(subject->d, "half", 0.5, "constant"));
	half = derive(subject->d, "-ln 0.5", OPERATION_DIFFERENCE, 2,
		      derive_given(subject->d, "nothing", 0.0, "constant"), half);
	part = derive_given(subject->d, "seconds of a minute", 60.0, "constant");
	seconds = derived_unit(subject->d, derive(subject->d, "half-life", OPERATION_PRODUCT, 2, given, part), "s");
	half = derive(subject->d, "lost in a second", OPERATION_QUOTIENT, 2, half, seconds);
	half = derive(subject->d, "lost in a minute", OPERATION_PRODUCT, 2, half, part);
	return derive(subject->d, "left after a minute", OPERATION_DIFFERENCE, 2,
		      derive_given(subject->d, "one", 1.0, "constant"), half);
}

static uint32_t derive_own(const struct subject *subject, const struct used *used)
{
	const struct usage_weights *weights = &subject->run->account->weights;
	uint32_t sum = DERIVED_NONE, usage = DERIVED_NONE;
	char text[TEXT_BYTES];

	if (!used->usage || used->usage->n == 0 || !(weights->sum > 0))
		return derive_given(subject->d, "own usage", 0.0, "nothing was used");
	sections_begin(subject->x, *used->in_project
					   ? text_made(text, "Usage of %s in project %s", used->who, used->in_project)
					   : text_made(text, "Usage of %s", used->who));
	sections_columns(subject->x, COLUMNS_OF("", "usage", "weight", "counts", "left after a minute"));
	for (size_t i = 0; i < used->usage->n; i++) {
		const struct usage_item *item = &used->usage->items[i];
		const char *name =
			mirror_text(subject->run->mirror, subject->run->mirror->usage_names.strings[item->name]);
		uint32_t value, weight, part;

		if (item->name >= weights->n || !weights->listed[item->name])
			continue;
		value = derive_given(subject->d, text_made(text, "%s of %s", name, used->who), item->value,
				     "usage, decayed");
		derived_holder(subject->d, value, used->kind, used->who);
		weight = derive_weight(subject, item->name, &sum);
		part = derive(subject->d, text_made(text, "%s, weighted", name), OPERATION_PRODUCT, 2, value, weight);
		usage = usage == DERIVED_NONE ? part
					      : derive(subject->d, "usage so far", OPERATION_SUM, 2, usage, part);
		sections_row(subject->x, name, ROW(value, weight, part, derive_decay(subject, name)));
	}
	return usage == DERIVED_NONE ? derive_given(subject->d, "own usage", 0.0, "usage_weight_list has none of it")
				     : usage;
}

/* Derive the sum of the nodes below, each with its usage at the time when it was added. */
static uint32_t derive_children(const struct subject *subject, const struct share_node *node)
{
	size_t n = 0;
	struct line_operand *terms;
	uint32_t line;
	char text[TEXT_BYTES];

	FOR_EACH_CHILD(subject, node, c)
		n++;
	terms = calloc(n + 1, sizeof(*terms));
	if (!terms) {
		subject->d->rc = -ENOMEM;
		return DERIVED_NONE;
	}
	n = 0;
	FOR_EACH_CHILD(subject, node, c) {
		const char *name = gridengine_node_name(subject, c);

		terms[n].line = derived_holder(subject->d,
					       derive_given(subject->d, text_made(text, "usage of %s", name),
							    without_rest(subject, &NODES(subject)[c]), "share tree"),
					       HOLDER_NODE, name);
		terms[n++].times = 1;
	}
	line = derive_from(subject->d, PRECISION_DOUBLE, "usage below it", OPERATION_SUM, terms, n);
	free(terms);
	return line;
}

/* Return the project node whose rest is added to this node; TICKETS_NONE: none. */
static uint32_t rest_from(const struct subject *subject, uint32_t id)
{
	for (uint32_t p = NODES(subject)[id].parent; p != TICKETS_NONE; p = NODES(subject)[p].parent) {
		uint32_t way = is_project_node(&NODES(subject)[p]) ? NODES(subject)[p].default_below : TICKETS_NONE;

		if (!is_project_node(&NODES(subject)[p]))
			continue;
		while (way != TICKETS_NONE && way != id && way != p)
			way = NODES(subject)[way].parent;
		return way == id ? p : TICKETS_NONE;
	}
	return TICKETS_NONE;
}

static uint32_t add_rest(const struct subject *subject, uint32_t id, uint32_t usage)
{
	uint32_t project = rest_from(subject, id), rest;
	const struct share_node *node = project == TICKETS_NONE ? NULL : &NODES(subject)[project];
	char text[TEXT_BYTES];

	if (!node)
		return usage;
	rest = derive_given(subject->d, text_made(text, "usage of project %s", gridengine_node_name(subject, project)),
			    without_rest(subject, node), "project");
	rest = derive(subject->d, "usage of the project without the nodes below it", OPERATION_DIFFERENCE, 2, rest,
		      derive_children(subject, node));
	if (!(derived_value(subject->d, rest) > 1.0))
		return usage;
	return derive(subject->d, "usage with the rest of the project", OPERATION_SUM, 2, usage, rest);
}

uint32_t gridengine_derive_usage(const struct subject *subject, uint32_t id)
{
	const struct share_node *node = &NODES(subject)[id];
	const struct used used = used_by(subject, node);
	char text[TEXT_BYTES];
	uint32_t usage;

	if (is_project_node(node) || node->first_child == TICKETS_NONE)
		usage = derive_own(subject, &used);
	else
		usage = derive_children(subject, node);
	usage = derive_in(subject->d, PRECISION_DOUBLE,
			  text_made(text, "usage of %s", gridengine_node_name(subject, id)), OPERATION_SAME, 1,
			  add_rest(subject, id, usage));
	return derived_holder(subject->d, usage, HOLDER_NODE, gridengine_node_name(subject, id));
}
