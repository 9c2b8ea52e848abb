/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/inventory.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conf/base/array.h"

const char *const instance_state_names[INSTANCE_STATES] = {
	"load_alarm", "suspend_alarm", "calendar_suspended", "calendar_disabled",	"disabled", "unknown",
	"error",      "subordinated",  "suspended",	     "configuration_ambiguous", "orphaned",
};

/* Names of consumables that are the memory of a host, in the order in which they are searched. */
static const char *const memory_names[] = { "h_vmem", "mem", "virtual_free", "mem_free", "h_rss", "s_vmem" };

static int arrays_make(struct inventory *inventory, const struct fl_view *view)
{
	inventory->hosts = calloc(fl_hosts(view) + 1, sizeof(*inventory->hosts));
	inventory->instances = calloc(fl_instances(view) + 1, sizeof(*inventory->instances));
	inventory->queues = calloc(fl_instances(view) + 1, sizeof(*inventory->queues));
	return inventory->hosts && inventory->instances && inventory->queues ? 0 : -ENOMEM;
}

/* Consumables */

static struct inventory_resource *resource_of(struct inventory *inventory, const char *name, enum fl_level level)
{
	struct inventory_resource *resource;
	uint32_t number;
	char key[300];

	snprintf(key, sizeof(key), "%d%s", (int)level, name);
	if (text_set_add(&inventory->resource_names, key, &number))
		return NULL;
	if (number < inventory->nresources)
		return &inventory->resources[number];
	if (inventory->nresources == inventory->resource_capacity) {
		size_t capacity = inventory->resource_capacity ? 2 * inventory->resource_capacity : 16;

		if (array_grow(&inventory->resources, capacity, sizeof(*inventory->resources)))
			return NULL;
		inventory->resource_capacity = capacity;
	}
	resource = &inventory->resources[inventory->nresources++];
	*resource = (struct inventory_resource){ .name = name, .level = level };
	return resource;
}

static void memory_read(struct inventory_host *host, const struct fl_resource *resource, size_t *best)
{
	for (size_t i = 0; i < *best; i++)
		if (strcmp(resource->name, memory_names[i]) == 0 && fabs(resource->total) < DBL_MAX) {
			host->memory = resource->total;
			host->memory_used = resource->used;
			*best = i;
		}
}

/* Add the consumables of an object. `host` is NULL, or the host that is the object. */
static int resources_read(struct inventory *inventory, const struct fl_view *view, enum fl_level level, size_t object,
			  struct inventory_host *host)
{
	size_t best = sizeof(memory_names) / sizeof(*memory_names);
	struct fl_resource read;

	for (size_t k = 0; fl_resource(view, level, object, k, &read) == 0; k++) {
		struct inventory_resource *resource = resource_of(inventory, read.name, level);

		if (!resource)
			return -ENOMEM;
		resource->total += fabs(read.total) < DBL_MAX ? read.total : NAN;
		resource->used += read.used;
		if (host)
			memory_read(host, &read, &best);
	}
	return 0;
}

/* Hosts and queues */

static int hosts_read(struct inventory *inventory, const struct fl_view *view)
{
	size_t n = fl_hosts(view);
	int rc = n ? resources_read(inventory, view, FL_GLOBAL, 0, NULL) : 0;

	for (size_t k = 1; k < n && rc == 0; k++) {
		struct inventory_host *host = &inventory->hosts[inventory->nhosts++];

		if (fl_host(view, k, &host->host))
			host->host = (struct fl_host){ .name = "", .arch = "" };
		host->memory = host->memory_used = NAN;
		rc = resources_read(inventory, view, FL_HOST, k, host);
	}
	return rc;
}

static int queue_of(struct inventory *inventory, const char *name, struct inventory_queue **queue)
{
	uint32_t number;

	if (text_set_add(&inventory->queue_names, name, &number))
		return -ENOMEM;
	*queue = &inventory->queues[number];
	if (number == inventory->nqueues) {
		inventory->nqueues++;
		(*queue)->name = name;
	}
	return 0;
}

static int instance_count(struct inventory *inventory, const struct fl_instance *instance)
{
	struct inventory_host *host = instance->host > 0 && instance->host <= inventory->nhosts
					      ? &inventory->hosts[instance->host - 1]
					      : NULL;
	struct inventory_queue *queue;

	if (queue_of(inventory, instance->queue, &queue))
		return -ENOMEM;
	queue->instances++;
	queue->free_of_states += instance->state[0] == '\0';
	queue->slots += instance->slots;
	queue->used += instance->used;
	queue->reserved += instance->reserved;
	if (instance->state[0] == '\0' && instance->host_available && instance->slots > instance->used)
		queue->usable += instance->slots - instance->used;
	for (size_t i = 0; i < INSTANCE_STATES; i++)
		queue->states[i] += strchr(instance->state, INSTANCE_LETTERS[i]) != NULL;
	if (host) {
		host->instances++;
		host->slots += instance->slots;
		host->used += instance->used;
		host->reserved += instance->reserved;
	}
	return 0;
}

int inventory_read(struct inventory *inventory, const struct fl_view *view)
{
	size_t n = fl_instances(view);
	int rc;

	*inventory = (struct inventory){ .nhosts = 0 };
	rc = arrays_make(inventory, view);
	rc = rc ? rc : hosts_read(inventory, view);
	for (size_t k = 0; k < n && rc == 0; k++) {
		struct fl_instance *instance = &inventory->instances[inventory->ninstances];

		/* The cell may not have the queue any more. */
		if (fl_instance(view, k, instance) || !*instance->queue)
			continue;
		inventory->ninstances++;
		rc = instance_count(inventory, instance);
		rc = rc ? rc : resources_read(inventory, view, FL_QUEUE, k, NULL);
	}
	return rc;
}

void inventory_free(struct inventory *inventory)
{
	text_set_free(&inventory->queue_names);
	text_set_free(&inventory->resource_names);
	free(inventory->hosts);
	free(inventory->instances);
	free(inventory->queues);
	free(inventory->resources);
}

const struct inventory_host *inventory_host_of(const struct inventory *inventory, const struct fl_instance *instance)
{
	return instance->host > 0 && instance->host <= inventory->nhosts ? &inventory->hosts[instance->host - 1] : NULL;
}
