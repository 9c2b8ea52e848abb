/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes and partitions under the names of exporters for Slurm: an instance is a node in a
 * partition.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "sched/metrics/names.h"

#define MEGABYTE 1048576.0

enum node_state { NODE_IDLE, NODE_MIXED, NODE_ALLOCATED, NODE_DRAINED, NODE_DOWN, NODE_ERROR, NODE_STATES };

/* Names of exporters, and of Slurm's own endpoint. */
static const char *const state_names[NODE_STATES] = { "idle", "mix", "alloc", "drain", "down", "err" };

struct node_values {
	const char *partition, *node;
	enum node_state state;
	double status, cpu_alloc, cpu_idle, cpu_other, cpu_total, mem_alloc, mem_total;
};

#define NODE(NAME, FIELD, HELP) \
	{ \
		{ NAME, FAMILY_GAUGE, NULL, HELP }, offsetof(struct node_values, FIELD) \
	}

static const struct family_column node_columns[] = {
	NODE("slurm_node_status", status, "State of a node in a partition."),
	NODE("slurm_node_cpu_alloc", cpu_alloc, "CPUs in use."),
	NODE("slurm_node_cpu_idle", cpu_idle, "Free CPUs in which jobs may start."),
	NODE("slurm_node_cpu_other", cpu_other, "Free CPUs in which no job may start."),
	NODE("slurm_node_cpu_total", cpu_total, "CPUs."),
	NODE("slurm_node_mem_alloc", mem_alloc, "Memory that jobs have requested, in megabytes."),
	NODE("slurm_node_mem_total", mem_total, "Memory in megabytes."),
};

static size_t node_labels(const void *row, struct label *labels)
{
	const struct node_values *node = row;
	size_t n = label_put(labels, 0, "node", node->node);

	n = label_put(labels, n, "partition", node->partition);
	return label_put(labels, n, "status", state_names[node->state]);
}

static enum node_state state_of(const struct fl_instance *instance)
{
	if (!instance->host_available || strchr(instance->state, 'u'))
		return NODE_DOWN;
	if (strchr(instance->state, 'E'))
		return NODE_ERROR;
	if (strpbrk(instance->state, "dDo"))
		return NODE_DRAINED;
	return instance->used == 0 ? NODE_IDLE : instance->used < instance->slots ? NODE_MIXED : NODE_ALLOCATED;
}

static struct node_values node_of(const struct inventory *inventory, const struct fl_instance *instance)
{
	const struct inventory_host *host = inventory_host_of(inventory, instance);
	double left = instance->slots > instance->used ? instance->slots - instance->used : 0;
	struct node_values node = { .partition = instance->queue,
				    .node = host ? host->host.name : "",
				    .state = state_of(instance),
				    .status = 1,
				    .cpu_alloc = instance->used,
				    .cpu_total = instance->slots,
				    .mem_alloc = host ? host->memory_used / MEGABYTE : NAN,
				    .mem_total = NAN };

	node.cpu_idle = node.state <= NODE_ALLOCATED ? left : 0;
	node.cpu_other = left - node.cpu_idle;
	if (host)
		node.mem_total = host->memory > 0	     ? host->memory / MEGABYTE
				 : host->host.mem_total >= 0 ? host->host.mem_total / MEGABYTE
							     : NAN;
	return node;
}

/* Partitions */

struct partition_values {
	const char *name;
	double states[NODE_STATES], nodes, alloc, idle, other, total;
};

static void partitions_add(struct partition_values *partitions, const struct inventory *inventory,
			   const struct node_values *node)
{
	uint32_t number = text_set_find(&inventory->queue_names, node->partition);
	struct partition_values *partition;

	if (number == INDEX_NONE)
		return;
	partition = &partitions[number];
	partition->states[node->state]++;
	partition->nodes++;
	partition->alloc += node->cpu_alloc;
	partition->idle += node->cpu_idle;
	partition->other += node->cpu_other;
	partition->total += node->cpu_total;
}

#define PARTITION(NAME, FIELD, HELP) \
	{ \
		{ NAME, FAMILY_GAUGE, NULL, HELP }, offsetof(struct partition_values, FIELD) \
	}

static const struct family_column partition_columns[] = {
	PARTITION("slurm_partition_cpus_allocated", alloc, "CPUs in use."),
	PARTITION("slurm_partition_cpus_idle", idle, "Free CPUs in which jobs may start."),
	PARTITION("slurm_partition_cpus_other", other, "Free CPUs in which no job may start."),
	PARTITION("slurm_partition_cpus_total", total, "CPUs."),
	PARTITION("slurm_partition_cpus", total, "CPUs."),
	PARTITION("slurm_partition_nodes", nodes, "Nodes."),
};

static size_t partition_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "partition", ((const struct partition_values *)row)->name);
}

