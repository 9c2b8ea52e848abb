/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a generation shows of the cluster: hosts, queue instances, what consumables are left,
 * thresholds that are crossed, quotas in use (sched/run/records_cluster.h). For picture.c,
 * picture_states.c, picture_quotas.c.
 */
#ifndef SCHED_DISPATCH_PICTURE_H
#define SCHED_DISPATCH_PICTURE_H

#include "sched/dispatch/dispatch.h"
#include "sched/run/records_cluster.h"

/* The cluster is about to be freed. */
void picture_forget(struct cluster_picture *picture);
void picture_free(struct cluster_picture *picture, struct strings *strings);

/* The id of a text, held as long as readers see it. NONE: none, or (*rc) no memory. */
uint32_t picture_name(struct dispatch *dispatch, const char *text, int *rc);
/* Room for one more. NULL: no memory. */
void *picture_add(struct picture_records *records, size_t bytes);

/* picture_states.c: letters of qstat -f in its order, and thresholds that are crossed. -ENOMEM. */
int picture_state(struct dispatch *dispatch, const struct state *state, uint32_t instance,
		  struct shown_instance_record *record);
/* The same of an instance whose queue the cell does not have. */
void picture_letters(const char *told, bool down, char letters[16]);

/* picture_quotas.c: limits of which something is used. -ENOMEM. */
int picture_quotas(struct dispatch *dispatch);

#endif
