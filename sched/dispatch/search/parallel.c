/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel jobs: sge_pe(5), allocation_rule. An attempt is for one PE and one number of slots.
 * Hosts are visited in the order of the queue list, and each host gives slots from its instances,
 * in the order of that list.
 *
 *   a number, $pe_slots    exactly that many slots on each host that is used
 *   $fill_up               all free slots, host by host
 *   $round_robin           one slot per host and round, until a round finds no slot
 *
 * The master queue: as long as there is none, an instance that cannot be the master queue leaves
 * the last slot to others. On the host that provides it, each new instance that could be the master
 * queue is put at the head of the list. Therefore the last of them becomes the master queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "sched/dispatch/search/attempt.h"
#include "sched/dispatch/search/host_room.h"
#include "sched/dispatch/search/parallel.h"
#include "sched/dispatch/search/queue_check.h"
#include "sched/dispatch/search/quota_use.h"
#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/tag.h"

int parallel_begin(struct parallel *parallel, size_t nhosts)
{
	if (array_grow(&parallel->visited, nhosts + 1, sizeof(*parallel->visited)))
		return -ENOMEM;
	memset(parallel->visited, 0, nhosts * sizeof(*parallel->visited));
	parallel->attempts = 0;
	return 0;
}

void parallel_free(struct parallel *parallel)
{
	free(parallel->visits);
	free(parallel->places);
	free(parallel->visited);
	free(parallel->violations);
	free(parallel->instances);
}

/* Taking slots */

/*
 * Return how many of `due` slots a place can give. It never gives the last slot of the job if the
 * master task still needs a place elsewhere.
 */
static uint32_t place_share(struct host_attempt *attempt, const struct tried_instance *place, uint32_t due,
			    uint32_t taken, bool master_here)
{
	uint32_t slots = due < place->left ? due : place->left;

	if (place->master_only && !attempt->has_master && slots > 1)
		slots = 1;
	if (!attempt->has_master && !master_here && !place->is_master && slots > 0 &&
	    attempt->found + taken + slots == attempt->wanted)
		slots--;
	return slots ? match_quotas(attempt->search, place->instance, slots) : 0;
}

static void give_back(struct host_attempt *attempt, const struct visit *visit, const uint32_t *taken)
{
	for (uint32_t k = 0; k < visit->n; k++)
		if (taken[k])
			quota_take(attempt->search, attempt->scratch->places[visit->first + k].instance, taken[k],
				   QUOTA_GIVE_BACK);
}

/*
 * When Grid Engine 8.1.9 adds up what will be available after all bookings have ended, it ignores
 * what earlier rounds have taken.
 */
static bool counts_rounds(const struct host_attempt *attempt)
{
	return !search_is_forecast(attempt->search) ||
	       attempt->search->supply->cell->pes[attempt->search->with->pe].rule != RULE_ROUND_ROBIN;
}

static int keep(struct host_attempt *attempt, struct visit *visit, const uint32_t *taken, uint32_t sum)
{
	bool brings_master = false;

	for (uint32_t k = 0; k < visit->n; k++)
		if (taken[k])
			brings_master |= attempt->scratch->places[visit->first + k].is_master;
	for (uint32_t k = 0; k < visit->n; k++) {
		struct tried_instance *place = &attempt->scratch->places[visit->first + k];

		if (!taken[k])
			continue;
		place->left -= counts_rounds(attempt) ? taken[k] : 0;
		if (grant_add(attempt->grant, place->instance, taken[k], !attempt->has_master && place->is_master))
			return -ENOMEM;
	}
	visit->left -= counts_rounds(attempt) ? sum : 0;
	attempt->found += sum;
	attempt->has_master |= brings_master;
	return 0;
}

/* Take slots from a host. Return 1 if it gave some, 0 if not, or -ENOMEM. */
static int host_take(struct host_attempt *attempt, struct visit *visit, uint32_t due)
{
	uint32_t *taken = calloc(visit->n + 1, sizeof(*taken)), sum = 0;
	bool master_here = false;
	int rc = 0;

	if (!taken)
		return -ENOMEM;
	for (uint32_t k = 0; k < visit->n && sum < due && rc == 0; k++) {
		const struct tried_instance *place = &attempt->scratch->places[visit->first + k];

		taken[k] = place_share(attempt, place, due - sum, sum, master_here);
		master_here |= taken[k] && place->is_master;
		if (taken[k])
			rc = quota_take(attempt->search, place->instance, taken[k], QUOTA_TAKE);
		sum += taken[k];
	}
	if (rc == 0 && sum >= attempt->least)
		rc = keep(attempt, visit, taken, sum) ? -ENOMEM : 1;
	else
		give_back(attempt, visit, taken);
	free(taken);
	return rc;
}

