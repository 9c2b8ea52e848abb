/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of a running qmaster, asked for as a whole, as the files that a cell has. */
#ifndef CLI_LIVE_CELL_H
#define CLI_LIVE_CELL_H

#include "conf/cell_source.h"
#include "sched/qmaster/gdi/client.h"

/*
 * All objects as qconf prints them, by name; cell_files_free(). *left_out: how many have a value
 * that no file can hold, and `error` the last of them. -EPROTO, -EACCES, -ENOMEM and others of
 * gdi_client_call().
 */
int live_cell_read(struct gdi_client *client, const struct gdi_cell *cell, struct cell_files *files, size_t *left_out,
		   struct error *error);

#endif
