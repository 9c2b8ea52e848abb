/* SPDX-License-Identifier: Apache-2.0 */
/* What the files say of hosts and queue instances. */
#include "sched/dispatch/cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/search.h"
#include "sched/dispatch/cluster/columns.h"
#include "sched/dispatch/cluster/profile.h"

/* Hosts */

static int names_compare(const void *a, const void *b, void *names)
{
	return strcasecmp(((const char **)names)[*(const uint32_t *)a], ((const char **)names)[*(const uint32_t *)b]);
}

uint32_t cluster_host(const struct cluster *c, const char *name)
{
	size_t at;

	lower_bound(at, c->nhosts, strcasecmp(c->host_names[c->by_name[at]], name) < 0);
	return at < c->nhosts && strcasecmp(c->host_names[c->by_name[at]], name) == 0 ? c->by_name[at] : UINT32_MAX;
}

uint32_t cluster_instance(const struct cluster *c, uint32_t told)
{
	return told < c->ntold ? c->by_told[told] : UINT32_MAX;
}

static const char *host_part(const struct told_instance *t)
{
	return strchr(t->name, '@') + 1;
}

/* Hosts are numbered as their instances come: names first, sorted, without doubles. */
static int hosts_create(struct cluster *c, const struct told_instance *told, size_t n)
{
	const char **names = calloc(n + 1, sizeof(*names));
	uint32_t *order = calloc(n + 1, sizeof(*order));
	bool complete = false;

	c->hosts = calloc(n + 1, sizeof(*c->hosts));
	c->host_names = calloc(n + 1, sizeof(*c->host_names));
	c->by_name = calloc(n + 1, sizeof(*c->by_name));
	c->loads = calloc(n + 1, sizeof(*c->loads));
	if (names && order && c->hosts && c->host_names && c->by_name && c->loads) {
		for (size_t i = 0; i < n; i++) {
			names[i] = host_part(&told[i]);
			order[i] = (uint32_t)i;
		}
		qsort_r(order, n, sizeof(*order), names_compare, names);
		for (size_t i = 0; i < n; i++) {
			char *name;

			complete = i + 1 == n;
			if (c->nhosts > 0 && strcasecmp(names[order[i]], c->host_names[c->nhosts - 1]) == 0)
				continue;
			name = strdup(names[order[i]]);
			if (!name) {
				complete = false;
				break;
			}
			c->by_name[c->nhosts] = (uint32_t)c->nhosts;
			c->host_names[c->nhosts] = name;
			c->hosts[c->nhosts++] = (struct exec_host){ .name = name, .conf = cell_host(c->cell, name),
								    .first_instance = UINT32_MAX, .processors = 1 };
		}
		complete |= n == 0;
	}
	free(names);
	free(order);
	return complete ? 0 : -ENOMEM;
}

static int loads_read(struct host_loads *loads, const struct host_conf *conf)
{
	const struct pairs *pairs = conf ? &conf->load_values : NULL;
	struct load_text *values;

	if (!pairs || pairs->n == 0)
		return 0;
	values = malloc(pairs->n * sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < pairs->n; i++)
		values[i] = (struct load_text){ pairs->items[i].name, pairs->items[i].text };
	*loads = (struct host_loads){ values, pairs->n };
	return 0;
}

static int file_loads_create(struct cluster *c)
{
	int rc = loads_read(&c->global_file_loads, c->global_host);

	c->file_loads = calloc(c->nhosts + 1, sizeof(*c->file_loads));
	if (!c->file_loads)
		return -ENOMEM;
	for (size_t h = 0; h < c->nhosts && rc == 0; h++)
		rc = loads_read(&c->file_loads[h], c->hosts[h].conf);
	return rc;
}

/* Instances */

uint32_t cluster_queue_number(const struct cell *cell, const char *instance)
{
	char name[256];
	const struct queue *queue;
	size_t length = (size_t)(strchr(instance, '@') - instance);

	if (length >= sizeof(name))
		return (uint32_t)cell->nqueues;
	memcpy(name, instance, length);
	name[length] = '\0';
	queue = cell_queue(cell, name);
	return (uint32_t)(queue ? (size_t)(queue - cell->queues) : cell->nqueues);
}

static const struct calendar *calendar_of(const struct cluster *c, uint32_t queue, uint32_t host)
{
	const char *name = c->cell->ncalendars == 0 ? NULL : cell_queue_value(c->cell, &c->cell->queues[queue], c->host_names[host], "calendar");

	return name ? cell_calendar(c->cell, name) : NULL;
}

/* `last`: of each host the instance added last. */
static int instance_add(struct cluster *c, const struct told_instance *t, uint32_t queue, uint32_t *last)
{
	uint32_t host = cluster_host(c, host_part(t)), number = (uint32_t)c->ninstances;
	uint32_t profile = cluster_profile(c, &c->cell->queues[queue], c->host_names[host]);
	struct queue_instance *i = &c->instances[number];

	if (profile == UINT32_MAX)
		return -ENOMEM;
	*i = (struct queue_instance){ .name = strdup(t->name), .queue = queue, .host = host, .profile = profile,
				      .calendar = calendar_of(c, queue, host), .next_on_host = UINT32_MAX, .told = t->told };
	c->ninstances++;
	if (!i->name)
		return -ENOMEM;
	c->by_told[t->told] = number;
	*(c->hosts[host].first_instance == UINT32_MAX ? &c->hosts[host].first_instance : &c->instances[last[host]].next_on_host) = number;
	last[host] = number;
	return 0;
}

