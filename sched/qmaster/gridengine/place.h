/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is the scheduler. The qmaster keeps one place, event client 1, and tells nobody who loses it:
 * it is lost when deliveries stop, and who has it then is asked (holder.h). Ordering stops at the
 * first doubt.
 *
 *     watching      another one has it: an ordinary event client, or a shadow
 *     taking        registering as event client 1
 *     ours          orders may be sent
 *     doubtful      no delivery in time, no connection: nothing is sent until it is clear
 *     handing back  no starts; usage and tree are written, then it is given up
 *
 * At the start it is taken where nobody has it who lives, and so it is after the connection was
 * lost. Where the built-in scheduler or another one has it, nobody is displaced: that takes
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
/* It is ours, or will not be for now. */
bool place_is_clear(const struct sge *sge);
/* Orders are computed, and compared with what the built-in scheduler does. */
bool place_is_shadow(const struct sge *sge);

/* Connected, lost, registered, refused, silent. */
void place_posted(struct sge *sge, const struct post_record *record);
/* An answer: false, it was not to a question of ours. */
bool place_answered(struct sge *sge, const struct post_record *record);
/* An event about the scheduler as such: SCHEDDMONITOR, SHUTDOWN, QMASTER_GOES_DOWN, ACK_TIMEOUT. */
void place_event(struct sge *sge, enum gdi_event type);
/* A run was published. */
void place_ran(struct sge *sge);

uint64_t place_due_ns(const struct sge *sge);
void place_turn(struct sge *sge);		/* the time may have come */

/*
 * The process ends: what another one has by now must not be given up, since the qmaster would take
 * that for his. The number of the question about it, 0: there is none; and whether this is its
 * answer.
 */
uint64_t place_last_question(struct sge *sge);
bool place_last_answer(struct sge *sge, uint64_t question, const struct post_record *record);

void place_attach(struct sge *sge);	/* SIGUSR1: `fairlead attach` asks for it */
void place_hand_back(struct sge *sge);	/* SIGUSR2: `fairlead hand-back` */

/* For readers. */
void place_tell(const struct sge *sge, struct place_record *place);

#endif
