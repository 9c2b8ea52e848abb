/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of a cell's directory: whether it is a cell, and which names in it do not belong to a
 * cell.
 */
#ifndef CONF_CELL_DIRECTORY_H
#define CONF_CELL_DIRECTORY_H

#include "conf/reader.h"

/* files that make a directory a cell; one is enough */
#define CELL_MAKERS "sched_conf, slurm.conf or condor_config"

/*
 * Check whether a directory is a cell.
 *
 *   0         it is a cell
 *   -EINVAL   the directory has none of CELL_MAKERS
 *   -ENOENT, -ENOTDIR, -EACCES, ...: the path is not a directory, or cannot be searched
 */
int directory_is_cell(const char *dir);

/*
 * Report a directory that is not a cell and names that do not belong to a cell. A name is a fault
 * if a missing file was probably meant, else a warning. Returns 0, -ENOENT, -ENOTDIR, -EACCES, -EIO
 * or -ENOMEM.
 */
int directory_check(struct reader *reader);

#endif
