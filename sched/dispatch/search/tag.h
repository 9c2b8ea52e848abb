/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decide which instances the search of a parallel job tags (tags.h).
 *
 * - When a host is visited, one request determines the tag of all its instances, whatever else
 *   prevents their use. It is the last of the job's requests, by name, that the host itself knows.
 *   LATER results from an exclusive use that is blocked by others, and from a JOB consumable if
 *   bookings are kept in time. A request that will never be satisfied ends this step. A JOB
 *   consumable that will never be available counts as not known. Hosts without suitable instances
 *   are visited after the others.
 * - If the host can give its share now, or after all bookings have ended, its suitable instances
 *   are checked, again each request by name. The tag becomes LATER or NEVER because of a JOB
 *   consumable there, or a quota. Slots, default consumptions, and each request that is not
 *   satisfied there end this step.
 * - A host that was ruled out for the category (rule_out.c) is not visited again: the attempt that
 *   rules it out is the last one that tags its instances.
 */
#ifndef SCHED_DISPATCH_SEARCH_TAG_H
#define SCHED_DISPATCH_SEARCH_TAG_H

#include "sched/dispatch/search/search.h"
#include "sched/dispatch/search/tags.h"

/* Return whether the job's requests can tag anything. */
bool tags_matter(const struct search *search);
/*
 * Tag the instances of a host, if `tags`. Return the slots that the host has after all bookings
 * have ended, at most `most`.
 */
uint32_t tag_host(struct search *search, uint32_t host, uint32_t most, bool tags);
void tag_instance(struct search *search, uint32_t instance);

#endif
