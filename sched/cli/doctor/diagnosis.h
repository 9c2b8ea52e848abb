/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions for this host to be the scheduler of a cell's qmaster. A check is skipped when a check
 * that it depends on has failed.
 */
#ifndef CLI_DOCTOR_DIAGNOSIS_H
#define CLI_DOCTOR_DIAGNOSIS_H

#include "sched/cli/doctor/symptoms.h"

/*
 * Run the checks. `directory` is ROOT/CELL. NULL: that of SGE_ROOT and SGE_CELL. This takes a few
 * seconds at most.
 */
void diagnosis_make(struct diagnosis *diagnosis, const char *directory);

#endif
