/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_NICE_H
#define CLI_DOCTOR_NICE_H

#include <stdbool.h>

#include "sched/host/host.h"

/*
 * fairlead doctor nice: which lever steers jobs on this machine, why no other does, and a proof
 * with two burners. `force` LEVER_AUTO: the one that is chosen. An exit code; EXIT_DIFFERENCE: the
 * lever moves no CPU time.
 */
int doctor_nice(enum lever force, bool json);

#endif
