/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the file `schedule` for a grant: see schedule.h for their order. */
#include <string.h>

#include "sched/dispatch/schedule.h"
#include "sched/dispatch/search/supply.h"

uint32_t schedule_seconds(int64_t end, int64_t begin)
{
	if (end == TIMELINE_NEVER)	/* 2^32 - 1, less the begin */
		end = begin < UINT32_MAX ? UINT32_MAX : begin;
	return end - begin >= UINT32_MAX ? UINT32_MAX : (uint32_t)(end - begin);
}

static size_t consumable_number(const struct cluster *cluster, const struct complex *complex)
{
	for (size_t k = 0; complex && k < cluster->nconsumables; k++)
		if (cluster->columns[cluster->consumables[k]].complex == complex)
			return k;
	return SIZE_MAX;
}

struct schedule_writing {
	struct schedule_lines *lines;
	const struct supply *supply;
	const struct category *category;
	const struct schedule_task *task;
};

struct schedule_object {
	enum schedule_level as;
	enum level level;
	uint32_t number;
	const char *name;
};

/*
 * Return whether bookings on this line are kept in time. They are if reservations are possible, or
 * an advance reservation is booked there.
 */
static bool is_timed(const struct schedule_writing *writing, uint32_t line)
{
	return writing->supply->reserves || line != TIMELINE_EMPTY;
}

static void write_resource(const struct schedule_writing *writing, const struct schedule_object *object, size_t k,
			   struct grant_share share)
{
	struct column *column = &writing->supply->cluster.columns[writing->supply->cluster.consumables[k]];
	bool exclusive = column->complex->relop == RELOP_EXCL;
	const struct offer *offer =
		category_offer(&writing->supply->cluster, writing->category, column, object->level, object->number);
	double need = exclusive ? 1.0 : writing->category->need[k];

	if (grant_share_amount(column->complex, need, share) == 0 || !offer ||
	    !is_timed(writing, exclusive && writing->category->need[k] == 0 ? offer->shared_line : offer->used_line))
		return;
	schedule_add(writing->lines, writing->task, object->as, object->name, column->complex->name,
		     grant_share_amount(column->complex, need, share));
}

static void write_slots(const struct schedule_writing *writing, const struct schedule_object *instance, uint32_t slots)
{
	const struct cluster *cluster = &writing->supply->cluster;
	const struct offer *offer = cluster->slots == UINT32_MAX ? NULL
								 : category_offer(cluster, writing->category,
										  &cluster->columns[cluster->slots],
										  LEVEL_QUEUE, instance->number);

	if (is_timed(writing, offer ? offer->used_line : TIMELINE_EMPTY))
		schedule_add(writing->lines, writing->task, SCHEDULE_QUEUE, instance->name, "slots", slots);
}

/*
 * Write the lines of an instance in an advance reservation: the resources that the reservation
 * requests, then slots.
 */
static void write_advance(const struct schedule_writing *writing, const struct grant_entry *entry,
			  struct grant_share share)
{
	const struct advance *advance = writing->category->advance;
	const struct schedule_object object = { SCHEDULE_QUEUE, LEVEL_QUEUE, entry->instance,
						writing->supply->cluster.instances[entry->instance].name };

	for (size_t i = 0; i < advance->category.nhard; i++) {
		const struct column *column =
			advance->category.hard[i].column == UINT32_MAX
				? NULL
				: &writing->supply->cluster.columns[advance->category.hard[i].column];

		if (column && column->consumable != UINT32_MAX &&
		    (column->complex->relop != RELOP_EXCL || writing->category->need[column->consumable] != 0))
			write_resource(writing, &object, column->consumable, share);
	}
	write_slots(writing, &object, entry->slots);
}

static void write_values(const struct schedule_writing *writing, const struct schedule_object *object,
			 const struct pairs *values, struct grant_share share)
{
	for (size_t i = 0; values && i < values->n; i++) {
		size_t k = consumable_number(&writing->supply->cluster,
					     cell_complex(writing->supply->cell, values->items[i].name));

		if (k != SIZE_MAX)
			write_resource(writing, object, k, share);
	}
}

