/* SPDX-License-Identifier: Apache-2.0 */
/* Data that is kept from run to run to publish the snapshot of the cluster: picture.h. */
#ifndef SCHED_DISPATCH_PICTURE_INSIDE_H
#define SCHED_DISPATCH_PICTURE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_conf;

struct picture_host {			/* host of the cell, or of an instance */
	const char *name;		/* owned by the cell or the cluster */
	const struct host_conf *conf;	/* NULL: none */
	uint32_t number;		/* number in the cluster; NONE */
};

struct picture_names {			/* string ids, held */
	uint32_t *ids;
	size_t n, capacity;
};

/* records of a table whose number is not yet known */
struct picture_records {
	void *items;
	size_t n, capacity;
};

struct cluster_picture {				/* zero-initialise */
	/* names of the published generation, and of the generation that is being built */
	struct picture_names seen, next;
	/* Sorted by name; refers to the current cluster until picture_forget(). */
	struct picture_host *hosts;
	size_t nhosts;
	bool listed;			/* `hosts` is filled */
	uint32_t *place;		/* per host of the cluster: 1 + index into `hosts` */
	struct picture_records resources, alarms, quotas;
	/*
	 * Per instance, in this run: slots in advance reservations, and slots used by their jobs.
	 */
	uint32_t *reserved, *in_advance;
	size_t instances_capacity;
	/* columns of the cluster; UINT32_MAX */
	uint32_t load_avg, np_load_avg;
	/* Cache of texts that are already held in this generation, and their ids. */
	const char *last[64];
	uint32_t last_id[64];
};

#endif
