/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons are counted as they arrive. A reason is searched first where it was found the last time,
 * and then by the address of its subject. Finally it is searched by the subject's text, because
 * equal names may have two addresses.
 */
#include "sched/dispatch/why/why.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

_Static_assert(WHY_REASONS <= UINT8_MAX + 1, "a hint is a byte");

/* Lists */

static int lists_reserve(struct why *why)
{
	uint32_t capacity = why->capacity ? why->capacity * 2 : 64;

	if (why->n < why->capacity)
		return 0;
	if (why->n >= WHY_LISTS || array_grow(&why->lists, capacity, sizeof(*why->lists)))
		return -ENOMEM;
	memset(why->lists + why->capacity, 0, (capacity - why->capacity) * sizeof(*why->lists));
	why->capacity = capacity;
	return 0;
}

/* Start the next list, empty. It keeps its memory from earlier runs. */
static int lists_add(struct why *why, uint32_t next)
{
	if (why->n >= WHY_LISTS || lists_reserve(why)) {
		why->incomplete = true;
		return -ENOMEM;
	}
	why->lists[why->n].n = 0;
	why->lists[why->n++].next = next;
	return 0;
}

uint32_t why_list_before(struct why *why, uint32_t next)
{
	if (why->n == 0 && lists_add(why, 0))	/* number 0 is reserved */
		return 0;
	return lists_add(why, next) ? next : why->n - 1;
}

uint32_t why_list(struct why *why)
{
	return why_list_before(why, 0);
}

/* Reasons */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Return the index of a reason in the list, or the index after the last reason. */
static uint32_t reason_find(const struct why_list *list, enum why_kind kind, const char *subject)
{
	uint32_t i;

	for (i = 0; i < list->n; i++)
		if (list->reasons[i].subject == subject && list->reasons[i].kind == kind)
			return i;
	for (i = 0; i < list->n; i++)
		if (list->reasons[i].kind == kind && same_text(list->reasons[i].subject, subject))
			return i;
	return i;
}

static struct why_reason *reason_new(struct why *why, struct why_list *list, enum why_kind kind, const char *subject)
{
	uint32_t capacity = list->capacity ? list->capacity * 2 : 8;

	if (why->total >= WHY_TOTAL)
		return NULL;
	if (list->n == list->capacity) {
		if (array_grow(&list->reasons, capacity, sizeof(*list->reasons)))
			return NULL;
		list->capacity = capacity;
	}
	why->total++;
	list->reasons[list->n] = (struct why_reason){ .kind = (uint16_t)kind, .subject = subject };
	return &list->reasons[list->n++];
}

static unsigned hint_of(enum why_kind kind, const char *subject)
{
	return (unsigned)(((uintptr_t)subject ^ (uintptr_t)kind << 20) * 0x9e3779b97f4a7c15u >> 32) % WHY_HINTS;
}

static struct why_reason *reason_of(struct why *why, struct why_list *list, enum why_kind kind, const char *subject)
{
	uint8_t *hint = &list->hints[hint_of(kind, subject)];
	uint32_t i = *hint;

	if (i < list->n && list->reasons[i].subject == subject && list->reasons[i].kind == kind)
		return &list->reasons[i];
	i = reason_find(list, kind, subject);
	if (i < list->n) {
		*hint = (uint8_t)i;
		return &list->reasons[i];
	}
	if (list->n == WHY_REASONS)
		return &list->reasons[WHY_REASONS - 1];
	if (list->n == WHY_REASONS - 1)
		return reason_new(why, list, WHY_OTHERS, NULL);
	*hint = (uint8_t)i;
	return reason_new(why, list, kind, subject);
}

/* Count a failure. Keep the object that came closest, the first among equals. */
static void reason_count(struct why_reason *reason, const char *object, double wanted, double had)
{
	if (isnan(wanted) || isnan(had))
		wanted = had = 0.0;
	if (reason->kind != WHY_OTHERS &&
	    (reason->count == 0 || fabs(wanted - had) < fabs(reason->wanted - reason->had))) {
		reason->object = object;
		reason->wanted = wanted;
		reason->had = had;
	}
	reason->count += reason->count < UINT32_MAX;
}

static struct why_reason *reason_add(struct why *why, uint32_t list, enum why_kind kind, const char *subject,
				     const char *object, double wanted, double had)
{
	struct why_reason *reason = NULL;

	if (why->is_off)
		return NULL;
	if (why->n > 0 || lists_add(why, 0) == 0)
		reason = reason_of(why, &why->lists[list < why->n ? list : 0], kind, subject);
	if (reason)
		reason_count(reason, object, wanted, had);
	else
		why->incomplete = true;
	return reason;
}

void why_add(struct why *why, uint32_t list, enum why_kind kind, const char *subject, const char *object, double wanted,
	     double had)
{
	reason_add(why, list, kind, subject, object, wanted, had);
}

void why_raise(struct why *why, uint32_t list, enum why_kind kind, const char *subject, const char *object,
	       double wanted, double had, uint32_t count)
{
	struct why_reason *reason = reason_add(why, list, kind, subject, object, wanted, had);

	/* the object is one of them */
	if (reason && reason->kind != WHY_OTHERS)
		reason->count = reason->count > count + 1 ? reason->count - 1 : count;
}

/* Texts */

const char *why_text(struct why *why, const char *format, ...)
{
	char text[WHY_TEXT_BYTES];
	uint32_t number;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n >= (int)sizeof(text))
		strcpy(text + sizeof(text) - 4, "...");
	number = n < 0 ? INDEX_NONE : text_set_find(&why->texts, text);
	if (number == INDEX_NONE && (n < 0 || why->texts.n == WHY_TEXTS || text_set_add(&why->texts, text, &number))) {
		why->incomplete = true;
		return "";
	}
	return why->texts.texts[number];
}

/* The run */

void why_begin(struct why *why, bool is_off)
{
	why->is_off = is_off;
	text_set_clear(&why->texts);
	why->n = why->total = 0;
	why->incomplete = false;
}

void why_free(struct why *why)
{
	for (uint32_t i = 0; i < why->capacity; i++)
		free(why->lists[i].reasons);
	free(why->lists);
	text_set_free(&why->texts);
	*why = (struct why){ 0 };
}
