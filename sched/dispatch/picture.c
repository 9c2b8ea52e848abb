/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publish the snapshot of the cluster at the end of a run in the segment. Names are held as long as
 * readers see them. That is until after the next snapshot is published, as in publish_why.c.
 */
#include "sched/dispatch/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "sched/dispatch/instances.h"
#include "sched/dispatch/phase.h"

static void published(void *self, bool is_seen)
{
	struct cluster_picture *picture = self;
	struct picture_names seen = picture->seen;

	if (is_seen) {
		picture->seen = picture->next;
		picture->next = seen;
	}
	picture_names_drop(picture, &picture->next);
}

void picture_forget(struct cluster_picture *picture)
{
	free(picture->hosts);
	free(picture->place);
	free(picture->reserved);
	free(picture->in_advance);
	picture->hosts = NULL;
	picture->place = picture->reserved = picture->in_advance = NULL;
	picture->nhosts = 0;
	picture->listed = false;
}

void picture_free(struct cluster_picture *picture)
{
	picture_forget(picture);
	picture_names_drop(picture, &picture->seen);
	picture_names_drop(picture, &picture->next);
	free(picture->seen.ids);
	free(picture->next.ids);
	free(picture->resources.items);
	free(picture->alarms.items);
	free(picture->quotas.items);
}

/* Hosts */

static int host_compare(const void *a, const void *b)
{
	return strcasecmp(((const struct picture_host *)a)->name, ((const struct picture_host *)b)->name);
}

/* List the hosts with instances, and the other hosts of the cell. */
static int hosts_list(struct cluster_picture *picture)
{
	const struct cluster *cluster = &picture->supply->cluster;
	const struct complex *load = cell_complex(picture->supply->cell, "load_avg"),
			     *np_load = cell_complex(picture->supply->cell, "np_load_avg");

	if (picture->listed)
		return 0;
	picture->hosts = calloc(cluster->nhosts + picture->supply->cell->nhosts + 1, sizeof(*picture->hosts));
	picture->place = calloc(cluster->nhosts + 1, sizeof(*picture->place));
	picture->reserved = calloc(cluster->ninstances + 1, sizeof(*picture->reserved));
	picture->in_advance = calloc(cluster->ninstances + 1, sizeof(*picture->in_advance));
	if (!picture->hosts || !picture->place || !picture->reserved || !picture->in_advance) {
		picture_forget(picture);
		return -ENOMEM;
	}
	for (uint32_t h = 0; h < cluster->nhosts; h++)
		picture->hosts[picture->nhosts++] =
			(struct picture_host){ cluster->host_names[h], cluster->hosts[h].conf, h };
	for (size_t i = 0; i < picture->supply->cell->nhosts; i++) {
		const struct host_conf *conf = &picture->supply->cell->hosts[i];

		if (strcmp(conf->name, "global") != 0 && strcmp(conf->name, "template") != 0 &&
		    cluster_host(cluster, conf->name) == UINT32_MAX)
			picture->hosts[picture->nhosts++] = (struct picture_host){ conf->name, conf, NONE };
	}
	qsort(picture->hosts, picture->nhosts, sizeof(*picture->hosts), host_compare);
	for (uint32_t i = 0; i < picture->nhosts; i++)
		if (picture->hosts[i].number != NONE)
			picture->place[picture->hosts[i].number] = i + 1;
	picture->load_avg = load ? cluster_column(&picture->supply->cluster, load) : UINT32_MAX;
	picture->np_load_avg = np_load ? cluster_column(&picture->supply->cluster, np_load) : UINT32_MAX;
	picture->listed = true;
	return 0;
}

static double load_of(const struct cluster_picture *picture, uint32_t column, enum level level, uint32_t host)
{
	const struct offer *offer =
		column == UINT32_MAX ? NULL : column_offer(&picture->supply->cluster.columns[column], level, host);

	return offer && offer->load_text ? offer->load : -1.0;
}

