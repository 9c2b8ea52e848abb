/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of slots: a parallel job with a range gets the most slots possible. sched_conf(5),
 * params, PE_RANGE_ALG: `least` goes up until the first failure, `highest` goes down until the
 * first success, `bin` halves; `auto` uses the one with the lowest recent cost. All of them assume
 * that fewer slots are always possible.
 *
 * Each amount is tried on a copy of the search state. What quotas have put out of question for one
 * amount or PE is tried again for the next one.
 *
 * job_load_adjustments are not copied. Therefore Grid Engine 8.1.9 ignores them for the amounts
 * that it tries after it has found one. If the job starts with such an amount, 8.1.9 also ignores
 * them when it checks what the start has overloaded. The fact that there will be room later is not
 * copied either. A job whose amounts have all failed gets a reservation only if the first amount
 * that will ever fit is the smallest one, which is always so with `least`. Otherwise the search
 * continues among the resources that are free now, finds no amount, and assumes that none will ever
 * fit.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/dispatch/search/amounts.h"
#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/match.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/range.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/tag.h"

/* Algorithms */

struct range_search {
	struct search *search;
	const struct amounts *amounts;
	struct grant *best, *other;	/* found; being tried */
	size_t index;			/* index of the amount in `best`; SIZE_MAX: none */
	int runs;
	int rc;			/* -ENOMEM ends the search */
};

static bool try(struct range_search *tries, size_t i)
{
	struct grant *swap = tries->best;
	int rc = parallel_try(tries->search, amounts_at(tries->amounts, i), tries->other);

	if (tries->runs++ == 0)
		rule_out_settle(tries->search);
	if (rc != 0) {
		tries->rc = rc == -ENOENT ? tries->rc : rc;
		return false;
	}
	tries->search->found = true;
	tries->best = tries->other;
	tries->other = swap;
	tries->index = i;
	return true;
}

static void search_upwards(struct range_search *tries)
{
	for (size_t i = 0; i < tries->amounts->n && try(tries, i); i++)
		;
}

/*
 * Search downwards. Amounts greater than all existing slots cannot fit: only the smallest of them
 * is tried, to find out what is missing.
 */
static void search_downwards(struct range_search *tries)
{
	size_t there = amounts_to(tries->amounts, search_is_later(tries->search) ? tries->search->supply->slots.all
									      : tries->search->supply->slots.free);

	for (size_t i = there < tries->amounts->n ? there + 1 : there; i > 0 && tries->rc == 0 && !try(tries, i - 1);
	     i--)
		;
}

/*
 * Halve as Grid Engine 8.1.9 does: the middle is the lower one of two, and an error ends the
 * search.
 */
static void search_by_halves(struct range_search *tries)
{
	size_t low = 0, high = tries->amounts->n;		/* still to be tried: low..high-1 */

	while (low < high && tries->rc == 0) {
		size_t middle = (low + high - 1) / 2;

		if (try(tries, middle))
			low = middle + 1;
		else
			high = middle;
	}
}

static enum pe_range_alg way_of(const struct search *search)
{
	const int32_t *score = search->shared->costs.scores;
	enum pe_range_alg way = search->supply->cell->sched.with.pe_range_alg;

	if (way != PE_RANGE_AUTO)
		return way;
	if (score[COST_BIN] >= score[COST_LEAST] && score[COST_BIN] >= score[COST_HIGHEST])
		return PE_RANGE_BIN;
	return score[COST_HIGHEST] >= score[COST_LEAST] ? PE_RANGE_HIGHEST : PE_RANGE_LEAST;
}

