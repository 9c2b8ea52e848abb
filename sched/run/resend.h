/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay of a generation as events. The events are applied to a mirror whose cell was made from
 * resend_files(), in a scheduler that has made no run yet. They lead to the state that the run
 * worked on. A run at the same time then computes the same numbers, order and decisions, to the
 * bit.
 *
 * Tasks that this run started are replayed as pending, with their job at its position in the list.
 * Tasks that earlier runs ordered and that are not confirmed are in state t. Usage is replayed as
 * it is after the run: booking and decay at the same time have no further effect, and neither has a
 * pass of algorithm multifactor.
 *
 * Ids of an array may be grouped into other ranges. The replay leaves out
 *
 *   - usage of associations that the cell does not have,
 *   - ends of tasks that wait to be booked because the store cannot be read,
 *   - data that a store has yet to keep.
 */
#ifndef SCHED_RUN_RESEND_H
#define SCHED_RUN_RESEND_H

#include "conf/cell_source.h"
#include "sched/mirror/event.h"
#include "sched/mirror/mirror.h"
#include "shm/read.h"

struct resend_calls {
	void *context;
	/* Receive an event, borrowed during the call. A value other than 0 ends the replay. */
	int (*event)(void *context, const struct event *event);
	/*
	 * Receive a job that has the class, request and name of jobs replayed before, instead of an
	 * event. `row` returns the caller's identification of such a job by its number. NULL: all
	 * jobs are replayed as events. `like` must be NULL where a job's QOS would depend on its
	 * class, which is slurm.qos_by_association of a cell that the run did not have.
	 */
	int (*like)(void *context, const struct job_like *like);
	uint32_t (*row)(void *context, uint32_t job_number);
	/* replay only hosts, queue instances and advance reservations */
	bool without_jobs;
};

/*
 * Replay a generation. 0; -ENODATA: the generation has no state; -EPROTO: it is not one that a
 * scheduler publishes; -ENOMEM; or the value that the call has returned. Values that are wrong, or
 * that change meanwhile, are replayed wrongly, but no memory outside of the mapping is read: see
 * shm/read.h.
 */
int resend_events(const struct view *view, const struct resend_calls *calls);

/* Replay only the advance reservations, by their numbers. */
int resend_advances(const struct view *view, const struct resend_calls *calls);

/*
 * Copy the cell's files; free them with cell_files_free(). -ENODATA, -EPROTO, -ENOMEM; -EACCES: a
 * file may not be read by all readers of the generation.
 */
int resend_files(const struct view *view, struct cell_files *files);

#endif
