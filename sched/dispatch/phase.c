/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run's dispatch works on, put together before anything else is computed: instances and
 * hosts as the qmaster told, what running tasks use, loads and alarms. After it the run knows how
 * many slots are free.
 */
#include "sched/dispatch/phase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/search/parallel.h"

/* What was told */

struct told_order {			/* cluster queues as first told, in them by place */
	uint64_t queue, place;
	uint32_t instance;
};

static int told_compare(const void *a, const void *b)
{
	const struct told_order *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool host_is_there(const struct state *state, uint32_t host)
{
	const struct told_host *told = told_host_find(state, host);

	return !told || !told->down;
}

static const char *name_of(const struct run *run, uint32_t instance)
{
	return strings_text(run->strings, run->mirror->state->instance_names[instance]);
}

/* The place of each cluster queue is that of its first instance. */
static void queue_places(const struct run *run, const struct cell *cell, uint64_t *places)
{
	const struct state *state = run->mirror->state;

	for (size_t q = 0; q <= cell->nqueues; q++)
		places[q] = UINT64_MAX;
	for (uint32_t i = 0; i < state->ninstances; i++) {
		uint64_t *place = &places[cluster_queue_number(cell, name_of(run, i))];

		if (state->instances[i].born < *place)
			*place = state->instances[i].born;
	}
}

/* All instances in Grid Engine's list order. NULL: no memory. */
static struct told_instance *told_instances(const struct run *run, size_t *n)
{
	const struct state *state = run->mirror->state;
	struct told_order *order = malloc((state->ninstances + 1) * sizeof(*order));
	struct told_instance *told = malloc((state->ninstances + 1) * sizeof(*told));
	uint64_t *places = malloc((run->cell->nqueues + 1) * sizeof(*places));

	*n = state->ninstances;
	if (order && told && places) {
		queue_places(run, run->cell, places);
		for (uint32_t i = 0; i < *n; i++)
			order[i] = (struct told_order){ places[cluster_queue_number(run->cell, name_of(run, i))], state->instances[i].place, i };
		qsort(order, *n, sizeof(*order), told_compare);
		for (size_t k = 0; k < *n; k++) {
			const struct instance *i = &state->instances[order[k].instance];

			told[k] = (struct told_instance){ .name = name_of(run, order[k].instance), .letters = i->state, .slots = i->slots,
							  .told = order[k].instance, .available = host_is_there(state, i->host) };
		}
	} else {
		free(told);
		told = NULL;
	}
	free(order);
	free(places);
	return told;
}

/* By name, those used behind the others by their last use: few, so insertion sorts them. */
static void list_pes(const struct run *run, struct dispatch *d, bool keeps)
{
	for (uint32_t i = 0; i < d->cell->npes; i++) {
		uint32_t name = strings_find(run->strings, d->cell->pes[i].name), k = i;

		d->pes[i] = (struct pe_state){ .line = keeps ? d->pes[i].line : TIMELINE_EMPTY,
					       .place = name == NONE ? 0 : used_pe_place(run->mirror->state, name) };
		for (; k > 0 && d->pes[d->pe_list[k - 1]].place > d->pes[i].place; k--)
			d->pe_list[k] = d->pe_list[k - 1];
		d->pe_list[k] = i;
	}
}

/* Loads that were told replace those of the files. Their texts are the mirror's. */
static int loads_put(const struct run *run, struct dispatch *d)
{
	const struct state *state = run->mirror->state;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < state->nhosts; i++)
		n += state->hosts[i].nload;
	if (array_grow(&d->loads, n + 1, sizeof(*d->loads)))
		return -ENOMEM;
	for (size_t i = 0; i < state->nhosts; i++) {
		const struct told_host *told = &state->hosts[i];
		const char *name = strings_text(run->strings, state->host_names[i]);
		uint32_t host = strcmp(name, "global") == 0 ? GLOBAL_HOST : cluster_host(&d->cluster, name);

		if (!told->has_load || (host == UINT32_MAX && strcmp(name, "global") != 0))
			continue;
		for (size_t k = 0; k < told->nload; k++)
			d->loads[at + k] = (struct load_text){ strings_text(run->strings, told->load[k].name),
							       strings_text(run->strings, told->load[k].value) };
		cluster_load(&d->cluster, host, &d->loads[at], told->nload);
		at += told->nload;
	}
	return 0;
}

/* Who is out */

