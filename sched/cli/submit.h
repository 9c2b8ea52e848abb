/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead submit: a command becomes a job of the local cell, as with qsub -b y -shell n. */
#ifndef CLI_SUBMIT_H
#define CLI_SUBMIT_H

#include "sched/cli/options.h"

extern const struct option submit_options[];
int submit_run(const char *cell, int argc, char **argv);

#endif