/* Add the consumables that an object has. */
static int resources_add(struct cluster_picture *picture, enum level level, uint32_t object, struct record_slice *slice)
{
	struct cluster *cluster = &picture->supply->cluster;
	int rc = 0;

	slice->first = (uint32_t)picture->resources.n;
	for (size_t k = 0; rc == 0 && k < cluster->nconsumables; k++) {
		struct column *column = &cluster->columns[cluster->consumables[k]];
		const struct offer *offer = column_offer(column, level, object);
		struct resource_record *record;

		if (!offer || !offer->fixed_text || (column->is_slots && level == LEVEL_QUEUE))
			continue;
		record = picture_add(&picture->resources, sizeof(*record));
		if (!record)
			return -ENOMEM;
		*record = (struct resource_record){ .total = offer->configured,
						    .used = offer->used,
						    .name = picture_name(picture, column->complex->name, &rc) };
	}
	slice->count = (uint32_t)picture->resources.n - slice->first;
	return rc;
}

/*
 * Return the name of a host. `host` NULL: global. The mirror holds the names of hosts with
 * instances.
 */
static uint32_t host_name(struct cluster_picture *picture, const struct state *state, const struct picture_host *host,
			  int *rc)
{
	uint32_t first = host && host->number != NONE ? picture->supply->cluster.hosts[host->number].first_instance
						      : NONE;

	if (first == NONE)
		return picture_name(picture, host ? host->name : "global", rc);
	return state->instances[picture->supply->cluster.instances[first].reported].host;
}

static int host_add(struct cluster_picture *picture, const struct state *state, const struct picture_host *host,
		    struct exec_host_record *record)
{
	bool global = host == NULL;
	int rc = 0;
	uint32_t id = host_name(picture, state, host, &rc), number = global ? NONE : host->number;
	uint32_t reported = id == NONE ? INDEX_NONE : index_find(&state->host_index, state->host_names, id);
	const struct host_conf *conf = global ? picture->supply->cluster.global_host : host->conf;

	*record = (struct exec_host_record){ .load_avg = -1.0,
					     .np_load_avg = -1.0,
					     .name = id,
					     .reported = reported == INDEX_NONE ? NONE : reported,
					     .available = 1 };
	if (reported != INDEX_NONE)
		record->available = !state->hosts[reported].down;
	record->loads_of_file =
		conf && conf->load_values.n > 0 && (reported == INDEX_NONE || !state->hosts[reported].has_load);
	if (global || number != NONE) {
		enum level level = global ? LEVEL_GLOBAL : LEVEL_HOST;

		record->load_avg = load_of(picture, picture->load_avg, level, number);
		record->np_load_avg = load_of(picture, picture->np_load_avg, level, number);
		rc = rc ? rc : resources_add(picture, level, number, &record->resources);
	}
	return rc;
}

static int hosts_publish(struct cluster_picture *picture, const struct state *state, struct generation_writer *writer)
{
	struct exec_host_record *records = records_table(writer, TABLE_EXEC_HOSTS, picture->nhosts + 1);
	int rc = records ? host_add(picture, state, NULL, records) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < picture->nhosts; i++)
		rc = host_add(picture, state, &picture->hosts[i], &records[i + 1]);
	return rc;
}

/* Instances */

/* Sum what active advance reservations keep free, and what their jobs use of it. */
static void advances_count(struct cluster_picture *picture)
{
	size_t slots = 0;

	memset(picture->reserved, 0, picture->supply->cluster.ninstances * sizeof(*picture->reserved));
	memset(picture->in_advance, 0, picture->supply->cluster.ninstances * sizeof(*picture->in_advance));
	while (slots < picture->supply->cluster.nconsumables &&
	       picture->supply->cluster.consumables[slots] != picture->supply->cluster.slots)
		slots++;
	for (size_t i = 0; i < picture->supply->advances.n; i++) {
		const struct advance *advance = &picture->supply->advances.items[i];
		bool now = advance->reported->start_time <= picture->supply->now &&
			   picture->supply->now < advance->reported->end_time;

		for (size_t k = 0; now && k < advance->nplaces; k++) {
			const struct offer *offer = slots < picture->supply->cluster.nconsumables
							    ? advance_offer(advance, &picture->supply->cluster, slots,
									    advance->places[k].instance)
							    : NULL;

			picture->reserved[advance->places[k].instance] += advance->places[k].slots;
			picture->in_advance[advance->places[k].instance] +=
				offer && offer->used > 0 ? (uint32_t)offer->used : 0;
		}
	}
}

static uint32_t whole(double slots)
{
	return slots > 0 ? slots < UINT32_MAX ? (uint32_t)slots : UINT32_MAX : 0;
}

