/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detached scheduler: rebuilt from a generation that another scheduler has published, whether that
 * process still runs or not. It has the cell and the state that the published run worked on. Its
 * segment is its own, without a name or a lock (shm/segment.h). It reads no file, has no clock and
 * disturbs no other process. sched_run() at the time of the published run computes the same
 * numbers, order and decisions, to the bit. At another time, or after further events, it computes
 * what the other scheduler would compute then.
 *
 * One exception: an ad of a slot once asked for an attribute of jobs, such as JobPrio, and no ad
 * does any more. With algorithm userprio the live run still distinguishes jobs by that attribute
 * until its configuration is read again, so it may visit submitters in another order.
 *
 *     struct sched *s;
 *
 *     if (sched_detach(&s, view, &options, &error) == 0) {
 *             sched_run(s, run.now, run.event, &error);
 *             fl_attach_descriptor(&cell, sched_descriptor(s));
 *             ...
 *             sched_destroy(s);
 *     }
 */
#ifndef SCHED_DETACH_H
#define SCHED_DETACH_H

#include "sched/sched.h"
#include "shm/read.h"

struct detach_options {
	uint64_t segment_bytes;		/* maximum size; 0: 16 GiB */
	/* Files that replace the run's cell. NULL: keep that cell. Borrowed during the call. */
	const struct cell_files *files;
	/* Replay only hosts, queue instances and advance reservations. */
	bool without_jobs;
	/*
	 * Called with each event before it is applied; may change it. NULL: events are applied
	 * unchanged.
	 */
	void (*edit)(void *context, struct event *event);
	void *context;
};

/*
 * Create a scheduler from a published generation. The read section is open during the call and may
 * end after it. The number of orders is not limited: a caller that wants a qmaster's limits sets
 * them in sched_orders(). -ENODATA: no state is published; -EPROTO: the state is damaged; -EACCES:
 * some files of the cell are not published; -EINVAL: the cell has faults or does not fit the
 * replayed events; -ENOMEM, -EFBIG, -EMFILE. *s is NULL after an error.
 */
int sched_detach(struct sched **sched, const struct view *view, const struct detach_options *options,
		 struct error *error);

/*
 * Create a detached scheduler for a cell that need not have run yet. The cell is read from the
 * directory, or from `texts`; the findings then name the directory. The scheduler starts without
 * jobs, queue instances and hosts. `segment_bytes` is as in struct detach_options. -EINVAL: the
 * cell has faults, listed in `report`; the errors of cell_load(); -ENOMEM, -EFBIG, -EMFILE. *s is
 * NULL after an error.
 */
int sched_create_detached(struct sched **sched, const char *directory, const struct cell_files *texts,
			  uint64_t segment_bytes, struct report *report, struct error *error);

/*
 * Return the segment's descriptor for attach_descriptor() and fl_attach_descriptor(). The scheduler
 * owns it.
 */
int sched_descriptor(const struct sched *sched);

#endif
