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

static void tell_resource(const struct schedule_writing *t, enum schedule_level as, const char *object, size_t k, uint32_t slots, bool master)
{
	const struct column *column = &t->d->cluster.columns[t->d->cluster.consumables[k]];
	double need = column->complex->relop == RELOP_EXCL ? 1.0 : t->category->need[k];

	if (need == 0 || (column->complex->consumable == CONSUMABLE_JOB && !master))
		return;
	schedule_add(t->d->lines, t->task, as, object, column->complex->name, column->complex->consumable == CONSUMABLE_JOB ? need : need * slots);
}

/* Of an advance reservation each instance has what its jobs find there: as requested, then slots. */
static void tell_advance(const struct schedule_writing *t, const struct grant_entry *e, bool master)
{
	const struct advance *a = t->category->advance;
	const char *instance = t->d->cluster.instances[e->instance].name;

	for (size_t i = 0; i < a->category.nhard; i++) {
		const struct column *column = a->category.hard[i].column == UINT32_MAX ? NULL : &t->d->cluster.columns[a->category.hard[i].column];

		if (column && column->consumable != UINT32_MAX && (column->complex->relop != RELOP_EXCL || t->category->need[column->consumable] != 0))
			tell_resource(t, SCHEDULE_QUEUE, instance, column->consumable, e->slots, master);
	}
	schedule_add(t->d->lines, t->task, SCHEDULE_QUEUE, instance, "slots", e->slots);
}

static void tell_values(const struct schedule_writing *t, enum schedule_level as, const char *object, const struct pairs *values, uint32_t slots, bool master)
{
	for (size_t i = 0; values && i < values->n; i++) {
		size_t k = consumable_number(&t->d->cluster, cell_complex(t->d->cell, values->items[i].name));

		if (k != SIZE_MAX)
			tell_resource(t, as, object, k, slots, master);
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

	tell_values(t, SCHEDULE_HOST, c->host_names[i->host], host ? &host->complex_values : NULL, e->slots, master);
	/* as Grid Engine has it: by hand or by another queue, not by a calendar */
	if (!strpbrk(i->letters, "sS")) {
		tell_values(t, SCHEDULE_QUEUE, i->name, &c->profiles[i->profile].complex_values, e->slots, master);
		schedule_add(t->d->lines, t->task, SCHEDULE_QUEUE, i->name, "slots", e->slots);
	}
	if (with)
		tell_quotas(t, with, e->instance, e->slots, master);
}

void schedule_grant(const struct dispatch *d, const struct category *category, const struct grant *g, const struct schedule_task *task)
{
	const struct schedule_writing t = { d, category, task };
	const struct category_pe *with = category_pe_of(category, g->pe);
	uint32_t slots = 0;

	if (!d->lines || !d->reserves)
		return;
	for (size_t i = 0; i < g->n && category->advance; i++)
		tell_advance(&t, &g->entries[i], i == 0);
	if (category->advance)
		return;
	for (size_t i = 0; i < g->n; i++)
		slots += g->entries[i].slots;
	if (g->pe != UINT32_MAX)
		schedule_add(d->lines, task, SCHEDULE_PE, d->cell->pes[g->pe].name, "slots", slots);
	tell_values(&t, SCHEDULE_GLOBAL, "global", d->cluster.global_host ? &d->cluster.global_host->complex_values : NULL, slots, true);
	for (size_t i = 0; i < g->n; i++)
		tell_entry(&t, with, &g->entries[i], i == 0);
}
