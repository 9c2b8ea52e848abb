/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pending reasons of jobs in the words and with the message numbers of 8.1.9's own scheduler,
 * because some tools parse them in qstat -j. Names are inserted unchanged.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_INFO_H
#define SCHED_QMASTER_GRIDENGINE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

#define INFO_TEXT_BYTES 2048u		/* longer texts are truncated */

struct info {
	uint32_t number;		/* number of the message */
	bool global;			/* the message is not about single jobs */
	char text[INFO_TEXT_BYTES];
};

/*
 * Make the message for a reason. `hard` is the job's -l requests as typed, "" for none. `offered`
 * is the value of the attribute if it is not a number; NULL: not known. false: 8.1.9 has no message
 * for this.
 */
bool info_make(struct info *info, const struct fl_why *why, const char *hard, const char *offered);

/* Copy the name before the '=' of a request. */
void info_attribute(const struct fl_why *why, char *name, size_t size);

#endif
