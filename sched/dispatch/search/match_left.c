/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that a PE has left, and those that load thresholds leave on a host. */
#include "sched/dispatch/cluster/load.h"
#include "sched/dispatch/search/match.h"

uint32_t match_pe_left(const struct search *search)
{
	const struct pe *pe = &search->supply->cell->pes[search->with->pe];
	const struct pe_state *state = &search->supply->pes[search->with->pe];
	/* slots of an advance reservation are counted there */
	double used = search->question.category->advance ? 0.0
							 : match_limited(search, (double)state->used, state->line);

	return used >= pe->slots ? 0 : pe->slots - (uint32_t)used;
}

uint32_t match_headroom(const struct search *search, uint32_t host)
{
	const struct cluster *cluster = &search->supply->cluster;
	const struct load_when when = { search->question.begin, search->question.end };
	bool with_loads = search_is_later(search) || !search->found;
	uint32_t most = 0;

	for (uint32_t i = cluster->hosts[host].first_instance; i != UINT32_MAX && most < UINT32_MAX;
	     i = cluster->instances[i].next_on_host) {
		uint32_t headroom = queue_list_has(&search->shared->ranking.list, i)
					    ? load_headroom(cluster, i, search->question.category->need,
							    search_is_later(search) ? &when : NULL, with_loads)
					    : 0;

		most = headroom > most ? headroom : most;
	}
	return most;
}
