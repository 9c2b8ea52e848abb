/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of hosts. 8.1.9 has a list of hosts, which is in another order at different moments:
 *
 *   a job is looked at        if a start has changed a sort value, the list is sorted by these
 *                             values, stably; else nothing is numbered for this job
 *   a search for it begins    hosts are numbered along the list: the number rises where the value
 *                             is greater than all before. The queue list is only sorted if the
 *                             number of some host is not the one that it had last
 *   a parallel attempt        each host gets the number of its place among those that the queue
 *                             list meets, or the greatest one if none of its instances is in
 *                             question; the list is sorted by these numbers, stably
 *   a reservation is sought   hosts are numbered once more, along the list as it is by then
 *
 * So after attempts for a start the numbers are no ranks by load any more: a host that no attempt was
 * about gets the number of the greatest value before it.
 *
 * Instead of numbers each host has a value by which it is ranked: its own, or that greatest one. It
 * has the same order. That numbers have not changed is only found out where it makes a difference:
 * as long as the queue list is sorted by the last numbers, one more sort changes nothing if
 * they have not. After an attempt some have: no number of `global` is ever the greatest one.
 */
#include "sched/dispatch/search/host_order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"

#define GLOBAL_VALUE 0.0

struct number_move {			/* a host is ranked by another value than before */
	double from, to;
	uint32_t number;		/* before */
};

int host_order_begin(struct dispatch *d)
{
	struct host_order *o = &d->order;
	size_t n = d->cluster.nhosts + 1;

	if (array_grow(&o->hosts, n, sizeof(*o->hosts)) || array_grow(&o->other, n, sizeof(*o->other)) ||
	    array_grow(&o->seen, n, sizeof(*o->seen)) || array_grow(&o->moves, n, sizeof(*o->moves)) ||
	    array_grow(&o->gone, n, sizeof(*o->gone)) || array_grow(&o->come, n, sizeof(*o->come)) || numbers_begin(&o->numbers, n))
		return -ENOMEM;
	memset(o->seen, 0, n * sizeof(*o->seen));
	o->visits = 0;
	o->state = HOSTS_NUMBERED;
	o->changed = o->is_numbered = o->is_by_place = o->is_noted = o->has_numbers = false;
	o->global = GLOBAL_VALUE;
	return 0;
}

void host_order_free(struct host_order *o)
{
	numbers_free(&o->numbers);
	free(o->hosts);
	free(o->other);
	free(o->seen);
	free(o->moves);
	free(o->gone);
	free(o->come);
	*o = (struct host_order){ 0 };
}

uint32_t host_order_number(const struct dispatch *d, uint32_t host)
{
	return d->order.has_numbers ? numbers_of(&d->order.numbers, d->cluster.hosts[host].ranked) : 0;
}

double host_order_value(const struct dispatch *d, uint32_t number)
{
	return numbers_value(&d->order.numbers, number);
}

void ranking_job(struct dispatch *d)
{
	d->order.changed = d->host_changed;
	if (d->host_changed) {
		d->order.state = HOSTS_SORTED;
		d->order.is_noted = false;
	}
	d->host_changed = false;
}

/* Numbering by load */

/* From now on they are kept: before, they are worth nothing. */
static void numbers_keep(struct dispatch *d)
{
	struct host_order *o = &d->order;

	if (o->has_numbers)
		return;
	numbers_add(&o->numbers, o->global);
	for (uint32_t h = 0; h < d->cluster.nhosts; h++)
		numbers_add(&o->numbers, d->cluster.hosts[h].ranked);
	o->has_numbers = true;
}

static void rank(struct host_order *o, double *ranked, double value)
{
	if (o->has_numbers && *ranked != value) {
		numbers_remove(&o->numbers, *ranked);
		numbers_add(&o->numbers, value);
	}
	*ranked = value;
}

static void rank_moved(struct dispatch *d)
{
	rank(&d->order, &d->order.global, GLOBAL_VALUE);
	for (size_t m = 0; m < d->nmoved; m++)
		rank(&d->order, &d->cluster.hosts[d->moved[m]].ranked, d->cluster.hosts[d->moved[m]].value);
}

static bool has_value(const struct numbers *n, double value)
{
	return numbers_value(n, numbers_of(n, value)) == value;
}

static int value_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Those of n values, sorted, that `others` don't have, each once; how many. */
static size_t values_of_their_own(double *values, size_t n, const struct numbers *others)
{
	size_t own = 0;

	qsort(values, n, sizeof(*values), value_compare);
	for (size_t k = 0; k < n; k++)
		if ((own == 0 || values[own - 1] != values[k]) && !has_value(others, values[k]))
			values[own++] = values[k];
	return own;
}

/*
 * Some values are gone, others have come. Has one of the values that stay as many below it as
 * before?
 */
static bool others_keep(const struct numbers *stay, const double *gone, size_t ngone, const double *come, size_t ncome)
{
	size_t g = 0, c = 0;

	while (g < ngone || c < ncome) {
		double at = g < ngone && (c == ncome || gone[g] < come[c]) ? gone[g] : come[c], next;

		g += g < ngone && gone[g] == at;
		c += c < ncome && come[c] == at;
		next = g < ngone && (c == ncome || gone[g] < come[c]) ? gone[g] : c < ncome ? come[c] : INFINITY;
		if (g != c && numbers_of(stay, next) > numbers_of(stay, at))
			return false;
	}
	return true;
}