static void write_states(struct exposition *page, const char *prefix, const struct partition_values *partitions,
			 size_t n)
{
	for (size_t state = 0; state < NODE_STATES; state++) {
		alias_begin(page, prefix, state_names[state], "", "Nodes in a state.");
		for (size_t k = 0; k < n; k++) {
			const struct label label = { "partition", partitions[k].name };

			exposition_value(page, &label, 1, partitions[k].states[state]);
		}
	}
}

static void write_partitions(struct exposition *page, const struct inventory *inventory,
			     const struct partition_values *partitions)
{
	struct partition_values all = { .name = "" };

	for (size_t k = 0; k < inventory->nqueues; k++) {
		all.alloc += partitions[k].alloc;
		all.idle += partitions[k].idle;
		all.other += partitions[k].other;
		all.total += partitions[k].total;
	}
	alias_value(page, "slurm_cpus_alloc", "CPUs in use.", all.alloc);
	alias_value(page, "slurm_cpus_idle", "Free CPUs in which jobs may start.", all.idle);
	alias_value(page, "slurm_cpus_other", "Free CPUs in which no job may start.", all.other);
	alias_value(page, "slurm_cpus_total", "CPUs.", all.total);
	alias_value(page, "slurm_nodes_total", "Nodes.", (double)inventory->nhosts);
	alias_value(page, "slurm_nodes", "Nodes.", (double)inventory->nhosts);
	write_states(page, "slurm_nodes_", partitions, inventory->nqueues);
	write_states(page, "slurm_partition_nodes_", partitions, inventory->nqueues);
	exposition_columns(
		page, partition_columns, COUNT_OF(partition_columns),
		&(struct family_rows){ partitions, inventory->nqueues, sizeof(*partitions), partition_labels });
}

/* Hosts, under the names of Slurm's own endpoint. */

struct endpoint_values {
	const char *node;
	double cpus, cpus_alloc, cpus_idle, memory, memory_alloc, memory_free;
};

#define ENDPOINT(NAME, FIELD, HELP) \
	{ \
		{ NAME, FAMILY_GAUGE, NULL, HELP }, offsetof(struct endpoint_values, FIELD) \
	}

static const struct family_column endpoint_columns[] = {
	ENDPOINT("slurm_node_cpus", cpus, "CPUs of a node."),
	ENDPOINT("slurm_node_cpus_alloc", cpus_alloc, "CPUs of a node in use."),
	ENDPOINT("slurm_node_cpus_idle", cpus_idle, "Free CPUs of a node."),
	ENDPOINT("slurm_node_memory_bytes", memory, "Memory of a node."),
	ENDPOINT("slurm_node_memory_alloc_bytes", memory_alloc, "Memory of a node that jobs have requested."),
	ENDPOINT("slurm_node_memory_free_bytes", memory_free, "Memory of a node that is not in use, as reported."),
};

static size_t endpoint_labels(const void *row, struct label *labels)
{
	return label_put(labels, 0, "node", ((const struct endpoint_values *)row)->node);
}

static int write_endpoint(struct exposition *page, const struct inventory *inventory)
{
	struct endpoint_values *items = calloc(inventory->nhosts + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < inventory->nhosts; k++) {
		const struct inventory_host *from = &inventory->hosts[k];
		double known = from->instances > 0 ? 1 : NAN, memory = from->host.mem_total,
		       left = from->slots > from->used ? from->slots - from->used : 0;

		items[k] = (struct endpoint_values){ .node = from->host.name,
						     .cpus = known * from->slots,
						     .cpus_alloc = known * from->used,
						     .cpus_idle = known * left,
						     .memory = memory >= 0 ? memory : NAN,
						     .memory_alloc = from->memory_used,
						     .memory_free = memory >= 0 && from->host.mem_used >= 0
									    ? memory - from->host.mem_used
									    : NAN };
	}
	exposition_columns(page, endpoint_columns, COUNT_OF(endpoint_columns),
			   &(struct family_rows){ items, inventory->nhosts, sizeof(*items), endpoint_labels });
	free(items);
	return 0;
}

int write_slurm_nodes(struct exposition *page, const struct run_reading *reading)
{
	const struct inventory *inventory = reading->inventory;
	struct node_values *nodes = calloc(inventory->ninstances + 1, sizeof(*nodes));
	struct partition_values *partitions = calloc(inventory->nqueues + 1, sizeof(*partitions));
	int rc = nodes && partitions ? 0 : -ENOMEM;

	if (rc == 0 && inventory->nhosts + inventory->nqueues > 0) {
		for (size_t k = 0; k < inventory->nqueues; k++)
			partitions[k].name = inventory->queues[k].name;
		for (size_t k = 0; k < inventory->ninstances; k++) {
			nodes[k] = node_of(inventory, &inventory->instances[k]);
			partitions_add(partitions, inventory, &nodes[k]);
		}
		exposition_columns(page, node_columns, COUNT_OF(node_columns),
				   &(struct family_rows){ nodes, inventory->ninstances, sizeof(*nodes), node_labels });
		write_partitions(page, inventory, partitions);
		rc = write_endpoint(page, inventory);
	}
	free(nodes);
	free(partitions);
	return rc;
}
