/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task gives its slot to somebody else: fairlead-orders(5), `vacate`. When it has to, and how, is
 * written beside it, where its shepherd finds it and does the rest, even if there is no scheduler
 * then: sched/shepherd/record.h. What is left to us is a shepherd that does not get on with it: it
 * is killed when KILLING_TIMEOUT is over, and with it all that it has left.
 */
#ifndef SCHED_QMASTER_LOCAL_VACATE_H
#define SCHED_QMASTER_LOCAL_VACATE_H

#include "conf/error.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/order.h"

/*
 * It has to give way, from now on. Where it had to already, what comes sooner counts of both.
 * -EINVAL: the order names no signal; -ENOSPC, -EIO, ...: it could not be written down.
 */
int vacate_begin(struct local *local, struct local_task *task, const struct order_vacate *order, struct error *error);
/* A scheduler before this one has begun it, as far as is written down. */
void vacate_recover(struct local *local, struct local_task *task);
/* Its shepherd is to look at what is written down. No-op if there is none, or nothing. */
void vacate_wake(const struct local_task *task);
/* deadlines.give_up_ns is over. */
void vacate_give_up(struct local_task *task);

#endif
