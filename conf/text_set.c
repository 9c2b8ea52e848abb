/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/text_set.h"

#include "conf/array.h"

/* FNV-1a */
static uint32_t hash_of(const struct text_set *s, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u ^ s->secret;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return (uint32_t)(hash >> 32);
}

static uint32_t find(const struct text_set *s, const char *text, uint32_t hash)
{
	uint32_t i;

	index_search(i, &s->index, hash, s->hashes[i] == hash && strcmp(s->texts[i], text) == 0);
	return i;
}

uint32_t text_set_find(const struct text_set *s, const char *text)
{
	return find(s, text, hash_of(s, text));
}

static int reserve(struct text_set *s)
{
	size_t capacity = s->capacity ? 2 * s->capacity : 64;

	if (s->n == s->capacity) {
		if (capacity > UINT32_MAX || array_grow(&s->texts, capacity, sizeof(*s->texts)) ||
		    array_grow(&s->hashes, capacity, sizeof(*s->hashes)))
			return -ENOMEM;
		s->capacity = capacity;
	}
	return index_reserve(&s->index, s->hashes);
}

int text_set_add(struct text_set *s, const char *text, uint32_t *number)
{
	uint32_t hash;
	char *copy;

	if (s->n == 0)
		s->secret = (uintptr_t)s;
	hash = hash_of(s, text);
	*number = find(s, text, hash);
	if (*number != INDEX_NONE)
		return 0;
	copy = reserve(s) ? NULL : strdup(text);
	if (!copy)
		return -ENOMEM;
	*number = (uint32_t)s->n++;
	s->texts[*number] = copy;
	s->hashes[*number] = hash;
	index_insert(&s->index, s->hashes, *number);
	return 0;
}

void text_set_clear(struct text_set *s)
{
	while (s->n > 0)
		free(s->texts[--s->n]);
	index_clear(&s->index);
}

void text_set_free(struct text_set *s)
{
	text_set_clear(s);
	index_free(&s->index);
	free(s->texts);
	free(s->hashes);
	*s = (struct text_set){ 0 };
}
