/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/instances.h"

#include <stdlib.h>

#include "sched/dispatch/cluster/load.h"
#include "sched/mirror/state.h"

bool instance_is_full(const struct cluster *cluster, uint32_t instance)
{
	const struct offer *offer = cluster->slots == UINT32_MAX
					    ? NULL
					    : column_offer(&cluster->columns[cluster->slots], LEVEL_QUEUE, instance);

	return !offer || !offer->fixed_text || offer->fixed - offer->used < 1;
}

void instance_why(struct why *why, const struct cluster *cluster, enum why_kind kind, const struct alarm *alarm,
		  uint32_t instance, const char *subject)
{
	if (alarm)
		subject = why_text(why, "%s=%s", alarm->threshold->name, alarm->threshold->text);
	why_add(why, 0, kind, subject, cluster->instances[instance].name, alarm ? alarm->limit : 0,
		alarm ? alarm->value : 0);
}

/*
 * Determine the state of an instance. The checks are in this order: host not available, disabled or
 * suspended, overloaded, suspend threshold crossed, closed by a calendar, full.
 */
static void instance_filter(struct cluster *cluster, struct why *why, uint32_t number)
{
	struct queue_instance *instance = &cluster->instances[number];
	const struct queue_profile *profile = &cluster->profiles[instance->profile];
	struct alarm alarm;

	if (!cluster->hosts[instance->host].available) {
		instance_why(why, cluster, WHY_HOST_UNKNOWN, NULL, number, NULL);
		instance->state = INSTANCE_OUT;
	} else if (instance->state == INSTANCE_OUT) {
		instance_why(why, cluster, WHY_DISABLED, NULL, number, instance->letters);
	} else if (load_alarm(cluster, number, &profile->load_thresholds, true, &alarm)) {
		instance_why(why, cluster, WHY_OVERLOADED, &alarm, number, NULL);
		instance->state = INSTANCE_OUT;
	} else if (load_alarm(cluster, number, &profile->suspend_thresholds, false, &alarm)) {
		instance_why(why, cluster, WHY_SUSPENDED_BY_LOAD, &alarm, number, NULL);
		instance->state = INSTANCE_OUT;
	} else if (instance->state == INSTANCE_ASIDE) {
		instance_why(why, cluster, WHY_DISABLED, NULL, number, instance->letters);
	} else if (instance_is_full(cluster, number)) {
		instance_why(why, cluster, WHY_FULL, NULL, number, NULL);
		instance->state = INSTANCE_ASIDE;
	}
}

void instances_filter(struct supply *supply, struct why *why)
{
	struct cluster *cluster = &supply->cluster;
	struct slot_totals *slots = &supply->slots;

	*slots = (struct slot_totals){ .bounded = cluster->slots != UINT32_MAX };
	for (size_t k = 0; k < cluster->nlist; k++) {
		const struct offer *offer =
			cluster->slots == UINT32_MAX
				? NULL
				: column_offer(&cluster->columns[cluster->slots], LEVEL_QUEUE, cluster->list[k]);

		instance_filter(cluster, why, cluster->list[k]);
		slots->bounded = slots->bounded && offer && offer->fixed_text;
		if (!offer || cluster->instances[cluster->list[k]].state == INSTANCE_OUT)
			continue;
		slots->all += (uint64_t)offer->fixed;
		slots->unused += offer->fixed > offer->used ? (uint64_t)(offer->fixed - offer->used) : 0;
		if (cluster->instances[cluster->list[k]].state == INSTANCE_OPEN)
			slots->free += (uint64_t)(offer->fixed - offer->used);
	}
}

uint64_t *reported_used_slots(const struct state *state)
{
	uint64_t *used = calloc(state->ninstances + 1, sizeof(*used));

	pool_each(t, &state->tasks.pool)
		for (size_t g = 0; used && g < state->tasks.items[t].ngranted; g++) {
			const struct granted_entry *entry = &state->tasks.items[t].granted[g];
			uint32_t i = index_find(&state->instance_index, state->instance_names, entry->queue);

			if (i != INDEX_NONE)
				used[i] += entry->slots;
		}
	return used;
}
