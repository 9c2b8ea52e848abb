/* SPDX-License-Identifier: Apache-2.0 */
/* Internal interface of the files of publish_state.h. */
#ifndef SCHED_RUN_PUBLISH_STATE_INSIDE_H
#define SCHED_RUN_PUBLISH_STATE_INSIDE_H

#include "sched/run/publish_state.h"

/* Reserve memory for `n` records after the existing ones. NULL: no memory. */
void *state_reserve(struct state_publication *publication, enum state_part part, size_t n, size_t record_bytes);
/* -ENOMEM. */
int state_add_usage(struct state_publication *publication, const struct mirror *mirror, const struct usage *usage,
		    struct state_slice *slice);
int state_add_grants(struct state_publication *publication, const struct granted_entry *granted, size_t n,
		     struct state_slice *slice);

/* Return the slice of the next `count` records of a part. */
static inline struct state_slice state_slice_here(const struct state_publication *publication, enum state_part part,
						  size_t count)
{
	return (struct state_slice){ (uint32_t)publication->parts[part].n, (uint32_t)count };
}

/* publish_state_tables.c; -ENOMEM */
int state_add_objects(struct state_publication *publication, const struct mirror *mirror);
int state_add_debited(struct state_publication *publication, const struct mirror *mirror);
int state_add_instances(struct state_publication *publication, const struct mirror *mirror);
int state_add_pes(struct state_publication *publication);
int state_add_hosts(struct state_publication *publication, const struct state *state);
int state_add_advances(struct state_publication *publication, const struct state *state);

/* publish_state_condor.c; -ENOMEM */
int state_add_classes(struct state_publication *publication, const struct classes *classes);
int state_add_condor_jobs(struct state_publication *publication, const struct jobs *jobs);
/* Add the ad and the claim of a reported slot. */
int state_add_slot(struct state_publication *publication, const struct mirror *mirror, const struct instance *slot,
		   struct instance_record *record);

#endif