/* Rounds */

static uint32_t due_of(const struct host_attempt *attempt, const struct pe *pe, const struct visit *visit)
{
	uint32_t missing = attempt->wanted - attempt->found;

	switch (pe->rule) {
	case RULE_FILL_UP:
		return missing < visit->left ? missing : visit->left;
	case RULE_ROUND_ROBIN:
		return 1;
	default:
		return attempt->least;
	}
}

static bool done(const struct host_attempt *attempt)
{
	return attempt->found == attempt->wanted && attempt->has_master;
}

static int visit_take(struct host_attempt *attempt, const struct pe *pe, struct visit *visit)
{
	if (match_skips_host(attempt->search, visit->host))
		return 0;
	visit_check(attempt, visit);
	if (visit->left < attempt->least || visit->n == 0 || attempt->found == attempt->wanted)
		return 0;
	return host_take(attempt, visit, due_of(attempt, pe, visit));
}

/* Return the mark to follow. Marks learnt for now do not apply to a later time. */
static uint32_t mark_of(const struct search *search)
{
	return search_is_later(search) ? QUEUE_LIST_NONE : search->with->mark;
}

/*
 * Return whether a host may be skipped because it has no room at that time. Not if its instances
 * must be tagged, or if quotas must be checked because they may rule out other objects.
 */
static bool passes_by(const struct host_attempt *attempt, uint32_t host)
{
	return search_is_later(attempt->search) && !visit_tags(attempt->search) &&
	       !quotas_reach_far(attempt->search->supply->quotas) && !host_may_have_room(attempt->search, host);
}

/* Visit the host of an instance if it was not visited yet. */
static int host_reach(struct host_attempt *attempt, const struct pe *pe, uint32_t instance)
{
	uint32_t h = attempt->search->supply->cluster.instances[instance].host;
	uint32_t *visited = &attempt->scratch->visited[h];
	int rc;

	if (*visited == attempt->scratch->attempts || rule_out_has(attempt->search, h) || passes_by(attempt, h) ||
	    !queue_check_counts(attempt->search, instance, attempt->wanted))
		return 0;
	*visited = attempt->scratch->attempts;
	rc = visit_host(attempt, h);
	if (rc == 0)
		rc = visit_take(attempt, pe, &attempt->scratch->visits[attempt->scratch->nvisits - 1]);
	return rc == 0 && attempt->search->question.purpose == SEARCH_RULE_OUT
		       ? rule_out_host(attempt->search, h, attempt->wanted)
		       : rc;
}

/* Run the first round, along the queue list only as far as needed. */
static int first_round(struct host_attempt *attempt, const struct pe *pe)
{
	const struct queue_list *list = &attempt->search->shared->ranking.list;
	uint32_t mark = mark_of(attempt->search), next;
	int rc = 0;

	for (uint32_t i = queue_list_first(list, mark); i != QUEUE_LIST_NONE && !done(attempt) && rc >= 0; i = next) {
		rc = host_reach(attempt, pe, i);
		next = queue_list_next(list, i, mark);
	}
	return rc;
}

/*
 * Tag the hosts without suitable instances. They give no slots, but their own attributes tag their
 * instances.
 */
static void visit_others(struct host_attempt *attempt)
{
	const struct cluster *cluster = &attempt->search->supply->cluster;

	for (uint32_t h = 0; h < cluster->nhosts; h++)
		if (attempt->scratch->visited[h] != attempt->scratch->attempts && !rule_out_has(attempt->search, h) &&
		    !match_skips_host(attempt->search, h))
			tag_host(attempt->search, h, 1, true);
}

/*
 * Run the first round when few hosts may have room at that time, without walking over the others.
 */
static int short_round(struct host_attempt *attempt, const struct pe *pe)
{
	const struct cluster *cluster = &attempt->search->supply->cluster;
	uint32_t *instances;
	size_t n = 0;
	int rc = 0;

	if (array_grow(&attempt->scratch->instances, cluster->ninstances + 1, sizeof(*instances)))
		return -ENOMEM;
	instances = attempt->scratch->instances;
	for (uint32_t h = 0; h < cluster->nhosts; h++)
		for (uint32_t i = host_may_have_room(attempt->search, h) ? cluster->hosts[h].first_instance
									 : UINT32_MAX;
		     i != UINT32_MAX; i = cluster->instances[i].next_on_host)
			if (queue_list_has(&attempt->search->shared->ranking.list, i))
				instances[n++] = i;
	ranking_order(&attempt->search->shared->ranking, instances, n);
	for (size_t k = 0; k < n && !done(attempt) && rc >= 0; k++)
		rc = host_reach(attempt, pe, instances[k]);
	return rc;
}

