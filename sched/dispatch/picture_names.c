/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/picture.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/base/array.h"

uint32_t picture_name(struct cluster_picture *picture, const char *text, int *rc)
{
	struct picture_names *next = &picture->next;
	size_t slot = ((uintptr_t)text * 0x9e3779b97f4a7c15u >> 40) % 64;
	uint32_t id;

	if (!text)
		return NONE;
	if (picture->last[slot] == text)
		return picture->last_id[slot];
	if (next->n == next->capacity) {
		if (array_grow(&next->ids, 2 * next->n + 64, sizeof(*next->ids))) {
			*rc = -ENOMEM;
			return NONE;
		}
		next->capacity = 2 * next->n + 64;
	}
	id = strings_hold(picture->strings, text);
	if (id == NONE) {
		*rc = -ENOMEM;
		return NONE;
	}
	next->ids[next->n++] = id;
	picture->last[slot] = text;
	picture->last_id[slot] = id;
	return id;
}

void *picture_add(struct picture_records *records, size_t bytes)
{
	if (records->n == records->capacity) {
		if (array_grow(&records->items, 2 * records->n + 64, bytes))
			return NULL;
		records->capacity = 2 * records->n + 64;
	}
	return (char *)records->items + records->n++ * bytes;
}

void picture_names_drop(struct cluster_picture *picture, struct picture_names *names)
{
	while (names->n > 0)
		strings_drop(picture->strings, names->ids[--names->n]);
}
