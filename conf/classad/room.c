/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory for texts and lists of evaluations. It is allocated in one piece when it is first needed,
 * and never moves because values point into it.
 */
#include "conf/classad/inside.h"

#include <stdlib.h>

#define KEPT_COST 64u		/* bytes of an expression for each byte of its text */

void *room_take(struct classad_room *room, size_t bytes, size_t alignment)
{
	size_t begin = (room->used + alignment - 1) & ~(alignment - 1);

	if (!room->bytes) {
		room->bytes = malloc(ROOM_BYTES);
		room->capacity = room->bytes ? ROOM_BYTES : 0;
	}
	if (begin > room->capacity || bytes > room->capacity - begin)
		return NULL;
	room->used = begin + bytes;
	return room->bytes + begin;
}

void classad_room_reset(struct classad_room *room)
{
	room->used = 0;
	while (room->kept) {
		struct classad_expression *expression = room->kept;

		room->kept = expression->next;
		classad_expression_free(expression);
	}
}

bool room_keep(struct classad_room *room, struct classad_expression *expression, size_t bytes)
{
	if (!room_take(room, KEPT_COST * bytes, 1))
		return false;
	expression->next = room->kept;
	room->kept = expression;
	return true;
}

void classad_room_free(struct classad_room *room)
{
	classad_room_reset(room);
	free(room->bytes);
	room->bytes = NULL;
	room->used = room->capacity = 0;
}
