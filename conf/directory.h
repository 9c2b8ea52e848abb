/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in a cell's directory: whether it is one, and names that are none of a cell's. */
#ifndef CONF_DIRECTORY_H
#define CONF_DIRECTORY_H

#include "conf/reader.h"

/* one of these makes a directory a cell */
#define CELL_MAKERS "sched_conf, slurm.conf or condor_config"

/*
 *   0            it is a cell
 *   -EINVAL      a directory that has none of CELL_MAKERS
 *   -ENOENT, -ENOTDIR, -EACCES, ...: no directory, or one that can't be searched
 */
int directory_is_cell(const char *dir);

/*
 * Of a directory that is no cell, and of names that are none of a cell's: a fault where one that is
 * missing was probably meant, else warnings. -ENOENT, -ENOTDIR, -EACCES, -EIO, -ENOMEM.
 */
int directory_check(struct reader *reader);

#endif
