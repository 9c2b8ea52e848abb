/* SPDX-License-Identifier: Apache-2.0 */
/* What match.c, match_access.c and match_quota.c share; search.h has what they are for. */
#ifndef SCHED_DISPATCH_SEARCH_MATCH_H
#define SCHED_DISPATCH_SEARCH_MATCH_H

#include "sched/dispatch/search/search.h"

/*
 * The most that is booked in the time of the search; `now`: what is booked at present, where time
 * plays no part.
 */
double match_booked(const struct search *search, double now, uint32_t line);
/* the same of a PE or a quota */
double match_limited(const struct search *search, double now, uint32_t line);
uint32_t match_slots_in(double left, double need, uint32_t most);
bool match_satisfies(enum complex_relop relop, double request, double offer);
/* Does an object satisfy a request? An attribute that it does not offer is no obstacle here. */
bool match_fits(struct search *search, const struct resource_request *request, enum level level, uint32_t object);
/* What the object has of it; 0.0: nothing, or no number. */
double match_had(const struct search *search, const struct resource_request *request, enum level level,
		 uint32_t object);
/* Does any level offer it? */
bool match_is_offered(const struct search *search, const struct resource_request *request, uint32_t instance);
/* Does an offer, a text or a number, satisfy a request? */
bool match_offer(const struct column *column, const struct resource_request *request, const char *text, double value);
/* Are all FORCED attributes of an object requested? */
bool match_forced(struct search *search, enum level level, uint32_t object);
/* What is left of a consumable: a load value that goes down says so, too. */
double match_left(const struct search *search, const struct column *column, const struct offer *offer, enum level level,
		  uint32_t object);
/*
 * Does what an object offers satisfy a request that is not booked? An attribute that is not offered
 * at this level is no obstacle here.
 */
bool match_fits(struct search *search, const struct resource_request *request, enum level level, uint32_t object);
/*
 * What the job needs once, JOB consumables, is there on an instance, and from that level on above
 * it: its host, the cluster. And on the instance and by quotas alone.
 */
bool match_once(struct search *search, uint32_t instance, enum level from);
bool match_once_at(struct search *search, uint32_t instance);
/* Does -masterq mean the instance? */
bool match_master_queue(struct search *search, uint32_t instance);

#endif
