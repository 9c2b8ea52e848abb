/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run into the segment: the rest, records_state.h. Part by part in memory of its own, which stays
 * from one run to the next, and then as a whole.
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

struct state_buffer {			/* the records of a part */
	unsigned char *bytes;
	size_t n, capacity, record_bytes;	/* records */
};

enum state_path { STATE_PATH_DIRECTORY, STATE_PATH_ACCOUNTING, STATE_PATHS };	/* of the qmaster */

struct state_publication {		/* zero-initialise */
	struct state_head head;		/* of this run */
	struct state_buffer parts[STATE_PARTS];
	/* before the run: by instance, and of PEs */
	struct { uint64_t place; int64_t suspend_checked; } *instances;
	struct used_pe *pes;
	uint32_t *removed;
	size_t ninstances, instances_capacity, npes, pes_capacity, nremoved, removed_capacity;
	const struct cell *cell;	/* whose files are held */
	struct file_record *files;	/* held */
	size_t nfiles;
	uint32_t paths[STATE_PATHS];	/* held string ids, + 1; 0: none */
};

/*
 * A run begins: what it may change. `removed`: numbers of the jobs whose removal was ordered. What
 * neither cell nor mirror have is the caller's to fill into p->head. -ENOMEM.
 */
int state_remember(struct state_publication *publication, const struct mirror *mirror, const struct pool *removed);

/* Paths that are published from now on; NULL: none. They are held. -ENOMEM. */
int state_paths(struct state_publication *publication, struct strings *strings, const char *const paths[STATE_PATHS]);

void state_begin(struct state_publication *publication);
/* A record more, zeroed; NULL: no memory. Valid until the next one of the same part. */
void *state_add(struct state_publication *publication, enum state_part part, size_t record_bytes);

/*
 * The jobs of run->started stand by their numbers. The files of the cell are held in the strings as
 * long as it is in force; state_forget_cell() when it is not any more. -ENOMEM.
 */
int state_publish(struct state_publication *publication, const struct run *run, struct generation_writer *writer);
void state_forget_cell(struct state_publication *publication, struct strings *strings);

/* With what it holds. */
void state_free(struct state_publication *publication, struct strings *strings);

#endif
