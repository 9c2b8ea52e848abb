/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/tickets.h"

void sharers_reset(struct sharers *sharers)
{
	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < sharers->n[k]; i++) {
			sharers->items[k][i].active = sharers->items[k][i].running;
			sharers->items[k][i].version = 0;
		}
}

void sharers_count(struct sharers *sharers, const struct ticket_classes *classes)
{
	for (int k = 0; k < SHARER_KINDS; k++)
		for (size_t i = 0; i < sharers->n[k]; i++)
			sharers->items[k][i].running = 0;
	for (size_t i = 0; i < classes->n; i++)
		for (int k = 0; classes->items[i].running && k < SHARER_KINDS; k++)
			if (classes->items[i].sharer[k] != TICKETS_NONE)
				sharers->items[k][classes->items[i].sharer[k]].running += classes->items[i].running;
	sharers_reset(sharers);
}
