/* SPDX-License-Identifier: Apache-2.0 */
/* Events about HTCondor's slots and their claims. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/mirror/inside.h"

/* Slots */

/*
 * Compute the number of slots. A partitionable slot has as many as Cpus, which are assigned
 * separately.
 */
static int slots_of(const struct classad *ad, uint32_t *slots, struct error *error)
{
	struct classad_room room = { 0 };
	const struct classad_pair in = { .my = ad };
	struct classad_value value;
	double cpus = 1.0;
	bool fits = true;

	classad_attribute(&in, "PartitionableSlot", &room, &value);
	if (classad_is_true(&value)) {
		classad_attribute(&in, "Cpus", &room, &value);
		fits = classad_number(&value, &cpus) && cpus >= 0.0 && cpus < UINT32_MAX;
	}
	classad_room_free(&room);
	*slots = fits ? (uint32_t)cpus : 0;
	return fits ? 0 : error_set(error, -EINVAL, "ad: Cpus: a partitionable slot needs a number of 0 to 4294967294");
}

static int ad_take(struct mirror *mirror, const struct ad_attributes *attributes, uint32_t *id, struct error *error)
{
	struct ad_attribute *items = malloc((attributes->n + 1) * sizeof(*items));
	const char *text = NULL;
	int rc = items ? 0 : error_set(error, -ENOMEM, "out of memory");

	for (size_t i = 0; items && i < attributes->n; i++)
		items[i] = attributes->items[i];
	if (items)
		text = ads_write(&mirror->ads, AD_OF_SLOT, items, attributes->n, &rc, error);
	free(items);
	if (rc == 0 && !*text)
		rc = error_set(error, -EINVAL, "ad: it is empty; at least one attribute is expected");
	return rc ? rc : ads_hold(&mirror->ads, AD_OF_SLOT, text, id, error);
}

/* Add a slot, or set the machine of an existing slot, which may have changed. */
static int place_on(struct mirror *mirror, struct state *state, const char *name, const char *machine, uint32_t *i,
		    struct error *error)
{
	uint32_t host;

	if (*i == INDEX_NONE) {
		*i = instance_add(mirror, state, name, machine);
		return *i == INDEX_NONE ? error_set(error, -ENOMEM, "out of memory") : 0;
	}
	host = strings_hold(mirror->strings, machine);
	if (host == NONE)
		return error_set(error, -ENOMEM, "out of memory");
	strings_drop(mirror->strings, state->instances[*i].host);
	state->instances[*i].host = host;
	return 0;
}

int mirror_slot(struct mirror *mirror, const struct slot_event *event, struct error *error)
{
	struct state *state = mirror_target(mirror);
	const char *at = strrchr(event->slot, '@');
	uint32_t i = instance_find(mirror, state, event->slot), ad = NONE, slots;
	struct instance *slot;
	int rc;

	if (!at || at == event->slot || at[1] == '\0')
		return error_set(error, -EINVAL, "slot: \"%.60s\": allowed is NAME@MACHINE", event->slot);
	if (i != INDEX_NONE && state->instances[i].ad_id == NONE)
		return error_set(error, -EEXIST, "slot: \"%.60s\" is a queue instance", event->slot);
	rc = ad_take(mirror, &event->ad, &ad, error);
	if (rc)
		return rc;
	rc = slots_of(mirror->ads.items[ad].ad, &slots, error);
	if (rc == 0)
		rc = place_on(mirror, state, event->slot, event->machine && *event->machine ? event->machine : at + 1,
			      &i, error);
	if (rc) {
		ads_drop(&mirror->ads, ad);
		return rc;
	}
	slot = &state->instances[i];
	ads_drop(&mirror->ads, slot->ad_id);
	slot->ad_id = ad;
	slot->ad = mirror->ads.items[ad].ad;
	slot->made = mirror->ads.items[ad].made;
	slot->slots = slots;
	return 0;
}

/* Return the slot. NULL: not found. */
static struct instance *find(const struct mirror *mirror, struct state *state, const char *name, struct error *error)
{
	uint32_t i = instance_find(mirror, state, name);

	if (i != INDEX_NONE && state->instances[i].ad_id != NONE)
		return &state->instances[i];
	error_set(error, -ENOENT, "there is no slot \"%.60s\"", name);
	return NULL;
}

int mirror_slot_remove(struct mirror *mirror, const char *name, struct error *error)
{
	struct state *state = mirror_target(mirror);
	struct instance *slot = find(mirror, state, name, error);

	if (!slot)
		return -ENOENT;
	instance_remove(mirror, state, (uint32_t)(slot - state->instances));
	return 0;
}

/* Claims */

void reported_claim_free(struct mirror *mirror, struct reported_claim *claim)
{
	if (!claim)
		return;
	strings_drop(mirror->strings, claim->submitter);
	strings_drop(mirror->strings, claim->limits);
	strings_drop(mirror->strings, claim->preempting);
	free(claim);
}

static int hold(struct mirror *mirror, const char *text, uint32_t *id)
{
	*id = text && *text ? strings_hold(mirror->strings, text) : NONE;
	return *id == NONE && text && *text ? -ENOMEM : 0;
}

/* Create a claim. NULL: no memory. */
static struct reported_claim *claim_create(struct mirror *mirror, const struct claim_event *event)
{
	struct reported_claim *claim = malloc(sizeof(*claim));

	if (!claim)
		return NULL;
	*claim = (struct reported_claim){ NONE,
				      NONE,
				      NONE,
				      event->suspended,
				      event->weight,
				      event->since,
				      event->current_rank,
				      event->preempting_rank };
	if (hold(mirror, event->submitter, &claim->submitter) == 0 &&
	    hold(mirror, event->concurrency_limits, &claim->limits) == 0 &&
	    hold(mirror, event->preempting, &claim->preempting) == 0)
		return claim;
	reported_claim_free(mirror, claim);
	return NULL;
}

static int check(const struct claim_event *event, struct error *error)
{
	if (!isfinite(event->weight) || !isfinite(event->current_rank) || !isfinite(event->preempting_rank))
		return error_set(error, -EINVAL, "weight and ranks: finite numbers are expected");
	return event->since < 0 ? error_set(error, -EINVAL, "since: it is negative") : 0;
}

int mirror_claim(struct mirror *mirror, const struct claim_event *event, struct error *error)
{
	struct instance *slot = find(mirror, mirror_target(mirror), event->slot, error);
	bool none = !event->submitter || !*event->submitter;
	struct reported_claim *claim = NULL;
	int rc = slot ? check(event, error) : -ENOENT;

	if (rc)
		return rc;
	if (!none && !(claim = claim_create(mirror, event)))
		return error_set(error, -ENOMEM, "out of memory");
	reported_claim_free(mirror, slot->claim);
	slot->claim = claim;
	return 0;
}
