/* SPDX-License-Identifier: Apache-2.0 */
/* How tasks end: ending.c. */
#ifndef SCHED_QMASTER_LOCAL_ENDING_H
#define SCHED_QMASTER_LOCAL_ENDING_H

#include "sched/qmaster/local/task.h"
#include "sched/shepherd/record.h"

/*
 * Its shepherd is gone, or may be. True: the task has ended, or begins anew. False: it runs, below
 * *shepherd; or, with *shepherd zero, that can't be told now.
 */
bool ending_take(struct local *l, struct local_task *t, struct attempt_process *shepherd);
/*
 * One that was deleted and has not begun, since its directory is on a server that does not answer,
 * say, never will. No-op if it has begun.
 */
void ending_prevent(struct local *l, struct local_task *t);
/* It counts as ended, whatever its shepherd is about. */
void ending_forget(struct local *l, struct local_task *t);
/* as accounting(5) has it */
enum attempt_failed ending_failed(const struct attempt_exit *exit);
/* the task waits again, unless somebody has deleted it */
bool ending_is_void(enum attempt_failed failed, int exit_status);
/*
 * Those of which the run just published knows: out of the store with this transaction; out of
 * memory once it is committed.
 */
int endings_booked(struct local *l, struct error *error);
void endings_forget(struct local *l);

#endif
