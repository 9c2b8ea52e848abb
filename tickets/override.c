/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/override.h"

#include "tickets/override_pick.h"

/* Return the tickets that the objects give to one of their active tasks. */
static double override_value(const struct sharers *sharers, const uint32_t sharer[SHARER_KINDS], bool shared)
{
	double sum = 0.0;

	for (int k = 0; k < SHARER_KINDS; k++) {
		const struct sharer *o = sharer[k] == TICKETS_NONE ? NULL : &sharers->items[k][sharer[k]];

		if (!o || o->oticket == 0)
			continue;
		if (!shared)
			sum += o->oticket;
		else if (o->active > 0)
			sum += (double)o->oticket / o->active;
	}
	return sum;
}

void override_running(const struct ticket_params *params, const struct sharers *sharers, struct ticket_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++) {
		struct ticket_class *class = &classes->items[i];

		if (class->running)
			class->running_tickets.override =
				override_value(sharers, class->sharer, params->share_override_tickets) +
				class->override_tickets;
	}
}

struct pending_unshared {
	const struct sharers *sharers;
	const struct ticket_classes *classes;
	const struct pending_tasks *pending;
};

static void unshared_class(void *context, size_t i)
{
	const struct pending_unshared *unshared = context;
	const struct ticket_class *class = &unshared->classes->items[unshared->classes->order[i]];
	double value = override_value(unshared->sharers, class->sharer, false) + class->override_tickets;

	for (uint32_t task = class->begin; task < class->begin + class->pending; task++) {
		unshared->pending->override[task] = value;
		unshared->pending->accumulated[task] += value;
	}
}

/*
 * Shared override tickets.
 *
 * Each pick lowers what its objects give to later tasks, and affects no other tasks. Therefore
 * queues that are not connected by objects, even through other queues, are independent. Each
 * component of connected queues is picked from separately (override_pick.c), in parallel with the
 * others.
 */

struct components {
	struct sharers *sharers;
	const struct pending_tasks *pending;
	struct ticket_scratch *scratch;
	size_t n;
};

static void component_pick(void *context, size_t i)
{
	const struct components *components = context;

	override_pick(components->pending, components->scratch, components->scratch->components[i],
		      components->scratch->components[i + 1]);
}

/* Return the queue that represents a queue's component: union-find. */
static uint32_t component_of(struct task_queue *queues, uint32_t q)
{
	while (queues[q].component != q) {
		queues[q].component = queues[queues[q].component].component;
		q = queues[q].component;
	}
	return q;
}

static void components_connect(struct components *components, uint32_t nqueues)
{
	struct task_queue *queues = components->scratch->queues;

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < components->sharers->n[k]; i++)
			components->sharers->items[k][i].queue = TICKETS_NONE;
	for (uint32_t q = 0; q < nqueues; q++) {
		queues[q].component = q;
		for (int k = 0; k < SHARER_KINDS; k++) {
			uint32_t *first = queues[q].sharer[k] == TICKETS_NONE
						  ? NULL
						  : &components->sharers->items[k][queues[q].sharer[k]].queue;

			if (first && *first != TICKETS_NONE)
				queues[component_of(queues, q)].component = component_of(queues, *first);
			else if (first)
				*first = q;
		}
	}
}

/*
 * Arrange the queues in the order of scratch->heap, so that components that are processed in
 * parallel share no cache lines.
 */
static void queues_arrange(struct ticket_scratch *scratch, uint32_t nqueues)
{
	for (uint32_t i = 0; i < nqueues; i++) {
		struct task_queue first = scratch->queues[i];
		uint32_t to = i, from;

		for (; (from = scratch->heap[to].queue) != i; to = from) {
			scratch->queues[to] = scratch->queues[from];
			scratch->heap[to].queue = to;
		}
		scratch->queues[to] = first;
		scratch->heap[to].queue = to;
	}
}

/* Put the queues of a component next to each other. */
static void components_sort(struct components *components, uint32_t nqueues)
{
	struct ticket_scratch *scratch = components->scratch;
	uint32_t *begin = scratch->components, sum = 0;

	for (uint32_t q = 0; q < nqueues; q++)
		scratch->queues[q].queues = 0;
	for (uint32_t q = 0; q < nqueues; q++)
		scratch->queues[component_of(scratch->queues, q)].queues++;
	/* large components first, so that no worker starts one at the end */
	for (int single = 0; single <= 1; single++)
		for (uint32_t q = 0; q < nqueues; q++) {
			uint32_t n = scratch->queues[q].queues;

			if (n == 0 || (n == 1) != single)
				continue;
			/* position of the component's next queue */
			scratch->queues[q].version = sum;
			begin[components->n++] = sum;
			sum += n;
		}
	begin[components->n] = sum;
	for (uint32_t q = 0; q < nqueues; q++)
		scratch->heap[scratch->queues[component_of(scratch->queues, q)].version++].queue = q;
	queues_arrange(scratch, nqueues);
}

/*
 * Put the objects of a component next to each other, so that components write to separate memory.
 */
static void pools_fill(struct components *components, uint32_t nqueues)
{
	struct ticket_scratch *scratch = components->scratch;
	uint32_t npools = 0;

	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < components->sharers->n[k]; i++)
			components->sharers->items[k][i].pool = TICKETS_NONE;
	for (uint32_t i = 0; i < nqueues; i++)
		for (int k = 0; k < SHARER_KINDS; k++) {
			struct task_queue *queue = &scratch->queues[scratch->heap[i].queue];
			struct sharer *sharer = queue->sharer[k] == TICKETS_NONE
							? NULL
							: &components->sharers->items[k][queue->sharer[k]];

			queue->pool[k] = TICKETS_NONE;
			if (!sharer)
				continue;
			if (sharer->pool == TICKETS_NONE) {
				scratch->pools[npools] =
					(struct queue_pool){ .oticket = sharer->oticket, .active = sharer->active };
				scratch->pools[npools].part = part_of_next(&scratch->pools[npools]);
				sharer->pool = npools++;
			}
			queue->pool[k] = sharer->pool;
			scratch->pools[sharer->pool].tasks += queue->end - queue->begin;
			scratch->pools[sharer->pool].queues++;
		}
}

static void pending_shared(struct sharers *sharers, const struct ticket_classes *classes, bool dependent,
			   const struct pending_tasks *pending, struct ticket_scratch *scratch)
{
	struct components components = { .sharers = sharers, .pending = pending, .scratch = scratch };
	uint32_t nqueues = (uint32_t)queues_build(classes, sharers, pending, true, dependent, scratch);

	components_connect(&components, nqueues);
	components_sort(&components, nqueues);
	pools_fill(&components, nqueues);
	tickets_share_work(&scratch->workers, component_pick, &components, components.n);
}

void override_pending(const struct ticket_params *params, struct sharers *sharers, const struct ticket_classes *classes,
		      bool dependent, const struct pending_tasks *pending, struct ticket_scratch *scratch)
{
	struct pending_unshared unshared = { sharers, classes, pending };

	if (params->share_override_tickets)
		pending_shared(sharers, classes, dependent, pending, scratch);
	else
		tickets_share_work(&scratch->workers, unshared_class, &unshared, classes->norder);
}
