/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage of users and projects. The qmaster stores it, runs book it, and changes are sent back to
 * the qmaster. While we are its scheduler, the mirror is newer than the qmaster, and the events of
 * the qmaster mostly show our own orders. Usage that the qmaster has lost, by a crash or because a
 * user was changed, is sent to it again. Usage that an administrator has cleared is cleared here.
 *
 * The usage of a user is stored together with a list of the usage booked for each job. Both change
 * in one step, so a task is booked once, whichever process dies at any time. A finished task stays
 * in the list until it was removed from the qmaster. (If the owner of a job is not a user, its
 * project has the list.)
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
 * Take a UU or PR element of USER_LIST, USER_ADD, USER_MOD, PROJECT_..., called by take*.c after
 * its version was stored in sge->known. In a total update it comes after the jobs. -ENOMEM.
 */
int usage_reported(struct sge *sge, enum gdi_event type, const struct gdi_element *element, struct error *error);
/* USER_DEL, PROJECT_DEL. */
void usage_gone(struct sge *sge, enum gdi_event type, const char *name);

/* The functions below are for settlement*.c. */

/*
 * Note a finished task at the qmaster. `booking` false: no run will book it, because it has no
 * usage. -ENOMEM.
 */
int usage_finished(struct sge *sge, uint32_t job_number, uint32_t task, bool booking);
/* Note that the qmaster has removed a task; task 0: all tasks of the job. */
void usage_removed(struct sge *sge, uint32_t job_number, uint32_t task);
/* Return whether a run of this process has booked it. */
bool usage_booked(const struct sge *sge, uint32_t job_number, uint32_t task);
/* Note that a run was published. */
void usage_ran(struct sge *sge, bool stored);

/* Return true if usage_pack() has something to send. */
bool usage_is_due(struct sge *sge);
/*
 * Pack the removal of finished tasks, then usage orders. Users and projects that have an order
 * without a result are left out. Returns the number of orders.
 */
size_t usage_pack(struct sge *sge, struct packed *packed);
void usage_sent(struct sge *sge, uint64_t request);	/* request of that packet; 0: not sent */
void usage_answered(struct sge *sge, uint64_t request);
void usage_delivered(struct sge *sge);
void usage_updated(struct sge *sge);		/* a total update is in force */
void usage_stop(struct sge *sge);			/* the result of sent orders is not known */
/* Return whether no usage remains to be sent, confirmed or removed. */
bool usage_is_settled(struct sge *sge);

#endif
