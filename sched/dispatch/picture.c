/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run into the segment: the cluster as dispatch sees it when the run ends. Names are held as
 * long as readers see them, one run more than it takes to make the next, as in publish_why.c.
 */
#include "sched/dispatch/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "sched/dispatch/phase.h"

/* Names and records */

static void names_drop(struct picture_names *names, struct strings *strings)
{
	while (names->n > 0)
		strings_drop(strings, names->ids[--names->n]);
}

uint32_t picture_name(struct dispatch *d, const char *text, int *rc)
{
	struct picture_names *next = &d->picture.next;
	size_t slot = ((uintptr_t)text * 0x9e3779b97f4a7c15u >> 40) % 64;
	uint32_t id;

	if (!text)
		return NONE;
	if (d->picture.last[slot] == text)
		return d->picture.last_id[slot];
	if (next->n == next->capacity) {
		if (array_grow(&next->ids, 2 * next->n + 64, sizeof(*next->ids))) {
			*rc = -ENOMEM;
			return NONE;
		}
		next->capacity = 2 * next->n + 64;
	}
	id = strings_hold(d->strings, text);
	if (id == NONE) {
		*rc = -ENOMEM;
		return NONE;
	}
	next->ids[next->n++] = id;
	d->picture.last[slot] = text;
	d->picture.last_id[slot] = id;
	return id;
}

void *picture_add(struct picture_records *records, size_t bytes)
{
	if (records->n == records->capacity) {
		if (array_grow(&records->items, 2 * records->n + 64, bytes))
			return NULL;
		records->capacity = 2 * records->n + 64;
	}
	return (char *)records->items + records->n++ * bytes;
}

static void published(void *self, bool is_seen)
{
	struct dispatch *d = self;
	struct picture_names seen = d->picture.seen;

	if (is_seen) {
		d->picture.seen = d->picture.next;
		d->picture.next = seen;
	}
	names_drop(&d->picture.next, d->strings);
}

void picture_forget(struct cluster_picture *s)
{
	free(s->hosts);
	free(s->place);
	free(s->reserved);
	free(s->in_advance);
	s->hosts = NULL;
	s->place = s->reserved = s->in_advance = NULL;
	s->nhosts = 0;
	s->listed = false;
}

void picture_free(struct cluster_picture *s, struct strings *strings)
{
	picture_forget(s);
	names_drop(&s->seen, strings);
	names_drop(&s->next, strings);
	free(s->seen.ids);
	free(s->next.ids);
	free(s->resources.items);
	free(s->alarms.items);
	free(s->quotas.items);
}

/* Hosts */

static int host_compare(const void *a, const void *b)
{
	return strcasecmp(((const struct picture_host *)a)->name, ((const struct picture_host *)b)->name);
}

/* Those with instances, and those that the cell has besides. */
static int hosts_list(struct dispatch *d)
{
	const struct cluster *c = &d->cluster;
	struct cluster_picture *s = &d->picture;
	const struct complex *load = cell_complex(d->cell, "load_avg"), *np_load = cell_complex(d->cell, "np_load_avg");

	if (s->listed)
		return 0;
	s->hosts = calloc(c->nhosts + d->cell->nhosts + 1, sizeof(*s->hosts));
	s->place = calloc(c->nhosts + 1, sizeof(*s->place));
	s->reserved = calloc(c->ninstances + 1, sizeof(*s->reserved));
	s->in_advance = calloc(c->ninstances + 1, sizeof(*s->in_advance));
	if (!s->hosts || !s->place || !s->reserved || !s->in_advance) {
		picture_forget(s);
		return -ENOMEM;
	}
	for (uint32_t h = 0; h < c->nhosts; h++)
		s->hosts[s->nhosts++] = (struct picture_host){ c->host_names[h], c->hosts[h].conf, h };
	for (size_t i = 0; i < d->cell->nhosts; i++) {
		const struct host_conf *conf = &d->cell->hosts[i];

		if (strcmp(conf->name, "global") != 0 && strcmp(conf->name, "template") != 0 && cluster_host(c, conf->name) == UINT32_MAX)
			s->hosts[s->nhosts++] = (struct picture_host){ conf->name, conf, NONE };
	}
	qsort(s->hosts, s->nhosts, sizeof(*s->hosts), host_compare);
	for (uint32_t i = 0; i < s->nhosts; i++)
		if (s->hosts[i].number != NONE)
			s->place[s->hosts[i].number] = i + 1;
	s->load_avg = load ? cluster_column(&d->cluster, load) : UINT32_MAX;
	s->np_load_avg = np_load ? cluster_column(&d->cluster, np_load) : UINT32_MAX;
	s->listed = true;
	return 0;
}

