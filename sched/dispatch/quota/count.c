/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/quota/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/reserve/timeline.h"

struct quota_counted {
	struct quota_key key;
	uint32_t next;			/* with the same hash */
	struct quota_count count;
};

struct quota_text {
	char *text;
	uint32_t next;
};

static uint32_t hash_bytes(const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	uint32_t hash = 2166136261u;

	while (n-- > 0)
		hash = (hash ^ *b++) * 16777619u;
	return hash;
}

static uint32_t hash_key(const struct quota_key *key)
{
	uint64_t hash = key->limit;

	for (int k = 0; k < QUOTA_KINDS; k++)
		hash = (hash ^ hash >> 29 ^ key->part[k]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(hash >> 32);
}

/* Room for one item more, and for its hash. */
static int room(struct index *index, uint32_t **hashes, void *items, size_t bytes, size_t n, size_t *capacity)
{
	size_t larger = *capacity ? 2 * *capacity : 64;
	int error = 0;

	if (n == *capacity) {
		error = larger > UINT32_MAX ? -ENOMEM : array_grow(items, larger, bytes);
		error = error ? error : array_grow(hashes, larger, sizeof(**hashes));
		if (!error)
			*capacity = larger;
	}
	return error ? error : index_reserve(index, *hashes);
}

/* Counts */

static int count_add(struct quota_counts *c, const struct quota_key *key, uint32_t hash, uint32_t first)
{
	int error = room(&c->index, &c->hashes, &c->items, sizeof(*c->items), c->n, &c->capacity);
	uint32_t row = (uint32_t)c->n;

	if (error)
		return error;
	c->hashes[row] = hash;
	c->items[row] = (struct quota_counted){ .key = *key, .next = INDEX_NONE, .count = { .line = TIMELINE_EMPTY } };
	if (first == INDEX_NONE) {
		index_insert(&c->index, c->hashes, row);
	} else {
		c->items[row].next = c->items[first].next;
		c->items[first].next = row;
	}
	c->n++;
	return 0;
}

int quota_counts_get(struct quota_counts *c, const struct quota_key *key, struct quota_count **count)
{
	uint32_t hash = hash_key(key), first = index_find(&c->index, c->hashes, hash), row = first;
	int error;

	while (row != INDEX_NONE && memcmp(&c->items[row].key, key, sizeof(*key)))
		row = c->items[row].next;
	if (row == INDEX_NONE) {
		error = count_add(c, key, hash, first);
		if (error)
			return error;
		row = (uint32_t)c->n - 1;
	}
	*count = &c->items[row].count;
	return 0;
}

void quota_counts_clear(struct quota_counts *c)
{
	if (c->index.size > 0)
		memset(c->index.rows, 0xff, c->index.size * sizeof(*c->index.rows));
	c->index.used = 0;
	c->n = 0;
}

void quota_counts_free(struct quota_counts *c)
{
	index_free(&c->index);
	free(c->hashes);
	free(c->items);
	*c = (struct quota_counts){ 0 };
}

/* Names */

static int text_add(struct quota_texts *t, const char *text, uint32_t hash, uint32_t first)
{
	int error = room(&t->index, &t->hashes, &t->items, sizeof(*t->items), t->n, &t->capacity);
	uint32_t row = (uint32_t)t->n;

	if (error)
		return error;
	t->items[row] = (struct quota_text){ .text = strdup(text), .next = INDEX_NONE };
	if (!t->items[row].text)
		return -ENOMEM;
	t->hashes[row] = hash;
	if (first == INDEX_NONE) {
		index_insert(&t->index, t->hashes, row);
	} else {
		t->items[row].next = t->items[first].next;
		t->items[first].next = row;
	}
	t->n++;
	return 0;
}

int quota_texts_number(struct quota_texts *t, const char *text, uint32_t *number)
{
	uint32_t hash, first, row;
	int error;

	*number = 0;
	if (!text || !*text)
		return 0;
	hash = hash_bytes(text, strlen(text));
	first = row = index_find(&t->index, t->hashes, hash);
	while (row != INDEX_NONE && strcmp(t->items[row].text, text))
		row = t->items[row].next;
	if (row == INDEX_NONE) {
		error = text_add(t, text, hash, first);
		if (error)
			return error;
		row = (uint32_t)t->n - 1;
	}
	*number = row + 1;
	return 0;
}

const char *quota_texts_get(const struct quota_texts *t, uint32_t number)
{
	return number ? t->items[number - 1].text : "";
}

void quota_texts_free(struct quota_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].text);
	index_free(&t->index);
	free(t->hashes);
	free(t->items);
	*t = (struct quota_texts){ 0 };
}
