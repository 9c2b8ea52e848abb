/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concurrency limits: "name[.sub][:units], ...", names without case. HTCondor's manual,
 * "Concurrency Limits".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/number.h"
#include "sched/negotiation/inside.h"

#define LIMIT_NAME_MOST 255u		/* bytes; what is longer is cut */

static int limit_find(struct negotiator *n, const char *name, uint32_t *limit)
{
	struct limits *l = &n->limits;
	size_t before = l->names.n, capacity = l->capacity ? 2 * l->capacity : 32;
	int rc;

	if (before == l->capacity) {
		if (array_grow(&l->used, capacity, sizeof(*l->used)) < 0 || array_grow(&l->most, capacity, sizeof(*l->most)) < 0)
			return -ENOMEM;
		l->capacity = capacity;
	}
	rc = text_set_add(&l->names, name, limit);
	if (rc == 0 && *limit == before) {
		l->used[*limit] = 0;
		l->most[*limit] = condor_limit(n->conf, name);
	}
	return rc;
}

static double units_of(const char *text)
{
	double units;

	return number_double(text, &units) == 0 && isfinite(units) && units > 0 ? units : 1;
}

static int word_read(struct negotiator *n, const char *word, size_t bytes)
{
	struct limits *l = &n->limits;
	char name[LIMIT_NAME_MOST + 1], *colon;
	uint32_t limit;
	int rc;

	if (bytes > LIMIT_NAME_MOST)
		bytes = LIMIT_NAME_MOST;
	for (size_t i = 0; i < bytes; i++)
		name[i] = (char)tolower((unsigned char)word[i]);
	name[bytes] = '\0';
	colon = strchr(name, ':');
	if (colon)
		*colon = '\0';
	if (!*name)
		return 0;
	rc = limit_find(n, name, &limit);
	if (rc == 0)
		rc = room_for(&l->uses, &l->uses_capacity, l->nuses + 1, sizeof(*l->uses));
	if (rc == 0)
		l->uses[l->nuses++] = (struct limit_use){ limit, colon ? units_of(colon + 1) : 1 };
	return rc;
}

int concurrency_read(struct negotiator *n, const char *text)
{
	int rc = 0;

	n->limits.nuses = 0;
	for (const char *s = text; *s && rc == 0; ) {
		size_t bytes;

		s += strspn(s, ", \t\r\n");
		bytes = strcspn(s, ", \t\r\n");
		if (bytes > 0)
			rc = word_read(n, s, bytes);
		s += bytes;
	}
	return rc;
}

int concurrency_count(struct negotiator *n)
{
	const char *last = NULL;
	int rc = 0;

	for (size_t i = 0; i < n->limits.names.n; i++)
		n->limits.used[i] = 0;
	for (size_t i = 0; i < n->nslots && rc == 0; i++) {
		const char *text = n->slots[i].limits;

		if (!text || n->slots[i].state == SLOT_UNCLAIMED || !n->pool.visible[i])
			continue;
		if (text != last)
			rc = concurrency_read(n, text);
		last = text;
		if (rc == 0)
			concurrency_use(&n->limits, n->limits.uses, n->limits.nuses);
	}
	return rc;
}

int kind_limits(struct negotiator *n, struct request_kind *kind)
{
	struct classad_pair pair = { .my = kind->ad };
	struct reach reach = { 0 };
	struct classad_value value;
	int rc = 0;

	kind->limits_known = true;
	if (!classad_find(kind->ad, "ConcurrencyLimits"))
		return 0;
	rc = interest_follow(&n->interest, classad_find(kind->ad, "ConcurrencyLimits"), kind->ad, &reach);
	kind->limits_by_slot = reach.others.n > 0;
	reach_free(&reach);
	if (rc < 0 || kind->limits_by_slot)
		return rc;
	classad_room_reset(&n->moments.room);
	classad_attribute(&pair, "ConcurrencyLimits", &n->moments.room, &value);
	if (value.type != CLASSAD_STRING)
		return 0;
	rc = concurrency_read(n, value.text);
	if (rc == 0 && n->limits.nuses > 0) {
		kind->limits = malloc(n->limits.nuses * sizeof(*kind->limits));
		if (!kind->limits)
			return -ENOMEM;
		memcpy(kind->limits, n->limits.uses, n->limits.nuses * sizeof(*kind->limits));
		kind->nlimits = n->limits.nuses;
	}
	return rc;
}

const struct limit_use *concurrency_refuse(const struct limits *l, const struct limit_use *uses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (l->used[uses[i].limit] + uses[i].units > l->most[uses[i].limit])
			return &uses[i];
	return NULL;
}

void concurrency_use(struct limits *l, const struct limit_use *uses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->used[uses[i].limit] += uses[i].units;
}

void concurrency_free(struct limits *l)
{
	text_set_free(&l->names);
	free(l->used);
	free(l->most);
	free(l->uses);
	*l = (struct limits){ 0 };
}
