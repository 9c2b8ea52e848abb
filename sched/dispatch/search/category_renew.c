/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a category that are only valid in one run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch/search/category.h"
#include "sched/dispatch/search/host_capacity.h"
#include "sched/dispatch/search/queue_list.h"
#include "sched/dispatch/search/supply.h"

static const char *text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

void category_texts(struct category *category, const struct category_facts *facts)
{
	category->user = facts->user ? facts->user : "";
	category->group = text_or_null(facts->group);
	category->project = text_or_null(facts->project);
	category->ckpt = text_or_null(facts->ckpt);
	category->pe = text_or_null(facts->pe);
	category->hard_queues = text_or_null(facts->hard_queues);
	category->soft_queues = text_or_null(facts->soft_queues);
	category->master_queues = text_or_null(facts->master_queues);
}

void category_forget(struct category *category)
{
	for (size_t i = 0; i < category->npes; i++) {
		free(category->pes[i].out);
		host_capacity_free(category->pes[i].capacity);
		category->pes[i].out = NULL;
		category->pes[i].capacity = NULL;
		category->pes[i].changes = NULL;
	}
	free(category->from);
	category->from = NULL;
}

static void requests_renew(struct resource_request *requests, size_t n)
{
	for (size_t i = 0; i < n; i++)
		requests[i].sieve = UINT32_MAX;
}

static int pe_renew(struct category *category, struct supply *supply, struct category_pe *pe)
{
	const struct quota_who who = { .user = category->user, .group = category->group, .project = category->project,
				       .pe = pe->pe == UINT32_MAX ? NULL : supply->cell->pes[pe->pe].name };

	pe->mark = QUEUE_LIST_NONE;
	pe->marked = false;
	pe->way = PE_RANGE_AUTO;
	memset(pe->queues, 0, supply->cell->nqueues);
	return quotas_sets(supply->quotas) > 0 && !category->free_of_quotas
		       ? quota_view_make(supply->quotas, &pe->view, &who)
		       : 0;
}

/* Return whether a PE comes after another in the list. PEs are sorted by their last use. */
static bool comes_after(const struct supply *supply, uint32_t pe, uint32_t before)
{
	return supply->pes[pe].place != supply->pes[before].place
		       ? supply->pes[pe].place > supply->pes[before].place
		       : pe > before;
}

int category_renew(struct category *category, struct supply *supply, const struct category_facts *facts)
{
	int rc = 0;

	category_forget(category);
	category_texts(category, facts);
	requests_renew(category->hard, category->nhard);
	requests_renew(category->soft, category->nsoft);
	memset(category->profiles, 0, supply->cluster.nprofiles * (category->npes + 1));
	category->several = false;
	for (size_t i = 0; i < category->npes && rc == 0; i++) {
		if (i > 0 && !comes_after(supply, category->pes[i].pe, category->pes[i - 1].pe))
			return -ENOENT;
		rc = pe_renew(category, supply, &category->pes[i]);
	}
	return rc;
}
