/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, queues and consumables of a run, read once. Strings are in the segment. */
#ifndef SCHED_METRICS_INVENTORY_H
#define SCHED_METRICS_INVENTORY_H

#include "conf/base/text_set.h"
#include "sched/reader/fairlead.h"

/* Letters of the states of queue instances, in the order of instance_state_names. */
#define INSTANCE_LETTERS "aACDduESsco"
enum { INSTANCE_STATES = 11 };
extern const char *const instance_state_names[INSTANCE_STATES];

struct inventory_host {
	struct fl_host host;
	uint32_t slots, used, reserved; /* sums over its queue instances */
	uint32_t instances;
	double memory, memory_used; /* consumable memory in bytes; NAN: none */
};

struct inventory_queue {
	const char *name;
	uint32_t instances, free_of_states; /* all instances; instances without a letter */
	uint64_t slots, used, reserved;
	uint64_t usable; /* free slots in instances in which jobs may start */
	uint32_t states[INSTANCE_STATES]; /* instances with a letter */
};

struct inventory_resource { /* a consumable: sums over the objects of a level */
	const char *name;
	enum fl_level level;
	double total, used; /* total NAN: an object has INFINITY */
};

struct inventory {
	struct inventory_host *hosts; /* without "global" */
	struct fl_instance *instances;
	struct inventory_queue *queues; /* indexed by their numbers in queue_names */
	struct inventory_resource *resources;
	struct text_set queue_names, resource_names;
	size_t nhosts, ninstances, nqueues, nresources, resource_capacity;
};

/* Read the cluster of a section. Returns 0 or -ENOMEM. Call inventory_free() in any case. */
int inventory_read(struct inventory *inventory, const struct fl_view *view);
void inventory_free(struct inventory *inventory);

/* Return the host of an instance. NULL: not known. */
const struct inventory_host *inventory_host_of(const struct inventory *inventory, const struct fl_instance *instance);

#endif
