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

#define GLOBAL_VALUE 0.0

struct number_move {			/* a host is ranked by a different value than before */
	double from, to;
	uint32_t number;		/* number before the move */
};

int host_order_begin(struct host_order *order, const struct cluster *cluster, bool keeps_numbers)
{
	size_t n = cluster->nhosts + 1;

	if (array_grow(&order->hosts, n, sizeof(*order->hosts)) ||
	    array_grow(&order->other, n, sizeof(*order->other)) || array_grow(&order->seen, n, sizeof(*order->seen)) ||
	    array_grow(&order->moves, n, sizeof(*order->moves)) || array_grow(&order->gone, n, sizeof(*order->gone)) ||
	    array_grow(&order->come, n, sizeof(*order->come)) || numbers_begin(&order->numbers, n) ||
	    array_grow(&order->moved, n, sizeof(*order->moved)) || array_grow(&order->ranks, n, sizeof(*order->ranks)))
		return -ENOMEM;
	order->cluster = cluster;
	order->keeps_numbers = keeps_numbers;
	memset(order->seen, 0, n * sizeof(*order->seen));
	order->visits = order->renumberings = 0;
	order->nmoved = 0;
	order->state = HOSTS_NUMBERED;
	order->changed = order->is_numbered = order->is_by_place = order->is_noted = order->has_numbers = false;
	order->value_changed = true;		/* the first job finds new numbers for all hosts */
	order->global = GLOBAL_VALUE;
	for (uint32_t h = 0; h < cluster->nhosts; h++) {
		double value = cluster_host_value(cluster, h);

		order->ranks[h] = (struct ranked_host){ .value = value, .ranked = value };
	}
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
	free(order->moved);
	free(order->ranks);
	*order = (struct host_order){ 0 };
}

uint32_t host_order_number(const struct host_order *order, uint32_t host)
{
	return order->has_numbers ? numbers_of(&order->numbers, order->ranks[host].ranked) : 0;
}

double host_order_value(const struct host_order *order, uint32_t number)
{
	return numbers_value(&order->numbers, number);
}

/* Note that the instances of a host may have another place in the list at the next sort. */
static void move(struct host_order *order, uint32_t host)
{
	if (!order->ranks[host].is_moved)
		order->moved[order->nmoved++] = host;
	order->ranks[host].is_moved = true;
}

void host_order_load(struct host_order *order, uint32_t host)
{
	double value = cluster_host_value(order->cluster, host);

	if (value == order->ranks[host].value)
		return;
	order->ranks[host].value = value;
	order->value_changed = true;
	move(order, host);
}

void host_order_settle(struct host_order *order)
{
	size_t n = 0;

	for (size_t m = 0; m < order->nmoved; m++) {
		struct ranked_host *rank = &order->ranks[order->moved[m]];

		rank->is_moved = rank->ranked != rank->value;
		if (rank->is_moved)
			order->moved[n++] = order->moved[m];
	}
	order->nmoved = n;
}

void host_order_job(struct host_order *order)
{
	order->changed = order->value_changed;
	if (order->value_changed) {
		order->state = HOSTS_SORTED;
		order->is_noted = false;
	}
	order->value_changed = false;
}

/* Numbering by load */

