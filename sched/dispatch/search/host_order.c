/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of hosts. Grid Engine 8.1.9 has a list of hosts, whose order changes at these
 * moments:
 *
 *   a job is considered       if a job start has changed a sort value, the list is sorted by these
 *                             values (stable sort); otherwise no numbers change for this job
 *   a search for it begins    hosts are numbered along the list: the number increases where the
 *                             value is greater than all values before. The queue list is sorted
 *                             only if the number of some host has changed
 *   a parallel attempt        each host gets as its number its rank in the queue list, or the
 *                             greatest number if none of its instances is suitable; the list is
 *                             sorted by these numbers (stable sort)
 *   a reservation search      hosts are numbered again, along the list in its current order
 *
 * Therefore the numbers after attempts for a job start no longer rank hosts by load: a host that no
 * attempt has used gets the number of the greatest value before it.
 *
 * Here each host has a value instead of a number, by which it is ranked: its own value, or that
 * greatest value. The order is equal. Whether numbers have changed is only found out where it makes
 * a difference. While the queue list is sorted by the last numbers, another sort changes nothing if
 * the numbers have not changed. After an attempt some numbers have changed, since `global` never
 * has the greatest number.
 */
#include "sched/dispatch/search/host_order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/search/parallel.h"

#define GLOBAL_VALUE 0.0

struct number_move {			/* a host is ranked by a different value than before */
	double from, to;
	uint32_t number;		/* number before the move */
};

int host_order_begin(struct dispatch *dispatch)
{
	struct host_order *order = &dispatch->order;
	size_t n = dispatch->cluster.nhosts + 1;

	if (array_grow(&order->hosts, n, sizeof(*order->hosts)) ||
	    array_grow(&order->other, n, sizeof(*order->other)) || array_grow(&order->seen, n, sizeof(*order->seen)) ||
	    array_grow(&order->moves, n, sizeof(*order->moves)) || array_grow(&order->gone, n, sizeof(*order->gone)) ||
	    array_grow(&order->come, n, sizeof(*order->come)) || numbers_begin(&order->numbers, n))
		return -ENOMEM;
	memset(order->seen, 0, n * sizeof(*order->seen));
	order->visits = 0;
	order->state = HOSTS_NUMBERED;
	order->changed = order->is_numbered = order->is_by_place = order->is_noted = order->has_numbers = false;
	order->global = GLOBAL_VALUE;
	return 0;
}

void host_order_free(struct host_order *order)
{
	numbers_free(&order->numbers);
	free(order->hosts);
	free(order->other);
	free(order->seen);
	free(order->moves);
	free(order->gone);
	free(order->come);
	*order = (struct host_order){ 0 };
}

uint32_t host_order_number(const struct dispatch *dispatch, uint32_t host)
{
	return dispatch->order.has_numbers ? numbers_of(&dispatch->order.numbers, dispatch->cluster.hosts[host].ranked)
					   : 0;
}

double host_order_value(const struct dispatch *dispatch, uint32_t number)
{
	return numbers_value(&dispatch->order.numbers, number);
}

void ranking_job(struct dispatch *dispatch)
{
	dispatch->order.changed = dispatch->host_changed;
	if (dispatch->host_changed) {
		dispatch->order.state = HOSTS_SORTED;
		dispatch->order.is_noted = false;
	}
	dispatch->host_changed = false;
}

/* Numbering by load */

/* Start to keep the numbers. Before this call they are not needed. */
static void numbers_keep(struct dispatch *dispatch)
{
	struct host_order *order = &dispatch->order;

	if (order->has_numbers)
		return;
	numbers_add(&order->numbers, order->global);
	for (uint32_t h = 0; h < dispatch->cluster.nhosts; h++)
		numbers_add(&order->numbers, dispatch->cluster.hosts[h].ranked);
	order->has_numbers = true;
}

static void rank(struct host_order *order, double *ranked, double value)
{
	if (order->has_numbers && *ranked != value) {
		numbers_remove(&order->numbers, *ranked);
		numbers_add(&order->numbers, value);
	}
	*ranked = value;
}

static void rank_moved(struct dispatch *dispatch)
{
	rank(&dispatch->order, &dispatch->order.global, GLOBAL_VALUE);
	for (size_t m = 0; m < dispatch->nmoved; m++)
		rank(&dispatch->order, &dispatch->cluster.hosts[dispatch->moved[m]].ranked,
		     dispatch->cluster.hosts[dispatch->moved[m]].value);
}

static bool has_value(const struct numbers *numbers, double value)
{
	return numbers_value(numbers, numbers_of(numbers, value)) == value;
}

static int value_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Keep the values that `others` does not contain, without duplicates and sorted. Return how many
 * there are.
 */
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
 * Return whether each remaining value has the same number of values below it, after some values
 * were removed and others were added.
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

static size_t moves_find(struct dispatch *dispatch)
{
	struct host_order *order = &dispatch->order;
	size_t n = 0;

	if (order->global != GLOBAL_VALUE)
		order->moves[n++] = (struct number_move){ .from = order->global, .to = GLOBAL_VALUE };
	for (size_t m = 0; m < dispatch->nmoved; m++) {
		const struct exec_host *host = &dispatch->cluster.hosts[dispatch->moved[m]];

		if (host->ranked != host->value)
			order->moves[n++] = (struct number_move){ .from = host->ranked, .to = host->value };
	}
	for (size_t m = 0; m < n; m++)
		order->moves[m].number = numbers_of(&order->numbers, order->moves[m].from);
	return n;
}

