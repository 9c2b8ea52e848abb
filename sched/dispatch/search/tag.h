/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tag of an instance, which 8.1.9 keeps from the search of one parallel job to that of the
 * next: can it give the job its master task now, or only later? It is meant for that search alone,
 * but whoever starts, or gets a reservation, before the next one takes all instances that are
 * tagged LATER out of the list, as if their loads had crossed a threshold (review.c): not what
 * anyone would want, but which jobs start depends on it.
 *
 *   - At the beginning of the search of a parallel job, whatever comes of it, and at each moment
 *     that is tried for its reservation, no instance is tagged. The amounts and environments that
 *     are tried for one start leave each other's tags alone.
 *   - A host is looked at: the last one, by name, of the job's requests that the host itself knows
 *     says what becomes of those of its instances that -masterq means, whatever else speaks against
 *     them. LATER is said only of an exclusive use, or of what a job takes once (JOB); in the
 *     latter case, only if what is booked is booked in time. A request that can't be satisfied, not
 *     even later, ends this.
 *   - An instance is looked at: the same for what a job takes once there, or by a quota.
 *   - Where what a job takes once will never be there, an instance is NEVER good for the master,
 *     and not tagged LATER any more.
 */
#ifndef SCHED_DISPATCH_SEARCH_TAG_H
#define SCHED_DISPATCH_SEARCH_TAG_H

#include "sched/dispatch/search/search.h"

enum tag { TAG_NOW, TAG_LATER, TAG_NEVER };

void tags_reset(struct dispatch *d);
/* No instance is tagged until those that were are shown again; nothing may be tagged between. */
struct tags {
	uint32_t search, n;
};
struct tags tags_hide(struct dispatch *d);
void tags_show(struct dispatch *d, struct tags kept);
/* Can the job's requests tag anything? */
bool tags_matter(const struct search *s);
void tag_host(struct search *s, uint32_t host);
/* It has slots for the job, but is not good for its master. */
void tag_instance(struct search *s, uint32_t instance);
bool tag_is_later(const struct dispatch *d, uint32_t instance);

#endif