static double load_of(const struct dispatch *d, uint32_t column, enum level level, uint32_t host)
{
	const struct offer *o = column == UINT32_MAX ? NULL : column_offer(&d->cluster.columns[column], level, host);

	return o && o->load_text ? o->load : -1.0;
}

/* Consumables that an object has. */
static int resources_add(struct dispatch *d, enum level level, uint32_t object, struct record_slice *slice)
{
	struct cluster *c = &d->cluster;
	int rc = 0;

	slice->first = (uint32_t)d->picture.resources.n;
	for (size_t k = 0; rc == 0 && k < c->nconsumables; k++) {
		struct column *column = &c->columns[c->consumables[k]];
		const struct offer *o = column_offer(column, level, object);
		struct resource_record *r;

		if (!o || !o->fixed_text || (column->is_slots && level == LEVEL_QUEUE))
			continue;
		r = picture_add(&d->picture.resources, sizeof(*r));
		if (!r)
			return -ENOMEM;
		*r = (struct resource_record){ .total = o->configured, .used = o->used, .name = picture_name(d, column->complex->name, &rc) };
	}
	slice->count = (uint32_t)d->picture.resources.n - slice->first;
	return rc;
}

/* `host` NULL: global. The mirror holds the names of those with instances. */
static uint32_t host_name(struct dispatch *d, const struct state *state, const struct picture_host *host, int *rc)
{
	if (!host || host->number == NONE || d->cluster.hosts[host->number].first_instance == NONE)
		return picture_name(d, host ? host->name : "global", rc);
	return state->instances[d->cluster.instances[d->cluster.hosts[host->number].first_instance].told].host;
}

static int host_add(struct dispatch *d, const struct state *state, const struct picture_host *host, struct exec_host_record *r)
{
	bool global = host == NULL;
	int rc = 0;
	uint32_t id = host_name(d, state, host, &rc), number = global ? NONE : host->number;
	uint32_t told = id == NONE ? INDEX_NONE : index_find(&state->host_index, state->host_names, id);
	const struct host_conf *conf = global ? d->cluster.global_host : host->conf;

	*r = (struct exec_host_record){ .load_avg = -1.0, .np_load_avg = -1.0, .name = id, .told = told == INDEX_NONE ? NONE : told,
					.available = 1 };
	if (told != INDEX_NONE)
		r->available = !state->hosts[told].down;
	r->loads_of_file = conf && conf->load_values.n > 0 && (told == INDEX_NONE || !state->hosts[told].has_load);
	if (global || number != NONE) {
		enum level level = global ? LEVEL_GLOBAL : LEVEL_HOST;

		r->load_avg = load_of(d, d->picture.load_avg, level, number);
		r->np_load_avg = load_of(d, d->picture.np_load_avg, level, number);
		rc = rc ? rc : resources_add(d, level, number, &r->resources);
	}
	return rc;
}

static int hosts_publish(struct dispatch *d, const struct state *state, struct generation_writer *w)
{
	struct exec_host_record *records = records_table(w, TABLE_EXEC_HOSTS, d->picture.nhosts + 1);
	int rc = records ? host_add(d, state, NULL, records) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < d->picture.nhosts; i++)
		rc = host_add(d, state, &d->picture.hosts[i], &records[i + 1]);
	return rc;
}

/* Instances */

/* What advance reservations that have begun keep free, and what their jobs have of it. */
static void advances_count(struct dispatch *d)
{
	struct cluster_picture *s = &d->picture;
	size_t slots = 0;

	memset(s->reserved, 0, d->cluster.ninstances * sizeof(*s->reserved));
	memset(s->in_advance, 0, d->cluster.ninstances * sizeof(*s->in_advance));
	while (slots < d->cluster.nconsumables && d->cluster.consumables[slots] != d->cluster.slots)
		slots++;
	for (size_t i = 0; i < d->advances.n; i++) {
		const struct advance *a = &d->advances.items[i];
		bool now = a->told->start_time <= d->now && d->now < a->told->end_time;

		for (size_t k = 0; now && k < a->nplaces; k++) {
			const struct offer *o = slots < d->cluster.nconsumables ? advance_offer(a, &d->cluster, slots, a->places[k].instance) : NULL;

			s->reserved[a->places[k].instance] += a->places[k].slots;
			s->in_advance[a->places[k].instance] += o && o->used > 0 ? (uint32_t)o->used : 0;
		}
	}
}

