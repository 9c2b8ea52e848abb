/* SPDX-License-Identifier: Apache-2.0 */
/* Events about queue instances. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/number.h"
#include "sched/mirror/tables.h"

uint32_t instance_configured_slots(const struct mirror *m, const char *instance)
{
	const char *at = strchr(instance, '@');
	char *queue_name = at ? strndup(instance, (size_t)(at - instance)) : NULL;
	const struct queue *queue = queue_name ? cell_queue(m->cell, queue_name) : NULL;
	const char *value = queue ? cell_queue_value(m->cell, queue, at + 1, "slots") : NULL;
	uint32_t slots = 0;

	if (value && number_u32(value, &slots) != 0)
		slots = 0;
	free(queue_name);
	return slots;
}

void instance_drop(struct mirror *m, struct state *s, size_t i)
{
	strings_drop(m->strings, s->instance_names[i]);
	strings_drop(m->strings, s->instances[i].host);
	free(s->instances[i].changes);
	ads_drop(&m->ads, s->instances[i].ad_id);
	told_claim_free(m, s->instances[i].claim);
}

static int reserve(struct state *s)
{
	size_t capacity = 2 * s->instances_capacity + 64;
	struct instance *instances;
	uint32_t *names;

	if (s->ninstances == s->instances_capacity) {
		instances = realloc(s->instances, capacity * sizeof(*instances));
		if (!instances)
			return -ENOMEM;
		s->instances = instances;
		names = realloc(s->instance_names, capacity * sizeof(*names));
		if (!names)
			return -ENOMEM;
		s->instance_names = names;
		s->instances_capacity = capacity;
	}
	return index_reserve(&s->instance_index, s->instance_names);
}

uint32_t instance_find(const struct mirror *m, const struct state *s, const char *queue)
{
	uint32_t name = strings_find(m->strings, queue);

	return name == NONE ? INDEX_NONE : index_find(&s->instance_index, s->instance_names, name);
}

uint32_t instance_add(struct mirror *m, struct state *s, const char *name_text, const char *host_text)
{
	uint32_t name, host, i = (uint32_t)s->ninstances;

	if (reserve(s))
		return INDEX_NONE;
	name = strings_hold(m->strings, name_text);
	host = strings_hold(m->strings, host_text);
	if (name == NONE || host == NONE) {
		strings_drop(m->strings, name);
		strings_drop(m->strings, host);
		return INDEX_NONE;
	}
	s->instance_names[i] = name;
	s->instances[i] = (struct instance){ .host = host, .born = s->places, .place = s->places, .ad_id = NONE };
	s->places++;
	index_insert(&s->instance_index, s->instance_names, i);
	s->ninstances++;
	return i;
}

static bool are_letters(const char *state)
{
	size_t n = 0;

	while (isalpha((unsigned char)state[n]))
		n++;
	return state[n] == '\0' && n <= INSTANCE_LETTERS;
}

int mirror_queue_instance(struct mirror *m, const char *queue, uint32_t slots, const char *state, struct error *error)
{
	struct state *s = mirror_target(m);
	const char *at = strchr(queue, '@');
	uint32_t i;

	if (!at || at == queue || at[1] == '\0')
		return error_set(error, -EINVAL, "\"queue\" is \"%.60s\": allowed is QUEUE@HOST", queue);
	if (!are_letters(state))
		return error_set(error, -EINVAL, "\"state\" is \"%.40s\": allowed are up to %d letters", state, INSTANCE_LETTERS);
	i = instance_find(m, s, queue);
	if (i != INDEX_NONE && s->instances[i].ad_id != NONE)
		return error_set(error, -EEXIST, "\"%.60s\" is a slot: its ad says what it is", queue);
	if (i == INDEX_NONE)
		i = instance_add(m, s, queue, at + 1);
	if (i == INDEX_NONE)
		return error_set(error, -ENOMEM, "out of memory");
	s->instances[i].slots_of_queue = slots == UINT32_MAX;
	s->instances[i].slots = slots == UINT32_MAX ? instance_configured_slots(m, queue) : slots;
	strcpy(s->instances[i].state, state);
	return 0;
}

void mirror_instance_changes(struct mirror *m, const char *queue, struct calendar_change *changes, size_t n)
{
	struct state *s = mirror_target(m);
	struct instance *i = &s->instances[instance_find(m, s, queue)];

	free(i->changes);
	i->changes = changes;
	i->nchanges = n;
}

void instance_remove(struct mirror *m, struct state *s, uint32_t gap)
{
	uint32_t last = (uint32_t)s->ninstances - 1;

	index_remove(&s->instance_index, s->instance_names, s->instance_names[gap]);
	instance_drop(m, s, gap);
	if (gap != last) {
		index_remove(&s->instance_index, s->instance_names, s->instance_names[last]);
		s->instances[gap] = s->instances[last];
		s->instance_names[gap] = s->instance_names[last];
		index_insert(&s->instance_index, s->instance_names, gap);
	}
	s->ninstances--;
}

int mirror_queue_instance_delete(struct mirror *m, const char *queue, struct error *error)
{
	struct state *s = mirror_target(m);
	uint32_t i = instance_find(m, s, queue);

	if (i == INDEX_NONE || s->instances[i].ad_id != NONE)
		return error_set(error, -ENOENT, "there is no queue instance \"%.60s\"", queue);
	instance_remove(m, s, i);
	return 0;
}
