/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of accounting(5), as it stands there: who asks what became of a task, and what it has
 * used. Who wants the jobs of a workload goes by trace.h.
 */
#ifndef SCHED_TRACE_ACCOUNTING_RECORD_H
#define SCHED_TRACE_ACCOUNTING_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/error.h"

#define ACCOUNTING_FIELDS_LEAST 36	/* up to the task: what older ones write */
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

/* As in accounting(5). */
const char *accounting_field_name(enum accounting_field field);
/* Else it is a number. */
bool accounting_field_is_text(enum accounting_field field);

struct accounting_fields {
	size_t n;			/* up to ACCOUNTING_FIELDS; older files have fewer */
	bool colons;			/* a name or the category has ':' in it */
	bool more;			/* the line has fields of Univa Grid Engine, which are left out */
	char *texts[ACCOUNTING_FIELDS_MOST];	/* into the line, whose colons become ends */
};

/* 0, or -EINVAL with what was found; no file and line stand before it. */
int accounting_split(char *line, struct accounting_fields *fields, struct error *error);

/* What a line says of numbers; those that it does not have are 0. */
struct accounting_record {
	struct accounting_fields fields;
	double numbers[ACCOUNTING_FIELDS];	/* finite; 0 where there is a text */
};

/* Fields taken apart and numbers read. As accounting_split(). */
int accounting_record(char *line, struct accounting_record *record, struct error *error);

/* A text; "NONE" where the line is too short for it, or it is empty. */
const char *accounting_text(const struct accounting_record *record, enum accounting_field field);

/*
 * Return the hard resource requests of a category, "h_rt=60,h_vmem=2G", which end at a blank. NULL:
 * it has none.
 */
const char *accounting_hard(const char *category);

/*
 * Copy the value of a request of such a list. False: there is none, or a long one.
 */
#define ACCOUNTING_VALUE_BYTES 32
bool accounting_request(const char *hard, const char *name, char value[ACCOUNTING_VALUE_BYTES]);

/* Is it a comment, or nothing at all? No fault, and no record. */
bool accounting_is_blank(const char *line);

#endif
