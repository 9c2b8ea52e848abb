/* SPDX-License-Identifier: Apache-2.0 */
/* HTCondor's user priorities: fairlead userprio, like condor_userprio(1). */
#ifndef CLI_USERPRIO_USERPRIO_H
#define CLI_USERPRIO_USERPRIO_H

#include <stdbool.h>

#include "sched/cli/cli.h"

/* userprio/edit.c */
/* Return whether one of the words is an option that changes something. */
bool userprio_asks(int argc, char **argv);
/* Send an edit. Return EXIT_OK once it is stored, or 1 after a message, like condor_userprio. */
int userprio_ask(const char *cell, int argc, char **argv);

#endif
