/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepare the data of a run's dispatch before anything else is computed: instances and hosts as the
 * qmaster reported them, usage of running tasks, loads and alarms. After this phase the run knows
 * how many slots are free.
 */
#include "sched/dispatch/phase.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "sched/dispatch/advances.h"
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/instances.h"
#include "sched/dispatch/reserve/reserve.h"
#include "sched/dispatch/running.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/parallel.h"

/* Reported instances */

/* cluster queues in the order of their first report, instances by place */
struct instance_order {
	uint64_t queue, place;
	uint32_t instance;
};

static int instance_order_compare(const void *a, const void *b)
{
	const struct instance_order *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool host_is_there(const struct state *state, uint32_t host)
{
	const struct reported_host *reported = reported_host_find(state, host);

	return !reported || !reported->down;
}

static const char *name_of(const struct run *run, uint32_t instance)
{
	return strings_text(run->strings, run->mirror->state->instance_names[instance]);
}

/* Set the place of each cluster queue to that of its first instance. */
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

/* List all instances in Grid Engine's list order. Return NULL if memory is exhausted. */
static struct reported_instance *reported_instances(const struct run *run, size_t *n)
{
	const struct state *state = run->mirror->state;
	struct instance_order *order = malloc((state->ninstances + 1) * sizeof(*order));
	struct reported_instance *reported = malloc((state->ninstances + 1) * sizeof(*reported));
	uint64_t *places = malloc((run->cell->nqueues + 1) * sizeof(*places));

	*n = state->ninstances;
	if (order && reported && places) {
		queue_places(run, run->cell, places);
		for (uint32_t i = 0; i < *n; i++)
			order[i] = (struct instance_order){ places[cluster_queue_number(run->cell, name_of(run, i))],
							    state->instances[i].place, i };
		qsort(order, *n, sizeof(*order), instance_order_compare);
		for (size_t k = 0; k < *n; k++) {
			const struct instance *instance = &state->instances[order[k].instance];

			reported[k] = (struct reported_instance){ .name = name_of(run, order[k].instance),
								  .letters = instance->state,
								  .slots = instance->slots,
								  .reported = order[k].instance,
								  .available = host_is_there(state, instance->host) };
		}
	} else {
		free(reported);
		reported = NULL;
	}
	free(order);
	free(places);
	return reported;
}

/*
 * List the PEs by name. Used PEs come after the others, by their last use. There are few, so
 * insertion sort is used.
 */
static void list_pes(const struct run *run, struct supply *supply, bool keeps)
{
	for (uint32_t i = 0; i < supply->cell->npes; i++) {
		uint32_t name = strings_find(run->strings, supply->cell->pes[i].name), k = i;

		supply->pes[i] =
			(struct pe_state){ .line = keeps ? supply->pes[i].line : TIMELINE_EMPTY,
					   .place = name == NONE ? 0 : used_pe_place(run->mirror->state, name) };
		for (; k > 0 &&
		       supply->pes[supply->pe_list[k - 1]].place > supply->pes[i].place;
		     k--)
			supply->pe_list[k] = supply->pe_list[k - 1];
		supply->pe_list[k] = i;
	}
}

/* Replace loads from files by reported loads. Their texts belong to the mirror. */
static int loads_put(const struct run *run, struct dispatch *dispatch)
{
	const struct state *state = run->mirror->state;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < state->nhosts; i++)
		n += state->hosts[i].nload;
	if (array_grow(&dispatch->loads, n + 1, sizeof(*dispatch->loads)))
		return -ENOMEM;
	for (size_t i = 0; i < state->nhosts; i++) {
		const struct reported_host *reported = &state->hosts[i];
		const char *name = strings_text(run->strings, state->host_names[i]);
		uint32_t host = strcmp(name, "global") == 0 ? GLOBAL_HOST
							    : cluster_host(&dispatch->supply.cluster, name);

		if (!reported->has_load || (host == UINT32_MAX && strcmp(name, "global") != 0))
			continue;
		for (size_t k = 0; k < reported->nload; k++)
			dispatch->loads[at + k] =
				(struct load_text){ strings_text(run->strings, reported->load[k].name),
						    strings_text(run->strings, reported->load[k].value) };
		cluster_load(&dispatch->supply.cluster, host, &dispatch->loads[at], reported->nload);
		at += reported->nload;
	}
	return 0;
}

