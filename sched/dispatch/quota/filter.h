/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who and what a filter of a resource quota rule means. A name matches when it is in the inclusion
 * part, if there is one, and not in the exclusion part; what is absent is in neither. Entries are
 * names or patterns of conf/wildcard.h, several of them with | between; those with an @ mean lists,
 * whose name may be a pattern as well. Host names are the same whatever the case of their letters.
 */
#ifndef SCHED_DISPATCH_QUOTA_FILTER_H
#define SCHED_DISPATCH_QUOTA_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/cell.h"

/* Is it about everything alike: absent, or "*" without braces? */
bool quota_filter_is_open(const struct quota_filter *filter);

/* Projects, PEs and cluster queues; NULL or "": none. */
bool quota_filter_has(const struct quota_filter *filter, const char *name);
/* Does an entry of either part match? */
bool quota_filter_names(const struct quota_filter *filter, const char *name);

/* Users: themselves, by an access list, or by one with their Unix group (NULL or "": not known). */
bool quota_filter_has_user(const struct quota_filter *filter, const struct cell *cell, const char *user,
			   const char *group);

/* the hosts of a cluster, to be matched with many filters; private */
struct quota_hosts {
	const struct cell *cell;
	const char *const *names;
	size_t n;
	uint32_t *sorted;		/* by name */
	bool *seen;			/* host groups that were reached */
	size_t *stack, depth;
};

/* -ENOMEM; quota_hosts_destroy() must follow in each case. Names are borrowed. */
int quota_hosts_create(struct quota_hosts *hosts, const struct cell *cell, const char *const *names, size_t n);
void quota_hosts_destroy(struct quota_hosts *hosts);

/* matches[i]: is the filter about host i? */
void quota_hosts_match(struct quota_hosts *hosts, const struct quota_filter *filter, bool *matches);

#endif