static uint32_t whole(double slots)
{
	return slots > 0 ? slots < UINT32_MAX ? (uint32_t)slots : UINT32_MAX : 0;
}

static int instance_show(struct dispatch *d, const struct state *state, uint32_t number, struct shown_instance_record *r)
{
	struct cluster *c = &d->cluster;
	const struct queue_instance *i = &c->instances[number];
	const struct queue_profile *p = &c->profiles[i->profile];
	const struct offer *slots = c->slots == UINT32_MAX ? NULL : column_offer(&c->columns[c->slots], LEVEL_QUEUE, number);
	int rc = 0;

	*r = (struct shown_instance_record){ .seq_no = p->seq_no, .name = state->instance_names[i->told], .host = d->picture.place[i->host] };
	r->queue = picture_name(d, c->queue_names[i->queue], &rc);
	r->flags = (p->batch ? SHOWN_BATCH : 0) | (p->interactive ? SHOWN_INTERACTIVE : 0) | (p->pe_list.n > 0 ? SHOWN_PARALLEL : 0) |
		   (p->ckpt_list.n > 0 ? SHOWN_CHECKPOINT : 0);
	r->slots = slots && slots->fixed_text ? whole(slots->fixed) : state->instances[i->told].slots;
	r->reserved = d->picture.reserved[number];
	r->used = (slots ? whole(slots->used) : 0) + d->picture.in_advance[number];
	rc = rc ? rc : resources_add(d, LEVEL_QUEUE, number, &r->resources);
	return rc ? rc : picture_state(d, state, number, r);
}

/* Told slots that no queue of the cell has. */
static void slot_show(const struct run *run, uint32_t told, uint64_t used, struct shown_instance_record *r)
{
	const struct state *state = run->mirror->state;
	const struct instance *i = &state->instances[told];
	const struct told_host *host = told_host_find(state, i->host);

	*r = (struct shown_instance_record){ .name = state->instance_names[told], .queue = NONE, .host = NONE, .slots = i->slots,
					     .used = whole((double)used) };
	picture_letters(i->state, host && host->down, r->state);
}

static int instances_publish(struct dispatch *d, const struct run *run, struct generation_writer *w)
{
	const struct state *state = run->mirror->state;
	size_t n = d->cluster.nlist, alone = state->ninstances - n;
	struct shown_instance_record *records = records_table(w, TABLE_INSTANCES, state->ninstances);
	uint64_t *used = alone > 0 ? told_used_slots(state) : NULL;
	int rc = (records || state->ninstances == 0) && (used || alone == 0) ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < n; k++)
		rc = instance_show(d, state, d->cluster.list[k], &records[k]);
	for (uint32_t i = 0; rc == 0 && alone > 0 && i < state->ninstances; i++)
		if (cluster_instance(&d->cluster, i) == UINT32_MAX)
			slot_show(run, i, used[i], &records[n++]);
	free(used);
	return rc;
}

static int records_publish(struct generation_writer *w, enum table_id id, const struct picture_records *from)
{
	void *records = from->n > 0 ? records_table(w, id, from->n) : NULL;

	if (from->n > 0 && !records)
		return -ENOMEM;
	if (from->n > 0)
		memcpy(records, from->items, from->n * records_bytes_each(id));
	return 0;
}

static int tables(void *self, struct run *run, struct generation_writer *w)
{
	struct dispatch *d = self;
	struct cluster_picture *s = &d->picture;
	int rc;

	if (!d->on || !d->cell)
		return 0;
	s->resources.n = s->alarms.n = s->quotas.n = 0;
	memset(s->last, 0, sizeof(s->last));
	rc = hosts_list(d);
	if (rc)
		return rc;
	advances_count(d);
	d->cluster.as_reported = true;
	rc = hosts_publish(d, run->mirror->state, w);
	rc = rc ? rc : instances_publish(d, run, w);
	d->cluster.as_reported = false;
	rc = rc ? rc : picture_quotas(d);
	rc = rc ? rc : records_publish(w, TABLE_RESOURCES, &s->resources);
	rc = rc ? rc : records_publish(w, TABLE_ALARMS, &s->alarms);
	return rc ? rc : records_publish(w, TABLE_QUOTAS, &s->quotas);
}

struct publisher dispatch_cluster_publisher(struct dispatch *d)
{
	return (struct publisher){ .self = d, .tables = tables, .end = published };
}
