/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/publish_why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

/* Names */

static void names_drop(struct published_why *published, struct why_names *names)
{
	while (names->n > 0)
		strings_drop(published->strings, names->ids[--names->n]);
}

static int names_reserve(struct why_names *names, size_t n)
{
	n += n / 4;
	if (n <= names->capacity)
		return 0;
	if (array_grow(&names->ids, n, sizeof(*names->ids)))
		return -ENOMEM;
	names->capacity = n;
	return 0;
}

/* End a publication that succeeded or was abandoned: release the names that are no longer shown. */
static void publish_end(void *self, bool is_shown)
{
	struct published_why *published = self;
	struct why_names shown = published->shown;

	if (is_shown) {
		published->shown = published->next;
		published->next = shown;
	}
	names_drop(published, &published->next);
}

void publish_why_free(struct published_why *published)
{
	names_drop(published, &published->shown);
	free(published->shown.ids);
	free(published->next.ids);
}

/* Units */

static enum why_unit unit_of_complex(const struct cell *cell, const char *name, size_t length)
{
	char copy[WHY_TEXT_BYTES];
	const struct complex *complex;

	if (length >= sizeof(copy))
		return WHY_NUMBER;
	memcpy(copy, name, length);
	copy[length] = '\0';
	complex = cell_complex(cell, copy);
	if (!complex)
		return WHY_NUMBER;
	return complex->type == TYPE_MEMORY ? WHY_MEMORY : complex->type == TYPE_TIME ? WHY_SECONDS :
	       complex->type == TYPE_BOOL ? WHY_BOOL : WHY_NUMBER;
}

/*
 * Return the unit of the numbers of a reason. It follows from the complex that the subject names:
 * alone, before a '=' or at the end.
 */
enum why_unit why_unit(const struct cell *cell, unsigned kind, const char *subject)
{
	const char *colon;

	switch (kind) {
	case WHY_OVERLOADED: case WHY_SUSPENDED_BY_LOAD: case WHY_ATTRIBUTE: case WHY_CONSUMABLE:
		return unit_of_complex(cell, subject, strcspn(subject, "="));
	case WHY_KEPT:
		return unit_of_complex(cell, subject, strcspn(subject, ":"));
	case WHY_QUOTA:
		colon = strrchr(subject, ':');
		subject = colon ? colon + 1 + strspn(colon + 1, " ") : subject;
		return unit_of_complex(cell, subject, strcspn(subject, "="));
	default:
		return WHY_NUMBER;
	}
}

/* Tables */

#define KNOWN 256

struct tables {			/* tables that are being filled */
	struct published_why *published;
	const struct cell *cell;
	struct why_record *reasons;
	uint32_t n;
	/* Cache of the results for a text. Categories often fail for the same reasons. */
	struct known {
		const char *text;
		uint32_t id;
		uint16_t kind, unit;
	} known[KNOWN];
};

/*
 * Return the id of a name, held once, and its unit if it is the subject of that kind. NULL: memory
 * is exhausted. There must be room among the names.
 */
static const struct known *name_look_up(struct tables *tables, const char *text, unsigned kind)
{
	static const struct known none = { .id = NONE };
	struct known *known = &tables->known[((uintptr_t)text + kind) * 0x9e3779b97f4a7c15u >> 32 & (KNOWN - 1)];

	if (!text || !*text)
		return &none;
	if (known->text == text && known->kind == kind)
		return known;
	known->text = NULL;
	known->id = strings_hold(tables->published->strings, text);
	if (known->id == NONE)
		return NULL;
	tables->published->next.ids[tables->published->next.n++] = known->id;
	known->text = text;
	known->kind = (uint16_t)kind;
	known->unit = (uint16_t)why_unit(tables->cell, kind, text);
	return known;
}

static int reason_put(struct tables *tables, const struct why_reason *reason)
{
	const struct known *name = name_look_up(tables, reason->object, WHY_KINDS);
	uint32_t object = name ? name->id : NONE;
	const struct known *subject = name ? name_look_up(tables, reason->subject, reason->kind) : NULL;

	if (!subject)
		return -ENOMEM;
	tables->reasons[tables->n++] = (struct why_record){ .kind = reason->kind,
							    .unit = subject->unit,
							    .count = reason->count,
							    .subject = subject->id,
							    .object = object,
							    .wanted = reason->wanted,
							    .had = reason->had };
	return 0;
}

/*
 * Write the reasons of a list. Reasons without an object come first, because they are the most
 * useful.
 */
static int list_put(struct tables *tables, const struct why_list *list)
{
	for (int with_object = 0; with_object <= 1; with_object++)
		for (uint32_t i = 0; i < list->n; i++) {
			const struct why_reason *reason = &list->reasons[i];

			if ((reason->object != NULL || reason->kind == WHY_OTHERS) == with_object &&
			    reason_put(tables, reason))
				return -ENOMEM;
		}
	return 0;
}

static int publish_tables(void *self, struct run *run, struct generation_writer *writer)
{
	struct published_why *published = self;
	const struct why *why = published->why;
	struct why_list_record *lists;
	struct tables tables = { .published = published, .cell = run->cell };

	if (why->n == 0)
		return 0;
	lists = records_table(writer, TABLE_WHY_LISTS, why->n);
	tables.reasons = records_table(writer, TABLE_WHY, why->total + why->incomplete);
	if (!lists || !tables.reasons || names_reserve(&published->next, 2 * (size_t)why->total))
		return -ENOMEM;
	for (uint32_t i = 0; i < why->n; i++) {
		uint32_t first = tables.n;

		if (list_put(&tables, &why->lists[i]))
			return -ENOMEM;
		/* the last reason says that the list is incomplete */
		if (i == 0 && why->incomplete)
			tables.reasons[tables.n++] =
				(struct why_record){ .kind = WHY_OTHERS, .subject = NONE, .object = NONE };
		lists[i] = (struct why_list_record){ first, tables.n - first, why->lists[i].next };
	}
	return 0;
}

struct publisher publish_why_publisher(struct published_why *published)
{
	return (struct publisher){ .self = published, .tables = publish_tables, .end = publish_end };
}
