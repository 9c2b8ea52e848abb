/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/supply.h"

#include <errno.h>
#include <stdlib.h>

#include "conf/lists.h"

static void access_free(struct access *access)
{
	strlist_free(&access->user_lists);
	strlist_free(&access->xuser_lists);
	strlist_free(&access->projects);
	strlist_free(&access->xprojects);
	*access = (struct access){ 0 };
}

static int names_of(struct strlist *list, const struct pairs *typed, const char *name)
{
	const struct pair *pair = pairs_find(typed, name);
	struct error error;

	return pair && strlist_parse(list, pair->text, &error) == -ENOMEM ? -ENOMEM : 0;
}

static int access_create(struct access *access, const struct cell *cell)
{
	const struct pairs *typed = &cell->global.typed;

	return names_of(&access->user_lists, typed, "user_lists") ||
			       names_of(&access->xuser_lists, typed, "xuser_lists") ||
			       names_of(&access->projects, typed, "projects") ||
			       names_of(&access->xprojects, typed, "xprojects")
		       ? -ENOMEM
		       : 0;
}

void supply_forget(struct supply *supply)
{
	quotas_destroy(supply->quotas);
	access_free(&supply->access);
	free(supply->hits);
	free(supply->pes);
	free(supply->pe_list);
	supply->quotas = NULL;
	supply->hits = supply->pe_list = NULL;
	supply->pes = NULL;
	cluster_destroy(&supply->cluster);
	supply->cell = NULL;
}

/* Create the columns of the complexes that dynamic limits use. */
static int quota_columns(struct supply *supply)
{
	for (size_t i = 0; i < supply->cell->nquotas; i++)
		for (size_t r = 0; r < supply->cell->quotas[i].nrules; r++)
			for (size_t l = 0; l < supply->cell->quotas[i].rules[r].nlimits; l++) {
				const struct formula *formula = &supply->cell->quotas[i].rules[r].limits[l].formula;

				for (size_t t = 0; t < formula->n; t++)
					if (cluster_name(&supply->cluster, formula->terms[t].x.name) ||
					    cluster_name(&supply->cluster, formula->terms[t].y.name))
						return -ENOMEM;
			}
	return 0;
}

/* Return whether some host has access lists. */
static bool any_host_restricts(const struct cell *cell)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->nhosts; i++)
		n += cell->hosts[i].user_lists.n + cell->hosts[i].xuser_lists.n + cell->hosts[i].projects.n +
		     cell->hosts[i].xprojects.n;
	return n > 0;
}

int supply_create(struct supply *supply, const struct cell *cell, const struct reported_instance *reported, size_t n)
{
	struct quota_names names;

	if (cluster_create(&supply->cluster, cell, reported, n))
		return -ENOMEM;
	supply->cell = cell;
	supply->hosts_restrict = any_host_restricts(cell);
	names = (struct quota_names){ .queues = supply->cluster.queue_names,
				      .nqueues = cell->nqueues,
				      .hosts = supply->cluster.host_names,
				      .nhosts = supply->cluster.nhosts };
	if (quotas_create(&supply->quotas, cell, &names) || access_create(&supply->access, cell) ||
	    quota_columns(supply))
		return -ENOMEM;
	supply->hits = calloc(quotas_sets(supply->quotas) + 1, sizeof(*supply->hits));
	supply->pes = calloc(cell->npes + 1, sizeof(*supply->pes));
	supply->pe_list = calloc(cell->npes + 1, sizeof(*supply->pe_list));
	return supply->hits && supply->pes && supply->pe_list ? 0 : -ENOMEM;
}
