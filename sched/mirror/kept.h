/* SPDX-License-Identifier: Apache-2.0 */
/* Values that a suspended task, which is not considered in runs, continues to show. */
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
