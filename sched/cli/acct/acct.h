/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead acct: usage of tasks that have ended, like qacct. The accounting file is read line by
 * line, so it may be of any size.
 *
 *     acct/acct.c       options
 *     acct/file.c       path of the file, its lines, reports of faulty lines
 *     acct/select.c     selection of tasks
 *     acct/resources.c  selection by -l
 *     acct/sums.c       sums and their table
 *     acct/block.c      lines of a task, for -j
 */
#ifndef CLI_ACCT_ACCT_H
#define CLI_ACCT_ACCT_H

#include "sched/cli/cli.h"
#include "sched/process/ranges.h"
#include "sched/trace/accounting_record.h"

/* Keys of the sums, in the order of the table. */
enum acct_column {
	ACCT_HOST,
	ACCT_QUEUE,
	ACCT_GROUP,
	ACCT_OWNER,
	ACCT_PROJECT,
	ACCT_DEPARTMENT,
	ACCT_PE,
	ACCT_SLOTS,
	ACCT_AR,
	ACCT_ACCOUNT,
	ACCT_COLUMNS
};

struct acct_key {
	const char *heading;
	enum accounting_field field;	/* field of the accounting file */
};
extern const struct acct_key acct_keys[ACCT_COLUMNS];

struct acct_instances {			/* queue instances by name, allocated with malloc(3) */
	char **names;
	size_t n;
};

struct acct {			/* request of the user */
	const char **files;		/* values of -f; nfiles 0: the cell's file */
	size_t nfiles;
	/* Columns of the table with a selected value; NULL: a row for each value. */
	struct { bool shown; const char *value; } columns[ACCT_COLUMNS];
	char *queue;			/* part of -q CLUSTER_QUEUE@HOST before @, NULL: any */
	char *queue_host;		/* part after @, NULL: any */
	/* -l, NULL: any; `instances` are those that offer these resources */
	const char *resources;
	struct acct_instances instances;
	bool jobs;			/* -j */
	const char *job;		/* number, name or pattern, NULL: all */
	struct ranges tasks;		/* -t; n 0: all */
	const char *tasks_text;
	/*
	 * Epoch seconds, -1: no bound. They apply to the start of a task, or with `ends` to its
	 * end.
	 */
	int64_t from, until;
	bool ends;
	bool masters;			/* -m: without slave tasks of parallel jobs */
	bool json;
	bool as_qacct;			/* print exactly like qacct */
};

/*
 * acct/resources.c: find the instances of the cell that offer these resources. Return an exit code,
 * with a message.
 */
int acct_instances_find(struct messages *messages, const char *cell, const char *list,
			struct acct_instances *instances);
bool acct_instances_have(const struct acct_instances *instances, const char *queue, const char *host);
void acct_instances_free(struct acct_instances *instances);

/* Return whether the record is selected. */
bool acct_selects(const struct acct *acct, const struct accounting_record *record);

struct acct_sums;
int acct_sums_create(struct acct_sums **sums);	/* 0 or -ENOMEM */
void acct_sums_destroy(struct acct_sums *sums);
/* Add a record to the sums. Return 0 or -ENOMEM. */
int acct_sums_add(struct acct_sums *sums, const struct acct *acct, const struct accounting_record *record);
void acct_sums_print(struct acct_sums *sums, const struct acct *acct, struct out *out);
void acct_sums_json(struct acct_sums *sums, const struct acct *acct, struct out *out);

/*
 * Print the lines of a task below a line of '='. `limit`: print also the request that ended the
 * task by its limit, which qacct does not print.
 */
void acct_block(struct out *out, const struct accounting_record *record, bool limit);
/* Write an object with the names of accounting(5). */
void acct_record_json(struct out *out, const struct accounting_record *record);

/*
 * Find the cell's accounting file. The path is allocated with malloc(3). Return EXIT_OK, or an exit
 * code with a message.
 */
int acct_path(struct messages *messages, const char *cell, char **path);

/*
 * Call `take` for each record of a file until it returns a value other than 0, and return that
 * value. Faulty lines are counted in *faults, and the first ones become messages. Return -1 with a
 * message if the file cannot be read.
 */
typedef int acct_take(void *context, const struct accounting_record *record);
int acct_read(struct messages *messages, const char *path, acct_take *take, void *context, uint64_t *faults);

#endif
