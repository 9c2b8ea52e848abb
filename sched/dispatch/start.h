/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start of a task at the places that were found, either by the loop or by a policy that negotiates.
 */
#ifndef SCHED_DISPATCH_START_H
#define SCHED_DISPATCH_START_H

#include "sched/dispatch/dispatch.h"
#include "sched/dispatch/pending.h"
#include "sched/qmaster/orders.h"

/* Return whether the grant fits in one order to the qmaster. */
bool start_can_be_ordered(const struct dispatch *dispatch, const struct orders *orders, const struct grant *grant);
/*
 * Begin a task of the job now: book the grant, write it to the file `schedule`, adjust the loads of
 * its hosts, and review its instances. Return 0 or -ENOMEM.
 */
int start_book(struct dispatch *dispatch, const struct category *category, const struct pending_job *job,
	       const struct grant *grant);

#endif
