/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration of a running qmaster, requested as a whole, as the files of a cell. */
#ifndef CLI_LIVE_CELL_H
#define CLI_LIVE_CELL_H

#include "conf/cell_source.h"
#include "sched/qmaster/gdi/client.h"

/*
 * Read all objects, as qconf prints them, by name. Free with cell_files_free(). *left_out is the
 * number of objects with a value that no file can hold, and `error` describes the last one. Return
 * 0, -EPROTO, -EACCES, -ENOMEM or another error of gdi_client_call().
 */
int live_cell_read(struct gdi_client *client, const struct gdi_cell *cell, struct cell_files *files, size_t *left_out,
		   struct error *error);

#endif
