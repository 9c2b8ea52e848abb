/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The snapshot of the cluster in a generation: hosts, queue instances, consumables left, thresholds
 * that are crossed, and quotas in use (sched/run/records_cluster.h). Shared by picture.c,
 * picture_states.c and picture_quotas.c.
 */
#ifndef SCHED_DISPATCH_PICTURE_H
#define SCHED_DISPATCH_PICTURE_H

#include "sched/dispatch/dispatch.h"
#include "sched/run/records_cluster.h"

/* Release everything that refers to the cluster, before it is freed. */
void picture_forget(struct cluster_picture *picture);
void picture_free(struct cluster_picture *picture, struct strings *strings);

/*
 * Return the id of a text, held as long as readers see it. NONE: `text` is NULL, or memory is
 * exhausted (*rc).
 */
uint32_t picture_name(struct dispatch *dispatch, const char *text, int *rc);
/* Add a record. Return NULL if memory is exhausted. */
void *picture_add(struct picture_records *records, size_t bytes);

/*
 * picture_states.c: Write the letters of qstat -f, in its order, and the crossed thresholds. Return
 * 0 or -ENOMEM.
 */
int picture_state(struct dispatch *dispatch, const struct state *state, uint32_t instance,
		  struct shown_instance_record *record);
/* Write the letters of an instance whose queue the cell does not have. */
void picture_letters(const char *reported, bool down, char letters[16]);

/* picture_quotas.c: Add the limits with usage. Return 0 or -ENOMEM. */
int picture_quotas(struct dispatch *dispatch);

#endif
