/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Book what a task uses: slots, consumables, quotas and slots of the PE. Bookings are kept in time
 * if reservations are possible.
 */
#ifndef SCHED_DISPATCH_BOOK_H
#define SCHED_DISPATCH_BOOK_H

#include "sched/dispatch/bookings.h"
#include "sched/dispatch/search/category.h"
#include "sched/dispatch/search/supply.h"

/*
 * Book what a granted task uses, from `begin` to `end`. Return 0 or -ENOMEM. After -ENOMEM a part
 * may be booked.
 */
int grant_book(struct bookings *bookings, const struct category *category, const struct grant *grant, int64_t begin,
	       int64_t end);
/* Book what a running task uses. */
int grant_book_running(struct bookings *bookings, const struct category *category, const struct grant *grant,
		       int64_t begin, int64_t end, const struct quota_turn *turn);
/* Write the bookings of a running task to a record. */
int grant_record(struct bookings *bookings, const struct category *category, const struct grant *grant,
		 struct booked_task *task);
int grant_record_host(struct bookings *bookings, const struct category *category, uint32_t host, uint32_t slots,
		      bool master, struct booked_task *task);
/*
 * Book a reservation from grant->begin on. The resources do not count as used now, even if the
 * reservation begins now. So no instance becomes full or overloaded.
 */
int grant_reserve(struct bookings *bookings, const struct category *category, const struct grant *grant, int64_t end);
/* Book slots on a host in an instance that no longer exists. */
int grant_book_host(struct bookings *bookings, const struct category *category, uint32_t host, uint32_t slots,
		    bool master, int64_t begin, int64_t end);

#endif
