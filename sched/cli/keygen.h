/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_KEYGEN_H
#define CLI_KEYGEN_H

#include "sched/cli/options.h"

extern const struct option keygen_options[];

/* A verb, see cli/main.c. */
int keygen_run(const char *cell, int argc, char **argv);

#endif