static size_t moves_find(struct dispatch *d)
{
	struct host_order *o = &d->order;
	size_t n = 0;

	if (o->global != GLOBAL_VALUE)
		o->moves[n++] = (struct number_move){ .from = o->global, .to = GLOBAL_VALUE };
	for (size_t m = 0; m < d->nmoved; m++) {
		const struct exec_host *host = &d->cluster.hosts[d->moved[m]];

		if (host->ranked != host->value)
			o->moves[n++] = (struct number_move){ .from = host->ranked, .to = host->value };
	}
	for (size_t m = 0; m < n; m++)
		o->moves[m].number = numbers_of(&o->numbers, o->moves[m].from);
	return n;
}

/* Numbers them, and says whether a number has changed by that. */
static bool rank_and_compare(struct dispatch *d)
{
	struct host_order *o = &d->order;
	size_t n, ngone, ncome;
	bool same;

	numbers_keep(d);
	n = moves_find(d);
	for (size_t m = 0; m < n; m++) {
		numbers_remove(&o->numbers, o->moves[m].from);
		o->gone[m] = o->moves[m].from;
		o->come[m] = o->moves[m].to;
	}
	ngone = values_of_their_own(o->gone, n, &o->numbers);
	ncome = values_of_their_own(o->come, n, &o->numbers);
	same = others_keep(&o->numbers, o->gone, ngone, o->come, ncome);
	for (size_t m = 0; m < n; m++)
		numbers_add(&o->numbers, o->moves[m].to);
	for (size_t m = 0; m < n; m++)
		same = same && numbers_of(&o->numbers, o->moves[m].to) == o->moves[m].number;
	o->global = GLOBAL_VALUE;
	for (size_t m = 0; m < d->nmoved; m++)
		d->cluster.hosts[d->moved[m]].ranked = d->cluster.hosts[d->moved[m]].value;
	return !same;
}

/* All numbers are 0 at first. */
static bool any_is_not_0(const struct cluster *c)
{
	bool any = false;

	for (size_t h = 0; h < c->nhosts && !any; h++)
		any = c->hosts[h].value != GLOBAL_VALUE;
	return any;
}

/* Whether the queue list is to be sorted. */
static bool number_by_load(struct dispatch *d, bool exactly)
{
	struct host_order *o = &d->order;

	if (d->timed)
		numbers_keep(d);
	if (o->is_by_place || !o->is_numbered || !(exactly || (d->is_stale && !d->placed_soft))) {
		bool first = !o->is_numbered;

		rank_moved(d);
		return !first || any_is_not_0(&d->cluster);
	}
	return rank_and_compare(d);
}

/* Numbering along the order that attempts have left */

static double value_of(const struct dispatch *d, uint32_t host)
{
	return host == d->cluster.nhosts ? GLOBAL_VALUE : d->cluster.hosts[host].value;
}

static int load_compare(const void *a, const void *b, void *context)
{
	double x = value_of(context, *(const uint32_t *)a), y = value_of(context, *(const uint32_t *)b);

	return x < y ? -1 : x > y;
}

static void rank_as_moved(struct dispatch *d, uint32_t host, double value)
{
	if (host == d->cluster.nhosts) {
		rank(&d->order, &d->order.global, value);
		return;
	}
	if (d->cluster.hosts[host].ranked == value)
		return;
	rank(&d->order, &d->cluster.hosts[host].ranked, value);
	ranking_move(d, host);
}

static void number_by_place(struct dispatch *d)
{
	const struct host_order *o = &d->order;
	double most = -INFINITY;

	for (size_t k = 0; o->is_noted && k <= d->cluster.nhosts; k++) {
		most = fmax(most, value_of(d, o->hosts[k]));
		rank_as_moved(d, o->hosts[k], most);
	}
}

void ranking_number(struct dispatch *d, bool exactly)
{
	struct host_order *o = &d->order;

	if (!o->changed)
		return;
	if (o->state == HOSTS_SORTED)
		o->changed = number_by_load(d, exactly);
	else if (o->state == HOSTS_VISITED)
		number_by_place(d);
	else
		o->changed = false;	/* as the search before has numbered them */
	if (o->state != HOSTS_NUMBERED)
		d->renumberings++;
	d->is_stale = d->is_stale || o->state != HOSTS_NUMBERED;
	o->is_numbered = true;
	o->is_by_place = false;
	o->state = HOSTS_NUMBERED;
}

/* Those that the queue list meets come first, in its order; the others stay as they are. */
static void visit_note(struct search *s, uint32_t slots)
{
	const struct dispatch *d = s->d;
	struct host_order *o = &s->d->order;
	size_t n = 0, nhosts = d->cluster.nhosts;

	for (uint32_t k = 0; !o->is_noted && k <= nhosts; k++)
		o->hosts[k] = k;
	if (!o->is_noted)
		qsort_r(o->hosts, nhosts + 1, sizeof(*o->hosts), load_compare, s->d);
	o->visits++;
	for (uint32_t i = queue_list_first(&d->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE; i = queue_list_next(&d->list, i, QUEUE_LIST_NONE)) {
		uint32_t host = d->cluster.instances[i].host;

		if (o->seen[host] == o->visits || !parallel_queue_counts(s, i, slots))
			continue;
		o->seen[host] = o->visits;
		o->other[n++] = host;
	}
	for (size_t k = 0; k <= nhosts; k++)
		if (o->seen[o->hosts[k]] != o->visits)
			o->other[n++] = o->hosts[k];
	memcpy(o->hosts, o->other, n * sizeof(*o->hosts));
}

void ranking_visit(struct search *s, uint32_t slots)
{
	struct host_order *o = &s->d->order;

	o->state = HOSTS_VISITED;
	o->is_by_place = true;
	if (!o->changed || !s->may_reserve || (o->is_noted && o->noted_pe == s->with->pe && o->noted_single == (slots == 1)))
		return;
	visit_note(s, slots);
	o->is_noted = true;
	o->noted_pe = s->with->pe;
	o->noted_single = slots == 1;
}
