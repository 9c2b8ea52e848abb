/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is between this host and being the scheduler of a cell's qmaster, one thing after the other:
 * each is looked at only if those before it that it needs are in order.
 */
#ifndef CLI_DOCTOR_DIAGNOSIS_H
#define CLI_DOCTOR_DIAGNOSIS_H

#include "sched/cli/doctor/symptoms.h"

/* `directory` is ROOT/CELL; NULL: that of SGE_ROOT and SGE_CELL. Takes some seconds at most. */
void diagnosis_make(struct diagnosis *diagnosis, const char *directory);

#endif
