/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead acct: what tasks that have ended have used, as qacct tells it. The accounting file is
 * read line by line, as large as it may be.
 *
 *     acct/acct.c           options
 *     acct/file.c      where the file is; its lines, and what is wrong with some
 *     acct/select.c    which of them are meant
 *     acct/resources.c those of -l
 *     acct/sums.c      sums, and their table
 *     acct/block.c     the lines of a task, for -j
 */
#ifndef CLI_ACCT_ACCT_H
#define CLI_ACCT_ACCT_H

#include "sched/cli/cli.h"
#include "sched/process/ranges.h"
#include "sched/trace/accounting_record.h"

/* by which there are sums, in the order of the table */
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
	enum accounting_field field;	/* of the file */
};
extern const struct acct_key acct_keys[ACCT_COLUMNS];

struct acct_instances {			/* queue instances by name, in malloc(3)'s memory */
	char **names;
	size_t n;
};

struct acct {			/* what was asked for */
	const char **files;		/* -f; n == 0: the cell's */
	size_t nfiles;
	/* is a column asked for, and with which value; NULL: each value by itself */
	struct { bool shown; const char *value; } columns[ACCT_COLUMNS];
	char *queue;			/* of -q CLUSTER_QUEUE@HOST, the part before @; NULL: any */
	char *queue_host;		/* and that behind it; NULL: any */
	const char *resources;		/* -l; NULL: any. The instances that offer them: */
	struct acct_instances instances;
	bool jobs;			/* -j */
	const char *job;		/* number, name or pattern; NULL: all */
	struct ranges tasks;		/* -t; n == 0: all */
	const char *tasks_text;
	/* epoch seconds; -1: no bound. By the start of a task, with `ends` by its end */
	int64_t from, until;
	bool ends;
	bool masters;			/* -m: no slave tasks of parallel jobs */
	bool json;
	bool as_qacct;			/* to the byte */
};

/* acct/resources.c: the instances of the cell that offer these resources. An exit code, after a message. */
int acct_instances_find(const char *cell, const char *list, struct acct_instances *instances);
bool acct_instances_have(const struct acct_instances *instances, const char *queue, const char *host);
void acct_instances_free(struct acct_instances *instances);

/* Does the record belong to what was asked for? */
bool acct_selects(const struct acct *acct, const struct accounting_record *record);

struct acct_sums;
int acct_sums_create(struct acct_sums **sums);	/* -ENOMEM */
void acct_sums_destroy(struct acct_sums *sums);
/* -ENOMEM */
int acct_sums_add(struct acct_sums *sums, const struct acct *acct, const struct accounting_record *record);
void acct_sums_print(struct acct_sums *sums, const struct acct *acct, struct out *out);
void acct_sums_json(struct acct_sums *sums, const struct acct *acct, struct out *out);

/* The lines of a task, below a line of '='; `limit`: with the request whose limit has ended it, which qacct does not print. */
void acct_block(struct out *out, const struct accounting_record *record, bool limit);
/* An object with the names of accounting(5). */
void acct_record_json(struct out *out, const struct accounting_record *record);
/* What `failed` means, as qacct words it; "" for 0. */
const char *acct_failed_text(int failed);

/* The cell's accounting file, in malloc(3)'s memory. EXIT_OK, or after a message. */
int acct_path(const char *cell, char **path);

/*
 * Calls `take` for each record of a file; another value than 0 ends it and is returned. Faulty
 * lines are told on stderr, the first ones each, and counted in *faults. -1 after a message: the
 * file can't be read.
 */
typedef int acct_take(void *context, const struct accounting_record *record);
int acct_read(const char *path, acct_take *take, void *context, uint64_t *faults);

#endif
