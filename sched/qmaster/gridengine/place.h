/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is the scheduler. The qmaster keeps one place, event client 1, and tells nobody who loses it:
 * it is lost when deliveries stop, and who has it then is asked (GET of the event clients). Ordering
 * stops at the first doubt.
 *
 *     watching      another one has it: an ordinary event client, or a shadow
 *     taking        registering as event client 1
 *     ours          orders may be sent
 *     doubtful      no delivery in time: nothing is sent until it is clear
 *     handing back  no starts; usage and tree are written, then it is given up
 */
#ifndef SCHED_QMASTER_GRIDENGINE_PLACE_H
#define SCHED_QMASTER_GRIDENGINE_PLACE_H

#include "sched/qmaster/gridengine/inside.h"

enum place_state { PLACE_WATCHING, PLACE_TAKING, PLACE_OURS, PLACE_DOUBTFUL, PLACE_HANDING_BACK };

int place_open(struct sge *g, struct error *error);
void place_close(struct sge *g);

enum place_state place_state(const struct sge *g);
static inline bool place_is_ours(const struct sge *g)
{
	enum place_state state = place_state(g);

	return state == PLACE_OURS || state == PLACE_HANDING_BACK;
}

void place_record(struct sge *g, const struct post_record *record);	/* connected, lost, registered, silence, answers */
uint64_t place_due_ns(const struct sge *g);
void place_look(struct sge *g);		/* the time may have come */
void place_attach(struct sge *g);	/* SIGUSR1: `fairlead attach` asks for it */
void place_hand_back(struct sge *g);	/* SIGUSR2: `fairlead hand-back` */

/* Who has it, for readers and messages. */
struct place_holder {
	bool known, living, builtin, us;
	char host[256];
	char name[64];			/* its component: schedd with connection 0 is the built-in thread */
};
void place_holder(const struct sge *g, struct place_holder *holder);

#endif
