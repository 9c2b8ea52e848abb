/* SPDX-License-Identifier: Apache-2.0 */
/* Import of a cell from the output of another system's commands. */
#ifndef CLI_CELL_IMPORT_H
#define CLI_CELL_IMPORT_H

#include <stdbool.h>

#include "sched/cli/cell/new_cell.h"
#include "sched/qmaster/members/values.h"

struct import {
	bool gridengine, slurm, condor;	/* system to import from */
	const char *qconf;		/* the command, NULL: qconf */
	/* path of sge_share_mon, NULL: the one in the directory of qconf, if any */
	const char *share_mon;
	/* slurm.conf or condor_config, and the cluster's name; NULL: those of scontrol */
	const char *conf, *cluster;
	const char *squeue;		/* file with the output of squeue --json, NULL: call it */
	/* file with the output of condor_userprio -long, NULL: call it */
	const char *userprio;
	/* file with the output of condor_status -long or -json, NULL: call it */
	const char *status;
	size_t pending;			/* number of jobs in IMPORT_JOBS */
	struct new_cell new;
};

/*
 * Convert the output of the commands to files of import->new. Return exit codes, after a message.
 */
int import_gridengine(struct import *import);
int import_slurm(struct import *import);
int import_condor(struct import *import);

/* Read a text. Return an exit code, after a message. The caller frees the text. */
int import_file(const char *path, char **text, size_t *bytes);

/*
 * Check that a scheduler can read an event. `values` is zero-initialised and can be used again.
 * Returns 0, -ENOMEM, or -EINVAL with the reason in `error`.
 */
int import_event_check(struct values *values, const char *text, size_t bytes, struct error *error);

/* Events with the slots of a pool. The file is not part of the cell. */
#define IMPORT_SLOTS "slots.jsonl"

/*
 * Make IMPORT_SLOTS and a queue from the output of condor_status. If it fails, return EXIT_OK after
 * a message. A file that was named must be readable.
 */
int import_slots(struct import *import);

/* Events of the pending jobs. The file is not part of the cell. */
#define IMPORT_JOBS "jobs.jsonl"

/*
 * Make IMPORT_JOBS from the output of squeue --json. If squeue fails, return EXIT_OK after a
 * message. A file that was named must be readable.
 */
int import_squeue(struct import *import);

/* Events with the usage of the users in the share tree. The file is not part of the cell. */
#define IMPORT_USAGE "usage.jsonl"
#define IMPORT_USAGE_FIELDS "curr_time,user_name,project_name,cpu,mem,io,ltcpu,ltmem,ltio"

/*
 * Make IMPORT_USAGE from the output of sge_share_mon. If the tool is missing or fails, return
 * EXIT_OK after a message, unless the user named it. import_usage() parses `text`, which it
 * modifies; `command` printed it.
 */
int import_share_mon(struct import *import);
int import_usage(struct import *import, char *text, const char *command);

#endif
