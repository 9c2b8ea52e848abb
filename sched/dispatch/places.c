/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The services of dispatch for a policy that negotiates: the snapshot of the cluster, the access
 * rules, bookings and decisions (sched/policy/places.h). Reported slots without a queue in the cell
 * are not instances of the cluster; dispatch only knows whether their host is available.
 */
#include "sched/dispatch/places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/lists.h"
#include "sched/dispatch/instances.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/search.h"

/* Open places */

static bool host_is_there(const struct negotiated *negotiated, uint32_t host)
{
	const struct reported_host *reported = reported_host_find(negotiated->run->mirror->state, host);

	return !reported || !reported->down;
}

static bool places_known(void *self, uint32_t reported)
{
	return instance_of(self, reported) != NONE;
}

static bool places_open(void *self, uint32_t reported, uint32_t *slots)
{
	const struct negotiated *negotiated = self;
	uint32_t i = instance_of(negotiated, reported);
	struct cluster *cluster = &negotiated->d->supply.cluster;
	const struct offer *offer;

	*slots = reported_of(negotiated, reported)->slots;
	if (i == NONE)
		return reported_of(negotiated, reported)->state[0] == '\0' &&
		       host_is_there(negotiated, reported_of(negotiated, reported)->host);
	offer = cluster->slots == UINT32_MAX ? NULL : column_offer(&cluster->columns[cluster->slots], LEVEL_QUEUE, i);
	*slots = offer && offer->fixed_text && offer->fixed > 0 ? (uint32_t)fmin(offer->fixed, SLOTS_LIMIT) : 0;
	if (cluster->instances[i].state == INSTANCE_ASIDE)
		return instance_is_full(&negotiated->d->supply.cluster, i) && cluster->instances[i].letters[0] == '\0';
	return cluster->instances[i].state == INSTANCE_OPEN;
}

/* Facts */

/*
 * Get the minimum left on the levels that have the complex. If it is not consumable, the most
 * specific level counts.
 */
static bool fact_find(struct cluster *cluster, uint32_t column_number, uint32_t instance, struct place_fact *fact)
{
	bool any = false;

	for (int level = LEVEL_QUEUE; level >= LEVEL_GLOBAL; level--) {
		struct column *column = &cluster->columns[column_number];
		uint32_t object = level == LEVEL_HOST ? cluster->instances[instance].host : instance;
		const struct offer *offer = column_offer(column, (enum level)level, object);
		double value;

		if (!offer || (!offer->fixed_text && !offer->load_text) || (any && !fact->consumable))
			continue;
		if (column->is_text) {
			fact->text = offer->fixed_text ? offer->fixed_text : offer->load_text;
			return true;
		}
		if (!cluster_value(cluster, column, (enum level)level, object, &value) || !isfinite(value))
			continue;
		fact->left = any ? fmin(fact->left, value) : value;
		value = offer->fixed_text ? offer->fixed : offer->load;
		fact->total = any ? fmin(fact->total, value) : value;
		any = true;
	}
	return any;
}

static int places_facts(void *self, uint32_t reported, int (*each)(void *context, const struct place_fact *fact),
			void *context)
{
	struct negotiated *negotiated = self;
	struct cluster *cluster = &negotiated->d->supply.cluster;
	uint32_t i = instance_of(negotiated, reported);
	int rc = 0;

	for (size_t k = 0; i != NONE && k < negotiated->d->supply.cell->ncomplexes && rc == 0; k++) {
		const struct complex *complex = &negotiated->d->supply.cell->complexes[k];
		uint32_t column = cluster_column(cluster, complex);
		struct place_fact fact = { .name = complex->name, .consumable = complex->consumable != CONSUMABLE_NO };

		if (column == NONE)
			return -ENOMEM;
		if (complex->relop != RELOP_EXCL && fact_find(cluster, column, i, &fact))
			rc = each(context, &fact);
	}
	return rc;
}

/* Admission */

