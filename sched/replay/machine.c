/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine as the scheduler knows it: the reported instances. For a scheduler made of a cell
 * alone, the instances of the cell's queues on their hosts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "sched/replay/inside.h"

#define DEPTH_MOST 32			/* nesting of host groups */

/* Instances of the cell */

static int instance_report(struct replay *replay, const struct queue *queue, const char *host)
{
	char name[1024];
	struct event event;

	if (snprintf(name, sizeof(name), "%s@%s", queue->name, host) >= (int)sizeof(name))
		return error_set(replay->error, -EINVAL,
				 "the name of the queue instance %.60s@%.200s is longer than 1023 bytes",
				 queue->name, host);
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = name;
	return replay_send(replay, &event);
}

static int hosts_report(struct replay *replay, const struct queue *queue, const struct strlist *hosts, unsigned depth)
{
	const struct cell *cell = sched_cell(replay->sched);
	int rc = 0;

	for (size_t i = 0; i < hosts->n && rc == 0; i++) {
		const struct hostgroup *group =
			array_find(cell->hostgroups, cell->nhostgroups, sizeof(*cell->hostgroups), hosts->items[i]);

		if (hosts->items[i][0] != '@')
			rc = instance_report(replay, queue, hosts->items[i]);
		else if (group && depth < DEPTH_MOST)
			rc = hosts_report(replay, queue, &group->hostlist, depth + 1);
	}
	return rc;
}

/* Report all instances. An instance that is reported twice keeps its position. */
static int cell_report(struct replay *replay)
{
	const struct cell *cell = sched_cell(replay->sched);
	int rc = 0;

	for (size_t i = 0; i < cell->nqueues && rc == 0; i++)
		rc = hosts_report(replay, &cell->queues[i], &cell->queues[i].hostlist, 0);
	return rc;
}

/* Reported instances */

static uint64_t host_capacity(const struct cell *cell, const struct machine_host *host)
{
	const struct host_conf *conf = cell_host(cell, host->name);
	const struct pair *slots = conf ? pairs_find(&conf->complex_values, "slots") : NULL;

	return slots && slots->is_number && slots->value >= 0 && slots->value < (double)host->slots
		       ? (uint64_t)slots->value
		       : host->slots;
}

static double host_processors(const struct cell *cell, const struct machine_host *host)
{
	const struct host_conf *conf = cell_host(cell, host->name);
	const struct pair *processors = conf ? pairs_find(&conf->load_values, "num_proc") : NULL;

	return processors && processors->is_number && processors->value >= 1 ? processors->value
	       : host->slots > 0					     ? (double)host->slots
									     : 1.0;
}

static const char *value_of(const struct cell *cell, const struct machine_instance *instance, const char *attribute)
{
	const char *value =
		instance->queue ? cell_queue_value(cell, instance->queue, strchr(instance->name, '@') + 1, attribute)
				: NULL;

	return value ? value : "NONE";
}

static int instance_read(struct replay *replay, struct machine_instance *instance)
{
	struct replay_machine *machine = &replay->machine;
	const struct cell *cell = sched_cell(replay->sched);
	const char *thresholds, *others;
	char queue[512];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(instance->name, "@"), instance->name);
	instance->queue = cell_queue(cell, queue);
	thresholds = value_of(cell, instance, "load_thresholds");
	others = value_of(cell, instance, "suspend_thresholds");
	instance->calendar = cell_calendar(cell, value_of(cell, instance, "calendar"));
	if (subordinates_parse(&instance->list, value_of(cell, instance, "subordinate_list"), &(struct error){ "" }) ==
	    -ENOMEM)
		return error_set(replay->error, -ENOMEM, "out of memory");
	machine->subordinates |= instance->list.n > 0;
	machine->calendars |= instance->calendar != NULL;
	machine->thresholds |= strcasecmp(others, "NONE") != 0;
	machine->loads |= strcasecmp(thresholds, "NONE") != 0 || strcasecmp(others, "NONE") != 0;
	return 0;
}

static const char *host_part(const char *name)
{
	const char *at = strrchr(name, '@');

	return at ? at + 1 : name;
}

