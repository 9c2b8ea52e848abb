/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <string.h>

struct topology_search {
	hwloc_topology_t hwloc;
	/* CPUs that this process may use and that no node has yet */
	hwloc_bitmap_t cpus;
	hwloc_bitmap_t memory;		/* nodes by their os number */
};

static void topology_unbounded(struct topology *topology)
{
	memset(topology, 0, sizeof(*topology));
	topology->nnodes = 1;
}

/*
 * Add a node. Memory that shares its CPUs with a node before it (high-bandwidth memory beside DRAM)
 * is not a node of its own. No worker would do the work assigned to it.
 */
static int node_add(struct topology *topology, const struct topology_search *search, hwloc_obj_t object)
{
	struct topology_node *node = &topology->node[topology->nnodes];
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int rc = -ENOMEM;

	if (!cpus || hwloc_bitmap_and(cpus, object->cpuset, search->cpus))
		goto undo;
	rc = 0;
	if (hwloc_bitmap_iszero(cpus) || !hwloc_bitmap_isset(search->memory, object->os_index) ||
	    !object->attr->numanode.local_memory)
		goto undo;
	rc = -ENOMEM;
	node->cpus = CPU_ALLOC(topology->cpus_bytes * 8);
	if (!node->cpus || hwloc_bitmap_andnot(search->cpus, search->cpus, cpus))
		goto undo;
	hwloc_cpuset_to_glibc_sched_affinity(search->hwloc, cpus, node->cpus, topology->cpus_bytes);
	node->ncpus = (unsigned)hwloc_bitmap_weight(cpus);
	node->os = object->os_index;
	node->memory_bytes = object->attr->numanode.local_memory;
	topology->nnodes++;
	rc = 0;
undo:
	hwloc_bitmap_free(cpus);
	return rc;
}

/*
 * Apply the limits of taskset(1) and numactl(8), which hwloc reports only by a separate call. hwloc
 * already knows control groups.
 */
static int search_restrict(struct topology_search *search)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();
	hwloc_membind_policy_t policy;
	int rc = bound ? 0 : -ENOMEM;

	if (!rc && hwloc_get_cpubind(search->hwloc, bound, HWLOC_CPUBIND_THREAD) == 0)
		rc = hwloc_bitmap_and(search->cpus, search->cpus, bound) ? -ENOMEM : 0;
	if (!rc &&
	    hwloc_get_membind(search->hwloc, bound, &policy, HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0 &&
	    policy == HWLOC_MEMBIND_BIND)
		rc = hwloc_bitmap_and(search->memory, search->memory, bound) ? -ENOMEM : 0;
	hwloc_bitmap_free(bound);
	return rc;
}

static int nodes_find(struct topology *topology, struct topology_search *search)
{
	int n = hwloc_get_nbobjs_by_type(search->hwloc, HWLOC_OBJ_NUMANODE);
	int rc = topology->foreign ? 0 : search_restrict(search);

	topology->nnodes = 0;
	for (int i = 0; i < n && topology->nnodes < MAX_NODES && !rc; i++)
		rc = node_add(topology, search, hwloc_get_obj_by_type(search->hwloc, HWLOC_OBJ_NUMANODE, (unsigned)i));
	return rc;
}

static int topology_search(struct topology *topology, hwloc_topology_t hwloc)
{
	struct topology_search search = {
		.hwloc = hwloc,
		.cpus = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hwloc)),
		.memory = hwloc_bitmap_dup(hwloc_topology_get_allowed_nodeset(hwloc)),
	};
	int rc = -ENOMEM;

	topology->foreign = !hwloc_topology_is_thissystem(hwloc);
	if (search.cpus && search.memory) {
		topology->cpus_bytes = CPU_ALLOC_SIZE(hwloc_bitmap_last(search.cpus) + 1);
		rc = nodes_find(topology, &search);
	}
	hwloc_bitmap_free(search.cpus);
	hwloc_bitmap_free(search.memory);
	return rc;
}

int topology_read(struct topology *topology)
{
	hwloc_topology_t hwloc;
	int rc;

	topology_unbounded(topology);
	if (hwloc_topology_init(&hwloc))
		return -ENOMEM;
	errno = 0;
	if (hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) || hwloc_topology_load(hwloc))
		rc = errno ? -errno : -EINVAL;
	else
		rc = topology_search(topology, hwloc);
	hwloc_topology_destroy(hwloc);
	if (rc || topology->nnodes == 0)
		topology_free(topology);
	return rc;
}

void topology_free(struct topology *topology)
{
	for (unsigned k = 0; k < topology->nnodes; k++)
		CPU_FREE(topology->node[k].cpus);
	topology_unbounded(topology);
}
