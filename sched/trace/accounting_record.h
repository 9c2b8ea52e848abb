/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of a line of accounting(5), for queries about ended tasks and their usage. trace.h reads
 * the jobs of a workload.
 */
#ifndef SCHED_TRACE_ACCOUNTING_RECORD_H
#define SCHED_TRACE_ACCOUNTING_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define ACCOUNTING_FIELDS_LEAST 36	/* up to the task number, in older files */
#define ACCOUNTING_FIELDS_MOST 200	/* with the colons in texts */

enum accounting_field {
	QNAME,
	HOSTNAME,
	GROUP,
	OWNER,
	ACCOUNTED_NAME,
	ACCOUNTED_NUMBER,
	ACCOUNT,
	PRIORITY,
	SUBMISSION_TIME,
	START_TIME,
	END_TIME,
	FAILED,
	EXIT_STATUS,
	RU_WALLCLOCK,
	RU_UTIME,
	RU_STIME,
	RU_MAXRSS,
	RU_IXRSS,
	RU_ISMRSS,
	RU_IDRSS,
	RU_ISRSS,
	RU_MINFLT,
	RU_MAJFLT,
	RU_NSWAP,
	RU_INBLOCK,
	RU_OUBLOCK,
	RU_MSGSND,
	RU_MSGRCV,
	RU_NSIGNALS,
	RU_NVCSW,
	RU_NIVCSW,
	PROJECT,
	DEPARTMENT,
	GRANTED_PE,
	SLOTS,
	TASK_NUMBER,
	CPU,
	MEM,
	IO,
	CATEGORY,
	IOW,
	PE_TASKID,
	MAXVMEM,
	ARID,
	AR_SUBMISSION_TIME,
	ACCOUNTING_FIELDS
};

/* Return the name of a field as in accounting(5). */
const char *accounting_field_name(enum accounting_field field);
/* Return whether a field is a text; else it is a number. */
bool accounting_field_is_text(enum accounting_field field);

struct accounting_fields {
	size_t n;			/* up to ACCOUNTING_FIELDS; older files have fewer */
	bool colons;			/* a name or the category contains ':' */
	/* the line has fields of Univa Grid Engine, which are ignored */
	bool more;
	char *texts[ACCOUNTING_FIELDS_MOST];	/* in the line, whose colons are replaced by NUL */
};

/* Split a line. Returns 0, or -EINVAL with the reason, without file and line number. */
int accounting_split(char *line, struct accounting_fields *fields, struct error *error);

/* Fields and numbers of a line; missing numbers are 0. */
struct accounting_record {
	struct accounting_fields fields;
	double numbers[ACCOUNTING_FIELDS];	/* finite; 0 if the field is a text */
};

/* Split a line and read its numbers. Errors are those of accounting_split(). */
int accounting_record(char *line, struct accounting_record *record, struct error *error);

/* Return a text; "NONE" if it is empty or the line is too short for it. */
const char *accounting_text(const struct accounting_record *record, enum accounting_field field);

/*
 * Return the hard resource requests of a category, "h_rt=60,h_vmem=2G", up to the next blank. NULL:
 * it has none.
 */
const char *accounting_hard(const char *category);

/* Copy the value of a request in such a list. False: there is none, or it is too long. */
#define ACCOUNTING_VALUE_BYTES 32
bool accounting_request(const char *hard, const char *name, char value[ACCOUNTING_VALUE_BYTES]);

/* Return whether the line is empty or a comment. Such a line is neither an error nor a record. */
bool accounting_is_blank(const char *line);

#endif
