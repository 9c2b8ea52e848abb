/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run into the segment: why jobs did not start. The names in it are held as long as readers see them, one run more than it takes to
 * make the next: most of them are in that one as well, and keep their ids and their place.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/run.h"

/* ---- names --------------------------------------------------------------------------------------------------------------------------- */

static void names_drop(struct sched *s, struct why_names *names)
{
	while (names->n > 0)
		strings_drop(s->strings, names->ids[--names->n]);
}

/* Room was made for it. */
static int name_hold(struct sched *s, const char *text, uint32_t *id)
{
	*id = NONE;
	if (!text || !*text)
		return 0;
	*id = strings_hold(s->strings, text);
	if (*id == NONE)
		return -ENOMEM;
	s->why_next.ids[s->why_next.n++] = *id;
	return 0;
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

void publish_why_end(struct sched *s, bool published)
{
	struct why_names shown = s->why_shown;

	if (published) {
		s->why_shown = s->why_next;
		s->why_next = shown;
	}
	names_drop(s, &s->why_next);
}

void publish_why_free(struct sched *s)
{
	names_drop(s, &s->why_shown);
	free(s->why_shown.ids);
	free(s->why_next.ids);
}

/* ---- units --------------------------------------------------------------------------------------------------------------------------- */

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

/* Where the subject names a complex, alone, before a '=' or at the end, it tells what the numbers are. */
static enum why_unit unit_of(const struct cell *cell, const struct why_reason *r)
{
	const char *colon;

	if (r->wanted == r->had || !r->subject)
		return WHY_NUMBER;
	switch (r->kind) {
	case WHY_OVERLOADED: case WHY_SUSPENDED_BY_LOAD: case WHY_ATTRIBUTE: case WHY_CONSUMABLE:
		return unit_of_complex(cell, r->subject, strcspn(r->subject, "="));
	case WHY_QUOTA:
		colon = strrchr(r->subject, ':');
		colon = colon ? colon + 1 + strspn(colon + 1, " ") : r->subject;
		return unit_of_complex(cell, colon, strcspn(colon, "="));
	default:
		return WHY_NUMBER;
	}
}

/* ---- tables -------------------------------------------------------------------------------------------------------------------------- */

static int reason_put(struct sched *s, const struct why_reason *r, struct why_record *to)
{
	*to = (struct why_record){ .kind = r->kind, .unit = unit_of(s->cell, r), .count = r->count, .wanted = r->wanted, .had = r->had };
	return name_hold(s, r->subject, &to->subject) || name_hold(s, r->object, &to->object) ? -ENOMEM : 0;
}

/* First what concerns the job alone or all places at once: it says most. */
static int list_put(struct sched *s, const struct why_list *list, struct why_record **to)
{
	for (int with_object = 0; with_object <= 1; with_object++)
		for (uint32_t i = 0; i < list->n; i++) {
			const struct why_reason *r = &list->reasons[i];

			if ((r->object != NULL || r->kind == WHY_OTHERS) == with_object && reason_put(s, r, (*to)++))
				return -ENOMEM;
		}
	return 0;
}

/* The first list ends with one that says that not all is known. */
static void list_end(const struct why *why, uint32_t list, struct why_record **to)
{
	if (list == 0 && why->incomplete)
		*(*to)++ = (struct why_record){ .kind = WHY_OTHERS, .subject = NONE, .object = NONE };
}

int publish_why(struct generation_writer *w, struct sched *s)
{
	const struct why *why = &s->why;
	struct why_list_record *lists;
	struct why_record *reasons, *to;

	if (why->n == 0)
		return 0;
	lists = generation_table(w, TABLE_WHY_LISTS, why->n);
	to = reasons = generation_table(w, TABLE_WHY, why->total + why->incomplete);
	if (!lists || !reasons || names_reserve(&s->why_next, 2 * (size_t)why->total))
		return -ENOMEM;
	for (uint32_t i = 0; i < why->n; i++) {
		const struct why_record *first = to;

		if (list_put(s, &why->lists[i], &to))
			return -ENOMEM;
		list_end(why, i, &to);
		lists[i] = (struct why_list_record){ (uint32_t)(first - reasons), (uint32_t)(to - first), why->lists[i].next };
	}
	return 0;
}
