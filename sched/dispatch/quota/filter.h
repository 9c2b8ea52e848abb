/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters of resource quota rules. A name matches if it is in the inclusion part, if there is
 * one, and not in the exclusion part. An absent value is in neither. Entries are names or patterns
 * of conf/base/wildcard.h; several patterns are separated by |. Entries with @ are lists, and the
 * list name may also be a pattern. Host names are compared without regard to case.
 */
#ifndef SCHED_DISPATCH_QUOTA_FILTER_H
#define SCHED_DISPATCH_QUOTA_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/cell.h"

/*
 * Return whether the filter counts everything together, because it is absent, or "*" without
 * braces.
 */
bool quota_filter_is_open(const struct quota_filter *filter);

/* Match projects, PEs and cluster queues. NULL or "": none. */
bool quota_filter_has(const struct quota_filter *filter, const char *name);
/* Return whether an entry of either part matches. */
bool quota_filter_names(const struct quota_filter *filter, const char *name);

/*
 * Match a user by name, by access list, or by an access list with the user's Unix group. A group of
 * NULL or "" is not known.
 */
bool quota_filter_has_user(const struct quota_filter *filter, const struct cell *cell, const char *user,
			   const char *group);

/* Hosts of a cluster, prepared for matching with many filters. Private. */
struct quota_hosts {
	const struct cell *cell;
	const char *const *names;
	size_t n;
	uint32_t *sorted;		/* by name */
	bool *seen;			/* host groups that were reached */
	size_t *stack, depth;
};

/* Return 0 or -ENOMEM; call quota_hosts_destroy() in both cases. Names are borrowed. */
int quota_hosts_create(struct quota_hosts *hosts, const struct cell *cell, const char *const *names, size_t n);
void quota_hosts_destroy(struct quota_hosts *hosts);

/* Set matches[i] to whether the filter applies to host i. */
void quota_hosts_match(struct quota_hosts *hosts, const struct quota_filter *filter, bool *matches);

#endif
