/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead hold, fairlead release: keep jobs of the local cell from starting, and let them, as
 * qhold and qrls do.
 */
#ifndef CLI_HOLD_H
#define CLI_HOLD_H

#include "sched/cli/options.h"

extern const struct option hold_options[];
int hold_run(const char *cell, int argc, char **argv);		/* argv[0] is "hold" or "release" */

#endif
