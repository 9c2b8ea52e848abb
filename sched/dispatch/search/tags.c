/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/tags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"

int tags_begin(struct tags *tags, size_t n)
{
	if (array_grow(&tags->instances, n + 1, sizeof(*tags->instances)) ||
	    array_grow(&tags->tagged, n + 1, sizeof(*tags->tagged)))
		return -ENOMEM;
	memset(tags->instances, 0, n * sizeof(*tags->instances));
	tags->search = 1;
	tags->n = 0;
	return 0;
}

void tags_free(struct tags *tags)
{
	free(tags->instances);
	free(tags->tagged);
}

void tags_reset(struct tags *tags)
{
	tags->search++;
	tags->n = 0;
}

struct hidden_tags tags_hide(struct tags *tags)
{
	struct hidden_tags hidden = { tags->search, tags->n };

	tags_reset(tags);
	return hidden;
}

void tags_show(struct tags *tags, struct hidden_tags hidden)
{
	tags->search = hidden.search;
	tags->n = hidden.n;
}

int tags_save(const struct tags *tags, struct saved_tags *saved)
{
	saved->n = tags->n;
	saved->items = malloc((tags->n + 1) * sizeof(*saved->items));
	if (!saved->items)
		return -ENOMEM;
	for (size_t k = 0; k < tags->n; k++)
		saved->items[k] =
			(struct saved_tag){ tags->tagged[k], tags->instances[tags->tagged[k]].tag };
	return 0;
}

void tags_restore(struct tags *tags, const struct saved_tags *saved)
{
	tags_reset(tags);
	for (size_t k = 0; k < saved->n; k++)
		tags_set(tags, saved->items[k].instance, saved->items[k].tag);
}

void saved_tags_free(struct saved_tags *saved)
{
	free(saved->items);
	*saved = (struct saved_tags){ 0 };
}

void tags_set(struct tags *tags, uint32_t instance, enum tag tag)
{
	if (tags->instances[instance].search != tags->search)
		tags->tagged[tags->n++] = instance;
	tags->instances[instance] = (struct tagged_instance){ tag, tags->search };
}

enum tag tags_of(const struct tags *tags, uint32_t instance)
{
	return tags->instances[instance].search == tags->search ? tags->instances[instance].tag : TAG_NOW;
}

void tags_take(struct tags *tags, uint32_t instance)
{
	tags->instances[instance].tag = TAG_NOW;
}