static int instances_create(struct cluster *c, const struct told_instance *told, size_t n)
{
	uint32_t *last = malloc((c->nhosts + 1) * sizeof(*last));
	int rc = 0;

	c->instances = calloc(n + 1, sizeof(*c->instances));
	c->queue_names = calloc(c->cell->nqueues + 1, sizeof(*c->queue_names));
	for (size_t i = 0; i < n; i++)
		c->ntold = told[i].told >= c->ntold ? told[i].told + 1 : c->ntold;
	c->by_told = malloc((c->ntold + 1) * sizeof(*c->by_told));
	c->list = malloc((n + 1) * sizeof(*c->list));
	c->given = n;
	if (!last || !c->instances || !c->queue_names || !c->by_told || !c->list) {
		free(last);
		return -ENOMEM;
	}
	memset(c->by_told, 0xff, (c->ntold + 1) * sizeof(*c->by_told));
	for (size_t i = 0; i < c->cell->nqueues; i++)
		c->queue_names[i] = c->cell->queues[i].name;
	for (size_t i = 0; i < n && rc == 0; i++) {
		uint32_t queue = cluster_queue_number(c->cell, told[i].name);

		rc = queue == c->cell->nqueues ? 0 : instance_add(c, &told[i], queue, last);
	}
	free(last);
	return rc;
}

/* The whole */

int cluster_create(struct cluster *c, const struct cell *cell, const struct told_instance *instances, size_t n)
{
	*c = (struct cluster){ .cell = cell };
	timelines_create(&c->timelines);
	timelines_create(&c->limits);
	c->global_host = cell_host(cell, "global");
	if (hosts_create(c, instances, n) || file_loads_create(c) || instances_create(c, instances, n) || columns_create(c))
		return -ENOMEM;
	return 0;
}

void cluster_destroy(struct cluster *c)
{
	columns_destroy(c);
	for (size_t i = 0; i < c->nprofiles; i++)
		profile_clear(&c->profiles[i]);
	for (size_t h = 0; c->file_loads && h < c->nhosts; h++)
		free((void *)c->file_loads[h].values);
	free(c->profiles);
	for (size_t h = 0; h < c->nhosts; h++)
		free((void *)c->host_names[h]);
	for (size_t i = 0; i < c->ninstances; i++)
		free((void *)c->instances[i].name);
	free(c->hosts);
	free(c->host_names);
	free(c->by_name);
	free(c->loads);
	free(c->file_loads);
	free((void *)c->global_file_loads.values);
	free(c->instances);
	free(c->queue_names);
	free(c->by_told);
	free(c->list);
	timelines_destroy(&c->timelines);
	timelines_destroy(&c->limits);
	*c = (struct cluster){ 0 };
}

/*
 * Letters of qstat(1) -f. What a load alarm means (a, A) is worked out here; a calendar that
 * disables or suspends (D, C) will open again.
 */
static enum instance_state state_of(const struct told_instance *t)
{
	if (!t->available || t->letters[strspn(t->letters, "aACD")] != '\0')
		return INSTANCE_OUT;
	return strpbrk(t->letters, "CD") ? INSTANCE_ASIDE : INSTANCE_OPEN;
}

void instance_close(struct queue_instance *i, enum calendar_state state)
{
	static const char *const letters[] = { [CALENDAR_UNSAID] = "", [CALENDAR_OFF] = "D", [CALENDAR_SUSPENDED] = "C" };

	if (state == CALENDAR_UNSAID || (state == CALENDAR_OFF && i->state != INSTANCE_OPEN) || strpbrk(i->letters, "sSC"))
		return;
	i->letters = letters[state];
	if (i->state == INSTANCE_OPEN)
		i->state = INSTANCE_ASIDE;
}

bool cluster_is_of(const struct cluster *c, const struct cell *cell, const struct told_instance *told, size_t n)
{
	size_t known = 0;

	if (c->cell != cell || c->given != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = cluster_instance(c, told[i].told);

		if (number == UINT32_MAX ? cluster_queue_number(cell, told[i].name) != cell->nqueues : strcmp(c->instances[number].name, told[i].name) != 0)
			return false;
		known += number != UINT32_MAX;
	}
	return known == c->ninstances;
}

int cluster_begin(struct cluster *c, const struct told_instance *told, size_t n, bool keeps)
{
	if (!keeps) {
		timelines_clear(&c->timelines);
		timelines_clear(&c->limits);
	}
	c->correction = 0;
	c->global_loads = c->global_file_loads;
	for (size_t h = 0; h < c->nhosts; h++) {
		c->hosts[h].correction = c->hosts[h].stamp = c->hosts[h].reviewed = 0;
		c->hosts[h].available = true;
		c->loads[h] = c->file_loads[h];
	}
	columns_begin(c, keeps);
	c->nlist = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = cluster_instance(c, told[i].told);

		if (number == UINT32_MAX)
			continue;
		c->list[c->nlist++] = number;
		c->instances[number].letters = told[i].letters;
		c->instances[number].state = state_of(&told[i]);
		c->instances[number].was_overloaded = c->instances[number].is_subordinated = false;
		c->instances[number].tag_search = c->instances[number].came_back = 0;
		c->hosts[c->instances[number].host].available &= told[i].available;
		column_set_slots(c, number, told[i].slots);
	}
	return 0;
}
