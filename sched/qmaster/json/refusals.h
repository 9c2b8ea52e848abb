/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the log says of events that were refused: the first of each kind, the tenth, the hundredth,
 * and so on. A qmaster that passes over its answers would never hear of them.
 */
#ifndef SCHED_QMASTER_JSON_REFUSALS_H
#define SCHED_QMASTER_JSON_REFUSALS_H

#include <stdint.h>

#define REFUSALS_KINDS 32

struct refusals {			/* zero-initialise */
	struct refusal_kind {
		char name[32];		/* "": none yet; the last one has all that find no place */
		uint64_t n;
	} kinds[REFUSALS_KINDS];
};

/* The kind is what stands before the first colon of the text: the event, or one of its members. */
void refusals_tell(struct refusals *refusals, const char *text);

#endif
