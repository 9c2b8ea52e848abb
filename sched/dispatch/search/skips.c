/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatch/search/skips.h"

#include <errno.h>
#include <stdlib.h>

int skips_create(struct skips *skips, size_t nqueues, size_t nhosts)
{
	skips->queues = calloc(nqueues + 1, sizeof(*skips->queues));
	skips->hosts = calloc(nhosts + 1, sizeof(*skips->hosts));
	return skips->queues && skips->hosts ? 0 : -ENOMEM;
}

void skips_forget(struct skips *skips)
{
	free(skips->queues);
	free(skips->hosts);
	skips->queues = skips->hosts = NULL;
}