static int instance_show(struct cluster_picture *picture, const struct state *state, uint32_t number,
			 struct shown_instance_record *record)
{
	struct cluster *cluster = &picture->supply->cluster;
	const struct queue_instance *instance = &cluster->instances[number];
	const struct queue_profile *profile = &cluster->profiles[instance->profile];
	const struct offer *slots = cluster->slots == UINT32_MAX
					    ? NULL
					    : column_offer(&cluster->columns[cluster->slots], LEVEL_QUEUE, number);
	int rc = 0;

	*record = (struct shown_instance_record){ .seq_no = profile->seq_no,
						  .name = state->instance_names[instance->reported],
						  .host = picture->place[instance->host] };
	record->queue = picture_name(picture, cluster->queue_names[instance->queue], &rc);
	record->flags = (profile->batch ? SHOWN_BATCH : 0) | (profile->interactive ? SHOWN_INTERACTIVE : 0) |
			(profile->pe_list.n > 0 ? SHOWN_PARALLEL : 0) |
			(profile->ckpt_list.n > 0 ? SHOWN_CHECKPOINT : 0);
	record->slots = slots && slots->fixed_text ? whole(slots->fixed) : state->instances[instance->reported].slots;
	record->reserved = picture->reserved[number];
	record->used = (slots ? whole(slots->used) : 0) + picture->in_advance[number];
	rc = rc ? rc : resources_add(picture, LEVEL_QUEUE, number, &record->resources);
	return rc ? rc : picture_state(picture, state, number, record);
}

/* Fill the record of a reported instance that no queue of the cell has. */
static void slot_show(const struct run *run, uint32_t reported, uint64_t used, struct shown_instance_record *record)
{
	const struct state *state = run->mirror->state;
	const struct instance *instance = &state->instances[reported];
	const struct reported_host *host = reported_host_find(state, instance->host);

	*record = (struct shown_instance_record){ .name = state->instance_names[reported],
						  .queue = NONE,
						  .host = NONE,
						  .slots = instance->slots,
						  .used = whole((double)used) };
	picture_letters(instance->state, host && host->down, record->state);
}

static int instances_publish(struct cluster_picture *picture, const struct run *run, struct generation_writer *writer)
{
	const struct state *state = run->mirror->state;
	size_t n = picture->supply->cluster.nlist, alone = state->ninstances - n;
	struct shown_instance_record *records = records_table(writer, TABLE_INSTANCES, state->ninstances);
	uint64_t *used = alone > 0 ? reported_used_slots(state) : NULL;
	int rc = (records || state->ninstances == 0) && (used || alone == 0) ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < n; k++)
		rc = instance_show(picture, state, picture->supply->cluster.list[k], &records[k]);
	for (uint32_t i = 0; rc == 0 && alone > 0 && i < state->ninstances; i++)
		if (cluster_instance(&picture->supply->cluster, i) == UINT32_MAX)
			slot_show(run, i, used[i], &records[n++]);
	free(used);
	return rc;
}

static int records_publish(struct generation_writer *writer, enum table_id id, const struct picture_records *from)
{
	void *records = from->n > 0 ? records_table(writer, id, from->n) : NULL;

	if (from->n > 0 && !records)
		return -ENOMEM;
	if (from->n > 0)
		memcpy(records, from->items, from->n * records_bytes_each(id));
	return 0;
}

static int tables(void *self, struct run *run, struct generation_writer *writer)
{
	struct cluster_picture *picture = self;
	struct cluster *cluster = &picture->supply->cluster;
	int rc;

	if (picture->is_off || !picture->supply->cell)
		return 0;
	picture->resources.n = picture->alarms.n = picture->quotas.n = 0;
	memset(picture->last, 0, sizeof(picture->last));
	rc = hosts_list(picture);
	if (rc)
		return rc;
	advances_count(picture);
	cluster->as_reported = true;
	rc = hosts_publish(picture, run->mirror->state, writer);
	rc = rc ? rc : instances_publish(picture, run, writer);
	cluster->as_reported = false;
	rc = rc ? rc : picture_quotas(picture);
	rc = rc ? rc : records_publish(writer, TABLE_RESOURCES, &picture->resources);
	rc = rc ? rc : records_publish(writer, TABLE_ALARMS, &picture->alarms);
	return rc ? rc : records_publish(writer, TABLE_QUOTAS, &picture->quotas);
}

struct publisher picture_publisher(struct cluster_picture *picture)
{
	return (struct publisher){ .self = picture, .tables = tables, .end = published };
}
