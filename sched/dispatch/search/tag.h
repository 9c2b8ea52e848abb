/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tag of an instance says whether the instance can give a job its master task now, only later,
 * or never. Grid Engine 8.1.9 keeps tags from the search of one parallel job to that of the next.
 * They are meant for one search only. But a job may start, or get a reservation, before the next
 * search. In that case all instances with the tag LATER are taken out of the list, as if their
 * loads had crossed a threshold (review.c). That is not useful, but it determines which jobs start.
 *
 * - All tags are cleared at the beginning of the search of a parallel job, whatever its result is,
 *   and at each time that is tried for its reservation. The amounts and environments that are tried
 *   for one start do not clear each other's tags.
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
 */
#ifndef SCHED_DISPATCH_SEARCH_TAG_H
#define SCHED_DISPATCH_SEARCH_TAG_H

#include "sched/dispatch/search/search.h"

enum tag { TAG_NEVER, TAG_LATER, TAG_NOW };

void tags_reset(struct dispatch *dispatch);
/* Hide all tags until tags_show(). No instance may be tagged in between. */
struct tags {
	uint32_t search, n;
};
struct tags tags_hide(struct dispatch *dispatch);
void tags_show(struct dispatch *dispatch, struct tags kept);
/* Return whether the job's requests can tag anything. */
bool tags_matter(const struct search *search);
/*
 * Tag the instances of a host, if `tags`. Return the slots that the host has after all bookings
 * have ended, at most `most`.
 */
uint32_t tag_host(struct search *search, uint32_t host, uint32_t most, bool tags);
void tag_instance(struct search *search, uint32_t instance);
enum tag tag_of(const struct dispatch *dispatch, uint32_t instance);
/* Clear the tag of an instance that was set aside because of it, for the case that it returns. */
void tag_take(struct dispatch *dispatch, uint32_t instance);

#endif
