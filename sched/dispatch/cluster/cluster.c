/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and queue instances, as configured. */
#include "sched/dispatch/cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/search.h"
#include "sched/dispatch/cluster/columns.h"
#include "sched/dispatch/cluster/profile.h"

/* Hosts */

static int names_compare(const void *a, const void *b, void *names)
{
	return strcasecmp(((const char **)names)[*(const uint32_t *)a], ((const char **)names)[*(const uint32_t *)b]);
}

uint32_t cluster_host(const struct cluster *cluster, const char *name)
{
	size_t at;

	lower_bound(at, cluster->nhosts, strcasecmp(cluster->host_names[cluster->by_name[at]], name) < 0);
	return at < cluster->nhosts && strcasecmp(cluster->host_names[cluster->by_name[at]], name) == 0
		       ? cluster->by_name[at]
		       : UINT32_MAX;
}

uint32_t cluster_instance(const struct cluster *cluster, uint32_t reported)
{
	return reported < cluster->nreported ? cluster->by_reported[reported] : UINT32_MAX;
}

static const char *host_part(const struct reported_instance *instance)
{
	return strchr(instance->name, '@') + 1;
}

static int host_add(struct cluster *cluster, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	cluster->by_name[cluster->nhosts] = (uint32_t)cluster->nhosts;
	cluster->host_names[cluster->nhosts] = copy;
	cluster->hosts[cluster->nhosts++] = (struct exec_host){
		.name = copy, .conf = cell_host(cluster->cell, copy), .first_instance = UINT32_MAX, .processors = 1
	};
	return 0;
}

