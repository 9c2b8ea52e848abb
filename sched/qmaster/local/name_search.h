/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that a name or a pattern selects. */
#ifndef SCHED_QMASTER_LOCAL_NAME_SEARCH_H
#define SCHED_QMASTER_LOCAL_NAME_SEARCH_H

#include <stddef.h>
#include <stdint.h>

struct client;
struct local;

#define PATTERNS_MAX 100	/* limit, because each needs a scan of all jobs */

struct name_search {		/* the caller frees `numbers` */
	const char *users;	/* pattern of owners; NULL: the client's own jobs */
	const struct client *client;
	const char *pattern;
	uint32_t *numbers;	/* sorted */
	size_t n, capacity;
};

/*
 * Find jobs in the scheduler's tables, without reading the store. Only names of jobs with a
 * selected owner are compared. Returns 0, -ENOMEM, or -E2BIG if this needs more comparisons than a
 * request may have.
 */
int name_search_run(struct local *local, struct client *client, struct name_search *named);

#endif