/*
 * Count the free slots of reported instances that no queue of the cell has. Only the qmaster limits
 * them.
 */
static uint64_t reported_only_free(const struct dispatch *dispatch, const struct run *run)
{
	const struct state *state = run->mirror->state;
	uint64_t *used = NULL, slots = 0;

	for (uint32_t i = 0; i < state->ninstances; i++) {
		const struct instance *reported = &state->instances[i];

		if (!reported->ad || cluster_instance(&dispatch->supply.cluster, i) != UINT32_MAX)
			continue;
		if (!used && !(used = reported_used_slots(state)))
			return 0;
		if (reported->state[0] == '\0' && !reported->claim && host_is_there(state, reported->host) &&
		    reported->slots > used[i])
			slots += reported->slots - used[i];
	}
	free(used);
	return slots;
}

/* The phase */

static double host_value(void *context, uint32_t host, const char *name, bool *known)
{
	struct supply *supply = context;
	const struct complex *complex = cell_complex(supply->cell, name);
	uint32_t column = complex ? supply->cluster.column_of[complex - supply->cell->complexes] : UINT32_MAX;
	double value = 0.0;

	*known = column != UINT32_MAX &&
		 cluster_value(&supply->cluster, &supply->cluster.columns[column], LEVEL_HOST, host, &value);
	return value;
}

/* Reset usage. `keeps`: bookings in time are those that the previous run has left. */
static int clear(struct dispatch *dispatch, const struct run *run, const struct reported_instance *reported, size_t n,
		 bool ahead, bool *keeps)
{
	int rc = 0;

	if (!cluster_is_of(&dispatch->supply.cluster, run->cell, reported, n))
		rc = dispatch_learn(dispatch, run->cell, reported, n);
	if (rc) {
		/* a partial state is useless to the next run */
		dispatch_forget(dispatch);
		return rc;
	}
	dispatch->supply.cluster.timelines.changes = NULL;
	*keeps = bookings_begin(&dispatch->bookings, run, !ahead && !dispatch->lines);
	rc = *keeps ? bookings_undo(&dispatch->bookings) : 0;
	rc = rc ? rc : cluster_begin(&dispatch->supply.cluster, reported, n, *keeps);
	if (*keeps)
		return rc;
	timelines_gather(&dispatch->supply.cluster.timelines);
	timelines_gather(&dispatch->supply.cluster.limits);
	return rc;
}

/* Prepare a run. `ahead`: keep current usage in time, whatever max_reservation is. */
static int prepare(struct dispatch *dispatch, struct run *run, const struct reported_instance *reported, size_t n,
		   bool ahead)
{
	bool keeps = false;
	int rc;

	dispatch->lines = run->cell->sched.with.monitor && !ahead ? dispatch->wanted_lines : NULL;
	dispatch->supply.now = run->now;
	dispatch->supply.reserves = ahead || run->cell->sched.max_reservation > 0;
	dispatch->supply.timed = dispatch->supply.reserves || run->mirror->state->nadvances > 0;
	dispatch->supply.gives = false;
	advances_free(&dispatch->supply.advances);
	pledges_begin(&dispatch->searches.pledges);
	rc = clear(dispatch, run, reported, n, ahead, &keeps);
	rc = rc ? rc : loads_put(run, dispatch);
	if (rc)
		return rc;
	relevant_forget(&dispatch->reservations);
	changes_begin(&dispatch->reservations.changes, dispatch->supply.now);
	if (!dispatch->bookings.keeps)		/* they are reported at the end */
		dispatch->supply.cluster.timelines.changes = &dispatch->reservations.changes;
	cluster_ready(&dispatch->supply.cluster);
	rc = calendars_put(&dispatch->calendars, &dispatch->supply, &dispatch->reservations.changes, run);
	if (rc)
		return rc;
	list_pes(run, &dispatch->supply, keeps);
	quotas_begin(dispatch->supply.quotas, host_value, &dispatch->supply);
	rc = avoided_find(&dispatch->searches.avoided, &dispatch->supply.cluster, run);
	if (rc == 0)
		rc = categories_begin(&dispatch->categories, run, &dispatch->supply, dispatch->why);
	return rc ? rc : advances_begin(&dispatch->bookings, run);
}

