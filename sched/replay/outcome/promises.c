/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/promises.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/columns.h"
#include "sched/replay/outcome/promise_sources.h"

struct promises {
	struct promise_names names;
	struct promise_draft draft;
	struct promise_sample *samples;	/* PROMISE_SAMPLES */
	size_t n;
	struct promise *items;
	size_t nitems, capacity;
	unsigned every, passed;		/* number of calls per sample; calls so far */
};

struct promises *promises_create(const struct promise_names *names)
{
	struct promises *promises = calloc(1, sizeof(*promises));

	if (!promises)
		return NULL;
	promises->names = *names;
	promises->draft.names = &promises->names;
	promises->every = 1;
	promises->samples = calloc(PROMISE_SAMPLES, sizeof(*promises->samples));
	if (promises->samples)
		return promises;
	free(promises);
	return NULL;
}

void promises_destroy(struct promises *promises)
{
	if (!promises)
		return;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		free(promises->draft.lists[kind].items);
	free(promises->samples);
	free(promises->items);
	free(promises);
}

int promise_add(struct promise_draft *draft, enum promise_kind kind, const char *name, double lasting, double now)
{
	struct promise_list *list = &draft->lists[kind];
	struct promise promise = { .lasting = isfinite(lasting) ? (float)lasting : 0.0f,
				   .now = isfinite(now) ? (float)now : 0.0f };

	if (!(promise.lasting > 0.0f || promise.now > 0.0f) || !*name)
		return 0;
	promise.who = draft->names->number(draft->names->context, kind, name);
	if (promise.who == UINT32_MAX)
		return -ENOMEM;
	if (array_reserve(&list->capacity, list->n + 1, COLUMN(list->items)))
		return -ENOMEM;
	list->items[list->n++] = promise;
	return 0;
}

static int by_who(const void *a, const void *b)
{
	const struct promise *x = a, *y = b;

	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	/* gives sums a fixed order */
	return (x->lasting > y->lasting) - (x->lasting < y->lasting);
}

/* Combine promises to the same user or project: a user of several projects is promised the sum. */
static void list_settle(struct promise_list *list)
{
	size_t kept = 0;

	if (list->n > 1)
		qsort(list->items, list->n, sizeof(*list->items), by_who);
	for (size_t k = 0; k < list->n; k++) {
		const struct promise *promise = &list->items[k];

		if (kept > 0 && list->items[kept - 1].who == promise->who) {
			list->items[kept - 1].lasting += promise->lasting;
			list->items[kept - 1].now += promise->now;
		} else {
			list->items[kept++] = *promise;
		}
	}
	list->n = kept;
}

/* Drop every other sample. */
static void thin_out(struct promises *promises)
{
	size_t kept = 0, nitems = 0;

	for (size_t k = 0; k < promises->n; k += 2) {
		struct promise_sample sample = promises->samples[k];

		for (unsigned kind = 0; kind < PROMISE_KINDS; kind++) {
			size_t n = sample.end[kind] - sample.begin[kind];

			memmove(promises->items + nitems, promises->items + sample.begin[kind],
				n * sizeof(*promises->items));
			sample.begin[kind] = nitems;
			sample.end[kind] = nitems += n;
		}
		promises->samples[kept++] = sample;
	}
	promises->n = kept;
	promises->nitems = nitems;
	promises->every *= 2;
}

static int keep(struct promises *promises, int64_t now)
{
	struct promise_sample *sample;
	size_t room = promises->nitems;

	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		room += promises->draft.lists[kind].n;
	if (room == promises->nitems)
		return 0;
	if (room > promises->capacity) {
		if (array_grow(&promises->items, 2 * room, sizeof(*promises->items)))
			return -ENOMEM;
		promises->capacity = 2 * room;
	}
	if (promises->n == PROMISE_SAMPLES)
		thin_out(promises);
	sample = &promises->samples[promises->n++];
	sample->now = now;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++) {
		const struct promise_list *list = &promises->draft.lists[kind];

		sample->begin[kind] = promises->nitems;
		if (list->n > 0)
			memcpy(promises->items + promises->nitems, list->items, list->n * sizeof(*list->items));
		sample->end[kind] = promises->nitems += list->n;
	}
	return 0;
}

int promises_take(struct promises *promises, int64_t now, const struct fl_view *view)
{
	int rc;

	if (promises->passed++ % promises->every)
		return 0;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		promises->draft.lists[kind].n = 0;
	rc = promises_of_tree(&promises->draft, view);
	if (!rc)
		rc = promises_of_associations(&promises->draft, view);
	if (!rc)
		rc = promises_of_submitters(&promises->draft, view);
	if (rc)
		return rc;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		list_settle(&promises->draft.lists[kind]);
	return keep(promises, now);
}

const struct promise_sample *promises_samples(const struct promises *promises, size_t *n)
{
	*n = promises->n;
	return promises->samples;
}

const struct promise *promises_items(const struct promises *promises)
{
	return promises->items;
}
