/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A generation told again as events: applied to a mirror whose cell is the one of retell_files(),
 * in a scheduler that has made no run yet, they lead to the state that the run worked on, and the
 * run of the same time comes to the same numbers, order and decisions, to the bit.
 *
 * Tasks that this run started wait, their job at its place in the list; those that earlier ones
 * ordered and nobody has confirmed are in state t. Usage is as it stands after the run: to book and
 * to let decay twice at one time is to do it once, and so is a pass of algorithm multifactor.
 *
 * Ids of an array may be written in other groups. Not told: usage of associations that the cell
 * does not have, ends of tasks that wait to be booked since the store can't be read, and what a
 * store still has to keep.
 */
#ifndef SCHED_RUN_RETELL_H
#define SCHED_RUN_RETELL_H

#include "conf/cell_source.h"
#include "sched/mirror/event.h"
#include "sched/mirror/mirror.h"
#include "shm/read.h"

struct retell_calls {
	void *context;
	/* Borrowed during the call. Another value than 0 ends the telling. */
	int (*event)(void *context, const struct event *event);
	/*
	 * Likewise, of a job that has class, request and name of jobs that were told as events, in
	 * place of one; and what it is to call such a job, by its number. NULL: all are told as
	 * events. So it must be where a job's QOS would depend on its class:
	 * slurm.qos_by_association of a cell that the run did not have.
	 */
	int (*like)(void *context, const struct job_like *like);
	uint32_t (*row)(void *context, uint32_t job_number);
	bool without_jobs;		/* hosts, queue instances and advance reservations are all that is told */
};

/*
 * 0; -ENODATA: the generation has no state; -EPROTO: it is not what a scheduler publishes; -ENOMEM;
 * or what the call has returned. What lies about, or changes meanwhile, is told wrong, but nothing
 * outside of the mapping is read: see shm/read.h.
 */
int retell_events(const struct view *view, const struct retell_calls *calls);

/* Advance reservations alone, by their numbers. */
int retell_advances(const struct view *view, const struct retell_calls *calls);

/*
 * The cell's files, copied: cell_files_free(). -ENODATA, -EPROTO, -ENOMEM; -EACCES: there is one
 * that not all may read who may read the generation.
 */
int retell_files(const struct view *view, struct cell_files *files);

#endif
