/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept from run to run to show the cluster to readers: picture.h. */
#ifndef SCHED_DISPATCH_PICTURE_INSIDE_H
#define SCHED_DISPATCH_PICTURE_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_conf;

struct picture_host {			/* of the cell, or of an instance */
	const char *name;		/* the cell's or the cluster's */
	const struct host_conf *conf;	/* NULL */
	uint32_t number;		/* in the cluster; NONE */
};

struct picture_names {			/* string ids, held */
	uint32_t *ids;
	size_t n, capacity;
};

struct picture_records {			/* of a table, before it is known how many there are */
	void *items;
	size_t n, capacity;
};

struct cluster_picture {				/* zero-initialise */
	/* of the generation that readers see, of the one that is being made */
	struct picture_names seen, next;
	/* by name; of the cluster at hand: picture_forget() */
	struct picture_host *hosts;
	size_t nhosts;
	bool listed;			/* there are these */
	uint32_t *place;		/* by host of the cluster: in `hosts` */
	struct picture_records resources, alarms, quotas;
	/* by instance of the cluster; of this run: slots in advance reservations, and of their jobs */
	uint32_t *reserved, *in_advance;
	size_t instances_capacity;
	/* columns of the cluster; UINT32_MAX */
	uint32_t load_avg, np_load_avg;
	/* a text that was held before in this generation, and its id */
	const char *last[64];
	uint32_t last_id[64];
};

#endif
