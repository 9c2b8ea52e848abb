/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of dispatch, checked after each job start: no instance gives more slots than it
 * has, no consumable goes below zero, no quota is exceeded. A violation is always a defect of the
 * scheduler; in that case the order is withheld. Only resources that the start uses are checked.
 * Others may exceed their limits because a limit was lowered while jobs were running.
 */
#ifndef SCHED_DISPATCH_INVARIANTS_H
#define SCHED_DISPATCH_INVARIANTS_H

#include "sched/dispatch/search/category.h"
#include "sched/dispatch/search/supply.h"

/* Check that no object used by a job start gives more than it has. */
bool invariants_hold(const struct supply *supply, const struct category *category, const struct grant *grant);

#endif
