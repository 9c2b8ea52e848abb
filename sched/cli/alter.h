/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead alter: change jobs of the local cell, as qalter does. */
#ifndef CLI_ALTER_H
#define CLI_ALTER_H

#include "sched/cli/options.h"

extern const struct option alter_options[];
int alter_run(const char *cell, int argc, char **argv);

#endif