/* Set up the cluster, and book advance reservations and, with `tasks_booked`, running tasks. */
static int set_up(struct dispatch *dispatch, struct run *run, bool ahead, bool tasks_booked)
{
	struct reported_instance *reported;
	size_t n;
	int rc;

	reported = reported_instances(run, &n);
	rc = reported ? prepare(dispatch, run, reported, n, ahead) : -ENOMEM;
	if (rc == 0 && tasks_booked)
		rc = running_book(&dispatch->bookings, dispatch->categories, run, dispatch->lines);
	if (dispatch->supply.cluster.timelines.gathers)
		timelines_settle(&dispatch->supply.cluster.timelines);
	if (dispatch->supply.cluster.limits.gathers)
		timelines_settle(&dispatch->supply.cluster.limits);
	dispatch->supply.cluster.timelines.changes = &dispatch->reservations.changes;
	free(reported);
	return rc;
}

/* Begin the searches of a run, with the open instances. */
static int begin_searches(struct dispatch *dispatch)
{
	int rc = searches_begin(&dispatch->searches, &dispatch->supply);

	return rc ? rc : review_begin(&dispatch->review, &dispatch->supply, &dispatch->searches);
}

static int set_up_ahead(struct dispatch *dispatch, struct run *run, bool tasks_booked)
{
	int rc;

	why_begin(dispatch->why, false);
	rc = set_up(dispatch, run, true, tasks_booked);
	for (size_t i = 0; rc == 0 && i < dispatch->supply.cluster.ninstances; i++)
		dispatch->supply.cluster.instances[i].state =
			strchr(dispatch->supply.cluster.instances[i].letters, 'o') ? INSTANCE_OUT : INSTANCE_OPEN;
	return rc ? rc : begin_searches(dispatch);
}

int dispatch_look_ahead(struct dispatch *dispatch, struct run *run)
{
	return set_up_ahead(dispatch, run, true);
}

int dispatch_look_empty(struct dispatch *dispatch, struct run *run)
{
	return set_up_ahead(dispatch, run, false);
}

int dispatch_cluster(struct dispatch *dispatch, struct run *run)
{
	int rc;

	why_begin(dispatch->why, run->unreported);
	decisions_clear(&dispatch->decisions);
	run->unreached = 0;
	run->counts.suspensions = 0;
	run->next_change = INT64_MAX;
	if (!dispatch->on) {
		run_count_free_slots(run);
		return 0;
	}
	run->unreached = (uint16_t)why_list(dispatch->why);
	why_add(dispatch->why, run->unreached, WHY_NOT_REACHED, NULL, NULL, 0, 0);
	rc = set_up(dispatch, run, false, true);
	if (rc == 0) {
		load_correct_capacity(&dispatch->supply.cluster);
		rc = dispatch->paused ? 0 : suspensions_find(&dispatch->supply, &dispatch->decisions, run);
	}
	if (rc == 0) {
		instances_filter(&dispatch->supply, dispatch->why);
		run->free_slots = dispatch->supply.slots.free + reported_only_free(dispatch, run);
		rc = begin_searches(dispatch);
	}
	return rc;
}
