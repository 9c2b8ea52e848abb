/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine as the scheduler knows it: the instances that were told, or, where a scheduler was
 * made of a cell alone, those of the cell's queues on their hosts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/number.h"
#include "sched/replay/inside.h"

#define DEPTH_MOST 32			/* of host groups in host groups */

/* Instances of the cell */

static int instance_tell(struct replay *r, const struct queue *queue, const char *host)
{
	char name[1024];
	struct event event;

	if (snprintf(name, sizeof(name), "%s@%s", queue->name, host) >= (int)sizeof(name))
		return error_set(r->error, -EINVAL, "the queue instance %.60s@%.200s has too long a name", queue->name, host);
	event_init(&event, EVENT_QUEUE_INSTANCE);
	event.instance.queue = name;
	return replay_tell(r, &event);
}

static int hosts_tell(struct replay *r, const struct queue *queue, const struct strlist *hosts, unsigned depth)
{
	const struct cell *cell = sched_cell(r->sched);
	int rc = 0;

	for (size_t i = 0; i < hosts->n && rc == 0; i++) {
		const struct hostgroup *group = array_find(cell->hostgroups, cell->nhostgroups, sizeof(*cell->hostgroups), hosts->items[i]);

		if (hosts->items[i][0] != '@')
			rc = instance_tell(r, queue, hosts->items[i]);
		else if (group && depth < DEPTH_MOST)
			rc = hosts_tell(r, queue, &group->hostlist, depth + 1);
	}
	return rc;
}

/* Told twice, an instance keeps its place. */
static int cell_tell(struct replay *r)
{
	const struct cell *cell = sched_cell(r->sched);
	int rc = 0;

	for (size_t i = 0; i < cell->nqueues && rc == 0; i++)
		rc = hosts_tell(r, &cell->queues[i], &cell->queues[i].hostlist, 0);
	return rc;
}

/* What was told */

static uint64_t host_capacity(const struct cell *cell, const struct machine_host *host)
{
	const struct host_conf *conf = cell_host(cell, host->name);
	const struct pair *slots = conf ? pairs_find(&conf->complex_values, "slots") : NULL;

	return slots && slots->is_number && slots->value >= 0 && slots->value < (double)host->slots ? (uint64_t)slots->value : host->slots;
}

static double host_processors(const struct cell *cell, const struct machine_host *host)
{
	const struct host_conf *conf = cell_host(cell, host->name);
	const struct pair *processors = conf ? pairs_find(&conf->load_values, "num_proc") : NULL;

	return processors && processors->is_number && processors->value >= 1 ? processors->value : host->slots > 0 ? (double)host->slots : 1.0;
}

static const char *value_of(const struct cell *cell, const struct machine_instance *i, const char *attribute)
{
	const char *value = i->queue ? cell_queue_value(cell, i->queue, strchr(i->name, '@') + 1, attribute) : NULL;

	return value ? value : "NONE";
}

static int instance_read(struct replay *r, struct machine_instance *i)
{
	struct replay_machine *m = &r->machine;
	const struct cell *cell = sched_cell(r->sched);
	const char *thresholds, *others;
	char queue[512];

	snprintf(queue, sizeof(queue), "%.*s", (int)strcspn(i->name, "@"), i->name);
	i->queue = cell_queue(cell, queue);
	thresholds = value_of(cell, i, "load_thresholds");
	others = value_of(cell, i, "suspend_thresholds");
	i->calendar = cell_calendar(cell, value_of(cell, i, "calendar"));
	if (subordinates_parse(&i->list, value_of(cell, i, "subordinate_list"), &(struct error){ "" }) == -ENOMEM)
		return error_set(r->error, -ENOMEM, "out of memory");
	m->subordinates |= i->list.n > 0;
	m->calendars |= i->calendar != NULL;
	m->thresholds |= strcasecmp(others, "NONE") != 0;
	m->loads |= strcasecmp(thresholds, "NONE") != 0 || strcasecmp(others, "NONE") != 0;
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

static int instances_take(struct replay *r)
{
	struct replay_machine *m = &r->machine;
	struct mirror *mirror = sched_mirror(r->sched);
	const struct state *state = mirror->state;

	m->instances = calloc(state->ninstances + 1, sizeof(*m->instances));
	m->hosts = calloc(state->ninstances + 1, sizeof(*m->hosts));
	if (!m->instances || !m->hosts)
		return error_set(r->error, -ENOMEM, "out of memory");
	for (; m->n < state->ninstances; m->n++) {
		m->instances[m->n].name = strdup(mirror_text(mirror, state->instance_names[m->n]));
		m->instances[m->n].slots = state->instances[m->n].slots;
		if (!m->instances[m->n].name)
			return error_set(r->error, -ENOMEM, "out of memory");
	}
	qsort(m->instances, m->n, sizeof(*m->instances), by_host);
	return 0;
}

/* Those of one host follow each other. */
static void hosts_take(struct replay *r)
{
	struct replay_machine *m = &r->machine;
	const struct cell *cell = sched_cell(r->sched);

	for (size_t i = 0; i < m->n; i++) {
		const char *host = host_part(m->instances[i].name);

		if (m->nhosts == 0 || strcmp(m->hosts[m->nhosts - 1].name, host) != 0)
			m->hosts[m->nhosts++] = (struct machine_host){ .name = host, .told = UINT64_MAX, .first = (uint32_t)i };
		m->instances[i].host = (uint32_t)(m->nhosts - 1);
		m->hosts[m->nhosts - 1].slots += m->instances[i].slots;
		m->hosts[m->nhosts - 1].n++;
		m->most = m->instances[i].slots > m->most ? m->instances[i].slots : m->most;
	}
	for (size_t h = 0; h < m->nhosts; h++) {
		m->hosts[h].processors = host_processors(cell, &m->hosts[h]);
		m->hosts[h].slots = host_capacity(cell, &m->hosts[h]);
		m->slots += m->hosts[h].slots;
	}
}

int machine_find(struct replay *r, struct error *error)
{
	struct replay_machine *m = &r->machine;
	int rc;

	m->next_change = FOREVER;
	m->resumed = sched_mirror(r->sched)->state->ninstances > 0;
	rc = m->resumed ? 0 : cell_tell(r);
	if (rc == 0)
		rc = instances_take(r);
	for (size_t i = 0; i < m->n && rc == 0; i++)
		rc = instance_read(r, &m->instances[i]);
	if (rc)
		return rc;
	hosts_take(r);
	m->loads |= m->nhosts > 1 && strcasecmp(sched_cell(r->sched)->sched.load_formula, "NONE") != 0;
	if (m->slots == 0)
		return error_set(error, -EINVAL, "the cell has no queue with slots on any host: there is nothing to replay on");
	return room_find(r);
}

void machine_free(struct replay_machine *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free((void *)m->instances[i].name);
		subordinates_free(&m->instances[i].list);
	}
	free(m->instances);
	free(m->hosts);
	free(m->rooms);
}

uint32_t machine_instance(const struct replay_machine *m, const char *name)
{
	size_t begin = 0, end = m->n;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		int order = compare(name, m->instances[middle].name);

		if (order == 0)
			return (uint32_t)middle;
		if (order < 0)
			end = middle;
		else
			begin = middle + 1;
	}
	return INDEX_NONE;
}
