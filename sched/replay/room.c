/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test whether a job could ever run if the machine were empty. Only facts that are certain refuse a
 * job: slots, and how a parallel environment allocates them. Source: sge_pe(5).
 */
#include <errno.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/replay/inside.h"

/* Return whether an instance offers the parallel environment. */
static bool offers(const struct cell *cell, const struct machine_instance *instance, const char *pe)
{
	const char *list = instance->queue
				   ? cell_queue_value(cell, instance->queue, strchr(instance->name, '@') + 1, "pe_list")
				   : NULL;
	size_t length = strlen(pe);

	while (list && *list) {
		size_t n;

		list += strspn(list, LIST_SEPARATORS);
		n = strcspn(list, LIST_SEPARATORS);
		if (n == length && memcmp(list, pe, n) == 0)
			return true;
		list += n;
	}
	return false;
}

/* Return the slots that an empty host has in the parallel environment. */
static uint64_t host_room(const struct replay *replay, const struct machine_host *host, const char *pe,
			  const struct queue *queue)
{
	uint64_t slots = 0;

	for (uint32_t i = host->first; i < host->first + host->n; i++) {
		const struct machine_instance *instance = &replay->machine.instances[i];

		if ((!queue || instance->queue == queue) && offers(sched_cell(replay->sched), instance, pe))
			slots += instance->slots;
	}
	return slots < host->slots ? slots : host->slots;
}

/* Return the most slots that a task could have in it, in a queue (NULL: any). */
static uint64_t pe_room(const struct replay *replay, const struct pe *pe, const struct queue *queue)
{
	uint64_t sum = 0, most = 0;

	for (size_t h = 0; h < replay->machine.nhosts; h++) {
		uint64_t room = host_room(replay, &replay->machine.hosts[h], pe->name, queue);

		if (pe->rule == RULE_FIXED)	/* exactly that many on each host */
			room = room >= pe->slots_per_host ? pe->slots_per_host : 0;
		most = room > most ? room : most;
		sum += room;
	}
	sum = pe->rule == RULE_PE_SLOTS ? most : sum;
	return sum < pe->slots ? sum : pe->slots;
}

int room_find(struct replay *replay)
{
	const struct cell *cell = sched_cell(replay->sched);
	size_t queues = replay->options.queues ? cell->nqueues : 0;

	replay->machine.rooms = calloc((queues + 1) * cell->npes + 1, sizeof(*replay->machine.rooms));
	if (!replay->machine.rooms)
		return error_set(replay->error, -ENOMEM, "out of memory");
	for (size_t q = 0; q <= queues; q++)
		for (size_t i = 0; i < cell->npes; i++)
			replay->machine.rooms[q * cell->npes + i] =
				pe_room(replay, &cell->pes[i], q ? &cell->queues[q - 1] : NULL);
	return 0;
}

static uint64_t room_of(const struct replay *replay, const struct pe *pe, const struct queue *queue)
{
	const struct cell *cell = sched_cell(replay->sched);

	return replay->machine
		.rooms[(queue ? (size_t)(queue - cell->queues) + 1 : 0) * cell->npes + (size_t)(pe - cell->pes)];
}

static bool fits(const struct replay *replay, const struct pe *pe, const struct queue *queue, uint32_t slots)
{
	return slots <= room_of(replay, pe, queue) && (pe->rule != RULE_FIXED || slots % pe->slots_per_host == 0);
}

const char *machine_pe(const struct replay *replay, const char *wanted, const struct queue *queue, uint32_t slots,
		       struct error *why)
{
	const struct cell *cell = sched_cell(replay->sched);
	const struct pe *pe = wanted ? array_find(cell->pes, cell->npes, sizeof(*cell->pes), wanted) : NULL;

	if (!pe && replay->options.pe)
		pe = array_find(cell->pes, cell->npes, sizeof(*cell->pes), replay->options.pe);
	for (size_t i = 0; !pe && i < cell->npes; i++)
		if (fits(replay, &cell->pes[i], queue, slots))
			pe = &cell->pes[i];
	if (pe && fits(replay, pe, queue, slots))
		return pe->name;
	if (pe)
		error_set(why, -EINVAL,
			  "asks for %u slots: the parallel environment %.60s has at most %llu for a job%s%.60s", slots,
			  pe->name, (unsigned long long)room_of(replay, pe, queue), queue ? " in " : "",
			  queue ? queue->name : "");
	else
		error_set(why, -EINVAL,
			  "asks for %u slots: no parallel environment of the cell has as many for a job%s%.60s", slots,
			  queue ? " in " : "", queue ? queue->name : "");
	return NULL;
}

static bool has(const struct cell *cell, const struct pairs *values, const struct complex *complex)
{
	for (size_t i = 0; i < values->n; i++)
		if (cell_complex(cell, values->items[i].name) == complex)
			return true;
	return false;
}

static bool queue_has(const struct queue *queue, const struct complex *complex)
{
	for (size_t i = 0; i < queue->nvalues; i++) {
		const struct queue_value *value = &queue->values[i];

		if (strcmp(value->name, complex->name) == 0)
			return true;
		if (strcmp(value->name, "complex_values") == 0 &&
		    (strstr(value->value, complex->name) || value->noverrides > 0))
			return true;
	}
	return false;
}

bool room_offers(const struct cell *cell, const struct complex *complex)
{
	for (size_t i = 0; i < cell->nhosts; i++)
		if (has(cell, &cell->hosts[i].complex_values, complex) ||
		    has(cell, &cell->hosts[i].load_values, complex))
			return true;
	for (size_t i = 0; i < cell->nqueues; i++)
		if (queue_has(&cell->queues[i], complex))
			return true;
	return false;
}
