/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beside the built-in scheduler: what a run orders is not sent, and does not count for the next run,
 * which decides anew about what the qmaster has told until then.
 */
#ifndef SCHED_QMASTER_GRIDENGINE_SHADOW_H
#define SCHED_QMASTER_GRIDENGINE_SHADOW_H

#include "sched/qmaster/gridengine/inside.h"

/* A run was published. */
void shadow_ran(struct sge *g);

#endif