static bool is_full(const struct dispatch *d, uint32_t instance)
{
	const struct cluster *c = &d->cluster;
	const struct offer *o = c->slots == UINT32_MAX ? NULL : column_offer(&c->columns[c->slots], LEVEL_QUEUE, instance);

	return !o || !o->fixed_text || o->fixed - o->used < 1;
}

bool instance_is_full(const struct dispatch *d, uint32_t instance)
{
	return is_full(d, instance);
}

void instance_tell(struct dispatch *d, enum why_kind kind, const struct alarm *alarm, uint32_t instance, const char *subject)
{
	if (alarm)
		subject = why_text(d->why, "%s=%s", alarm->threshold->name, alarm->threshold->text);
	why_add(d->why, 0, kind, subject, d->cluster.instances[instance].name, alarm ? alarm->limit : 0, alarm ? alarm->value : 0);
}

/* Overloaded, closed by calendar, disabled or suspended, full: in this order. */
static void instance_filter(struct dispatch *d, uint32_t number)
{
	struct queue_instance *i = &d->cluster.instances[number];
	const struct queue_profile *p = &d->cluster.profiles[i->profile];
	struct alarm alarm;

	if (!d->cluster.hosts[i->host].available) {
		instance_tell(d, WHY_HOST_UNKNOWN, NULL, number, NULL);
		i->state = INSTANCE_OUT;
	} else if (i->state == INSTANCE_OUT) {
		instance_tell(d, WHY_DISABLED, NULL, number, i->letters);
	} else if (load_alarm(&d->cluster, number, &p->load_thresholds, true, &alarm)) {
		instance_tell(d, WHY_OVERLOADED, &alarm, number, NULL);
		i->state = INSTANCE_OUT;
	} else if (load_alarm(&d->cluster, number, &p->suspend_thresholds, false, &alarm)) {
		instance_tell(d, WHY_SUSPENDED_BY_LOAD, &alarm, number, NULL);
		i->state = INSTANCE_OUT;
	} else if (i->state == INSTANCE_ASIDE) {
		instance_tell(d, WHY_DISABLED, NULL, number, i->letters);
	} else if (is_full(d, number)) {
		instance_tell(d, WHY_FULL, NULL, number, NULL);
		i->state = INSTANCE_ASIDE;
	}
}

static void filter(struct dispatch *d)
{
	const struct cluster *c = &d->cluster;

	d->all_slots = d->free_slots = d->unused_slots = 0;
	d->bounded = c->slots != UINT32_MAX;
	for (size_t k = 0; k < c->nlist; k++) {
		const struct offer *o = c->slots == UINT32_MAX ? NULL : column_offer(&c->columns[c->slots], LEVEL_QUEUE, c->list[k]);

		instance_filter(d, c->list[k]);
		d->bounded = d->bounded && o && o->fixed_text;
		if (!o || c->instances[c->list[k]].state == INSTANCE_OUT)
			continue;
		d->all_slots += (uint64_t)o->fixed;
		d->unused_slots += o->fixed > o->used ? (uint64_t)(o->fixed - o->used) : 0;
		if (c->instances[c->list[k]].state == INSTANCE_OPEN)
			d->free_slots += (uint64_t)(o->fixed - o->used);
	}
}

uint64_t *told_used_slots(const struct state *state)
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

/* Of told slots that no queue of the cell has: nobody but the qmaster bounds them. */
static uint64_t told_alone_free(const struct dispatch *d, const struct run *run)
{
	const struct state *state = run->mirror->state;
	uint64_t *used = NULL, slots = 0;

	for (uint32_t i = 0; i < state->ninstances; i++) {
		const struct instance *told = &state->instances[i];

		if (!told->ad || cluster_instance(&d->cluster, i) != UINT32_MAX)
			continue;
		if (!used && !(used = told_used_slots(state)))
			return 0;
		if (told->state[0] == '\0' && !told->claim && host_is_there(state, told->host) && told->slots > used[i])
			slots += told->slots - used[i];
	}
	free(used);
	return slots;
}

/* The phase */

static double host_value(void *context, uint32_t host, const char *name, bool *known)
{
	struct dispatch *d = context;
	const struct complex *complex = cell_complex(d->cell, name);
	uint32_t column = complex ? d->cluster.column_of[complex - d->cell->complexes] : UINT32_MAX;
	double value = 0.0;

	*known = column != UINT32_MAX && cluster_value(&d->cluster, &d->cluster.columns[column], LEVEL_HOST, host, &value);
	return value;
}

/*
 * Nothing is in use; what is booked in time is what the run before has left of it, if that `keeps`.
 */
