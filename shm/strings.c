/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash table and the counts of holders are the writer's own. An entry without holders stays
 * where it is until the next arena: the same name often comes back.
 */
#include "shm/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "shm/arena.h"

#define FIRST_SLOTS 1024u
/* not worth a new arena: that much garbage, bytes or ids */
#define FEW 1024u

struct string_entry {					/* by id */
	uint32_t hash;
	uint32_t holders;
};

struct strings {
	struct segment *segment;
	/* and behind it those that old generations still show */
	struct arena *arena;
	struct string_entry *entries;
	uint32_t nids, room;			/* ids given out so far, entries allocated */
	/* ids that this arena has no text for: to be given out again */
	uint32_t *vacant;
	uint32_t nvacant;
	uint32_t *slots;			/* id or NONE; power of two, at most half full */
	uint32_t nslots;
	uint32_t dead;				/* entries with a text but without holders */
	uint64_t dead_bytes;
	/* names come from users: nobody may choose where they collide */
	uint64_t key[2];
};

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t text_hash(const struct strings *s, const char *text, size_t length)
{
	uint64_t hash = s->key[0] ^ length, word;

	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = fold(hash ^ word, s->key[1]);
	}
	word = 0;
	memcpy(&word, text, length);
	return (uint32_t)(fold(hash ^ word, s->key[1]) >> 16);
}

/* Arenas */

static const char *text_at(const struct strings *s, uint32_t id)
{
	return arena_text(s->segment, s->arena, id);
}

