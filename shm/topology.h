/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NUMA nodes of this machine that this process may use, with their memory and CPUs, as hwloc finds
 * them.
 *
 *     struct topology t;
 *     int rc = topology_read(&t);		on an error too, t is one node and usable
 *     ... t.nnodes, t.node[k].os ...
 *     topology_free(&t);
 *
 * $HWLOC_SYNTHETIC and $HWLOC_XMLFILE select the topology of another machine. Such a topology is
 * foreign: a plan for it can be inspected, but nothing is bound. $HWLOC_THISSYSTEM declares that it
 * is this machine.
 */
#ifndef SHM_TOPOLOGY_H
#define SHM_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm/layout.h"

struct topology_node {
	uint32_t os;			/* number of the node in the kernel */
	/* CPUs that this process may use; no CPU belongs to two nodes */
	unsigned ncpus;
	uint64_t memory_bytes;
	cpu_set_t *cpus;		/* NULL: all CPUs */
};

struct topology {
	unsigned nnodes;		/* at least 1 */
	bool foreign;
	size_t cpus_bytes;		/* size of each CPU set */
	struct topology_node node[MAX_NODES];
};

/*
 * Read the topology. A node is left out if it has no memory, or if control group and affinity leave
 * it no CPUs of its own. It is also left out if numactl(8) binds this process to other memory, or
 * if there are MAX_NODES before it. If no node remains, the result is one node without bounds.
 *
 *   -ENOMEM, or another error of hwloc: one node without bounds, which must be freed too
 */
int topology_read(struct topology *topology);
void topology_free(struct topology *topology);

#endif
