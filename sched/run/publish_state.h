/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publication of the state that a run worked on (records_state.h). Each part is collected in memory
 * of its own, which is kept from run to run. Then all parts are published together.
 *
 *     state_remember(p, ...)		when a run begins, before any phase
 *     p->head. ...
 *     state_begin(p)			the parts are empty
 *     state_add(p, STATE_ASSOCIATIONS, ...)	a policy's own part
 *     state_publish(p, ...)
 */
#ifndef SCHED_RUN_PUBLISH_STATE_H
#define SCHED_RUN_PUBLISH_STATE_H

#include "sched/run/run.h"

struct state_buffer {			/* records of a part */
	unsigned char *bytes;
	size_t n, capacity, record_bytes;	/* counts of records */
};

/* paths of the qmaster */
enum state_path { STATE_PATH_DIRECTORY, STATE_PATH_ACCOUNTING, STATE_PATHS };

struct state_publication {		/* zero-initialise */
	struct state_head head;		/* head of this run */
	struct state_buffer parts[STATE_PARTS];
	/* values from before the run: of each instance, and of PEs */
	struct { uint64_t place; int64_t suspend_checked; } *instances;
	struct used_pe *pes;
	uint32_t *removed;
	size_t ninstances, instances_capacity, npes, pes_capacity, nremoved, removed_capacity;
	const struct cell *cell;	/* cell whose files are held */
	struct file_record *files;	/* held */
	size_t nfiles;
	uint32_t paths[STATE_PATHS];	/* held string ids, + 1; 0: none */
};

/*
 * Save the values that a run may change, when it begins. `removed`: numbers of the jobs whose
 * removal was ordered. The caller fills in p->head for what neither cell nor mirror contain.
 * -ENOMEM.
 */
int state_remember(struct state_publication *publication, const struct mirror *mirror, const struct pool *removed);

/* Set and hold the paths that are published from now on. NULL: no path. -ENOMEM. */
int state_paths(struct state_publication *publication, struct strings *strings, const char *const paths[STATE_PATHS]);

void state_begin(struct state_publication *publication);
/*
 * Append a zeroed record and return it. Valid until the next record of the part. NULL: no memory.
 */
void *state_add(struct state_publication *publication, enum state_part part, size_t record_bytes);

/*
 * Publish the state. The jobs of run->started are sorted by number. The files of the cell are held
 * in the strings while the cell is active; call state_forget_cell() when it no longer is. -ENOMEM.
 */
int state_publish(struct state_publication *publication, const struct run *run, struct generation_writer *writer);
void state_forget_cell(struct state_publication *publication, struct strings *strings);

/* Free the publication and release the strings that it holds. */
void state_free(struct state_publication *publication, struct strings *strings);

#endif
