/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/objects/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"

static void good_drop(struct text_item *item)
{
	if (item->good != item->text)
		free(item->good);
	item->good = NULL;
}

void texts_free(struct object_texts *texts)
{
	for (size_t i = 0; i < texts->names.n; i++) {
		good_drop(&texts->items[i]);
		free(texts->items[i].text);
		text_item_allow(&texts->items[i]);
		free(texts->items[i].values);
	}
	text_set_free(&texts->names);
	free(texts->items);
	*texts = (struct object_texts){ .capacity = 0 };
}

struct text_item *texts_find(const struct object_texts *texts, const char *name)
{
	uint32_t i = text_set_find(&texts->names, name);

	return i == INDEX_NONE ? NULL : &texts->items[i];
}

struct text_item *texts_get(struct object_texts *texts, const char *name)
{
	size_t before = texts->names.n;
	uint32_t i;

	if (array_reserve(&texts->capacity, before + 1, COLUMN(texts->items)))
		return NULL;
	if (text_set_add(&texts->names, name, &i))
		return NULL;
	if (texts->names.n > before)
		texts->items[i] = (struct text_item){ .place = texts->places++ };
	return &texts->items[i];
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool text_item_set(struct object_texts *texts, struct text_item *item, char *text)
{
	if (is_same(item->text, text)) {
		free(text);
		return false;
	}
	if (!item->text)
		item->place = texts->places++;
	if (item->text != item->good)
		free(item->text);
	if (!text)
		/* An object that is gone must not return with its good text. */
		good_drop(item);
	item->text = text;
	item->reported = false;
	text_item_allow(item);
	return true;
}

void text_item_refuse(struct text_item *item, char *why, char *instead)
{
	text_item_allow(item);
	item->why = why;
	item->instead = instead;
}

void text_item_allow(struct text_item *item)
{
	free(item->why);
	free(item->instead);
	item->why = item->instead = NULL;
	item->own = false;
}

const char *text_item_used(const struct text_item *item)
{
	if (item->text && item->why)
		return item->instead ? item->instead : item->good;
	return item->text;
}

void texts_accept(struct object_texts *texts)
{
	for (size_t i = 0; i < texts->names.n; i++) {
		struct text_item *item = &texts->items[i];

		if (item->why || item->good == item->text)
			continue;
		good_drop(item);
		item->good = item->text;
	}
}

bool texts_inherit(struct object_texts *to, struct object_texts *from)
{
	bool differs = false;

	for (size_t i = 0; i < from->names.n; i++) {
		struct text_item *old = &from->items[i], *new = texts_find(to, from->names.texts[i]);
		const char *used = text_item_used(old);

		differs = differs || !is_same(used, new ? text_item_used(new) : NULL);
		if (!new || !new->text)
			continue;
		new->reported = old->reported && is_same(old->text, new->text);
		if (!old->good)
			continue;
		new->good = is_same(old->good, new->text) ? new->text : old->good;
		if (new->good == old->good && old->good == old->text)
			old->text = NULL;
		if (new->good == old->good)
			old->good = NULL;
	}
	for (size_t i = 0; !differs && i < to->names.n; i++)
		differs = to->items[i].text && !texts_find(from, to->names.texts[i]);
	return differs;
}
