/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of a cell that a qmaster has told, with the load that they have reported by now. */
#ifndef CLI_DUMP_LOADS_H
#define CLI_DUMP_LOADS_H

#include <stdbool.h>

#include "conf/cell_source.h"
#include "sched/mirror/event.h"

/* Whether these texts are of a qmaster: files of a directory stay as they were written. */
bool dump_is_told(const struct cell_files *files);

/* A host_load event: its values stand in the host's file, if it has one. -ENOMEM. */
int dump_load(struct cell_files *files, const struct host_event *load);

/* Says on standard error which objects are taken out, and takes what says so out of the files. */
void dump_about(struct cell_files *files);

#endif
