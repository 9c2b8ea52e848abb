/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of users and projects: the qmaster keeps it, runs book it, and what has changed is given
 * back to the qmaster. As long as we are its scheduler the mirror is ahead of it, and what it tells
 * is mostly our own orders. What it has lost, by a crash or because somebody has changed the user,
 * is given back; what an administrator has cleared is cleared here.
 *
 * With its usage a user has a list of what was booked of each job: that makes it one and the same
 * change, and a task is booked once, whoever dies when. A finished task stays in that list until it
 * has been removed from the qmaster. (A project has that list where the job's owner is no user.)
 */
#ifndef SCHED_QMASTER_GRIDENGINE_USAGE_H
#define SCHED_QMASTER_GRIDENGINE_USAGE_H

#include "sched/qmaster/gdi/element.h"
#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gridengine/inside.h"

struct ended_task;
struct packed;
struct usage_book;

int usage_open(struct sge *sge, struct error *error);
void usage_close(struct sge *sge);

/*
 * By take*.c: a UU or PR element of USER_LIST, USER_ADD, USER_MOD, PROJECT_..., when g->known has
 * its version; in a total update behind its jobs. -ENOMEM.
 */
int usage_told(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error);
void usage_gone(struct sge *sge, enum gdi_event type, const char *name);	/* USER_DEL, PROJECT_DEL */

/* The rest is for settlement*.c. */

/*
 * A finished task that is at the qmaster. `booking` false: a run will not book it, as it has used
 * nothing. -ENOMEM.
 */
int usage_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking);
/* It is gone; task 0: all of the job. */
void usage_removed(struct sge *sge, uint32_t job_number, uint32_t task);
/* Was it booked by a run of this process? */
bool usage_booked(const struct sge *sge, uint32_t job_number, uint32_t task);
/* A run was published. */
void usage_ran(struct sge *sge, bool stored);

/* Return true if usage_pack() has something to send. */
bool usage_is_due(struct sge *sge);
/*
 * Into the packet: finished tasks that may be removed, then usage to be given, as far as nothing of
 * the same users and projects is on its way. How many orders.
 */
size_t usage_pack(struct sge *sge, struct packed *packed);
void usage_sent(struct sge *sge, uint64_t request);	/* that packet; 0: it was not */
void usage_answered(struct sge *sge, uint64_t request);
void usage_delivered(struct sge *sge);
void usage_updated(struct sge *sge);		/* a total update is in force */
void usage_stop(struct sge *sge);			/* what is on its way is not to be counted on */
/* Nothing is left to be given, confirmed or removed. */
bool usage_is_settled(struct sge *sge);

#endif
