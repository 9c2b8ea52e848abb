/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash table and the counts of holders are in the writer's private memory. An entry without
 * holders stays until the next arena, because names are often used again.
 */
#include "shm/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "shm/arena.h"

#define FIRST_SLOTS 1024u
/* garbage, in bytes or ids, that is not worth a new arena */
#define FEW 1024u

struct string_entry {					/* indexed by id */
	uint32_t hash;
	uint32_t holders;
};

struct strings {
	struct segment *segment;
	/* newest arena; older ones that generations still show follow in its list */
	struct arena *arena;
	struct string_entry *entries;
	uint32_t nids, room;			/* ids assigned so far, entries allocated */
	/* ids without a text in this arena; they will be assigned again */
	uint32_t *vacant;
	uint32_t nvacant;
	/* id or NONE; the size is a power of two, and at most half of it is used */
	uint32_t *slots;
	uint32_t nslots;
	uint32_t dead;				/* entries with a text but without holders */
	uint64_t dead_bytes;
	/* secret key: names come from users, who must not be able to cause collisions */
	uint64_t key[2];
};

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t text_hash(const struct strings *strings, const char *text, size_t length)
{
	uint64_t hash = strings->key[0] ^ length, word;

	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = fold(hash ^ word, strings->key[1]);
	}
	word = 0;
	memcpy(&word, text, length);
	return (uint32_t)(fold(hash ^ word, strings->key[1]) >> 16);
}

/* Arenas */

static const char *text_at(const struct strings *strings, uint32_t id)
{
	return arena_text(strings->segment, strings->arena, id);
}

/* Free old arenas that no reader can see any more. */
static void arenas_reclaim(struct strings *strings)
{
	struct arena **at = &strings->arena->older;

	while (*at) {
		struct arena *arena = *at;

		if (arena_shown(strings->segment, arena)) {
			at = &arena->older;
		} else {
			*at = arena->older;
			arena_free(strings->segment, arena);
		}
	}
}

/* The table of ids by text */

