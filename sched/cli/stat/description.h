/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler of a local cell tells of jobs when it is asked: what stands in no shared
 * memory, such as commands and environments.
 */
#ifndef CLI_STAT_DESCRIPTION_H
#define CLI_STAT_DESCRIPTION_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define DESCRIBED_MOST 100		/* jobs that a scheduler is asked about */

struct descriptions {			/* zero-initialise */
	json_t *results;		/* NULL: none */
	char missing[200];		/* why some are not there; "": all are */
};

/* Asks, and waits for two seconds at most. What is not known then is told in `missing`. */
void descriptions_ask(struct descriptions *descriptions, const char *cell, const uint32_t *numbers, size_t n);
void descriptions_free(struct descriptions *descriptions);

/* An object with the members request, execution and so on, borrowed; NULL: it is not there. */
const json_t *description_of(const struct descriptions *descriptions, uint32_t number);

#endif