/* Number the hosts in the order of their names, without duplicates. */
static int hosts_create(struct cluster *cluster, const struct reported_instance *reported, size_t n)
{
	const char **names = calloc(n + 1, sizeof(*names));
	uint32_t *order = calloc(n + 1, sizeof(*order));
	int rc = -ENOMEM;

	cluster->hosts = calloc(n + 1, sizeof(*cluster->hosts));
	cluster->host_names = calloc(n + 1, sizeof(*cluster->host_names));
	cluster->by_name = calloc(n + 1, sizeof(*cluster->by_name));
	cluster->loads = calloc(n + 1, sizeof(*cluster->loads));
	if (!names || !order || !cluster->hosts || !cluster->host_names || !cluster->by_name || !cluster->loads)
		goto out;
	for (size_t i = 0; i < n; i++) {
		names[i] = host_part(&reported[i]);
		order[i] = (uint32_t)i;
	}
	qsort_r(order, n, sizeof(*order), names_compare, names);
	for (size_t i = 0; i < n; i++) {
		const char *name = names[order[i]];

		if (cluster->nhosts > 0 && strcasecmp(name, cluster->host_names[cluster->nhosts - 1]) == 0)
			continue;
		if (host_add(cluster, name))
			goto out;
	}
	rc = 0;
out:
	free(names);
	free(order);
	return rc;
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

static int file_loads_create(struct cluster *cluster)
{
	int rc = loads_read(&cluster->global_file_loads, cluster->global_host);

	cluster->file_loads = calloc(cluster->nhosts + 1, sizeof(*cluster->file_loads));
	if (!cluster->file_loads)
		return -ENOMEM;
	for (size_t h = 0; h < cluster->nhosts && rc == 0; h++)
		rc = loads_read(&cluster->file_loads[h], cluster->hosts[h].conf);
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

static const struct calendar *calendar_of(const struct cluster *cluster, uint32_t queue, uint32_t host)
{
	const char *name = cluster->cell->ncalendars == 0
				   ? NULL
				   : cell_queue_value(cluster->cell, &cluster->cell->queues[queue],
						      cluster->host_names[host], "calendar");

	return name ? cell_calendar(cluster->cell, name) : NULL;
}

/* Add an instance. `last`: the last instance of each host so far. */
static int instance_add(struct cluster *cluster, const struct reported_instance *instance, uint32_t queue,
			uint32_t *last)
{
	uint32_t host = cluster_host(cluster, host_part(instance)), number = (uint32_t)cluster->ninstances;
	uint32_t profile = cluster_profile(cluster, &cluster->cell->queues[queue], cluster->host_names[host]);
	struct queue_instance *queue_instance = &cluster->instances[number];

	if (profile == UINT32_MAX)
		return -ENOMEM;
	*queue_instance = (struct queue_instance){ .name = strdup(instance->name),
						   .queue = queue,
						   .host = host,
						   .profile = profile,
						   .calendar = calendar_of(cluster, queue, host),
						   .next_on_host = UINT32_MAX,
						   .reported = instance->reported };
	cluster->ninstances++;
	if (!queue_instance->name)
		return -ENOMEM;
	cluster->by_reported[instance->reported] = number;
	if (cluster->hosts[host].first_instance == UINT32_MAX)
		cluster->hosts[host].first_instance = number;
	else
		cluster->instances[last[host]].next_on_host = number;
	last[host] = number;
	return 0;
}

static int instances_create(struct cluster *cluster, const struct reported_instance *reported, size_t n)
{
	uint32_t *last = malloc((cluster->nhosts + 1) * sizeof(*last));
	int rc = 0;

	cluster->instances = calloc(n + 1, sizeof(*cluster->instances));
	cluster->queue_names = calloc(cluster->cell->nqueues + 1, sizeof(*cluster->queue_names));
	for (size_t i = 0; i < n; i++)
		cluster->nreported =
			reported[i].reported >= cluster->nreported ? reported[i].reported + 1 : cluster->nreported;
	cluster->by_reported = malloc((cluster->nreported + 1) * sizeof(*cluster->by_reported));
	cluster->list = malloc((n + 1) * sizeof(*cluster->list));
	cluster->given = n;
	if (!last || !cluster->instances || !cluster->queue_names || !cluster->by_reported || !cluster->list) {
		free(last);
		return -ENOMEM;
	}
	memset(cluster->by_reported, 0xff, (cluster->nreported + 1) * sizeof(*cluster->by_reported));
	for (size_t i = 0; i < cluster->cell->nqueues; i++)
		cluster->queue_names[i] = cluster->cell->queues[i].name;
	for (size_t i = 0; i < n && rc == 0; i++) {
		uint32_t queue = cluster_queue_number(cluster->cell, reported[i].name);

		rc = queue == cluster->cell->nqueues ? 0 : instance_add(cluster, &reported[i], queue, last);
	}
	free(last);
	return rc;
}

/* Creation */

int cluster_create(struct cluster *cluster, const struct cell *cell, const struct reported_instance *instances,
		   size_t n)
{
	*cluster = (struct cluster){ .cell = cell };
	timelines_create(&cluster->timelines);
	timelines_create(&cluster->limits);
	cluster->global_host = cell_host(cell, "global");
	if (hosts_create(cluster, instances, n) || file_loads_create(cluster) ||
	    instances_create(cluster, instances, n) || columns_create(cluster))
		return -ENOMEM;
	return 0;
}

void cluster_destroy(struct cluster *cluster)
{
	columns_destroy(cluster);
	for (size_t i = 0; i < cluster->nprofiles; i++)
		profile_clear(&cluster->profiles[i]);
	for (size_t h = 0; cluster->file_loads && h < cluster->nhosts; h++)
		free((void *)cluster->file_loads[h].values);
	free(cluster->profiles);
	for (size_t h = 0; h < cluster->nhosts; h++)
		free((void *)cluster->host_names[h]);
	for (size_t i = 0; i < cluster->ninstances; i++)
		free((void *)cluster->instances[i].name);
	free(cluster->hosts);
	free(cluster->host_names);
	free(cluster->by_name);
	free(cluster->loads);
	free(cluster->file_loads);
	free((void *)cluster->global_file_loads.values);
	free(cluster->instances);
	free(cluster->queue_names);
	free(cluster->by_reported);
	free(cluster->list);
	timelines_destroy(&cluster->timelines);
	timelines_destroy(&cluster->limits);
	*cluster = (struct cluster){ 0 };
}

/*
 * Return the state for the letters of qstat(1) -f. Load alarms (a, A) are computed by the scheduler
 * itself. A calendar that disables or suspends (D, C) will open again.
 */
static enum instance_state state_of(const struct reported_instance *instance)
{
	if (!instance->available || instance->letters[strspn(instance->letters, "aACD")] != '\0')
		return INSTANCE_OUT;
	return strpbrk(instance->letters, "CD") ? INSTANCE_ASIDE : INSTANCE_OPEN;
}

void instance_close(struct queue_instance *instance, enum calendar_state state)
{
	static const char *const letters[] = {
		[CALENDAR_UNSAID] = "", [CALENDAR_OFF] = "D", [CALENDAR_SUSPENDED] = "C"
	};

	if (state == CALENDAR_UNSAID || (state == CALENDAR_OFF && instance->state != INSTANCE_OPEN) ||
	    strpbrk(instance->letters, "sSC"))
		return;
	instance->letters = letters[state];
	if (instance->state == INSTANCE_OPEN)
		instance->state = INSTANCE_ASIDE;
}

bool cluster_is_of(const struct cluster *cluster, const struct cell *cell, const struct reported_instance *reported,
		   size_t n)
{
	size_t known = 0;

	if (cluster->cell != cell || cluster->given != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = cluster_instance(cluster, reported[i].reported);

		if (number == UINT32_MAX ? cluster_queue_number(cell, reported[i].name) != cell->nqueues
					 : strcmp(cluster->instances[number].name, reported[i].name) != 0)
			return false;
		known += number != UINT32_MAX;
	}
	return known == cluster->ninstances;
}

int cluster_begin(struct cluster *cluster, const struct reported_instance *reported, size_t n, bool keeps)
{
	if (!keeps) {
		timelines_clear(&cluster->timelines);
		timelines_clear(&cluster->limits);
	}
	cluster->correction = 0;
	cluster->global_loads = cluster->global_file_loads;
	for (size_t h = 0; h < cluster->nhosts; h++) {
		cluster->hosts[h].correction = 0;
		cluster->hosts[h].available = true;
		cluster->loads[h] = cluster->file_loads[h];
	}
	columns_begin(cluster, keeps);
	cluster->nlist = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t number = cluster_instance(cluster, reported[i].reported);

		if (number == UINT32_MAX)
			continue;
		cluster->list[cluster->nlist++] = number;
		cluster->instances[number].letters = reported[i].letters;
		cluster->instances[number].state = state_of(&reported[i]);
		cluster->instances[number].was_overloaded = cluster->instances[number].is_subordinated = false;
		cluster->hosts[cluster->instances[number].host].available &= reported[i].available;
		column_set_slots(cluster, number, reported[i].slots);
	}
	return 0;
}
