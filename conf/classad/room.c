/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where evaluations put texts and lists. It is taken in one piece when the first of them is made,
 * and never moves: values point into it.
 */
#include "conf/classad/inside.h"

#include <stdlib.h>

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
}

void classad_room_free(struct classad_room *room)
{
	free(room->bytes);
	room->bytes = NULL;
	room->used = room->capacity = 0;
}
