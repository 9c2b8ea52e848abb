/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dispatch offers a policy that negotiates: its picture of the cluster, its rules of who may
 * start where, its bookings and its decisions (sched/policy/places.h). Told slots of which the cell
 * has no queue are no instances of the cluster: of these it knows no more than whether their host
 * is there.
 */
#include "sched/dispatch/places.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "conf/lists.h"
#include "sched/dispatch/phase.h"
#include "sched/dispatch/search/categories.h"
#include "sched/dispatch/search/match.h"

/* Open */

static bool host_is_there(const struct negotiated *n, uint32_t host)
{
	const struct told_host *told = told_host_find(n->run->mirror->state, host);

	return !told || !told->down;
}

static bool places_known(void *self, uint32_t told)
{
	return instance_of(self, told) != NONE;
}

static bool places_open(void *self, uint32_t told, uint32_t *slots)
{
	const struct negotiated *n = self;
	uint32_t i = instance_of(n, told);
	struct cluster *c = &n->d->cluster;
	const struct offer *o;

	*slots = told_of(n, told)->slots;
	if (i == NONE)
		return told_of(n, told)->state[0] == '\0' && host_is_there(n, told_of(n, told)->host);
	o = c->slots == UINT32_MAX ? NULL : column_offer(&c->columns[c->slots], LEVEL_QUEUE, i);
	*slots = o && o->fixed_text && o->fixed > 0 ? (uint32_t)fmin(o->fixed, SLOTS_LIMIT) : 0;
	if (c->instances[i].state == INSTANCE_ASIDE)
		return instance_is_full(n->d, i) && c->instances[i].letters[0] == '\0';
	return c->instances[i].state == INSTANCE_OPEN;
}

/* Facts */

/* The least of what is left on the levels that have it; what is no consumable the nearest has. */
static bool fact_find(struct cluster *c, uint32_t column_number, uint32_t instance, struct place_fact *fact)
{
	bool any = false;

	for (int level = LEVEL_QUEUE; level >= LEVEL_GLOBAL; level--) {
		struct column *column = &c->columns[column_number];
		uint32_t object = level == LEVEL_HOST ? c->instances[instance].host : instance;
		const struct offer *o = column_offer(column, (enum level)level, object);
		double value;

		if (!o || (!o->fixed_text && !o->load_text) || (any && !fact->consumable))
			continue;
		if (column->is_text) {
			fact->text = o->fixed_text ? o->fixed_text : o->load_text;
			return true;
		}
		if (!cluster_value(c, column, (enum level)level, object, &value) || !isfinite(value))
			continue;
		fact->left = any ? fmin(fact->left, value) : value;
		value = o->fixed_text ? o->fixed : o->load;
		fact->total = any ? fmin(fact->total, value) : value;
		any = true;
	}
	return any;
}

static int places_facts(void *self, uint32_t told, int (*each)(void *context, const struct place_fact *fact), void *context)
{
	struct negotiated *n = self;
	struct cluster *c = &n->d->cluster;
	uint32_t i = instance_of(n, told);
	int rc = 0;

	for (size_t k = 0; i != NONE && k < n->d->cell->ncomplexes && rc == 0; k++) {
		const struct complex *complex = &n->d->cell->complexes[k];
		uint32_t column = cluster_column(c, complex);
		struct place_fact fact = { .name = complex->name, .consumable = complex->consumable != CONSUMABLE_NO };

		if (column == NONE)
			return -ENOMEM;
		if (complex->relop != RELOP_EXCL && fact_find(c, column, i, &fact))
			rc = each(context, &fact);
	}
	return rc;
}

/* Who may start where */

static int places_ready(void *self, uint32_t place)
{
	struct negotiated *n = self;
	struct category *category = categories_of(n->d->categories, n->run->waiting.rows[place]);
	struct search s = { .d = n->d, .category = category, .silent = true };

	if (!category)
		return -ENOMEM;
	learn_nothing(category);
	for (size_t k = 0; k < category->npes; k++) {
		s.with = &category->pes[k];
		match_profiles(&s);
	}
	return 0;
}

static bool fits_statically(struct search *s, uint32_t instance)
{
	uint32_t host = s->d->cluster.instances[instance].host;
	bool as_master;

	return match_host(s, host) && match_ever(s, instance, &as_master) && match_has_forced(s, instance) &&
	       match_object(s, LEVEL_GLOBAL, 0, 1) && match_object(s, LEVEL_HOST, host, 1) && match_object(s, LEVEL_QUEUE, instance, 1);
}

static bool places_admit(void *self, uint32_t place, uint32_t told)
{
	const struct negotiated *n = self;
	uint32_t i = instance_of(n, told);
	struct category *category;
	struct search s;
	bool admits = false;

	if (i == NONE)
		return true;
	/* it is there: places_ready() */
	category = categories_of(n->d->categories, n->run->waiting.rows[place]);
	s = places_search(n, category);
	s.free = true;
	if (!category_is_possible(&s))
		return false;
	for (size_t k = 0; k < category->npes && !admits; k++) {
		s.with = &category->pes[k];
		admits = fits_statically(&s, i);
	}
	return admits;
}

static int places_vacate(void *self, const struct vacation *v)
{
	struct negotiated *n = self;
	const struct state *state = n->run->mirror->state;
	struct eviction *e = array_add(&n->d->decisions.evictions, &n->d->decisions.nevictions, sizeof(*e));

	if (!e)
		return -ENOMEM;
	*e = (struct eviction){ .order = { .queue = strings_text(n->run->strings, state->instance_names[v->instance]), .reason = v->reason,
					   .winner = v->winner, .signal = v->signal, .retirement_s = v->retirement_s,
					   .vacate_s = v->vacate_s } };
	if (v->task != NONE) {
		e->job_number = job_fact(&state->jobs, state->tasks.items[v->task].row, number);
		e->task = state->tasks.items[v->task].id;
	}
	return 0;
}

/* The phase */

static bool all_are_told_alone(const struct dispatch *d, const struct run *run)
{
	for (uint32_t i = 0; d->on && i < run->mirror->state->ninstances; i++)
		if (cluster_instance(&d->cluster, i) != NONE)
			return false;
	return true;
}

int dispatch_negotiate(struct dispatch *d, struct run *run, struct policy *policy, struct orders *orders)
{
	struct negotiated n = { .d = d, .run = run, .policy = policy, .orders = orders };
	const struct places places = { .self = &n, .off = !d->on, .told_alone = all_are_told_alone(d, run), .known = places_known, .open = places_open,
				       .facts = places_facts, .ready = places_ready, .admits = places_admit, .start = places_start,
				       .start_parallel = places_start_parallel, .vacate = places_vacate };
	int rc;

	run->order.again = false;
	run->order.ranked.n = 0;
	run->counts.reservations = 0;
	rc = policy->kind->negotiate(policy, run, &places);
	places_started_free(&n);
	return rc;
}
