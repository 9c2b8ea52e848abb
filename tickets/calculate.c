/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/calculate.h"

#include <errno.h>
#include <string.h>

#include "tickets/functional.h"
#include "tickets/override.h"

#define BLOCK 16384		/* tasks per work item */

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

static double class_total(const struct ticket_class *class)
{
	return tickets_total(&class->running_tickets);
}

/*
 * Compute the tickets of running tasks, by class. Calls A and B differ in the tasks that count on
 * the nodes of the tree.
 */
static struct functional_sums calculate_running(const struct calculation *calculation, bool with_pending)
{
	struct functional_sums sums = { { 0 }, 0 };

	for (size_t i = 0; i < calculation->classes->n; i++)
		calculation->classes->items[i].running_tickets = (struct tickets){ 0 };
	if (calculation->tree) {
		sharetree_refs(calculation->tree, calculation->classes, with_pending);
		calculation->totals->clamped +=
			sharetree_targets(calculation->tree, calculation->params->compensation_factor);
		if (calculation->params->share_tickets > 0)
			sharetree_running(calculation->tree, calculation->params->share_tickets, calculation->classes,
					  &calculation->totals->clamped);
	}
	if (calculation->params->functional_tickets > 0)
		sums = functional_running(calculation->params, calculation->sharers, calculation->classes,
					  calculation->running);
	override_running(calculation->params, calculation->sharers, calculation->classes);
	for (size_t i = 0; i < calculation->classes->n; i++)
		if (calculation->classes->items[i].running)
			max_of(calculation->totals, class_total(&calculation->classes->items[i]));
	return sums;
}

static void calculate_policy(const struct calculation *calculation, char letter, bool dependent,
			     struct functional_sums sums)
{
	if (letter == 'O')
		override_pending(calculation->params, calculation->sharers, calculation->classes, dependent,
				 calculation->pending, calculation->scratch);
	else if (letter == 'F' && calculation->params->functional_tickets > 0)
		functional_pending(calculation->params, calculation->sharers, calculation->classes, sums, dependent,
				   calculation->pending, calculation->scratch);
	else if (letter == 'S' && calculation->params->share_tickets > 0 && calculation->tree)
		sharetree_pending(calculation->tree, calculation->params->share_tickets, dependent,
				  calculation->classes, calculation->running, calculation->pending,
				  calculation->scratch);
}

static size_t blocks_of(size_t n)
{
	return (n + BLOCK - 1) / BLOCK;
}

static void clear_block(void *context, size_t i)
{
	const struct pending_tasks *pending_tasks = context;
	double *columns[] = { pending_tasks->override, pending_tasks->functional, pending_tasks->share_tree,
			      pending_tasks->accumulated };
	size_t begin = i * BLOCK, n = pending_tasks->n - begin < BLOCK ? pending_tasks->n - begin : BLOCK;

	for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++)
		memset(columns[c] + begin, 0, n * sizeof(double));
}

/*
 * Compute the tickets of pending tasks by policy_hierarchy: listed policies first, each ranking by
 * what the policies before it gave; then the others, independently.
 */
static void calculate_pending(const struct calculation *calculation, struct functional_sums sums)
{
	tickets_share_work(&calculation->scratch->workers, clear_block, (void *)calculation->pending,
			   blocks_of(calculation->pending->n));
	for (const char *letter = calculation->params->policy_hierarchy; *letter; letter++)
		calculate_policy(calculation, *letter, true, sums);
	for (const char *letter = "OFS"; *letter; letter++)
		if (!strchr(calculation->params->policy_hierarchy, *letter))
			calculate_policy(calculation, *letter, false, sums);
}

static void max_of_block(void *context, size_t i)
{
	const struct calculation *calculation = context;
	const struct pending_tasks *pending_tasks = calculation->pending;
	size_t end = (i + 1) * BLOCK < pending_tasks->n ? (i + 1) * BLOCK : pending_tasks->n;
	double max = -1.0;

	for (size_t task = i * BLOCK; task < end; task++) {
		double total = pending_total(pending_tasks, task);

		max = total > max ? total : max;
	}
	calculation->scratch->keys[i] = max;
}

static void max_of_pending(struct calculation *calculation)
{
	size_t blocks = blocks_of(calculation->pending->n);

	tickets_share_work(&calculation->scratch->workers, max_of_block, calculation, blocks);
	for (size_t i = 0; i < blocks; i++)
		max_of(calculation->totals, calculation->scratch->keys[i]);
}

static void spread_running(const struct calculation *calculation)
{
	for (size_t i = 0; i < calculation->running->n; i++) {
		const struct ticket_class *class = &calculation->classes->items[calculation->running->class_id[i]];

		calculation->running->tickets[i] = class->running_tickets;
	}
}

static double sum_of_running(const struct ticket_tasks *tasks)
{
	double sum = 0.0;

	for (size_t i = 0; i < tasks->n; i++)
		sum += tickets_total(&tasks->tickets[i]);
	return sum;
}

int tickets_calculate(const struct ticket_params *params, struct sharers *sharers, struct ticket_classes *classes,
		      struct share_tree *tree, const struct ticket_tasks *running, const struct pending_tasks *pending,
		      struct ticket_scratch *scratch, struct ticket_totals *totals)
{
	struct calculation calculation = { params, sharers, classes, tree, running, pending, scratch, totals };

	*totals = (struct ticket_totals){ .max = -1.0 };
	if (ticket_scratch_reserve(scratch, pending->n, classes->n, tree ? tree->n : 0) ||
	    (tree && sharetree_reserve(tree)))
		return -ENOMEM;
	sharers_count(sharers, classes);

	struct functional_sums sums = calculate_running(&calculation, true);	/* call A */

	if (tree)
		sharetree_keep_display(tree);
	calculate_pending(&calculation, sums);
	max_of_pending(&calculation);

	calculate_running(&calculation, false);					/* call B */
	spread_running(&calculation);
	totals->running = sum_of_running(running);
	if (totals->max == -1.0)
		totals->max = 0.0;
	return 0;
}
