/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/ids.h"

#include <errno.h>
#include <stdlib.h>

#define SMALLEST 64

static size_t home(const struct ids *x, uint64_t id)
{
	return (size_t)((id * 0x9e3779b97f4a7c15u) >> 32) & (x->size - 1);
}

static struct ids_slot *slot_of(const struct ids *x, uint64_t id)
{
	size_t at = home(x, id);

	while (x->slots[at].row != IDS_NONE && x->slots[at].id != id)
		at = (at + 1) & (x->size - 1);
	return &x->slots[at];
}

uint32_t ids_find(const struct ids *x, uint64_t id)
{
	return x->size ? slot_of(x, id)->row : IDS_NONE;
}

static int grow(struct ids *x)
{
	struct ids larger = { .size = x->size ? 2 * x->size : SMALLEST, .used = x->used };

	larger.slots = malloc(larger.size * sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t k = 0; k < larger.size; k++)
		larger.slots[k].row = IDS_NONE;
	for (size_t k = 0; k < x->size; k++)
		if (x->slots[k].row != IDS_NONE)
			*slot_of(&larger, x->slots[k].id) = x->slots[k];
	free(x->slots);
	*x = larger;
	return 0;
}

int ids_put(struct ids *x, uint64_t id, uint32_t row)
{
	if (ids_find(x, id) == IDS_NONE) {
		int err = 2 * (x->used + 1) > x->size ? grow(x) : 0;

		if (err)
			return err;
		x->used++;
	}
	*slot_of(x, id) = (struct ids_slot){ id, row };
	return 0;
}

void ids_remove(struct ids *x, uint64_t id)
{
	size_t mask = x->size - 1, hole, at;

	if (ids_find(x, id) == IDS_NONE)
		return;
	hole = (size_t)(slot_of(x, id) - x->slots);
	x->used--;
	/* What stands behind the hole moves into it when its way from home leads over it. */
	for (at = (hole + 1) & mask; x->slots[at].row != IDS_NONE; at = (at + 1) & mask) {
		if (((at - home(x, x->slots[at].id)) & mask) >= ((at - hole) & mask)) {
			x->slots[hole] = x->slots[at];
			hole = at;
		}
	}
	x->slots[hole].row = IDS_NONE;
}

void ids_free(struct ids *x)
{
	free(x->slots);
	*x = (struct ids){ 0 };
}