struct schedule_place {				/* place of an entry, and its slots */
	const struct category_pe *with;
	const struct queue_instance *instance;
	uint32_t slots;
	bool master;
};

static void write_limit(const struct schedule_writing *writing, const struct schedule_place *place, uint32_t rule,
			const struct complex *complex)
{
	double amount = limit_use(writing->supply, writing->category, complex, place->slots, place->master);
	char set[256], key[512];

	if (amount == 0)
		return;
	quota_rule_name(writing->supply->quotas, rule, set, sizeof(set));
	set[strcspn(set, "/")] = '\0';
	quota_key_text(writing->supply->quotas, rule, &place->with->view, place->instance->queue, place->instance->host,
		       key, sizeof(key));
	schedule_add(writing->lines, writing->task, SCHEDULE_QUOTA, set, key, amount);
}

static void write_quotas(const struct schedule_writing *writing, const struct category_pe *with, uint32_t instance,
			 uint32_t slots, bool master)
{
	const struct schedule_place place = { with, &writing->supply->cluster.instances[instance], slots, master };
	size_t n = quota_rules(writing->supply->quotas, &with->view, place.instance->queue, place.instance->host,
			       writing->supply->hits);
	struct quota_limit_now limit;

	for (size_t h = 0; h < n; h++)
		for (size_t k = 0; quota_limit(writing->supply->quotas, writing->supply->hits[h], &with->view,
					       place.instance->queue, place.instance->host, k, &limit) == 0;
		     k++)
			write_limit(writing, &place, writing->supply->hits[h], limit.complex);
}

/* Write the lines of an entry. Bookings of a suspended instance are not reported. */
static void write_entry(const struct schedule_writing *writing, const struct category_pe *with,
			const struct grant_entry *entry, struct grant_share share)
{
	const struct cluster *cluster = &writing->supply->cluster;
	const struct queue_instance *instance = &cluster->instances[entry->instance];
	const struct host_conf *host = cluster->hosts[instance->host].conf;
	const struct schedule_object as_host = { SCHEDULE_HOST, LEVEL_HOST, instance->host,
						 cluster->host_names[instance->host] };
	const struct schedule_object as_queue = { SCHEDULE_QUEUE, LEVEL_QUEUE, entry->instance, instance->name };

	write_values(writing, &as_host, host ? &host->complex_values : NULL, share);
	share.is_first = true;
	/* suspended by an operator or by another queue, not by a calendar, as in Grid Engine */
	if (!strpbrk(instance->letters, "sS")) {
		write_values(writing, &as_queue, &cluster->profiles[instance->profile].complex_values, share);
		write_slots(writing, &as_queue, entry->slots);
	}
	if (with && writing->supply->reserves)
		write_quotas(writing, with, entry->instance, entry->slots, share.is_master);
}

void schedule_grant(struct schedule_lines *lines, const struct supply *supply, const struct category *category,
		    const struct grant *grant, const struct schedule_task *task)
{
	const struct schedule_writing writing = { lines, supply, category, task };
	const struct schedule_object global = { SCHEDULE_GLOBAL, LEVEL_GLOBAL, 0, "global" };
	const struct category_pe *with = category_pe_of(category, grant->pe);
	uint32_t slots = 0;

	if (!lines || !supply->timed)
		return;
	for (size_t i = 0; i < grant->n && category->advance; i++)
		write_advance(&writing, &grant->entries[i],
			      (struct grant_share){ grant->entries[i].slots, i == 0, true });
	if (category->advance)
		return;
	for (size_t i = 0; i < grant->n; i++)
		slots += grant->entries[i].slots;
	if (grant->pe != UINT32_MAX && is_timed(&writing, supply->pes[grant->pe].line))
		schedule_add(lines, task, SCHEDULE_PE, supply->cell->pes[grant->pe].name, "slots", slots);
	write_values(&writing, &global,
		     supply->cluster.global_host ? &supply->cluster.global_host->complex_values : NULL,
		     (struct grant_share){ slots, true, true });
	for (size_t i = 0; i < grant->n; i++)
		write_entry(&writing, with, &grant->entries[i], grant_share(&supply->cluster, grant, i));
}
