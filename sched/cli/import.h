/* SPDX-License-Identifier: Apache-2.0 */
/* A cell made of what another system's own commands print. */
#ifndef CLI_IMPORT_H
#define CLI_IMPORT_H

#include <stdbool.h>

#include "sched/cli/new_cell.h"

struct import {
	bool gridengine, slurm;		/* of which system */
	const char *qconf;		/* the command; NULL: qconf */
	const char *conf, *cluster;	/* slurm.conf, and the cluster's name; NULL: as scontrol says */
	struct new_cell new;
};

/* What these print becomes files of import->new. Exit codes, after a message. */
int import_gridengine(struct import *import);
int import_slurm(struct import *import);

#endif
