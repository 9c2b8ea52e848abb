/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler role. The qmaster accepts one scheduler, event client 1. It does not report to a
 * client that the role was lost. The loss shows when deliveries stop; then the qmaster is asked for
 * the holder of the role (holder.h). Orders stop at the first doubt.
 *
 *     watching      another scheduler has the role; this process is an ordinary event client or a shadow
 *     taking        registering as event client 1
 *     ours          orders may be sent
 *     doubtful      no delivery in time, or no connection: no order is sent until this is resolved
 *     handing back  no starts; usage and share tree are written, then the role is given up
 *
 * At the start, and after the connection was lost, the role is taken if no living scheduler has it.
 * A living scheduler is not displaced, whether it is the built-in one or another one. This needs
 * `fairlead attach`, which stops the built-in thread, or the options of gridengine.h.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_PLACE_H
#define SCHED_QMASTER_GRIDENGINE_PLACE_H

#include "sched/qmaster/gdi/events.h"
#include "sched/qmaster/gridengine/inside.h"
#include "sched/run/records_place.h"

int place_begin(struct sge *sge, struct error *error);	/* -ENOMEM */
void place_end(struct sge *sge);

enum place_state place_state(const struct sge *sge);
static inline bool place_is_ours(const struct sge *sge)
{
	enum place_state state = place_state(sge);

	return state == PLACE_OURS || state == PLACE_HANDING_BACK;
}
/*
 * Return true if the qmaster has just answered that this process is its active scheduler. Otherwise
 * ask it; the answer wakes the process for another turn. Required before usage orders.
 *
 * The qmaster does not report a displacement, and still executes the orders of the displaced
 * scheduler. Each usage order raises the version of its user or project. The new scheduler then
 * names an old version: the qmaster refuses its usage, but removes the tasks that this usage is of.
 * The last delivery proves too little, because a run and a write to the disk have followed it.
 */
bool place_is_proven(struct sge *sge);
/* Return whether it is decided for now that the role is ours or is not. */
bool place_is_clear(const struct sge *sge);
/* Return whether orders are only computed and compared with those of the built-in scheduler. */
bool place_is_shadow(const struct sge *sge);

/* Handle a record of the connection: connected, lost, registered, refused, silent. */
void place_posted(struct sge *sge, const struct post_record *record);
/* Handle an answer. false: it does not belong to a request of this file. */
bool place_answered(struct sge *sge, const struct post_record *record);
/*
 * Handle an event about the scheduler itself: SCHEDDMONITOR, SHUTDOWN, QMASTER_GOES_DOWN,
 * ACK_TIMEOUT.
 */
void place_event(struct sge *sge, enum gdi_event type);
/* Note that a run was published. */
void place_ran(struct sge *sge);

uint64_t place_due_ns(const struct sge *sge);
void place_turn(struct sge *sge);		/* handle timeouts */

/*
 * Check the role before the process ends. If another scheduler has the role by now, it must not be
 * given up, because the qmaster would apply this to the other one. place_last_question() returns
 * the number of the request, 0 if none was sent. place_last_answer() returns whether a record is
 * its answer.
 */
uint64_t place_last_question(struct sge *sge);
bool place_last_answer(struct sge *sge, uint64_t question, const struct post_record *record);

void place_attach(struct sge *sge);	/* SIGUSR1: `fairlead attach` has requested it */
void place_hand_back(struct sge *sge);	/* SIGUSR2: `fairlead hand-back` */

/* Describe the role for readers. */
void place_report(const struct sge *sge, struct place_record *place);

#endif
