/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/text_set.h"

#include "conf/base/columns.h"

/* FNV-1a */
static uint32_t hash_of(const struct text_set *set, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u ^ set->secret;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return (uint32_t)(hash >> 32);
}

static uint32_t find(const struct text_set *set, const char *text, uint32_t hash)
{
	uint32_t i;

	index_search(i, &set->index, hash, set->hashes[i] == hash && strcmp(set->texts[i], text) == 0);
	return i;
}

uint32_t text_set_find(const struct text_set *set, const char *text)
{
	return find(set, text, hash_of(set, text));
}

static int reserve(struct text_set *set)
{
	if (array_reserve(&set->capacity, set->n + 1, COLUMN(set->texts), COLUMN(set->hashes)))
		return -ENOMEM;
	return index_reserve(&set->index, set->hashes);
}

int text_set_add(struct text_set *set, const char *text, uint32_t *number)
{
	uint32_t hash;
	char *copy;

	if (set->n == 0)
		set->secret = (uintptr_t)set;
	hash = hash_of(set, text);
	*number = find(set, text, hash);
	if (*number != INDEX_NONE)
		return 0;
	copy = reserve(set) ? NULL : strdup(text);
	if (!copy)
		return -ENOMEM;
	*number = (uint32_t)set->n++;
	set->texts[*number] = copy;
	set->hashes[*number] = hash;
	index_insert(&set->index, set->hashes, *number);
	return 0;
}

void text_set_clear(struct text_set *set)
{
	while (set->n > 0)
		free(set->texts[--set->n]);
	index_clear(&set->index);
}

void text_set_free(struct text_set *set)
{
	text_set_clear(set);
	index_free(&set->index);
	free(set->texts);
	free(set->hashes);
	*set = (struct text_set){ 0 };
}