static void charge(int32_t *score, int64_t runs)
{
	int64_t value = (int64_t)*score * 66 / 100 - runs * 100 * 34 / 100;

	*score = value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* Return the number of halvings until one amount is left. */
static int64_t halvings(size_t n)
{
	int64_t runs = 0;

	for (; n > 1; n /= 2)
		runs++;
	return runs;
}

/* Update the cost that each algorithm would have had. Older costs fade. */
static void learn(struct range_costs *costs, enum pe_range_alg way, const struct range_search *search)
{
	int64_t n = (int64_t)search->amounts->n, found = search->index == SIZE_MAX ? -1 : (int64_t)search->index;

	charge(&costs->scores[COST_BIN], way == PE_RANGE_BIN ? search->runs : halvings(search->amounts->n));
	charge(&costs->scores[COST_LEAST], found + 1);
	charge(&costs->scores[COST_HIGHEST], n - found + 1);
}

/* PEs */

static const struct strlist no_list;

/* Find the amounts that this PE could give if it has `left` slots. Return 0, -ENOENT or -ENOMEM. */
static int pe_amounts(struct search *search, uint32_t least, uint32_t left, struct amounts *amounts)
{
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];
	int rc;

	*amounts = (struct amounts){ 0 };
	if (!match_access(search, &pe->user_lists, &pe->xuser_lists, &no_list, &no_list, pe->name))
		return -ENOENT;
	rc = amounts_create(amounts, &search->question.category->ranges, pe, 1, pe->slots);
	if (rc == 0 && amounts->n == 0) {
		uint32_t min = search->question.category->ranges.n > 0 ? search->question.category->ranges.items[0].min
								       : 0;

		match_why(search, WHY_PE_RANGE, pe->name, NULL, min > pe->slots ? min : 0,
			  min > pe->slots ? pe->slots : 0);
		return -ENOENT;
	}
	amounts_free(amounts);
	rc = rc ? rc : amounts_create(amounts, &search->question.category->ranges, pe, least, left);
	if (rc == 0 && amounts->n == 0) {
		match_why(search, WHY_PE_SLOTS, pe->name, NULL, search->question.category->ranges.items[0].min, left);
		return -ENOENT;
	}
	return rc;
}

int parallel_least(struct search *search, uint32_t *slots)
{
	struct amounts amounts;
	int rc = pe_amounts(search, 1, search->supply->cell->pes[search->with->pe].slots, &amounts);

	*slots = search->question.category->ranges.items[0].min;
	amounts_free(&amounts);
	return rc;
}

/* Return the index that is tried first among amounts 0..n-1, all of which fail. */
static size_t tried_of(enum pe_range_alg way, size_t n)
{
	return way == PE_RANGE_LEAST ? 0 : way == PE_RANGE_HIGHEST ? n - 1 : (n - 1) / 2;
}

/*
 * Repeat the failed search. Amounts greater than all existing slots are skipped: with `highest`
 * they come first.
 */
static int retry_failed(struct search *search, const struct amounts *amounts, parallel_test *test, struct grant *spare)
{
	enum pe_range_alg way = search->with->way;
	size_t there = amounts_to(amounts, search->supply->slots.all),
	       n = way == PE_RANGE_HIGHEST && there < amounts->n ? there : amounts->n, i;
	int rc = -ENOENT;

	for (; n > 0 && rc == -ENOENT; n = i) {
		i = tried_of(way, n);
		rc = test(search, amounts_at(amounts, i), spare);
		if (rc == 0)
			return i == 0 ? 0 : -ENOENT;
	}
	return rc;
}

int parallel_retry_failed(struct search *search, parallel_test *test, struct grant *spare)
{
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];
	const struct search now = search_at(search, search->supply->now);
	struct amounts amounts;
	uint32_t left;
	int rc;

	left = match_pe_left(&now);
	rc = amounts_create(&amounts, &search->question.category->ranges, pe, 1, left);
	if (rc == 0 && amounts.n == 0) {
		amounts_free(&amounts);
		rc = amounts_create(&amounts, &search->question.category->ranges, pe, 1, pe->slots);
		amounts.n = amounts.n > 0;
	}
	rc = rc ? rc : retry_failed(search, &amounts, test, spare);
	amounts_free(&amounts);
	return rc;
}

/*
 * Find the amount that is tried first; 0: none. The number of slots that the PE has left makes no
 * difference.
 */
