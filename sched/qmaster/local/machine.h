/* SPDX-License-Identifier: Apache-2.0 */
/* This machine as the cell's queues know it. */
#ifndef SCHED_QMASTER_LOCAL_MACHINE_H
#define SCHED_QMASTER_LOCAL_MACHINE_H

#include <stddef.h>

#include "conf/cell.h"
#include "sched/mirror/event.h"

struct local;

struct machine_topology {
	int sockets, cores, threads;	/* 0: the kernel does not report them */
	char text[1024];	/* "SCTTCTT"; "" = not known */
};

struct machine {
	char host[256];		/* as the queues name it */
	int processors;
	struct machine_topology topology;
};

/* topology.c */
void machine_topology(struct machine_topology *topology);

/* -ENOENT: no queue has an instance here. */
int machine_look(struct machine *machine, const struct cell *cell, struct error *error);
/* "queue@host" for each queue that has one here. */
int machine_instances(const struct machine *machine, const struct cell *cell,
		      int (*each)(void *context, const char *queue), void *context);

#define LOAD_VALUES 26

struct machine_load {
	struct load_report items[LOAD_VALUES];
	size_t n;
	char texts[LOAD_VALUES][32];	/* the values */
};

/* Memory and swap of this machine; 0: unknown. */
double machine_memory_bytes(void);
const char *machine_arch(void);	/* Grid Engine's name of this kind of machine */
void machine_load(const struct machine *machine, struct machine_load *load);
const char *machine_queue_value(const struct local *local, const char *instance, const char *attribute,
				const char *fallback);

#endif
