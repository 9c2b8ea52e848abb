/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concurrency limits: "name[.sub][:units], ...", where names ignore case. Source: HTCondor's
 * manual, "Concurrency Limits".
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/columns.h"
#include "conf/base/number.h"
#include "sched/negotiation/inside.h"

#define LIMIT_NAME_MOST 255u		/* bytes; longer names are truncated */

static int limit_find(struct negotiator *negotiator, const char *name, uint32_t *limit)
{
	struct limits *limits = &negotiator->limits;
	size_t before = limits->names.n;
	int rc;

	if (array_reserve(&limits->capacity, before + 1, COLUMN(limits->used), COLUMN(limits->most)))
		return -ENOMEM;
	rc = text_set_add(&limits->names, name, limit);
	if (rc == 0 && *limit == before) {
		limits->used[*limit] = 0;
		limits->most[*limit] = condor_limit(negotiator->conf, name);
	}
	return rc;
}

static double units_of(const char *text)
{
	double units;

	return number_double(text, &units) == 0 && isfinite(units) && units > 0 ? units : 1;
}

static int word_read(struct negotiator *negotiator, const char *word, size_t bytes)
{
	struct limits *limits = &negotiator->limits;
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
	rc = limit_find(negotiator, name, &limit);
	if (rc == 0)
		rc = room_for(&limits->uses, &limits->uses_capacity, limits->nuses + 1, sizeof(*limits->uses));
	if (rc == 0)
		limits->uses[limits->nuses++] = (struct limit_use){ limit, colon ? units_of(colon + 1) : 1 };
	return rc;
}

int concurrency_read(struct negotiator *negotiator, const char *text)
{
	int rc = 0;

	negotiator->limits.nuses = 0;
	for (const char *s = text; *s && rc == 0; ) {
		size_t bytes;

		s += strspn(s, ", \t\r\n");
		bytes = strcspn(s, ", \t\r\n");
		if (bytes > 0)
			rc = word_read(negotiator, s, bytes);
		s += bytes;
	}
	return rc;
}

int concurrency_count(struct negotiator *negotiator)
{
	const char *last = NULL;
	int rc = 0;

	for (size_t i = 0; i < negotiator->limits.names.n; i++)
		negotiator->limits.used[i] = 0;
	for (size_t i = 0; i < negotiator->nslots && rc == 0; i++) {
		const char *text = negotiator->slots[i].limits;

		if (!text || negotiator->slots[i].state == SLOT_UNCLAIMED || !negotiator->pool.visible[i])
			continue;
		if (text != last)
			rc = concurrency_read(negotiator, text);
		last = text;
		if (rc == 0)
			concurrency_use(&negotiator->limits, negotiator->limits.uses, negotiator->limits.nuses);
	}
	return rc;
}

int kind_limits(struct negotiator *negotiator, struct request_kind *kind)
{
	struct classad_pair pair = { .my = kind->ad };
	struct reach reach = { 0 };
	struct classad_value value;
	int rc = 0;

	kind->limits_known = true;
	if (!classad_find(kind->ad, "ConcurrencyLimits"))
		return 0;
	rc = interest_follow(&negotiator->interest, classad_find(kind->ad, "ConcurrencyLimits"), kind->ad, &reach);
	kind->limits_by_slot = reach.others.n > 0;
	reach_free(&reach);
	if (rc < 0 || kind->limits_by_slot)
		return rc;
	classad_room_reset(&negotiator->moments.room);
	classad_attribute(&pair, "ConcurrencyLimits", &negotiator->moments.room, &value);
	if (value.type != CLASSAD_STRING)
		return 0;
	rc = concurrency_read(negotiator, value.text);
	if (rc == 0 && negotiator->limits.nuses > 0) {
		kind->limits = malloc(negotiator->limits.nuses * sizeof(*kind->limits));
		if (!kind->limits)
			return -ENOMEM;
		memcpy(kind->limits, negotiator->limits.uses, negotiator->limits.nuses * sizeof(*kind->limits));
		kind->nlimits = negotiator->limits.nuses;
	}
	return rc;
}

const struct limit_use *concurrency_refuse(const struct limits *limits, const struct limit_use *uses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (limits->used[uses[i].limit] + uses[i].units > limits->most[uses[i].limit])
			return &uses[i];
	return NULL;
}

void concurrency_use(struct limits *limits, const struct limit_use *uses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		limits->used[uses[i].limit] += uses[i].units;
}

void concurrency_free(struct limits *limits)
{
	text_set_free(&limits->names);
	free(limits->used);
	free(limits->most);
	free(limits->uses);
	*limits = (struct limits){ 0 };
}
