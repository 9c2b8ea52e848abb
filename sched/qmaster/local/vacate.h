/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that give their slot to another task: `vacate` of fairlead-orders(5).
 *
 * The time and the method are written to the task's directory. The shepherd finds them there and
 * does the rest, even if no scheduler runs: sched/shepherd/record.h. The scheduler only handles
 * shepherds that fail to do so. When KILLING_TIMEOUT is over, such a shepherd and everything that
 * remains of the task are killed.
 */
#ifndef SCHED_QMASTER_LOCAL_VACATE_H
#define SCHED_QMASTER_LOCAL_VACATE_H

#include "conf/base/error.h"
#include "sched/qmaster/local/task.h"
#include "sched/qmaster/order.h"

/*
 * Let a task give way from now on. If it already has to, the earlier of each time counts. Returns
 * -EINVAL if the order has no valid signal, or -ENOSPC, -EIO, ... if it could not be written.
 */
int vacate_begin(struct local *local, struct local_task *task, const struct order_vacate *order, struct error *error);
/* Read a request that an earlier scheduler has written. */
void vacate_recover(struct local *local, struct local_task *task);
/* Wake the shepherd to read the request, if there are both. */
void vacate_wake(const struct local_task *task);
/* Handle the end of deadlines.give_up_ns. */
void vacate_give_up(struct local_task *task);

#endif
