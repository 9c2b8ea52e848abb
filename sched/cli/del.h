/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead del: delete jobs of the local cell, as qdel does. */
#ifndef CLI_DEL_H
#define CLI_DEL_H

#include "sched/cli/options.h"

extern const struct option del_options[];
int del_run(const char *cell, int argc, char **argv);

#endif
