/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "sched/cli/cli.h"
#include "sched/cli/options.h"

extern const struct option doctor_options[];

/*
 * fairlead doctor memory [--json]: plan and reality of the shared memory, for each NUMA node. Looks
 * at the memory itself rather than at what it holds, so it reads the segment without libfairlead.
 * EXIT_DIFFERENCE: something lies elsewhere, or nothing could be bound.
 *
 * fairlead doctor nice [--json] [--lever LEVER]: as doctor_nice(); needs no cell.
 *
 * fairlead doctor store [--json] [FILE|STATE]: as doctor_store().
 */
int doctor_run(const char *cell, int argc, char **argv);

#endif
