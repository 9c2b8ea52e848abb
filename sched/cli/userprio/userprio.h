/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's user priorities: fairlead userprio, as condor_userprio(1). */
#ifndef CLI_USERPRIO_USERPRIO_H
#define CLI_USERPRIO_USERPRIO_H

#include <stdbool.h>

#include "sched/cli/cli.h"

/* userprio/edit.c */
/* Is there an option among the words that changes something? */
bool userprio_asks(int argc, char **argv);
/* It is done, and stored: EXIT_OK; or 1, after a message, as there. */
int userprio_ask(const char *cell, int argc, char **argv);

#endif
