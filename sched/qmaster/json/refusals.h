/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logging of refused events. Of each kind the log has the first, the tenth, the hundredth and so
 * on, for the sake of a qmaster that ignores its answers.
 */
#ifndef SCHED_QMASTER_JSON_REFUSALS_H
#define SCHED_QMASTER_JSON_REFUSALS_H

#include <stdint.h>

#define REFUSALS_KINDS 32

struct refusals {			/* zero-initialise */
	struct refusal_kind {
		/* "": unused; the last entry counts all kinds for which there is no entry. */
		char name[32];
		uint64_t n;
	} kinds[REFUSALS_KINDS];
};

/* Count and log a refusal. The text up to the first colon, an event or a member, is its kind. */
void refusals_report(struct refusals *refusals, const char *text);

#endif
