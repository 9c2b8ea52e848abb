/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tag of an instance, which 8.1.9 keeps from the search of one parallel job to that of the
 * next: can it give the job its master task now, only later, or never? It is meant for that search alone,
 * but whoever starts, or gets a reservation, before the next one takes all instances that are
 * tagged LATER out of the list, as if their loads had crossed a threshold (review.c): not what
 * anyone would want, but which jobs start depends on it.
 *
 *   - At the beginning of the search of a parallel job, whatever comes of it, and at each moment
 *     that is tried for its reservation, no instance is tagged. The amounts and environments that
 *     are tried for one start leave each other's tags alone.
 *   - A host is visited: of the job's requests, by name, the last one that the host itself knows says
 *     what becomes of all its instances, whatever else speaks against them. LATER is said of an
 *     exclusive use that others stand in the way of, and of what a job takes once (JOB), where what
 *     is booked is booked in time. A request that will never be satisfied ends this; what a job takes
 *     once and will never be there counts as not known. Hosts without an instance in question are
 *     visited after the others.
 *   - If the host can give its share now, or when all bookings have ended, its instances in question
 *     are looked at, each request by name again: LATER or NEVER, for what a job takes once there,
 *     or by a quota. Slots, what the job takes by default, and each request that is not satisfied there
 *     end this.
 */
#ifndef SCHED_DISPATCH_SEARCH_TAG_H
#define SCHED_DISPATCH_SEARCH_TAG_H

#include "sched/dispatch/search/search.h"

enum tag { TAG_NEVER, TAG_LATER, TAG_NOW };

void tags_reset(struct dispatch *dispatch);
/* No instance is tagged until those that were are shown again; nothing may be tagged between. */
struct tags {
	uint32_t search, n;
};
struct tags tags_hide(struct dispatch *dispatch);
void tags_show(struct dispatch *dispatch, struct tags kept);
/* Can the job's requests tag anything? */
bool tags_matter(const struct search *search);
/*
 * A host is visited. The slots that it has when all bookings have ended, at most `most`; `tags`: its
 * instances are tagged.
 */
uint32_t tag_host(struct search *search, uint32_t host, uint32_t most, bool tags);
void tag_instance(struct search *search, uint32_t instance);
enum tag tag_of(const struct dispatch *dispatch, uint32_t instance);
/* It has been lost by its tag: if it comes back, it has none. */
void tag_take(struct dispatch *dispatch, uint32_t instance);

#endif
