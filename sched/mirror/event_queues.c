/* SPDX-License-Identifier: Apache-2.0 */
/* Events about queue instances. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/number.h"
#include "sched/mirror/inside.h"

uint32_t instance_configured_slots(const struct mirror *mirror, const char *instance)
{
	const char *at = strchr(instance, '@');
	char *queue_name = at ? strndup(instance, (size_t)(at - instance)) : NULL;
	const struct queue *queue = queue_name ? cell_queue(mirror->cell, queue_name) : NULL;
	const char *value = queue ? cell_queue_value(mirror->cell, queue, at + 1, "slots") : NULL;
	uint32_t slots = 0;

	if (value && number_u32(value, &slots) != 0)
		slots = 0;
	free(queue_name);
	return slots;
}

void instance_drop(struct mirror *mirror, struct state *state, size_t i)
{
	strings_drop(mirror->strings, state->instance_names[i]);
	strings_drop(mirror->strings, state->instances[i].host);
	free(state->instances[i].changes);
	ads_drop(&mirror->ads, state->instances[i].ad_id);
	reported_claim_free(mirror, state->instances[i].claim);
}

static int reserve(struct state *state)
{
	size_t capacity = 2 * state->instances_capacity + 64;
	struct instance *instances;
	uint32_t *names;

	if (state->ninstances == state->instances_capacity) {
		instances = realloc(state->instances, capacity * sizeof(*instances));
		if (!instances)
			return -ENOMEM;
		state->instances = instances;
		names = realloc(state->instance_names, capacity * sizeof(*names));
		if (!names)
			return -ENOMEM;
		state->instance_names = names;
		state->instances_capacity = capacity;
	}
	return index_reserve(&state->instance_index, state->instance_names);
}

uint32_t instance_find(const struct mirror *mirror, const struct state *state, const char *queue)
{
	uint32_t name = strings_find(mirror->strings, queue);

	return name == NONE ? INDEX_NONE : index_find(&state->instance_index, state->instance_names, name);
}

uint32_t instance_add(struct mirror *mirror, struct state *state, const char *name_text, const char *host_text)
{
	uint32_t name, host, i = (uint32_t)state->ninstances;

	if (reserve(state))
		return INDEX_NONE;
	name = strings_hold(mirror->strings, name_text);
	host = strings_hold(mirror->strings, host_text);
	if (name == NONE || host == NONE) {
		strings_drop(mirror->strings, name);
		strings_drop(mirror->strings, host);
		return INDEX_NONE;
	}
	state->instance_names[i] = name;
	state->instances[i] =
		(struct instance){ .host = host, .born = state->places, .place = state->places, .ad_id = NONE };
	state->places++;
	index_insert(&state->instance_index, state->instance_names, i);
	state->ninstances++;
	return i;
}

static bool are_letters(const char *state)
{
	size_t n = 0;

	while (isalpha((unsigned char)state[n]))
		n++;
	return state[n] == '\0' && n <= INSTANCE_LETTERS;
}

int mirror_queue_instance(struct mirror *mirror, const char *queue, uint32_t slots, const char *state,
			  struct error *error)
{
	struct state *s = mirror_target(mirror);
	const char *at = strchr(queue, '@');
	uint32_t i;

	if (!at || at == queue || at[1] == '\0')
		return error_set(error, -EINVAL, "\"queue\" is \"%.60s\": allowed is QUEUE@HOST", queue);
	if (!are_letters(state))
		return error_set(error, -EINVAL, "\"state\" is \"%.40s\": allowed are up to %d letters", state,
				 INSTANCE_LETTERS);
	i = instance_find(mirror, s, queue);
	if (i != INDEX_NONE && s->instances[i].ad_id != NONE)
		return error_set(error, -EEXIST, "\"%.60s\" is a slot, which is described by its ad", queue);
	if (i == INDEX_NONE)
		i = instance_add(mirror, s, queue, at + 1);
	if (i == INDEX_NONE)
		return error_set(error, -ENOMEM, "out of memory");
	s->instances[i].slots_of_queue = slots == UINT32_MAX;
	s->instances[i].slots = slots == UINT32_MAX ? instance_configured_slots(mirror, queue) : slots;
	strcpy(s->instances[i].state, state);
	return 0;
}

void mirror_instance_changes(struct mirror *mirror, const char *queue, struct calendar_change *changes, size_t n)
{
	struct state *state = mirror_target(mirror);
	struct instance *instance = &state->instances[instance_find(mirror, state, queue)];

	free(instance->changes);
	instance->changes = changes;
	instance->nchanges = n;
}

void instance_remove(struct mirror *mirror, struct state *state, uint32_t gap)
{
	uint32_t last = (uint32_t)state->ninstances - 1;

	index_remove(&state->instance_index, state->instance_names, state->instance_names[gap]);
	instance_drop(mirror, state, gap);
	if (gap != last) {
		index_remove(&state->instance_index, state->instance_names, state->instance_names[last]);
		state->instances[gap] = state->instances[last];
		state->instance_names[gap] = state->instance_names[last];
		index_insert(&state->instance_index, state->instance_names, gap);
	}
	state->ninstances--;
}

int mirror_queue_instance_delete(struct mirror *mirror, const char *queue, struct error *error)
{
	struct state *state = mirror_target(mirror);
	uint32_t i = instance_find(mirror, state, queue);

	if (i == INDEX_NONE || state->instances[i].ad_id != NONE)
		return error_set(error, -ENOENT, "there is no queue instance \"%.60s\"", queue);
	instance_remove(mirror, state, i);
	return 0;
}