static int clear(struct dispatch *d, const struct run *run, const struct told_instance *told, size_t n, bool ahead, bool *keeps)
{
	int rc = 0;

	if (!cluster_is_of(&d->cluster, run->cell, told, n))
		rc = dispatch_learn(d, run->cell, told, n);
	if (rc) {
		dispatch_forget(d);		/* half of it is of no use to the next run */
		return rc;
	}
	d->cluster.timelines.changes = NULL;
	*keeps = bookings_begin(d, run, ahead);
	rc = *keeps ? bookings_undo(d) : 0;
	rc = rc ? rc : cluster_begin(&d->cluster, told, n, *keeps);
	if (*keeps)
		return rc;
	timelines_gather(&d->cluster.timelines);
	timelines_gather(&d->cluster.limits);
	return rc;
}

/* `ahead`: what is taken now is booked in time, too, whatever max_reservation says. */
static int prepare(struct dispatch *d, struct run *run, const struct told_instance *told, size_t n, bool ahead)
{
	bool keeps = false;
	int rc;

	d->lines = run->cell->sched.with.monitor && !ahead ? d->wanted_lines : NULL;
	d->now = run->now;
	d->reserves = ahead || run->cell->sched.max_reservation > 0;
	d->timed = d->reserves || run->mirror->state->nadvances > 0;
	d->gives = false;
	advances_free(d);
	pledges_begin(d);
	rc = clear(d, run, told, n, ahead, &keeps);
	rc = rc ? rc : loads_put(run, d);
	if (rc)
		return rc;
	relevant_forget(d);
	changes_begin(&d->changes, d->now);
	if (!d->bookings.keeps)		/* they are told in the end */
		d->cluster.timelines.changes = &d->changes;
	cluster_ready(&d->cluster);
	rc = calendars_put(d, run);
	if (rc)
		return rc;
	d->global_thresholds = load_thresholds_are_global(&d->cluster);
	list_pes(run, d, keeps);
	quotas_begin(d->quotas, host_value, d);
	rc = avoided_find(d, run);
	if (rc == 0)
		rc = categories_begin(&d->categories, run, d);
	return rc ? rc : advances_begin(d, run);
}

/*
 * What there is, and what advance reservations and, if they are `booked`, running tasks have of it.
 */
static int look(struct dispatch *d, struct run *run, bool ahead, bool tasks_booked)
{
	struct told_instance *told;
	size_t n;
	int rc;

	told = told_instances(run, &n);
	rc = told ? prepare(d, run, told, n, ahead) : -ENOMEM;
	if (rc == 0 && tasks_booked)
		rc = running_book(run, d);
	if (d->cluster.timelines.gathers)
		timelines_settle(&d->cluster.timelines);
	if (d->cluster.limits.gathers)
		timelines_settle(&d->cluster.limits);
	d->cluster.timelines.changes = &d->changes;
	free(told);
	return rc;
}

static int look_ahead(struct dispatch *d, struct run *run, bool tasks_booked)
{
	int rc;

	why_begin(d->why, false);
	rc = look(d, run, true, tasks_booked);
	for (size_t i = 0; rc == 0 && i < d->cluster.ninstances; i++)
		d->cluster.instances[i].state = strchr(d->cluster.instances[i].letters, 'o') ? INSTANCE_OUT : INSTANCE_OPEN;
	return rc ? rc : ranking_begin(d);
}

int dispatch_look_ahead(struct dispatch *d, struct run *run)
{
	return look_ahead(d, run, true);
}

int dispatch_look_empty(struct dispatch *d, struct run *run)
{
	return look_ahead(d, run, false);
}

int dispatch_cluster(struct dispatch *d, struct run *run)
{
	int rc;

	why_begin(d->why, run->untold);
	decisions_clear(&d->decisions);
	run->unreached = 0;
	run->counts.suspensions = 0;
	run->next_change = INT64_MAX;
	if (!d->on) {
		run_count_free_slots(run);
		return 0;
	}
	run->unreached = (uint16_t)why_list(d->why);
	why_add(d->why, run->unreached, WHY_NOT_REACHED, NULL, NULL, 0, 0);
	rc = look(d, run, false, true);
	if (rc == 0) {
		load_correct_capacity(&d->cluster);
		rc = d->paused ? 0 : suspensions_find(d, run);
	}
	if (rc == 0) {
		filter(d);
		run->free_slots = d->free_slots + told_alone_free(d, run);
		rc = ranking_begin(d);
	}
	return rc;
}
