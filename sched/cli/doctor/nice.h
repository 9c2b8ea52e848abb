/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_NICE_H
#define CLI_DOCTOR_NICE_H

#include <stdbool.h>

#include "sched/host/host.h"

/*
 * fairlead doctor nice: print the CPU control mechanism that is used on this machine, the reasons
 * against the others, and a measurement with two CPU-bound processes. `force` LEVER_AUTO: the
 * default mechanism. Return an exit code; EXIT_DIFFERENCE: the mechanism moves no CPU time.
 */
int doctor_nice(enum lever force, bool json);

#endif
