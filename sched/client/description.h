/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of jobs from the scheduler of a local cell. They contain what shared memory does not
 * have, such as commands and environments.
 */
#ifndef CLIENT_DESCRIPTION_H
#define CLIENT_DESCRIPTION_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/process/messages.h"

#define DESCRIBED_MOST 100		/* jobs per request */

struct descriptions {			/* zero-initialised by the caller */
	json_t *results;		/* NULL: no description */
	char missing[200];		/* reason why descriptions are missing, "" if none is */
};

/*
 * Request the descriptions of `n` jobs from the scheduler and wait at most two seconds. If some are
 * still unknown, `missing` has the reason.
 */
void descriptions_ask(struct descriptions *descriptions, const char *cell, const uint32_t *numbers, size_t n,
		      struct messages *messages);
void descriptions_free(struct descriptions *descriptions);

/*
 * Return the description of a job, borrowed. Its members are request, execution and so on. NULL: no
 * description of the job was received.
 */
const json_t *description_of(const struct descriptions *descriptions, uint32_t number);

#endif
