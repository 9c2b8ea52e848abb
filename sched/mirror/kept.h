/* SPDX-License-Identifier: Apache-2.0 */
/* What a suspended task, which takes no part in runs, goes on to show. */
#ifndef SCHED_MIRROR_KEPT_H
#define SCHED_MIRROR_KEPT_H

#include "urgency/contributions.h"

/* Values of the last run before it was suspended; a record of TABLE_KEPT. */
struct kept_record {
	double prio, nurg, ntckts, npprior;
	struct urgency_contributions urgency;
	double share;
};

#endif
