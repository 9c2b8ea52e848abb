/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a job does not start, in the words and with the numbers that 8.1.9's own scheduler has for
 * it: there are tools that read them out of qstat -j. Names in them are as they are.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_INFO_H
#define SCHED_QMASTER_GRIDENGINE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/reader/fairlead.h"

#define INFO_TEXT_BYTES 2048u		/* longer ones are cut */

struct info {
	uint32_t number;		/* of the message */
	bool global;			/* it holds whatever the job */
	char text[INFO_TEXT_BYTES];
};

/*
 * `hard`: the job's -l requests as typed, "": none. `offered`: what the object has of the
 * attribute, where that is no number; NULL: not known. false: 8.1.9 says nothing then.
 */
bool info_make(struct info *info, const struct fl_why *why, const char *hard, const char *offered);

/* The name before the '=' of a request. */
void info_attribute(const struct fl_why *why, char *name, size_t size);

#endif
