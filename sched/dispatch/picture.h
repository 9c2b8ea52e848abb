/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The snapshot of the cluster in a generation, and the data that is kept from run to run to publish
 * it: hosts, queue instances, consumables left, thresholds that are crossed, and quotas in use
 * (sched/run/records_cluster.h).
 */
#ifndef SCHED_DISPATCH_PICTURE_H
#define SCHED_DISPATCH_PICTURE_H

#include "sched/dispatch/search/supply.h"
#include "sched/run/records_cluster.h"
#include "sched/run/run.h"

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

struct cluster_picture {			/* zero-initialise */
	struct supply *supply;		/* borrowed: what is shown */
	struct strings *strings;	/* borrowed */
	bool is_off;			/* show nothing */
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

/* Release everything that refers to the cluster, before it is freed. */
void picture_forget(struct cluster_picture *picture);
void picture_free(struct cluster_picture *picture);
/* Return the publisher of the tables of the cluster. */
struct publisher picture_publisher(struct cluster_picture *picture);

/*
 * picture_names.c: Return the id of a text, held as long as readers see it. NONE: `text` is NULL,
 * or memory is exhausted (*rc).
 */
uint32_t picture_name(struct cluster_picture *picture, const char *text, int *rc);
/* Add a record. Return NULL if memory is exhausted. */
void *picture_add(struct picture_records *records, size_t bytes);
/* Release names that are no longer shown. */
void picture_names_drop(struct cluster_picture *picture, struct picture_names *names);

/*
 * picture_states.c: Write the letters of qstat -f, in its order, and the crossed thresholds. Return
 * 0 or -ENOMEM.
 */
int picture_state(struct cluster_picture *picture, const struct state *state, uint32_t instance,
		  struct shown_instance_record *record);
/* Write the letters of an instance whose queue the cell does not have. */
void picture_letters(const char *reported, bool down, char letters[16]);

/* picture_quotas.c: Add the limits with usage. Return 0 or -ENOMEM. */
int picture_quotas(struct cluster_picture *picture);

#endif
