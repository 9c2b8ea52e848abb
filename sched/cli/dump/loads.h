/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of a cell reported by a qmaster, with their current load. */
#ifndef CLI_DUMP_LOADS_H
#define CLI_DUMP_LOADS_H

#include <stdbool.h>

#include "conf/cell_source.h"
#include "sched/mirror/event.h"

/*
 * Return whether the files come from a qmaster. Files that come from a directory are written
 * unchanged.
 */
bool dump_is_reported(const struct cell_files *files);

/* Add a host_load event. Its values are in the host's file, if it has one. Return 0 or -ENOMEM. */
int dump_load(struct cell_files *files, const struct host_event *load);

/*
 * Report on standard error which objects are left out, and remove the entries about them from the
 * files.
 */
void dump_about(struct cell_files *files);

#endif
