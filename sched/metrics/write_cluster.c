/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, queues and consumables. */
#include <errno.h>
#include <math.h>

#include "sched/metrics/inventory.h"
#include "sched/metrics/reading.h"

/* Hosts */

struct host_values {
	const char *name;
	double available, slots, used, reserved, load, np_load, processors;
	double mem_total, mem_used, swap_total, swap_used;
};

#define HOST(FIELD) .field = offsetof(struct host_values, FIELD)

static const struct family_column host_columns[] = {
	{ { "fairlead_host_available", FAMILY_GAUGE, NULL,
	    "1: the qmaster has contact with the host; 0: it is silent." },
	  HOST(available) },
	{ { "fairlead_host_slots", FAMILY_GAUGE, NULL, "Slots of the queue instances on a host." }, HOST(slots) },
	{ { "fairlead_host_slots_used", FAMILY_GAUGE, NULL, "Slots in use on a host." }, HOST(used) },
	{ { "fairlead_host_slots_reserved", FAMILY_GAUGE, NULL, "Slots on a host that advance reservations keep now." },
	  HOST(reserved) },
	{ { "fairlead_host_load", FAMILY_GAUGE, NULL, "Load average of a host (load_avg), as reported." }, HOST(load) },
	{ { "fairlead_host_load_per_processor", FAMILY_GAUGE, NULL,
	    "Load of a host divided by its processors (np_load_avg), scaled." },
	  HOST(np_load) },
	{ { "fairlead_host_processors", FAMILY_GAUGE, NULL, "Processors of a host." }, HOST(processors) },
	{ { "fairlead_host_memory_bytes", FAMILY_GAUGE, "bytes", "Memory of a host." }, HOST(mem_total) },
	{ { "fairlead_host_memory_used_bytes", FAMILY_GAUGE, "bytes", "Used memory of a host." }, HOST(mem_used) },
	{ { "fairlead_host_swap_bytes", FAMILY_GAUGE, "bytes", "Swap space of a host." }, HOST(swap_total) },
	{ { "fairlead_host_swap_used_bytes", FAMILY_GAUGE, "bytes", "Used swap space of a host." }, HOST(swap_used) },
};

static size_t host_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "host", ((const struct host_values *)row)->name);
}

/* Return a reported value, or NAN. */
static double reported(double value)
{
	return value < 0 ? NAN : value;
}

static struct host_values host_values(const struct inventory_host *from)
{
	const struct fl_host *host = &from->host;
	double known = from->instances > 0 ? 1 : NAN;

	return (struct host_values){ .name = host->name,
				  .available = host->available,
				  .slots = known * from->slots,
				  .used = known * from->used,
				  .reserved = known * from->reserved,
				  .load = reported(host->load_reported),
				  .np_load = reported(host->np_load_avg),
				  .processors = reported(host->processors),
				  .mem_total = reported(host->mem_total),
				  .mem_used = reported(host->mem_used),
				  .swap_total = reported(host->swap_total),
				  .swap_used = reported(host->swap_used) };
}

static void write_host_states(struct exposition *page, const struct inventory *inventory)
{
	static const struct family family = { "fairlead_hosts", FAMILY_GAUGE, NULL,
					      "Hosts with which the qmaster has contact, and silent hosts." };
	size_t available = 0;

	for (size_t k = 0; k < inventory->nhosts; k++)
		available += inventory->hosts[k].host.available;
	exposition_family(page, &family);
	exposition_value(page, &(struct label){ "state", "available" }, 1, (double)available);
	exposition_value(page, &(struct label){ "state", "silent" }, 1, (double)(inventory->nhosts - available));
}

static int write_hosts(struct exposition *page, const struct inventory *inventory)
{
	struct host_values *items = calloc(inventory->nhosts + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < inventory->nhosts; k++)
		items[k] = host_values(&inventory->hosts[k]);
	write_host_states(page, inventory);
	exposition_columns(page, host_columns, COUNT_OF(host_columns),
			   &(struct family_rows){ items, inventory->nhosts, sizeof(*items), host_labels });
	free(items);
	return 0;
}

