/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NEGOTIATOR_CROSS_SLOT_PRIOS: what a slot says of the other slots of its machine, as
 * Slot2_RemoteUserPrio.
 */
#ifndef SCHED_NEGOTIATION_CROSS_H
#define SCHED_NEGOTIATION_CROSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct classad;
struct negotiator;

/*
 * "Slot<N>_RemoteUserPrio" and the like: which slot, and where its attribute begins; both may be
 * NULL.
 */
bool cross_name(const char *name, uint32_t *number, const char **attribute);

struct cross {				/* slots by machine and number; zero-initialise */
	struct cross_slot { uint32_t machine, number, slot; } *items;
	uint32_t *machines;		/* by slot */
	size_t n, capacity, nmachines;
};

bool cross_is_on(const struct negotiator *negotiator);
/* -ENOMEM. Does nothing where nobody refers to other slots, or the switch is off. */
int cross_fill(struct negotiator *negotiator);
/* All such attributes that anybody refers to, in the ad of a slot. */
void cross_set(struct negotiator *negotiator, struct classad *ad, uint32_t slot);
void cross_free(struct cross *cross);

#endif