static int first_tried(const struct search *search, uint32_t least, enum pe_range_alg way, uint32_t *slots)
{
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];
	struct amounts amounts;
	int rc = amounts_create(&amounts, &search->question.category->ranges, pe, least, pe->slots);

	if (rc == 0)
		*slots = amounts_at(&amounts, amounts.n ? tried_of(way, amounts.n) : 0);
	amounts_free(&amounts);
	return rc;
}

/* Return a search that only rules out hosts. */
static struct search ruling_out(const struct search *search)
{
	struct search_question question = search->question;

	question.purpose = SEARCH_RULE_OUT;
	question.silent = true;
	return search_with(search, question);
}

/*
 * Make an attempt for the first amount only to rule out hosts. The real search finds the amount and
 * the quota results itself. It visits these hosts in its first attempt. If that is for another
 * amount, because the PE has too few slots left, it does not visit them at all.
 */
static int rule_out(struct search *search, uint32_t least, enum pe_range_alg way, const struct amounts *amounts,
		    struct grant *spare)
{
	struct search first = ruling_out(search);
	uint32_t slots = 0;
	int rc;

	if (!search->question.shares || search->supply->cell->pes[search->with->pe].rule != RULE_PE_SLOTS)
		return 0;
	rc = first_tried(search, least, way, &slots);
	if (rc || slots == 0 || slots > match_pe_left(search))
		return rc;
	rc = parallel_try(&first, slots, spare);
	if (amounts_at(amounts, tried_of(way, amounts->n)) != slots)
		rule_out_settle(search);
	return rc == -ENOENT ? 0 : rc;
}

int parallel_most(struct search *search, uint32_t least, struct grant *grant)
{
	enum pe_range_alg way = way_of(search);
	struct grant spare = { 0 };
	struct amounts amounts;
	struct range_search range_search = {
		.search = search, .amounts = &amounts, .best = grant, .other = &spare, .index = SIZE_MAX
	};
	int rc = pe_amounts(search, least, match_pe_left(search), &amounts);

	search->found = false;
	search->with->way = search_is_later(search) ? search->with->way : way;
	if (rc == 0)
		rc = rule_out(search, least, way, &amounts, &spare);
	if (rc == 0) {
		if (amounts.n == 1)
			try(&range_search, 0);
		else if (way == PE_RANGE_LEAST)
			search_upwards(&range_search);
		else if (way == PE_RANGE_HIGHEST)
			search_downwards(&range_search);
		else
			search_by_halves(&range_search);
		if (amounts.n > 1)
			learn(&search->shared->costs, way, &range_search);
		rc = range_search.rc ? range_search.rc : range_search.index == SIZE_MAX ? -ENOENT : 0;
	}
	if (range_search.best != grant) {
		struct grant swap = *grant;

		*grant = spare;
		spare = swap;
	}
	grant_free(&spare);
	amounts_free(&amounts);
	return rc;
}

/*
 * Prefer more slots, then fewer violations; of equal grants the first is kept. Fewer slots than
 * were found already are not tried.
 */
static bool is_better(const struct grant *a, const struct grant *b)
{
	return a->slots != b->slots ? a->slots > b->slots : a->violations < b->violations;
}

/* Prepare what a search for a later time stores for each host. */
static int capacity_begin(struct search *search)
{
	uint32_t slots;
	int rc = parallel_least(search, &slots);

	return rc ? rc : host_room_begin(search, slots);
}

int search_parallel(struct search *search, struct grant *grant)
{
	struct grant found = { 0 };
	bool any = false;
	int rc = 0;

	ranking_number(&search->shared->ranking, search->question.may_reserve);
	tags_reset(&search->shared->tags);
	for (size_t i = 0; i < search->question.category->npes; i++) {
		search->with = &search->question.category->pes[i];
		rc = search_is_later(search) ? capacity_begin(search) : 0;
		if (rc == 0)
			rc = parallel_most(search, any ? grant->slots : 1, &found);
		if (rc == -ENOMEM)
			break;
		if (rc == 0 && (!any || is_better(&found, grant))) {
			struct grant swap = *grant;

			*grant = found;
			found = swap;
			any = true;
		}
	}
	grant_free(&found);
	return rc == -ENOMEM ? rc : any ? 0 : -ENOENT;
}
