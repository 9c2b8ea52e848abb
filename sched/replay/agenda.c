/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/columns.h"
#include "conf/base/heap.h"
#include "sched/replay/inside.h"

static inline bool is_before(const void *context, const struct agenda_item *a, const struct agenda_item *b)
{
	(void)context;
	if (a->at != b->at)
		return a->at < b->at;
	return a->kind != b->kind ? a->kind < b->kind : a->turn < b->turn;
}

int agenda_put(struct agenda *a, int64_t at, enum agenda_kind kind, const struct replay_record *record)
{
	if (array_reserve(&a->capacity, a->n + 1, COLUMN(a->items)))
		return -ENOMEM;
	a->items[a->n++] = (struct agenda_item){ at, ++a->turns, kind, record ? record->row : INDEX_NONE,
						 record ? record->stamp : 0 };
	heap_rise(a->items, a->n - 1, is_before, NULL);
	return 0;
}

int64_t agenda_next(const struct agenda *agenda)
{
	return agenda->n > 0 ? agenda->items[0].at : FOREVER;
}

struct agenda_item agenda_take(struct agenda *agenda)
{
	struct agenda_item first = agenda->items[0];

	agenda->items[0] = agenda->items[--agenda->n];
	heap_sink(agenda->items, agenda->n, 0, is_before, NULL);
	return first;
}
