/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/replay/outcome/promises.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/replay/outcome/promise_sources.h"

struct promises {
	struct promise_names names;
	struct promise_draft draft;
	struct promise_sample *samples;	/* PROMISE_SAMPLES */
	size_t n;
	struct promise *items;
	size_t nitems, capacity;
	unsigned every, passed;		/* of so many calls one is taken; since the last one */
};

struct promises *promises_create(const struct promise_names *names)
{
	struct promises *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->names = *names;
	p->draft.names = &p->names;
	p->every = 1;
	p->samples = calloc(PROMISE_SAMPLES, sizeof(*p->samples));
	if (p->samples)
		return p;
	free(p);
	return NULL;
}

void promises_destroy(struct promises *p)
{
	if (!p)
		return;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		free(p->draft.lists[kind].items);
	free(p->samples);
	free(p->items);
	free(p);
}

int promise_add(struct promise_draft *d, enum promise_kind kind, const char *name, double lasting, double now)
{
	struct promise_list *list = &d->lists[kind];
	struct promise promise = { .lasting = isfinite(lasting) ? (float)lasting : 0.0f, .now = isfinite(now) ? (float)now : 0.0f };

	if (!(promise.lasting > 0.0f || promise.now > 0.0f) || !*name)
		return 0;
	promise.who = d->names->number(d->names->context, kind, name);
	if (promise.who == UINT32_MAX)
		return -ENOMEM;
	if (list->n == list->capacity) {
		if (array_grow(&list->items, 2 * list->n + 64, sizeof(*list->items)))
			return -ENOMEM;
		list->capacity = 2 * list->n + 64;
	}
	list->items[list->n++] = promise;
	return 0;
}

static int by_who(const void *a, const void *b)
{
	const struct promise *x = a, *y = b;

	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	/* so that sums have one order */
	return (x->lasting > y->lasting) - (x->lasting < y->lasting);
}

/* Who was promised several parts, as a user of several projects, was promised their sum. */
static void list_settle(struct promise_list *list)
{
	size_t kept = 0;

	if (list->n > 1)
		qsort(list->items, list->n, sizeof(*list->items), by_who);
	for (size_t k = 0; k < list->n; k++) {
		const struct promise *p = &list->items[k];

		if (kept > 0 && list->items[kept - 1].who == p->who) {
			list->items[kept - 1].lasting += p->lasting;
			list->items[kept - 1].now += p->now;
		} else {
			list->items[kept++] = *p;
		}
	}
	list->n = kept;
}

/* Every other sample is forgotten. */
static void thin_out(struct promises *p)
{
	size_t kept = 0, nitems = 0;

	for (size_t k = 0; k < p->n; k += 2) {
		struct promise_sample s = p->samples[k];

		for (unsigned kind = 0; kind < PROMISE_KINDS; kind++) {
			size_t n = s.end[kind] - s.begin[kind];

			memmove(p->items + nitems, p->items + s.begin[kind], n * sizeof(*p->items));
			s.begin[kind] = nitems;
			s.end[kind] = nitems += n;
		}
		p->samples[kept++] = s;
	}
	p->n = kept;
	p->nitems = nitems;
	p->every *= 2;
}

static int keep(struct promises *p, int64_t now)
{
	struct promise_sample *s;
	size_t room = p->nitems;

	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		room += p->draft.lists[kind].n;
	if (room == p->nitems)
		return 0;
	if (room > p->capacity) {
		if (array_grow(&p->items, 2 * room, sizeof(*p->items)))
			return -ENOMEM;
		p->capacity = 2 * room;
	}
	if (p->n == PROMISE_SAMPLES)
		thin_out(p);
	s = &p->samples[p->n++];
	s->now = now;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++) {
		const struct promise_list *list = &p->draft.lists[kind];

		s->begin[kind] = p->nitems;
		if (list->n > 0)
			memcpy(p->items + p->nitems, list->items, list->n * sizeof(*list->items));
		s->end[kind] = p->nitems += list->n;
	}
	return 0;
}

int promises_take(struct promises *p, int64_t now, const struct fl_view *view)
{
	int rc;

	if (p->passed++ % p->every)
		return 0;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		p->draft.lists[kind].n = 0;
	rc = promises_of_tree(&p->draft, view);
	if (!rc)
		rc = promises_of_associations(&p->draft, view);
	if (!rc)
		rc = promises_of_submitters(&p->draft, view);
	if (rc)
		return rc;
	for (unsigned kind = 0; kind < PROMISE_KINDS; kind++)
		list_settle(&p->draft.lists[kind]);
	return keep(p, now);
}

const struct promise_sample *promises_samples(const struct promises *p, size_t *n)
{
	*n = p->n;
	return p->samples;
}

const struct promise *promises_items(const struct promises *p)
{
	return p->items;
}
