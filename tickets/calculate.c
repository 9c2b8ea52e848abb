/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/calculate.h"

#include <errno.h>
#include <string.h>

#include "tickets/functional.h"
#include "tickets/override.h"

#define BLOCK 16384		/* tasks that one worker takes at a time */

struct calculation {
	const struct ticket_params *params;
	struct sharers *sharers;
	struct ticket_classes *classes;
	struct share_tree *tree;	/* NULL: none */
	const struct ticket_tasks *running;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	struct ticket_totals *totals;
};

static void max_of(struct ticket_totals *totals, double tickets)
{
	if (tickets > totals->max)
		totals->max = tickets;
}

static double class_total(const struct ticket_class *c)
{
	return tickets_total(&c->running_tickets);
}

/* Tickets of running tasks, by class: calls A and B differ in what counts on the tree's nodes. */
static struct functional_sums calculate_running(const struct calculation *c, bool with_pending)
{
	struct functional_sums sums = { { 0 }, 0 };

	for (size_t i = 0; i < c->classes->n; i++)
		c->classes->items[i].running_tickets = (struct tickets){ 0 };
	if (c->tree) {
		sharetree_refs(c->tree, c->classes, with_pending);
		c->totals->clamped += sharetree_targets(c->tree, c->params->compensation_factor);
		if (c->params->share_tickets > 0)
			sharetree_running(c->tree, c->params->share_tickets, c->classes, &c->totals->clamped);
	}
	if (c->params->functional_tickets > 0)
		sums = functional_running(c->params, c->sharers, c->classes, c->running);
	override_running(c->params, c->sharers, c->classes);
	for (size_t i = 0; i < c->classes->n; i++)
		if (c->classes->items[i].running)
			max_of(c->totals, class_total(&c->classes->items[i]));
	return sums;
}

static void calculate_policy(const struct calculation *c, char letter, bool dependent, struct functional_sums sums)
{
	if (letter == 'O')
		override_pending(c->params, c->sharers, c->classes, dependent, c->pending, c->scratch);
	else if (letter == 'F' && c->params->functional_tickets > 0)
		functional_pending(c->params, c->sharers, c->classes, sums, dependent, c->pending, c->scratch);
	else if (letter == 'S' && c->params->share_tickets > 0 && c->tree)
		sharetree_pending(c->tree, c->params->share_tickets, dependent, c->classes, c->running, c->pending, c->scratch);
}

static size_t blocks_of(size_t n)
{
	return (n + BLOCK - 1) / BLOCK;
}

static void clear_block(void *context, size_t i)
{
	const struct pending_tasks *p = context;
	double *columns[] = { p->override, p->functional, p->share_tree, p->accumulated };
	size_t begin = i * BLOCK, n = p->n - begin < BLOCK ? p->n - begin : BLOCK;

	for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++)
		memset(columns[c] + begin, 0, n * sizeof(double));
}

/*
 * policy_hierarchy: listed policies first, each ranking by what the ones before it gave; then the
 * others, on their own.
 */
static void calculate_pending(const struct calculation *c, struct functional_sums sums)
{
	tickets_share_work(&c->scratch->workers, clear_block, (void *)c->pending, blocks_of(c->pending->n));
	for (const char *letter = c->params->policy_hierarchy; *letter; letter++)
		calculate_policy(c, *letter, true, sums);
	for (const char *letter = "OFS"; *letter; letter++)
		if (!strchr(c->params->policy_hierarchy, *letter))
			calculate_policy(c, *letter, false, sums);
}

static void max_of_block(void *context, size_t i)
{
	const struct calculation *c = context;
	const struct pending_tasks *p = c->pending;
	size_t end = (i + 1) * BLOCK < p->n ? (i + 1) * BLOCK : p->n;
	double max = -1.0;

	for (size_t task = i * BLOCK; task < end; task++) {
		double total = pending_total(p, task);

		max = total > max ? total : max;
	}
	c->scratch->keys[i] = max;
}

static void max_of_pending(struct calculation *c)
{
	size_t blocks = blocks_of(c->pending->n);

	tickets_share_work(&c->scratch->workers, max_of_block, c, blocks);
	for (size_t i = 0; i < blocks; i++)
		max_of(c->totals, c->scratch->keys[i]);
}

static void spread_running(const struct calculation *c)
{
	for (size_t i = 0; i < c->running->n; i++) {
		const struct ticket_class *class = &c->classes->items[c->running->class_id[i]];

		c->running->tickets[i] = class->running_tickets;
	}
}

static double sum_of_running(const struct ticket_tasks *tasks)
{
	double sum = 0.0;

	for (size_t i = 0; i < tasks->n; i++)
		sum += tickets_total(&tasks->tickets[i]);
	return sum;
}

int tickets_calculate(const struct ticket_params *params, struct sharers *sharers, struct ticket_classes *classes, struct share_tree *tree,
		      const struct ticket_tasks *running, const struct pending_tasks *pending, struct ticket_scratch *scratch,
		      struct ticket_totals *totals)
{
	struct calculation c = { params, sharers, classes, tree, running, pending, scratch, totals };

	*totals = (struct ticket_totals){ .max = -1.0 };
	if (ticket_scratch_reserve(scratch, pending->n, classes->n, tree ? tree->n : 0) || (tree && sharetree_reserve(tree)))
		return -ENOMEM;
	sharers_count(sharers, classes);

	struct functional_sums sums = calculate_running(&c, true);	/* call A */

	if (tree)
		sharetree_keep_display(tree);
	calculate_pending(&c, sums);
	max_of_pending(&c);

	calculate_running(&c, false);					/* call B */
	spread_running(&c);
	totals->running = sum_of_running(running);
	if (totals->max == -1.0)
		totals->max = 0.0;
	return 0;
}
