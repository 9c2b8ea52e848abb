/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that is detached: made of a generation that another one has published, alive or dead,
 * with the cell and the state that its run worked on. It has a segment of its own, without a name
 * or a lock (shm/segment.h), reads no file, has no clock and disturbs nobody. sched_run() at the
 * run's own time comes to the same numbers, order and decisions, to the bit; at another time, or
 * after events, to what would come then.
 *
 * Not so where a slot's ad has asked for an attribute of jobs, such as JobPrio, and none does any
 * more: with algorithm userprio the live run still tells jobs apart by it until its configuration
 * is read anew, and may visit submitters in another order.
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
	uint64_t segment_bytes;		/* the most there may be; 0: 16 GiB */
	/* in place of the cell that the run had; NULL: that one. Borrowed during the call */
	const struct cell_files *files;
	/* of what was told, the hosts, queue instances and advance reservations alone */
	bool without_jobs;
	/* each event before it is taken, to be told otherwise; NULL: they are taken as they are */
	void (*edit)(void *context, struct event *event);
	void *context;
};

/*
 * The section is open during the call, and may end after it. What is ordered is limited by nothing:
 * who wants a qmaster's limits sets them in sched_orders(). -ENODATA: nothing of the kind is
 * published; -EPROTO: it is damaged; -EACCES: the cell has
 * files that are not published; -EINVAL: the cell has faults, or does not fit what is told;
 * -ENOMEM, -EFBIG, -EMFILE. *s is NULL then.
 */
int sched_detach(struct sched **sched, const struct view *view, const struct detach_options *options,
		 struct error *error);

/*
 * The same of a cell that no scheduler needs to have run: of its directory, or of these texts; the
 * directory is what findings name then. Nothing is told yet: no job, no queue instance, no host.
 * `segment_bytes` as above. -EINVAL: the cell has faults, in `report`; the errors of cell_load();
 * -ENOMEM, -EFBIG, -EMFILE. *s is NULL then.
 */
int sched_create_detached(struct sched **sched, const char *directory, const struct cell_files *texts,
			  uint64_t segment_bytes, struct report *report, struct error *error);

/* Of its segment, for attach_descriptor() and fl_attach_descriptor(). It stays the scheduler's. */
int sched_descriptor(const struct sched *sched);

#endif
