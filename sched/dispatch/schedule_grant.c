/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the file `schedule` for a grant: see schedule.h for their order. */
#include <string.h>

#include "sched/dispatch/dispatch.h"

uint32_t schedule_seconds(int64_t end, int64_t begin)
{
	if (end == TIMELINE_NEVER)	/* 2^32 - 1, less the beginning */
		end = begin < UINT32_MAX ? UINT32_MAX : begin;
	return end - begin >= UINT32_MAX ? UINT32_MAX : (uint32_t)(end - begin);
}

static size_t consumable_number(const struct cluster *c, const struct complex *complex)
{
	for (size_t k = 0; complex && k < c->nconsumables; k++)
		if (c->columns[c->consumables[k]].complex == complex)
			return k;
	return SIZE_MAX;
}

struct schedule_writing {
	const struct dispatch *d;
	const struct category *category;
	const struct schedule_task *task;
};

struct schedule_object {
	enum schedule_level as;
	enum level level;
	uint32_t number;
	const char *name;
};

/* Nothing is booked in time where no reservation can be, or lies already. */
static bool is_timed(const struct schedule_writing *t, uint32_t line)
{
	return t->d->reserves || line != TIMELINE_EMPTY;
}

static void tell_resource(const struct schedule_writing *t, const struct schedule_object *object, size_t k, uint32_t slots, bool master)
{
	struct column *column = &t->d->cluster.columns[t->d->cluster.consumables[k]];
	bool exclusive = column->complex->relop == RELOP_EXCL;
	const struct offer *o = category_offer(&t->d->cluster, t->category, column, object->level, object->number);
	double need = exclusive ? 1.0 : t->category->need[k];

	if (need == 0 || (column->complex->consumable == CONSUMABLE_JOB && !master) || !o ||
	    !is_timed(t, exclusive && t->category->need[k] == 0 ? o->shared_line : o->used_line))
		return;
	schedule_add(t->d->lines, t->task, object->as, object->name, column->complex->name, column->complex->consumable == CONSUMABLE_JOB ? need : need * slots);
}

static void tell_slots(const struct schedule_writing *t, const struct schedule_object *instance, uint32_t slots)
{
	const struct cluster *c = &t->d->cluster;
	const struct offer *o = c->slots == UINT32_MAX ? NULL : category_offer(c, t->category, &c->columns[c->slots], LEVEL_QUEUE, instance->number);

	if (is_timed(t, o ? o->used_line : TIMELINE_EMPTY))
		schedule_add(t->d->lines, t->task, SCHEDULE_QUEUE, instance->name, "slots", slots);
}

/*
 * Of an advance reservation each instance has what its jobs find there: as requested, then slots.
 */
static void tell_advance(const struct schedule_writing *t, const struct grant_entry *e, bool master)
{
	const struct advance *a = t->category->advance;
	const struct schedule_object object = { SCHEDULE_QUEUE, LEVEL_QUEUE, e->instance, t->d->cluster.instances[e->instance].name };

	for (size_t i = 0; i < a->category.nhard; i++) {
		const struct column *column = a->category.hard[i].column == UINT32_MAX ? NULL : &t->d->cluster.columns[a->category.hard[i].column];

		if (column && column->consumable != UINT32_MAX && (column->complex->relop != RELOP_EXCL || t->category->need[column->consumable] != 0))
			tell_resource(t, &object, column->consumable, e->slots, master);
	}
	tell_slots(t, &object, e->slots);
}

static void tell_values(const struct schedule_writing *t, const struct schedule_object *object, const struct pairs *values, uint32_t slots, bool master)
{
	for (size_t i = 0; values && i < values->n; i++) {
		size_t k = consumable_number(&t->d->cluster, cell_complex(t->d->cell, values->items[i].name));

		if (k != SIZE_MAX)
			tell_resource(t, object, k, slots, master);
	}
}

struct schedule_place {				/* of an entry, and how much of it */
	const struct category_pe *with;
	const struct queue_instance *instance;
	uint32_t slots;
	bool master;
};

static void tell_limit(const struct schedule_writing *t, const struct schedule_place *p, uint32_t rule, const struct complex *complex)
{
	double amount = limit_use(t->d, t->category, complex, p->slots, p->master);
	char set[256], key[512];

	if (amount == 0)
		return;
	quota_rule_name(t->d->quotas, rule, set, sizeof(set));
	set[strcspn(set, "/")] = '\0';
	quota_key_text(t->d->quotas, rule, &p->with->view, p->instance->queue, p->instance->host, key, sizeof(key));
	schedule_add(t->d->lines, t->task, SCHEDULE_QUOTA, set, key, amount);
}

static void tell_quotas(const struct schedule_writing *t, const struct category_pe *with, uint32_t instance, uint32_t slots, bool master)
{
	const struct schedule_place p = { with, &t->d->cluster.instances[instance], slots, master };
	size_t n = quota_rules(t->d->quotas, &with->view, p.instance->queue, p.instance->host, t->d->hits);
	struct quota_limit_now limit;

	for (size_t h = 0; h < n; h++)
		for (size_t k = 0; quota_limit(t->d->quotas, t->d->hits[h], &with->view, p.instance->queue, p.instance->host, k, &limit) == 0; k++)
			tell_limit(t, &p, t->d->hits[h], limit.complex);
}

/* Of an instance that is suspended nobody asks what is booked there. */
static void tell_entry(const struct schedule_writing *t, const struct category_pe *with, const struct grant_entry *e, bool master)
{
	const struct cluster *c = &t->d->cluster;
	const struct queue_instance *i = &c->instances[e->instance];
	const struct host_conf *host = c->hosts[i->host].conf;
	const struct schedule_object as_host = { SCHEDULE_HOST, LEVEL_HOST, i->host, c->host_names[i->host] };
	const struct schedule_object as_queue = { SCHEDULE_QUEUE, LEVEL_QUEUE, e->instance, i->name };

	tell_values(t, &as_host, host ? &host->complex_values : NULL, e->slots, master);
	/* as Grid Engine has it: by hand or by another queue, not by a calendar */
	if (!strpbrk(i->letters, "sS")) {
		tell_values(t, &as_queue, &c->profiles[i->profile].complex_values, e->slots, master);
		tell_slots(t, &as_queue, e->slots);
	}
	if (with && t->d->reserves)
		tell_quotas(t, with, e->instance, e->slots, master);
}

void schedule_grant(const struct dispatch *d, const struct category *category, const struct grant *g, const struct schedule_task *task)
{
	const struct schedule_writing t = { d, category, task };
	const struct schedule_object global = { SCHEDULE_GLOBAL, LEVEL_GLOBAL, 0, "global" };
	const struct category_pe *with = category_pe_of(category, g->pe);
	uint32_t slots = 0;

	if (!d->lines || !d->timed)
		return;
	for (size_t i = 0; i < g->n && category->advance; i++)
		tell_advance(&t, &g->entries[i], i == 0);
	if (category->advance)
		return;
	for (size_t i = 0; i < g->n; i++)
		slots += g->entries[i].slots;
	if (g->pe != UINT32_MAX && is_timed(&t, d->pes[g->pe].line))
		schedule_add(d->lines, task, SCHEDULE_PE, d->cell->pes[g->pe].name, "slots", slots);
	tell_values(&t, &global, d->cluster.global_host ? &d->cluster.global_host->complex_values : NULL, slots, true);
	for (size_t i = 0; i < g->n; i++)
		tell_entry(&t, with, &g->entries[i], i == 0);
}