static int compare(const char *a, const char *b)
{
	int order = strcmp(host_part(a), host_part(b));

	return order ? order : strcmp(a, b);
}

static int by_host(const void *a, const void *b)
{
	return compare(((const struct machine_instance *)a)->name, ((const struct machine_instance *)b)->name);
}

static int instances_take(struct replay *replay)
{
	struct replay_machine *machine = &replay->machine;
	const struct mirror *mirror = sched_mirror(replay->sched);
	size_t n = mirror_instance_count(mirror);

	machine->instances = calloc(n + 1, sizeof(*machine->instances));
	machine->hosts = calloc(n + 1, sizeof(*machine->hosts));
	if (!machine->instances || !machine->hosts)
		return error_set(replay->error, -ENOMEM, "out of memory");
	for (; machine->n < n; machine->n++) {
		machine->instances[machine->n].name = strdup(mirror_instance_name(mirror, machine->n));
		machine->instances[machine->n].slots = mirror_instance(mirror, machine->n)->slots;
		if (!machine->instances[machine->n].name)
			return error_set(replay->error, -ENOMEM, "out of memory");
	}
	qsort(machine->instances, machine->n, sizeof(*machine->instances), by_host);
	return 0;
}

/* Make the hosts. Instances of one host are adjacent. */
static void hosts_take(struct replay *replay)
{
	struct replay_machine *machine = &replay->machine;
	const struct cell *cell = sched_cell(replay->sched);

	for (size_t i = 0; i < machine->n; i++) {
		const char *host = host_part(machine->instances[i].name);

		if (machine->nhosts == 0 || strcmp(machine->hosts[machine->nhosts - 1].name, host) != 0)
			machine->hosts[machine->nhosts++] =
				(struct machine_host){ .name = host,
						       .reported_busy = UINT64_MAX,
						       .first = (uint32_t)i };
		machine->instances[i].host = (uint32_t)(machine->nhosts - 1);
		machine->hosts[machine->nhosts - 1].slots += machine->instances[i].slots;
		machine->hosts[machine->nhosts - 1].n++;
		machine->most =
			machine->instances[i].slots > machine->most ? machine->instances[i].slots : machine->most;
	}
	for (size_t h = 0; h < machine->nhosts; h++) {
		machine->hosts[h].processors = host_processors(cell, &machine->hosts[h]);
		machine->hosts[h].slots = host_capacity(cell, &machine->hosts[h]);
		machine->slots += machine->hosts[h].slots;
	}
}

int machine_find(struct replay *replay, struct error *error)
{
	struct replay_machine *machine = &replay->machine;
	int rc;

	machine->next_change = FOREVER;
	machine->resumed = mirror_instance_count(sched_mirror(replay->sched)) > 0;
	rc = machine->resumed ? 0 : cell_report(replay);
	if (rc == 0)
		rc = instances_take(replay);
	for (size_t i = 0; i < machine->n && rc == 0; i++)
		rc = instance_read(replay, &machine->instances[i]);
	if (rc)
		return rc;
	hosts_take(replay);
	machine->loads |= machine->nhosts > 1 && strcasecmp(sched_cell(replay->sched)->sched.load_formula, "NONE") != 0;
	if (machine->slots == 0)
		return error_set(error, -EINVAL,
				 "the cell has no queue with slots on any host: add a queue, or replay with --slots");
	return room_find(replay);
}

void machine_free(struct replay_machine *machine)
{
	for (size_t i = 0; i < machine->n; i++) {
		free((void *)machine->instances[i].name);
		subordinates_free(&machine->instances[i].list);
	}
	free(machine->instances);
	free(machine->hosts);
	free(machine->rooms);
}

uint32_t machine_instance(const struct replay_machine *machine, const char *name)
{
	size_t begin = 0, end = machine->n;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		int order = compare(name, machine->instances[middle].name);

		if (order == 0)
			return (uint32_t)middle;
		if (order < 0)
			end = middle;
		else
			begin = middle + 1;
	}
	return INDEX_NONE;
}