/* Number the hosts and return whether a number has changed. */
static bool rank_and_compare(struct dispatch *dispatch)
{
	struct host_order *order = &dispatch->order;
	size_t n, ngone, ncome;
	bool same;

	numbers_keep(dispatch);
	n = moves_find(dispatch);
	for (size_t m = 0; m < n; m++) {
		numbers_remove(&order->numbers, order->moves[m].from);
		order->gone[m] = order->moves[m].from;
		order->come[m] = order->moves[m].to;
	}
	ngone = values_of_their_own(order->gone, n, &order->numbers);
	ncome = values_of_their_own(order->come, n, &order->numbers);
	same = others_keep(&order->numbers, order->gone, ngone, order->come, ncome);
	for (size_t m = 0; m < n; m++)
		numbers_add(&order->numbers, order->moves[m].to);
	for (size_t m = 0; m < n; m++)
		same = same && numbers_of(&order->numbers, order->moves[m].to) == order->moves[m].number;
	order->global = GLOBAL_VALUE;
	for (size_t m = 0; m < dispatch->nmoved; m++)
		dispatch->cluster.hosts[dispatch->moved[m]].ranked = dispatch->cluster.hosts[dispatch->moved[m]].value;
	return !same;
}

/* Return whether any number will differ from the initial number 0. */
static bool any_is_not_0(const struct cluster *cluster)
{
	bool any = false;

	for (size_t h = 0; h < cluster->nhosts && !any; h++)
		any = cluster->hosts[h].value != GLOBAL_VALUE;
	return any;
}

/* Number the hosts and return whether the queue list must be sorted. */
static bool number_by_load(struct dispatch *dispatch, bool exactly)
{
	struct host_order *order = &dispatch->order;

	if (dispatch->timed)
		numbers_keep(dispatch);
	if (order->is_by_place || !order->is_numbered || !(exactly || (dispatch->is_stale && !dispatch->placed_soft))) {
		bool first = !order->is_numbered;

		rank_moved(dispatch);
		return !first || any_is_not_0(&dispatch->cluster);
	}
	return rank_and_compare(dispatch);
}

/* Numbering along the order that attempts have left */

static double value_of(const struct dispatch *dispatch, uint32_t host)
{
	return host == dispatch->cluster.nhosts ? GLOBAL_VALUE : dispatch->cluster.hosts[host].value;
}

static int load_compare(const void *a, const void *b, void *context)
{
	double x = value_of(context, *(const uint32_t *)a), y = value_of(context, *(const uint32_t *)b);

	return x < y ? -1 : x > y;
}

static void rank_as_moved(struct dispatch *dispatch, uint32_t host, double value)
{
	if (host == dispatch->cluster.nhosts) {
		rank(&dispatch->order, &dispatch->order.global, value);
		return;
	}
	if (dispatch->cluster.hosts[host].ranked == value)
		return;
	rank(&dispatch->order, &dispatch->cluster.hosts[host].ranked, value);
	ranking_move(dispatch, host);
}

static void number_by_place(struct dispatch *dispatch)
{
	const struct host_order *order = &dispatch->order;
	double most = -INFINITY;

	for (size_t k = 0; order->is_noted && k <= dispatch->cluster.nhosts; k++) {
		most = fmax(most, value_of(dispatch, order->hosts[k]));
		rank_as_moved(dispatch, order->hosts[k], most);
	}
}

void ranking_number(struct dispatch *dispatch, bool exactly)
{
	struct host_order *order = &dispatch->order;

	if (!order->changed)
		return;
	if (order->state == HOSTS_SORTED)
		order->changed = number_by_load(dispatch, exactly);
	else if (order->state == HOSTS_VISITED)
		number_by_place(dispatch);
	else
		order->changed = false;	/* numbered by the search before */
	if (order->state != HOSTS_NUMBERED)
		dispatch->renumberings++;
	dispatch->is_stale = dispatch->is_stale || order->state != HOSTS_NUMBERED;
	order->is_numbered = true;
	order->is_by_place = false;
	order->state = HOSTS_NUMBERED;
}

/*
 * Note the order of hosts: first the hosts in the queue list, in its order, then the others in
 * their present order.
 */
static void visit_note(struct search *search, uint32_t slots)
{
	const struct dispatch *dispatch = search->d;
	struct host_order *order = &search->d->order;
	size_t n = 0, nhosts = dispatch->cluster.nhosts;

	for (uint32_t k = 0; !order->is_noted && k <= nhosts; k++)
		order->hosts[k] = k;
	if (!order->is_noted)
		qsort_r(order->hosts, nhosts + 1, sizeof(*order->hosts), load_compare, search->d);
	order->visits++;
	for (uint32_t i = queue_list_first(&dispatch->list, QUEUE_LIST_NONE); i != QUEUE_LIST_NONE;
	     i = queue_list_next(&dispatch->list, i, QUEUE_LIST_NONE)) {
		uint32_t host = dispatch->cluster.instances[i].host;

		if (order->seen[host] == order->visits || !parallel_queue_counts(search, i, slots))
			continue;
		order->seen[host] = order->visits;
		order->other[n++] = host;
	}
	for (size_t k = 0; k <= nhosts; k++)
		if (order->seen[order->hosts[k]] != order->visits)
			order->other[n++] = order->hosts[k];
	memcpy(order->hosts, order->other, n * sizeof(*order->hosts));
}

void ranking_visit(struct search *search, uint32_t slots)
{
	struct host_order *order = &search->d->order;

	order->state = HOSTS_VISITED;
	order->is_by_place = true;
	if (!order->changed || !search->may_reserve ||
	    (order->is_noted && order->noted_pe == search->with->pe && order->noted_single == (slots == 1)))
		return;
	visit_note(search, slots);
	order->is_noted = true;
	order->noted_pe = search->with->pe;
	order->noted_single = slots == 1;
}
