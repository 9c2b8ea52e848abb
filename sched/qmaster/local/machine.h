/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as a host of the cell's queues. */
#ifndef SCHED_QMASTER_LOCAL_MACHINE_H
#define SCHED_QMASTER_LOCAL_MACHINE_H

#include <stddef.h>

#include "conf/cell.h"
#include "sched/mirror/event.h"

struct local;

struct machine_topology {
	int sockets, cores, threads;	/* 0: not reported by the kernel */
	char text[1024];	/* "SCTTCTT"; "": not known */
};

struct machine {
	char host[256];		/* name that the queues use */
	int processors;
	struct machine_topology topology;
};

/* topology.c */
void machine_topology(struct machine_topology *topology);

/*
 * Find the name of this machine and its processors. Returns -ENOENT if no queue has an instance
 * here.
 */
int machine_look(struct machine *machine, const struct cell *cell, struct error *error);
/* Call `each` with "queue@host" for each queue that has an instance here. */
int machine_instances(const struct machine *machine, const struct cell *cell,
		      int (*each)(void *context, const char *queue), void *context);

#define LOAD_VALUES 26

struct machine_load {
	struct load_report items[LOAD_VALUES];
	size_t n;
	char texts[LOAD_VALUES][32];	/* texts of the values */
};

/* Return the memory and swap of this machine; 0: not known. */
double machine_memory_bytes(void);
const char *machine_arch(void);	/* Grid Engine's name of this machine's architecture */
void machine_load(const struct machine *machine, struct machine_load *load);
const char *machine_queue_value(const struct local *local, const char *instance, const char *attribute,
				const char *fallback);

#endif
