/* SPDX-License-Identifier: Apache-2.0 */
/* A cell made of what another system's own commands print. */
#ifndef CLI_CELL_IMPORT_H
#define CLI_CELL_IMPORT_H

#include <stdbool.h>

#include "sched/cli/cell/new_cell.h"

struct import {
	bool gridengine, slurm, condor;	/* of which system */
	const char *qconf;		/* the command; NULL: qconf */
	const char *share_mon;		/* sge_share_mon; NULL: where it is beside qconf, if it is */
	const char *conf, *cluster; /* slurm.conf or condor_config, and the cluster's name; NULL: as scontrol says */
	const char *squeue;		/* a file with what squeue --json has printed; NULL: it is called */
	const char *userprio;		/* a file with what condor_userprio -long has printed; NULL: it is called */
	size_t pending;			/* jobs of IMPORT_JOBS */
	struct new_cell new;
};

/* What these print becomes files of import->new. Exit codes, after a message. */
int import_gridengine(struct import *import);
int import_slurm(struct import *import);
int import_condor(struct import *import);

/* Events, no part of the cell: the jobs that wait. */
#define IMPORT_JOBS "jobs.jsonl"

/*
 * Make IMPORT_JOBS of what squeue --json prints. EXIT_OK, after a message, if squeue fails; a file
 * that was named must be readable.
 */
int import_squeue(struct import *import);

/* Events, no part of the cell: what has been used, of those whom the share tree knows. */
#define IMPORT_USAGE "usage.jsonl"
#define IMPORT_USAGE_FIELDS "curr_time,user_name,project_name,cpu,mem,io,ltcpu,ltmem,ltio"

/*
 * Makes IMPORT_USAGE of what sge_share_mon prints. EXIT_OK, after a message, though there is none
 * or it fails, unless it was named. import_usage(): of `text`, which it takes apart; printed by
 * `command`.
 */
int import_share_mon(struct import *import);
int import_usage(struct import *import, char *text, const char *command);

#endif