/* Queues */

struct queue_values {
	const char *name;
	double slots, used, reserved, usable;
};

#define QUEUE(FIELD) .field = offsetof(struct queue_values, FIELD)

static const struct family_column queue_columns[] = {
	{ { "fairlead_queue_slots", FAMILY_GAUGE, NULL, "Slots of a queue." }, QUEUE(slots) },
	{ { "fairlead_queue_slots_used", FAMILY_GAUGE, NULL, "Slots of a queue that are in use." }, QUEUE(used) },
	{ { "fairlead_queue_slots_reserved", FAMILY_GAUGE, NULL,
	    "Slots of a queue that advance reservations keep now." },
	  QUEUE(reserved) },
	{ { "fairlead_queue_slots_usable", FAMILY_GAUGE, NULL,
	    "Free slots of a queue in instances without a state, on available hosts." },
	  QUEUE(usable) },
};

static size_t queue_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "queue", ((const struct queue_values *)row)->name);
}

static void write_queue_states(struct exposition *page, const struct inventory *inventory)
{
	static const struct family family = {
		"fairlead_queue_instances", FAMILY_GAUGE, NULL,
		"Instances of a queue by state; an instance with several states counts in each."
	};

	exposition_family(page, &family);
	for (size_t k = 0; k < inventory->nqueues; k++) {
		const struct inventory_queue *queue = &inventory->queues[k];
		struct label labels[] = { { "queue", queue->name }, { "state", "ok" } };

		exposition_value(page, labels, 2, queue->free_of_states);
		for (size_t i = 0; i < INSTANCE_STATES; i++) {
			labels[1].value = instance_state_names[i];
			exposition_value(page, labels, 2, queue->states[i]);
		}
	}
}

static int write_queues(struct exposition *page, const struct inventory *inventory)
{
	struct queue_values *items = calloc(inventory->nqueues + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < inventory->nqueues; k++) {
		const struct inventory_queue *queue = &inventory->queues[k];

		items[k] = (struct queue_values){ queue->name, (double)queue->slots, (double)queue->used,
						  (double)queue->reserved, (double)queue->usable };
	}
	exposition_columns(page, queue_columns, COUNT_OF(queue_columns),
			   &(struct family_rows){ items, inventory->nqueues, sizeof(*items), queue_labels });
	write_queue_states(page, inventory);
	free(items);
	return 0;
}

/* Consumables */

#define RESOURCE(FIELD) .field = offsetof(struct inventory_resource, FIELD)

static const struct family_column resource_columns[] = {
	{ { "fairlead_resource_capacity", FAMILY_GAUGE, NULL,
	    "Amount of a consumable, added up over the objects of a level." },
	  RESOURCE(total) },
	{ { "fairlead_resource_used", FAMILY_GAUGE, NULL, "Amount of a consumable that jobs use." }, RESOURCE(used) },
};

static size_t resource_labels(const void *row, struct label *labels)
{
	static const char *const levels[] = { [FL_GLOBAL] = "global", [FL_HOST] = "host", [FL_QUEUE] = "queue" };
	const struct inventory_resource *resource = row;
	size_t n = label_put(labels, 0, "resource", resource->name);

	return label_put(labels, n, "level", levels[resource->level]);
}

int write_cluster(struct exposition *page, const struct run_reading *reading)
{
	const struct inventory *inventory = reading->inventory;
	int rc;

	if (inventory->nhosts == 0 && inventory->nqueues == 0) /* the scheduler does not dispatch */
		return 0;
	rc = write_hosts(page, inventory);
	rc = rc ? rc : write_queues(page, inventory);
	exposition_columns(page, resource_columns, COUNT_OF(resource_columns),
			   &(struct family_rows){ inventory->resources, inventory->nresources,
						  sizeof(*inventory->resources), resource_labels });
	return rc;
}