/* Start to keep the numbers. Before this call they are not needed. */
static void numbers_keep(struct host_order *order)
{
	if (order->has_numbers)
		return;
	numbers_add(&order->numbers, order->global);
	for (uint32_t h = 0; h < order->cluster->nhosts; h++)
		numbers_add(&order->numbers, order->ranks[h].ranked);
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

static void rank_moved(struct host_order *order)
{
	rank(order, &order->global, GLOBAL_VALUE);
	for (size_t m = 0; m < order->nmoved; m++)
		rank(order, &order->ranks[order->moved[m]].ranked,
		     order->ranks[order->moved[m]].value);
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

static size_t moves_find(struct host_order *order)
{
	size_t n = 0;

	if (order->global != GLOBAL_VALUE)
		order->moves[n++] = (struct number_move){ .from = order->global, .to = GLOBAL_VALUE };
	for (size_t m = 0; m < order->nmoved; m++) {
		const struct ranked_host *host = &order->ranks[order->moved[m]];

		if (host->ranked != host->value)
			order->moves[n++] = (struct number_move){ .from = host->ranked, .to = host->value };
	}
	for (size_t m = 0; m < n; m++)
		order->moves[m].number = numbers_of(&order->numbers, order->moves[m].from);
	return n;
}

/* Number the hosts and return whether a number has changed. */
static bool rank_and_compare(struct host_order *order)
{
	size_t n, ngone, ncome;
	bool same;

	numbers_keep(order);
	n = moves_find(order);
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
	for (size_t m = 0; m < order->nmoved; m++)
		order->ranks[order->moved[m]].ranked = order->ranks[order->moved[m]].value;
	return !same;
}

/* Return whether any number will differ from the initial number 0. */
static bool any_is_not_0(const struct host_order *order)
{
	bool any = false;

	for (size_t h = 0; h < order->cluster->nhosts && !any; h++)
		any = order->ranks[h].value != GLOBAL_VALUE;
	return any;
}

/* Number the hosts and return whether the queue list must be sorted. */
static bool number_by_load(struct host_order *order, bool exactly)
{
	if (order->keeps_numbers)
		numbers_keep(order);
	if (order->is_by_place || !order->is_numbered || !exactly) {
		bool first = !order->is_numbered;

		rank_moved(order);
		return !first || any_is_not_0(order);
	}
	return rank_and_compare(order);
}

/* Numbering along the order that attempts have left */

static double value_of(const struct host_order *order, uint32_t host)
{
	return host == order->cluster->nhosts ? GLOBAL_VALUE : order->ranks[host].value;
}

static int load_compare(const void *a, const void *b, void *context)
{
	double x = value_of(context, *(const uint32_t *)a), y = value_of(context, *(const uint32_t *)b);

	return x < y ? -1 : x > y;
}

static void rank_as_moved(struct host_order *order, uint32_t host, double value)
{
	if (host == order->cluster->nhosts) {
		rank(order, &order->global, value);
		return;
	}
	if (order->ranks[host].ranked == value)
		return;
	rank(order, &order->ranks[host].ranked, value);
	move(order, host);
}

static void number_by_place(struct host_order *order)
{
	double most = -INFINITY;

	for (size_t k = 0; order->is_noted && k <= order->cluster->nhosts; k++) {
		most = fmax(most, value_of(order, order->hosts[k]));
		rank_as_moved(order, order->hosts[k], most);
	}
}

void host_order_renumber(struct host_order *order, bool exactly)
{
	if (!order->changed)
		return;
	if (order->state == HOSTS_SORTED)
		order->changed = number_by_load(order, exactly);
	else if (order->state == HOSTS_VISITED)
		number_by_place(order);
	else
		order->changed = false;	/* numbered by the search before */
	order->renumberings += order->state != HOSTS_NUMBERED;
	order->is_numbered = true;
	order->is_by_place = false;
	order->state = HOSTS_NUMBERED;
}

/* Visits */

bool host_order_visit(struct host_order *order, uint32_t pe, bool single, bool is_noted)
{
	order->state = HOSTS_VISITED;
	order->is_by_place = true;
	if (!order->changed || !is_noted ||
	    (order->is_noted && order->noted_pe == pe && order->noted_single == single))
		return false;
	for (uint32_t k = 0; !order->is_noted && k <= order->cluster->nhosts; k++)
		order->hosts[k] = k;
	if (!order->is_noted)
		qsort_r(order->hosts, order->cluster->nhosts + 1, sizeof(*order->hosts), load_compare, order);
	order->visits++;
	order->nother = 0;
	order->noted_pe = pe;
	order->noted_single = single;
	return true;
}

void host_order_note(struct host_order *order, uint32_t host)
{
	order->seen[host] = order->visits;
	order->other[order->nother++] = host;
}

/* The other hosts follow in their present order. */
void host_order_end(struct host_order *order)
{
	for (size_t k = 0; k <= order->cluster->nhosts; k++)
		if (!host_order_has(order, order->hosts[k]))
			order->other[order->nother++] = order->hosts[k];
	memcpy(order->hosts, order->other, order->nother * sizeof(*order->hosts));
	order->is_noted = true;
}
