/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NUMA nodes of this machine that this process may use: their memory and their CPUs, as hwloc
 * finds them.
 *
 *     struct topology t;
 *     int rc = topology_read(&t);		on an error too, t is one node and usable
 *     ... t.nnodes, t.node[k].os ...
 *     topology_free(&t);
 *
 * $HWLOC_SYNTHETIC and $HWLOC_XMLFILE put another machine in this one's place. Such a topology is
 * foreign: what is planned for it can be looked at, but nothing is bound, unless $HWLOC_THISSYSTEM
 * says that it is this machine after all.
 */
#ifndef SHM_TOPOLOGY_H
#define SHM_TOPOLOGY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm/layout.h"

struct topology_node {
	uint32_t os;			/* the number that the kernel knows it by */
	unsigned ncpus;			/* that we may run on; no CPU belongs to two nodes */
	uint64_t memory_bytes;
	cpu_set_t *cpus;		/* NULL: all there are */
};

struct topology {
	unsigned nnodes;		/* from 1 on */
	bool foreign;
	size_t cpus_bytes;		/* of each set */
	struct topology_node node[MAX_NODES];
};

/*
 * Nodes without memory, without CPUs of their own that control group and affinity leave to us, or
 * outside of the memory that numactl(8) binds us to, are left out, and so is what comes behind
 * MAX_NODES. None left: one node without bounds.
 *   -ENOMEM, or whatever hwloc failed with: one node without bounds; to be freed all the same
 */
int topology_read(struct topology *topology);
void topology_free(struct topology *topology);

#endif