static int more_rounds(struct host_attempt *attempt, const struct pe *pe)
{
	bool any = true;

	while (any && !done(attempt)) {
		any = false;
		for (size_t v = 0; v < attempt->scratch->nvisits && !done(attempt); v++) {
			int rc = visit_take(attempt, pe, &attempt->scratch->visits[v]);

			if (rc < 0)
				return rc;
			any |= rc > 0;
		}
	}
	return 0;
}

static uint32_t violations_of(const struct parallel *parallel, const struct grant *grant)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < grant->n; i++)
		sum += grant->entries[i].slots * parallel->violations[grant->entries[i].instance];
	return sum;
}

/* Attempts */

static void quotas_clear(struct host_attempt *attempt)
{
	for (size_t i = 0; i < attempt->grant->n; i++)
		quota_take(attempt->search, attempt->grant->entries[i].instance, 0, QUOTA_CLEAR);
}

/*
 * Return whether more slots are needed than were free when the run began. An attempt that fails
 * also leaves reasons, quota results and tags. Therefore this shortcut is only used if none of them
 * is needed.
 */
static bool is_hopeless(const struct search *search, uint32_t slots)
{
	const struct supply *supply = search->supply;

	return search->shared->why->is_off && supply->slots.bounded && !search_is_later(search) &&
	       search->question.counts != COUNT_NOTHING && slots > supply->slots.unused && !supply->gives &&
	       search->question.purpose != SEARCH_RULE_OUT && !search->question.category->advance &&
	       !quotas_reach_far(supply->quotas) && !tags_matter(search);
}

/*
 * Record how many slots were found. If all slots must be on one host, report the host that has
 * most; as long as no host has all, none counts as found.
 */
static void report_short(const struct host_attempt *attempt, const struct pe *pe, uint32_t slots)
{
	const struct parallel *parallel = attempt->scratch;
	const char *host = NULL;
	uint64_t most = 0;

	for (size_t v = 0; pe->rule == RULE_PE_SLOTS && !attempt->search->question.silent && v < parallel->nvisits;
	     v++) {
		const struct visit *visit = &parallel->visits[v];
		uint64_t here = 0;

		for (uint32_t k = 0; k < visit->n; k++)
			here += parallel->places[visit->first + k].left;
		here = here < visit->left ? here : visit->left;
		if (here > most) {
			most = here;
			host = attempt->search->supply->cluster.host_names[visit->host];
		}
	}
	if (most > 0 && most < slots)
		match_why(attempt->search, WHY_SLOTS, pe->name, host, slots, (double)most);
	else
		match_why(attempt->search, WHY_PE_HOSTS, pe->name, NULL, slots, attempt->found);
}

int parallel_try(struct search *search, uint32_t slots, struct grant *grant)
{
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];
	struct parallel *parallel = &search->shared->parallel;
	struct host_attempt attempt = { .search = search,
					.scratch = parallel,
					.grant = grant,
					.wanted = slots,
					.least = attempt_host_least(pe, slots) };
	int rc;

	grant_clear(grant);
	parallel->nvisits = parallel->nplaces = 0;
	/* Objects that quotas have put out of question in another attempt are tried again. */
	search->number = skips_next(&search->shared->skips);
	search->skips = false;
	if (match_object(search, LEVEL_GLOBAL, 0, slots) < slots)
		return -ENOENT;
	if (!search_is_forecast(search))
		ranking_search(&search->shared->ranking, false);
	parallel->attempts++;
	category_mark(&search->shared->ranking, search->with);
	if (!search_is_forecast(search) && category_is_soft(search->question.category) &&
	    soft_sort(search, &parallel->violations))
		return -ENOMEM;
	if (!search_is_forecast(search))
		visits_note(search, slots);
	if (is_hopeless(search, slots))
		return -ENOENT;
	rc = search_is_later(search) && hosts_are_few(search) && !quotas_reach_far(search->supply->quotas)
		     ? short_round(&attempt, pe)
		     : first_round(&attempt, pe);
	if (rc >= 0 && visit_tags(search) && !search->question.category->advance && !done(&attempt))
		visit_others(&attempt);
	if (rc >= 0 && pe->rule == RULE_ROUND_ROBIN)
		rc = more_rounds(&attempt, pe);
	quotas_clear(&attempt);
	if (rc < 0)
		return rc;
	if (!done(&attempt)) {
		report_short(&attempt, pe, slots);
		return -ENOENT;
	}
	grant->pe = search->with->pe;
	grant->slots = slots;
	grant->begin = search->question.begin;
	grant->unadjusted = search->found;
	grant->violations = !search_is_forecast(search) && category_is_soft(search->question.category)
				    ? violations_of(parallel, grant)
				    : 0;
	return 0;
}
