/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead mod: change the state of jobs of the local cell, as qmod does. */
#ifndef CLI_MOD_H
#define CLI_MOD_H

#include "sched/cli/options.h"

extern const struct option mod_options[];
int mod_run(const char *cell, int argc, char **argv);

#endif