static uint32_t *slot_free(uint32_t *slots, uint32_t nslots, uint32_t hash)
{
	uint32_t i = hash & (nslots - 1);

	while (slots[i] != NONE)
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

static uint32_t *slots_make(uint32_t nslots)
{
	uint32_t *slots = malloc(nslots * sizeof(*slots));

	if (slots)
		memset(slots, 0xff, nslots * sizeof(*slots));
	return slots;
}

static bool id_vacant(const struct string_entry *entry)
{
	return entry->holders == 0 && entry->hash == NONE;
}

static void slots_fill(struct strings *strings, uint32_t *slots, uint32_t nslots)
{
	for (uint32_t id = 0; id < strings->nids; id++)
		if (!id_vacant(&strings->entries[id]))
			*slot_free(slots, nslots, strings->entries[id].hash) = id;
	free(strings->slots);
	strings->slots = slots;
	strings->nslots = nslots;
}

/* Make room for one more id in the table, the entries and the list of vacant ids. */
static int room_make(struct strings *strings)
{
	if (strings->nids == strings->room) {
		uint32_t room = strings->room ? strings->room * 2 : FIRST_SLOTS / 2;
		struct string_entry *entries =
			room < NONE / 4 ? realloc(strings->entries, room * sizeof(*entries)) : NULL;

		if (!entries)
			return -ENOMEM;
		strings->entries = entries;
		uint32_t *vacant = realloc(strings->vacant, room * sizeof(*vacant));

		if (!vacant)
			return -ENOMEM;
		strings->vacant = vacant;
		strings->room = room;
	}
	if (strings->nids < strings->nslots / 2)
		return 0;
	uint32_t *slots = slots_make(strings->nslots * 2);

	if (!slots)
		return -ENOMEM;
	slots_fill(strings, slots, strings->nslots * 2);
	return 0;
}

static uint32_t id_find(const struct strings *strings, const char *text, uint32_t hash)
{
	for (uint32_t i = hash & (strings->nslots - 1); strings->slots[i] != NONE;
	     i = (i + 1) & (strings->nslots - 1)) {
		uint32_t id = strings->slots[i];

		if (strings->entries[id].hash == hash && strcmp(text_at(strings, id), text) == 0)
			return id;
	}
	return NONE;
}

/* Compaction into a new arena */

static int arena_copy(const struct strings *strings, struct arena *arena)
{
	if (arena_reach(strings->segment, arena, strings->nids))
		return -ENOMEM;
	for (uint32_t id = 0; id < strings->nids; id++) {
		if (!strings->entries[id].holders)
			continue;
		const char *text = text_at(strings, id);
		int rc = arena_put(strings->segment, arena, id, text, strlen(text) + 1);

		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Mark ids without holders as vacant. They have no text in the new arena and can be assigned to new
 * texts.
 */
static void ids_vacate(struct strings *strings)
{
	strings->nvacant = 0;
	for (uint32_t id = strings->nids; id-- > 0;)
		if (!strings->entries[id].holders) {
			strings->entries[id].hash = NONE;
			strings->vacant[strings->nvacant++] = id;
		}
	strings->dead = 0;
	strings->dead_bytes = 0;
	memset(strings->slots, 0xff, strings->nslots * sizeof(*strings->slots));
	for (uint32_t id = 0; id < strings->nids; id++)
		if (strings->entries[id].holders)
			*slot_free(strings->slots, strings->nslots, strings->entries[id].hash) = id;
}

/*
 * Make a new arena with room for twice the living texts and ids, and for at least `bytes` and one
 * more id.
 */
static int arena_renew(struct strings *strings, uint64_t bytes)
{
	uint64_t alive = strings->arena->used - strings->dead_bytes;
	struct arena *arena = arena_make(strings->segment, 2 * alive + bytes, 2 * ((uint64_t)strings->nids + 1));

	if (!arena)
		return -ENOMEM;
	if (arena_copy(strings, arena)) {
		arena_free(strings->segment, arena);
		return -ENOMEM;
	}
	arena->older = strings->arena;
	strings->arena = arena;
	ids_vacate(strings);
	arenas_reclaim(strings);
	return 0;
}

static bool arena_pays(const struct strings *strings)
{
	uint32_t ids = strings->nids - strings->nvacant;

	return (strings->dead_bytes > FEW && strings->dead_bytes > strings->arena->used / 2) ||
	       (strings->dead > FEW && strings->dead > ids / 2);
}

/* Public functions */

int strings_create(struct strings **out, struct segment *segment)
{
	struct strings *strings = calloc(1, sizeof(*strings));

	*out = NULL;
	if (!strings)
		return -ENOMEM;
	strings->segment = segment;
	if (getrandom(strings->key, sizeof(strings->key), GRND_NONBLOCK) != (ssize_t)sizeof(strings->key))
		/* only right after boot; a poor key is acceptable */
		strings->key[0] = (uintptr_t)strings;
	strings->key[1] |= 1;
	strings->nslots = FIRST_SLOTS;
	strings->slots = slots_make(strings->nslots);
	strings->arena = arena_make(segment, EXTENT_BYTES, EXTENT_BYTES / sizeof(uint32_t));
	if (!strings->slots || !strings->arena) {
		strings_destroy(strings);
		return -ENOMEM;
	}
	*out = strings;
	return 0;
}

void strings_destroy(struct strings *strings)
{
	if (!strings)
		return;
	while (strings->arena) {
		struct arena *arena = strings->arena;

		strings->arena = arena->older;
		if (arena_shown(strings->segment, arena))
			free(arena);
		else
			arena_free(strings->segment, arena);
	}
	free(strings->entries);
	free(strings->vacant);
	free(strings->slots);
	free(strings);
}

static uint32_t id_hold(struct strings *strings, uint32_t id)
{
	if (strings->entries[id].holders++ == 0) {
		strings->dead--;
		strings->dead_bytes -= strlen(text_at(strings, id)) + 1;
	}
	return id;
}

static uint32_t id_next(const struct strings *strings)
{
	return strings->nvacant ? strings->vacant[strings->nvacant - 1] : strings->nids;
}

static uint32_t text_add(struct strings *strings, const char *text, size_t bytes, uint32_t hash)
{
	if (room_make(strings))
		return NONE;
	if (arena_put(strings->segment, strings->arena, id_next(strings), text, bytes) &&
	    (arena_renew(strings, bytes) || arena_put(strings->segment, strings->arena, id_next(strings), text, bytes)))
		return NONE;
	uint32_t id = id_next(strings);

	if (strings->nvacant)
		strings->nvacant--;
	else
		strings->nids++;
	strings->entries[id] = (struct string_entry) { .hash = hash, .holders = 1 };
	*slot_free(strings->slots, strings->nslots, hash) = id;
	return id;
}

static uint32_t hash_of(const struct strings *strings, const char *text, size_t length)
{
	uint32_t hash = text_hash(strings, text, length);

	return hash == NONE ? 0 : hash;		/* avoid NONE, which marks a vacant entry */
}

uint32_t strings_hold(struct strings *strings, const char *text)
{
	if (!text)
		return NONE;
	size_t length = strlen(text);
	uint32_t hash = hash_of(strings, text, length), id = id_find(strings, text, hash);

	if (id != NONE)
		return id_hold(strings, id);
	id = text_add(strings, text, length + 1, hash);
	if (id == NONE)
		errno = ENOMEM;
	return id;
}

void strings_hold_again(struct strings *strings, uint32_t id)
{
	if (id != NONE)
		strings->entries[id].holders++;
}

void strings_drop(struct strings *strings, uint32_t id)
{
	if (id == NONE || --strings->entries[id].holders)
		return;
	strings->dead++;
	strings->dead_bytes += strlen(text_at(strings, id)) + 1;
}

const char *strings_text(const struct strings *strings, uint32_t id)
{
	return id == NONE ? "" : text_at(strings, id);
}

uint32_t strings_find(const struct strings *strings, const char *text)
{
	if (!text)
		return NONE;
	uint32_t id = id_find(strings, text, hash_of(strings, text, strlen(text)));

	return id != NONE && strings->entries[id].holders ? id : NONE;
}

uint64_t strings_holders(const struct strings *strings)
{
	uint64_t n = 0;

	for (uint32_t id = 0; id < strings->nids; id++)
		n += strings->entries[id].holders;
	return n;
}

int strings_publish(struct strings *strings, struct generation_writer *writer)
{
	arenas_reclaim(strings);
	if (arena_pays(strings))
		arena_renew(strings, 0);
	arena_show(strings->arena, writer, strings->nids);
	return 0;
}
