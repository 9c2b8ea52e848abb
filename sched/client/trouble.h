/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons why a cell cannot be used, and what to do. */
#ifndef CLIENT_TROUBLE_H
#define CLIENT_TROUBLE_H

#include "sched/process/messages.h"

/* The functions add a message and return its exit code. EXIT_OK: nothing is wrong. */

/* Report that no cell was named. `otherwise` is an alternative in the message, ", or ...". */
int cell_missing(struct messages *messages, const char *otherwise);

/*
 * Refuse a command about jobs in the cell of a Grid Engine qmaster. The message has the qmaster's
 * command, followed by `argv`.
 */
int cell_check_jobs(struct messages *messages, const char *cell, const char *command, char **argv);

/* Check that the directory is a cell that this user can read. */
int cell_check(struct messages *messages, const char *cell);

/* Check whether a wrong FAIRLEAD_SHM may be the reason why no run is published. */
int cell_check_shm(struct messages *messages, const char *cell);

/* Explain why the run of a cell cannot be attached to. `error`: -errno of fl_attach(). */
int cell_attach_failed(struct messages *messages, const char *cell, int error);

#endif