static int places_ready(void *self, uint32_t place)
{
	struct negotiated *negotiated = self;
	struct category *category = categories_of(negotiated->d->categories, negotiated->run->waiting.rows[place]);
	struct search search = { .question = { .category = category, .silent = true },
				 .supply = &negotiated->d->supply,
				 .shared = &negotiated->d->searches };

	if (!category)
		return -ENOMEM;
	prevent_learning(category);
	for (size_t k = 0; k < category->npes; k++) {
		search.with = &category->pes[k];
		match_profiles(&search);
	}
	return 0;
}

static bool fits_statically(struct search *search, uint32_t instance)
{
	uint32_t host = search->supply->cluster.instances[instance].host;
	bool as_master;

	return match_host(search, host) && match_ever(search, instance, &as_master) &&
	       match_has_forced(search, instance) && match_object(search, LEVEL_GLOBAL, 0, 1) &&
	       match_object(search, LEVEL_HOST, host, 1) && match_object(search, LEVEL_QUEUE, instance, 1);
}

static bool category_admits(const struct negotiated *negotiated, struct category *category, uint32_t instance)
{
	struct search search =
		places_search(negotiated, (struct search_question){ .category = category, .counts = COUNT_NOTHING });
	bool admits = false;

	if (!category_is_possible(&search))
		return false;
	for (size_t k = 0; k < category->npes && !admits; k++) {
		search.with = &category->pes[k];
		admits = fits_statically(&search, instance);
	}
	return admits;
}

static bool places_admit(void *self, uint32_t place, uint32_t reported)
{
	const struct negotiated *negotiated = self;
	uint32_t i = instance_of(negotiated, reported);

	/* the category exists, because places_ready() was called */
	return i == NONE ||
	       category_admits(negotiated,
			       categories_of(negotiated->d->categories, negotiated->run->waiting.rows[place]), i);
}

static int places_vacate(void *self, const struct vacation *vacation)
{
	struct negotiated *negotiated = self;
	const struct state *state = negotiated->run->mirror->state;
	struct eviction *eviction =
		array_add(&negotiated->d->decisions.evictions, &negotiated->d->decisions.nevictions, sizeof(*eviction));

	if (!eviction)
		return -ENOMEM;
	*eviction = (struct eviction){ .order = { .queue = strings_text(negotiated->run->strings,
									state->instance_names[vacation->instance]),
						  .reason = vacation->reason,
						  .winner = vacation->winner,
						  .signal = vacation->signal,
						  .retirement_s = vacation->retirement_s,
						  .vacate_s = vacation->vacate_s } };
	if (vacation->task != NONE) {
		eviction->job_number = job_fact(&state->jobs, state->tasks.items[vacation->task].row, number);
		eviction->task = state->tasks.items[vacation->task].id;
	}
	return 0;
}

/* The phase */

static bool all_are_reported_only(const struct dispatch *dispatch, const struct run *run)
{
	for (uint32_t i = 0; dispatch->on && i < run->mirror->state->ninstances; i++)
		if (cluster_instance(&dispatch->supply.cluster, i) != NONE)
			return false;
	return true;
}

int dispatch_negotiate(struct dispatch *dispatch, struct run *run, struct policy *policy, struct orders *orders)
{
	struct negotiated negotiated = { .d = dispatch, .run = run, .policy = policy, .orders = orders };
	const struct places places = { .self = &negotiated,
				       .off = !dispatch->on,
				       .reported_alone = all_are_reported_only(dispatch, run),
				       .known = places_known,
				       .open = places_open,
				       .facts = places_facts,
				       .ready = places_ready,
				       .admits = places_admit,
				       .start = places_start,
				       .start_parallel = places_start_parallel,
				       .vacate = places_vacate };
	int rc;

	run->order.again = false;
	run->order.ranked.n = 0;
	run->counts.reservations = 0;
	rc = policy->kind->negotiate(policy, run, &places);
	places_started_free(&negotiated);
	return rc;
}
