/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NEGOTIATOR_CROSS_SLOT_PRIOS: attributes of a slot that describe the other slots of its machine,
 * such as Slot2_RemoteUserPrio.
 */
#ifndef SCHED_NEGOTIATION_CROSS_H
#define SCHED_NEGOTIATION_CROSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct classad;
struct negotiator;

/*
 * Parse names such as "Slot<N>_RemoteUserPrio": the number of the slot, and the part of the name
 * with the attribute. Both pointers may be NULL.
 */
bool cross_name(const char *name, uint32_t *number, const char **attribute);

struct cross {				/* slots by machine and number; zero-initialise */
	struct cross_slot { uint32_t machine, number, slot; } *items;
	uint32_t *machines;		/* machine of each slot */
	size_t n, capacity, nmachines;
};

bool cross_is_on(const struct negotiator *negotiator);
/* Fill the table, unless no expression refers to other slots or the option is off. -ENOMEM. */
int cross_fill(struct negotiator *negotiator);
/* Set all such attributes to which expressions refer, in the ad of a slot. */
void cross_set(struct negotiator *negotiator, struct classad *ad, uint32_t slot);
void cross_free(struct cross *cross);

#endif
