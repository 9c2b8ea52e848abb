/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by match.c, match_access.c and match_quota.c. search.h describes their use. */
#ifndef SCHED_DISPATCH_SEARCH_MATCH_H
#define SCHED_DISPATCH_SEARCH_MATCH_H

#include "sched/dispatch/search/search.h"

/*
 * Return the maximum that is booked during the time of the search. `now`: amount booked at present,
 * used if bookings are not kept in time.
 */
double match_booked(const struct search *search, double now, uint32_t line);
/* Return the maximum for a PE or a quota. */
double match_limited(const struct search *search, double now, uint32_t line);
uint32_t match_slots_in(double left, double need, uint32_t most);
bool match_satisfies(enum complex_relop relop, double request, double offer);
/* Return whether an object satisfies a request. True if the object does not offer the attribute. */
bool match_fits(struct search *search, const struct resource_request *request, enum level level, uint32_t object);
/* Return the amount that the object has of a requested attribute; 0.0: none, or not a number. */
double match_had(const struct search *search, const struct resource_request *request, enum level level,
		 uint32_t object);
/* Return whether any level offers the attribute. */
bool match_is_offered(const struct search *search, const struct resource_request *request, uint32_t instance);
/* Return whether an offer, a text or a number, satisfies a request. */
bool match_offer(const struct column *column, const struct resource_request *request, const char *text, double value);
/* Return whether all FORCED attributes of an object are requested. */
bool match_forced(struct search *search, enum level level, uint32_t object);
/* Return what is left of a consumable. A stricter load value also limits it. */
double match_left(const struct search *search, const struct column *column, const struct offer *offer, enum level level,
		  uint32_t object);
bool match_fits(struct search *search, const struct resource_request *request, enum level level, uint32_t object);
/*
 * Return whether the instance has the JOB consumables of the job. Its host and the cluster are
 * checked as well, from level `from` on.
 */
bool match_once(struct search *search, uint32_t instance, enum level from);
/* Return the slots that the PE itself has left. */
uint32_t match_pe_left(const struct search *search);
/*
 * Return the number of slots until the last of a host's instances is overloaded. The greatest
 * number that one of the instances allows applies to all of them, as in Grid Engine.
 */
uint32_t match_headroom(const struct search *search, uint32_t host);
/* Return whether -masterq selects the instance. */
bool match_master_queue(struct search *search, uint32_t instance);

#endif