/* Old arenas that nobody can see any more. */
static void arenas_reclaim(struct strings *s)
{
	struct arena **at = &s->arena->older;

	while (*at) {
		struct arena *arena = *at;

		if (arena_shown(s->segment, arena)) {
			at = &arena->older;
		} else {
			*at = arena->older;
			arena_free(s->segment, arena);
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

static void slots_fill(struct strings *s, uint32_t *slots, uint32_t nslots)
{
	for (uint32_t id = 0; id < s->nids; id++)
		if (!id_vacant(&s->entries[id]))
			*slot_free(slots, nslots, s->entries[id].hash) = id;
	free(s->slots);
	s->slots = slots;
	s->nslots = nslots;
}

/* Room for one more id in the table, the entries and the list of vacant ones. */
static int room_make(struct strings *s)
{
	if (s->nids == s->room) {
		uint32_t room = s->room ? s->room * 2 : FIRST_SLOTS / 2;
		struct string_entry *entries = room < NONE / 4 ? realloc(s->entries, room * sizeof(*entries)) : NULL;

		if (!entries)
			return -ENOMEM;
		s->entries = entries;
		uint32_t *vacant = realloc(s->vacant, room * sizeof(*vacant));

		if (!vacant)
			return -ENOMEM;
		s->vacant = vacant;
		s->room = room;
	}
	if (s->nids < s->nslots / 2)
		return 0;
	uint32_t *slots = slots_make(s->nslots * 2);

	if (!slots)
		return -ENOMEM;
	slots_fill(s, slots, s->nslots * 2);
	return 0;
}

static uint32_t id_find(const struct strings *s, const char *text, uint32_t hash)
{
	for (uint32_t i = hash & (s->nslots - 1); s->slots[i] != NONE; i = (i + 1) & (s->nslots - 1)) {
		uint32_t id = s->slots[i];

		if (s->entries[id].hash == hash && strcmp(text_at(s, id), text) == 0)
			return id;
	}
	return NONE;
}

/* A new arena with what is alive */

static int arena_copy(const struct strings *s, struct arena *arena)
{
	if (arena_reach(s->segment, arena, s->nids))
		return -ENOMEM;
	for (uint32_t id = 0; id < s->nids; id++) {
		if (!s->entries[id].holders)
			continue;
		const char *text = text_at(s, id);
		int rc = arena_put(s->segment, arena, id, text, strlen(text) + 1);

		if (rc)
			return rc;
	}
	return 0;
}

/* Ids without holders have no text in the new arena, so the next new texts may have them. */
static void ids_vacate(struct strings *s)
{
	s->nvacant = 0;
	for (uint32_t id = s->nids; id-- > 0;)
		if (!s->entries[id].holders) {
			s->entries[id].hash = NONE;
			s->vacant[s->nvacant++] = id;
		}
	s->dead = 0;
	s->dead_bytes = 0;
	memset(s->slots, 0xff, s->nslots * sizeof(*s->slots));
	for (uint32_t id = 0; id < s->nids; id++)
		if (s->entries[id].holders)
			*slot_free(s->slots, s->nslots, s->entries[id].hash) = id;
}

/* With room for as much again, and for `bytes` and one id more at the least. */
static int arena_renew(struct strings *s, uint64_t bytes)
{
	uint64_t alive = s->arena->used - s->dead_bytes;
	struct arena *arena = arena_make(s->segment, 2 * alive + bytes, 2 * ((uint64_t)s->nids + 1));

	if (!arena)
		return -ENOMEM;
	if (arena_copy(s, arena)) {
		arena_free(s->segment, arena);
		return -ENOMEM;
	}
	arena->older = s->arena;
	s->arena = arena;
	ids_vacate(s);
	arenas_reclaim(s);
	return 0;
}

static bool arena_pays(const struct strings *s)
{
	uint32_t ids = s->nids - s->nvacant;

	return (s->dead_bytes > FEW && s->dead_bytes > s->arena->used / 2) || (s->dead > FEW && s->dead > ids / 2);
}

/* What others call */

int strings_create(struct strings **out, struct segment *segment)
{
	struct strings *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->segment = segment;
	if (getrandom(s->key, sizeof(s->key), GRND_NONBLOCK) != (ssize_t)sizeof(s->key))
		s->key[0] = (uintptr_t)s;	/* right after boot; a poor key is no fault */
	s->key[1] |= 1;
	s->nslots = FIRST_SLOTS;
	s->slots = slots_make(s->nslots);
	s->arena = arena_make(segment, EXTENT_BYTES, EXTENT_BYTES / sizeof(uint32_t));
	if (!s->slots || !s->arena) {
		strings_destroy(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void strings_destroy(struct strings *s)
{
	if (!s)
		return;
	while (s->arena) {
		struct arena *arena = s->arena;

		s->arena = arena->older;
		if (arena_shown(s->segment, arena))
			free(arena);
		else
			arena_free(s->segment, arena);
	}
	free(s->entries);
	free(s->vacant);
	free(s->slots);
	free(s);
}

static uint32_t id_hold(struct strings *s, uint32_t id)
{
	if (s->entries[id].holders++ == 0) {
		s->dead--;
		s->dead_bytes -= strlen(text_at(s, id)) + 1;
	}
	return id;
}

static uint32_t id_next(const struct strings *s)
{
	return s->nvacant ? s->vacant[s->nvacant - 1] : s->nids;
}

static uint32_t text_add(struct strings *s, const char *text, size_t bytes, uint32_t hash)
{
	if (room_make(s))
		return NONE;
	if (arena_put(s->segment, s->arena, id_next(s), text, bytes) &&
	    (arena_renew(s, bytes) || arena_put(s->segment, s->arena, id_next(s), text, bytes)))
		return NONE;
	uint32_t id = id_next(s);

	if (s->nvacant)
		s->nvacant--;
	else
		s->nids++;
	s->entries[id] = (struct string_entry) { .hash = hash, .holders = 1 };
	*slot_free(s->slots, s->nslots, hash) = id;
	return id;
}

static uint32_t hash_of(const struct strings *s, const char *text, size_t length)
{
	uint32_t hash = text_hash(s, text, length);

	return hash == NONE ? 0 : hash;		/* NONE marks a vacant entry */
}

uint32_t strings_hold(struct strings *s, const char *text)
{
	if (!text)
		return NONE;
	size_t length = strlen(text);
	uint32_t hash = hash_of(s, text, length), id = id_find(s, text, hash);

	if (id != NONE)
		return id_hold(s, id);
	id = text_add(s, text, length + 1, hash);
	if (id == NONE)
		errno = ENOMEM;
	return id;
}

void strings_hold_again(struct strings *s, uint32_t id)
{
	if (id != NONE)
		s->entries[id].holders++;
}

void strings_drop(struct strings *s, uint32_t id)
{
	if (id == NONE || --s->entries[id].holders)
		return;
	s->dead++;
	s->dead_bytes += strlen(text_at(s, id)) + 1;
}

const char *strings_text(const struct strings *s, uint32_t id)
{
	return id == NONE ? "" : text_at(s, id);
}

uint32_t strings_find(const struct strings *s, const char *text)
{
	if (!text)
		return NONE;
	uint32_t id = id_find(s, text, hash_of(s, text, strlen(text)));

	return id != NONE && s->entries[id].holders ? id : NONE;
}

uint64_t strings_holders(const struct strings *s)
{
	uint64_t n = 0;

	for (uint32_t id = 0; id < s->nids; id++)
		n += s->entries[id].holders;
	return n;
}

int strings_publish(struct strings *s, struct generation_writer *w)
{
	arenas_reclaim(s);
	if (arena_pays(s))
		arena_renew(s, 0);
	arena_show(s->arena, w, s->nids);
	return 0;
}
