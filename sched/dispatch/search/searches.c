/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/searches.h"

#include <errno.h>
#include <stdlib.h>

#include "sched/dispatch/search/supply.h"

int searches_begin(struct searches *searches, struct supply *supply)
{
	struct cluster *cluster = &supply->cluster;

	if (ranking_begin(&searches->ranking, cluster, supply->cell->sched.queue_sort_by_seqno, supply->timed) ||
	    tags_begin(&searches->tags, cluster->ninstances) || parallel_begin(&searches->parallel, cluster->nhosts))
		return -ENOMEM;
	sieves_begin(&searches->sieves);
	return 0;
}

void searches_free(struct searches *searches)
{
	ranking_free(&searches->ranking);
	sieves_free(&searches->sieves);
	tags_free(&searches->tags);
	parallel_free(&searches->parallel);
	pledges_free(&searches->pledges);
	free(searches->avoided.items);
}
