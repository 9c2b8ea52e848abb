/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of a match and of its groups, as Perl finds them: paths are tried in their order, and
 * the first one that reaches the end counts. A state that was reached at a byte before is not tried
 * again at this byte, because it has failed. So the work is limited by the number of states and the
 * length of the text.
 *
 * Groups in a repetition leave work for each byte that they match, so open paths may take all that
 * is left of the room.
 */
#include <errno.h>

#include "conf/classad/regexp.h"

#define PLACES (2 * REGEXP_SPANS)

struct open_path {			/* work that is left to do */
	uint32_t state;			/* UINT32_MAX: set the place `index` back to `at` */
	uint32_t index, at;
};

struct finder {
	const struct regexp *regexp;
	const char *text;
	size_t bytes, from;
	bool more;			/* an empty match at `from` does not count */
	uint32_t places[PLACES];
	uint64_t *seen;			/* bits of states, for each byte since `from` */
	size_t cleared;			/* words of `seen` that are in use; the next ones are not set */
	struct open_path *paths;
	size_t n, most, steps;
};

static bool push(struct finder *finder, struct open_path path)
{
	if (finder->n == finder->most)
		return false;
	finder->paths[finder->n++] = path;
	return true;
}

static bool seen(struct finder *finder, uint32_t state, size_t at)
{
	size_t bit = (at - finder->from) * finder->regexp->nstates + state;
	bool was;

	while (finder->cleared <= bit / 64)
		finder->seen[finder->cleared++] = 0;
	was = finder->seen[bit / 64] >> (bit % 64) & 1;
	finder->seen[bit / 64] |= (uint64_t)1 << (bit % 64);
	return was;
}

/*
 * Do one step from a state at a byte. Returns 1 if the end was reached, 0 if not, or -E2BIG. The
 * next step is pushed last.
 */
static int step(struct finder *finder, uint32_t state, uint32_t at)
{
	const struct regexp_state *here = &states_of(finder->regexp)[state];
	bool pushed = true;

	if (here->kind == STATE_FOUND) {
		finder->places[1] = at;
		return !finder->more || at > finder->from;
	}
	if (here->kind == STATE_SPLIT) {
		pushed = push(finder, (struct open_path){ here->second, 0, at }) &&
			 push(finder, (struct open_path){ here->first, 0, at });
	} else if (here->kind == STATE_JUMP) {
		pushed = push(finder, (struct open_path){ here->first, 0, at });
	} else if (here->kind == STATE_SAVE) {
		pushed = push(finder, (struct open_path){ UINT32_MAX, here->first, finder->places[here->first] }) &&
			 push(finder, (struct open_path){ state + 1, 0, at });
		finder->places[here->first] = at;
	} else if (here->kind == STATE_SET) {
		if (at < finder->bytes &&
		    set_has(&finder->regexp->sets[here->first], (unsigned char)finder->text[at]))
			pushed = push(finder, (struct open_path){ state + 1, 0, at + 1 });
	} else if (regexp_place_holds(here->kind, finder->text, finder->bytes, at)) {
		pushed = push(finder, (struct open_path){ state + 1, 0, at });
	}
	return pushed ? 0 : -E2BIG;
}

/* Try all paths that begin at a byte. */
static int try_at(struct finder *finder, uint32_t begin, struct classad_room *room)
{
	int rc;

	memset(finder->places, 0xff, sizeof(finder->places));
	finder->places[0] = begin;
	finder->n = 0;
	rc = push(finder, (struct open_path){ 0, 0, begin }) ? 0 : -E2BIG;
	while (rc == 0 && finder->n > 0) {
		const struct open_path path = finder->paths[--finder->n];

		if (path.state == UINT32_MAX)
			finder->places[path.index] = path.at;
		else if (!seen(finder, path.state, path.at))
			rc = step(finder, path.state, path.at);
		if (++finder->steps % 4096 == 0 && room_spend(room, 512))
			rc = -E2BIG;
	}
	return rc;
}

static int find(struct finder *finder, struct classad_room *room)
{
	uint32_t at = (uint32_t)finder->from;
	int rc = try_at(finder, at, room);

	while (rc == 0 && !finder->more && at < finder->bytes)
		rc = try_at(finder, ++at, room);
	return rc;
}

int regexp_find(const struct regexp *regexp, const struct classad_value *text, size_t from, bool more,
		struct classad_room *room, struct regexp_found *found)
{
	size_t used = room->used, bits = (text->bytes - from + 1) * regexp->nstates;
	struct finder finder = { .regexp = regexp, .text = text->text, .bytes = text->bytes, .from = from, .more = more };
	int rc;

	finder.seen = room_take(room, (bits / 64 + 1) * sizeof(*finder.seen), _Alignof(uint64_t));
	finder.paths = room_take(room, 0, _Alignof(struct open_path));
	if (!finder.seen || !finder.paths) {
		room->used = used;
		return -E2BIG;
	}
	finder.most = (room->capacity - room->used) / sizeof(*finder.paths);
	rc = find(&finder, room);
	room->used = used;
	if (room_spend(room, 1 + finder.steps % 4096 / 8 + finder.cleared / 8))
		return -E2BIG;
	found->n = 1;
	for (unsigned k = 0; rc == 1 && k < REGEXP_SPANS; k++) {
		bool whole = finder.places[2 * k] != UINT32_MAX && finder.places[2 * k + 1] != UINT32_MAX;

		found->spans[k].begin = whole ? finder.places[2 * k] : UINT32_MAX;
		found->spans[k].end = whole ? finder.places[2 * k + 1] : UINT32_MAX;
		found->n = whole ? k + 1 : found->n;
	}
	return rc;
}
