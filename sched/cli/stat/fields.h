/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table of the values shown of a job, one row per value, for all formats of fairlead stat. The type
 * determines how each format writes a value. JSON has all members in the order of the table. The
 * formats of Grid Engine have orders of their own, which are in the rows.
 *
 * To add a value, add a row here. To add a format, write a file that prints each type, declare its
 * printer in stat/stat.h and add an option in stat/stat.c.
 */
#ifndef CLI_STAT_FIELDS_H
#define CLI_STAT_FIELDS_H

#include "sched/cli/stat/stat.h"

enum stat_type {		/* type of the member of struct fl_job */
	STAT_NUMBER,		/* uint32_t */
	STAT_ID,		/* uint32_t, 0 = none */
	STAT_SIGNED,		/* int32_t */
	STAT_BOOL,
	STAT_KIND,		/* bool is_started: running or pending */
	STAT_LETTERS,		/* char[8], the state */
	STAT_TEXT,		/* const char *, never empty */
	STAT_NAME,		/* const char *, "" = none */
	STAT_REQUESTS,		/* const char *, "" = none: requested resources */
	/* const char *, "" = none: requested parallel environment with its range */
	STAT_PE,
	/* const char *, "" = none: granted parallel environment with its slots */
	STAT_GRANTED,
	STAT_QUEUE,		/* const char *, "" = none: queue instance */
	/*
	 * int64_t; formats with one time column show the start time instead once the task has
	 * started
	 */
	STAT_SUBMITTED,
	STAT_STARTED,		/* int64_t, 0 = not started */
	STAT_TIME,		/* int64_t, 0 = none */
	/* ids of tasks that have not started; the own id of a started task */
	STAT_TASKS,
	STAT_CPU,		/* double, seconds; only of started tasks with a load report */
	STAT_USAGE,		/* double, other units; only of started tasks with a load report */
	STAT_PRIO,		/* double: key by which the list is ordered */
	STAT_NORMALISED,	/* double, 0 to 1 */
	STAT_CONTRIBUTION,	/* double, contribution to the urgency */
	STAT_TICKETS,		/* double */
	STAT_SHARE,		/* double, 0 to 1 */
	STAT_TYPES
};

enum stat_order { STAT_IN_TABLE, STAT_IN_XML, STAT_IN_JOB, STAT_ORDERS };

enum stat_part {		/* parts of the output of -j, bits */
	PART_JOB = 1 << 0,	/* once per job */
	PART_STARTED = 1 << 1,	/* for each started task */
	PART_PENDING = 1 << 2,	/* for the tasks that have not started */
	PART_PRIORITIES = 1 << 3,	/* for both, if Grid Engine's policies compute them */
};

struct stat_field {
	enum stat_type type;
	uint16_t offset;	/* offset in struct fl_job */
	uint8_t width;		/* minimum width of the column in the table */
	/* enum stat_show bits. Table and XML show the value if one of them is set. 0: always. */
	uint8_t when;
	uint8_t parts;		/* enum stat_part bits */
	uint8_t key_bytes;	/* 0: the value is not in JSON */
	char key[24];		/* ",\"member\":" */
	/*
	 * Position, ascending, and name in each format. Position 0: the format does not have the
	 * value.
	 */
	struct { uint16_t at; const char *name; } in[STAT_ORDERS];
};

#define OF(member) offsetof(struct fl_job, member)
#define KEY(member) sizeof(",\"" member "\":") - 1, ",\"" member "\":"
#define NO_KEY 0, ""
#define EACH (PART_STARTED | PART_PENDING)
#define PU (SHOW_PRIORITY | SHOW_URGENCY)
#define PE (SHOW_PRIORITY | SHOW_EXTENDED)
#define U SHOW_URGENCY
#define P SHOW_PRIORITY
#define E SHOW_EXTENDED
#define T SHOW_TIMES
#define R SHOW_REQUESTS
#define NO { 0, NULL }

/*
 * Type, value, width, stat_show bits, parts of -j, JSON member, then position and name in table,
 * XML and -j.
 */
static const struct stat_field stat_fields[] = {
	{ STAT_NUMBER, OF(job_number), 7, 0, PART_JOB, KEY("job_number"), { { 10, "job-ID" }, { 10, "JB_job_number" }, { 10, "job_number" } } },
	{ STAT_NUMBER, OF(task), 0, 0, PART_STARTED, KEY("task"), { NO, NO, { 160, "task" } } },
	{ STAT_BOOL, OF(is_array), 0, 0, 0, KEY("is_array"), { NO, NO, NO } },
	{ STAT_KIND, OF(is_started), 0, 0, 0, KEY("kind"), { NO, NO, NO } },
	{ STAT_LETTERS, OF(state), 5, 0, EACH, KEY("state"), { { 150, "state" }, { 140, "state" }, { 180, "state" } } },
	{ STAT_TEXT, OF(name), 10, 0, PART_JOB, KEY("name"), { { 110, "name" }, { 100, "JB_name" }, { 20, "job_name" } } },
	{ STAT_TEXT, OF(owner), 12, 0, PART_JOB, KEY("owner"), { { 120, "user" }, { 110, "JB_owner" }, { 30, "owner" } } },
	{ STAT_NAME, OF(project), 16, E, PART_JOB, KEY("project"), { { 130, "project" }, { 120, "JB_project" }, { 40, "project" } } },
	{ STAT_NAME, OF(department), 10, E, PART_JOB, KEY("department"), { { 140, "department" }, { 130, "JB_department" }, { 50, "department" } } },
	{ STAT_SUBMITTED, OF(submission_time), TIME_BYTES, T, PART_JOB, KEY("submission_time"),
	  { { 160, "submit/start at" }, { 160, "JB_submission_time" }, { 60, "submission_time" } } },
	{ STAT_STARTED, OF(start_time), 0, T, PART_STARTED, KEY("start_time"), { NO, { 150, "JAT_start_time" }, { 220, "start_time" } } },
	{ STAT_TIME, OF(deadline), TIME_BYTES, U, PART_JOB, KEY("deadline"), { { 170, "deadline" }, { 170, "JB_deadline" }, { 80, "deadline" } } },
	{ STAT_TIME, OF(execution_time), 0, 0, PART_JOB, KEY("execution_time"), { NO, NO, { 70, "execution_time" } } },
	{ STAT_SIGNED, OF(priority), 5, P, PART_JOB, KEY("priority"), { { 100, "ppri" }, { 90, "JB_priority" }, { 90, "priority" } } },
	{ STAT_NUMBER, OF(jobshare), 0, E, PART_JOB, KEY("jobshare"), { NO, { 230, "JB_jobshare" }, { 100, "jobshare" } } },
	{ STAT_NUMBER, OF(override_tickets), 5, E, PART_JOB, KEY("override_tickets"),
	  { { 220, "ovrts" }, { 220, "JB_override_tickets" }, { 110, "override_tickets" } } },
	{ STAT_ID, OF(ar), 0, 0, PART_JOB, KEY("ar"), { NO, NO, { 155, "ar_id" } } },
	{ STAT_REQUESTS, OF(hard_resources), 0, R, PART_JOB, KEY("hard_resources"), { NO, NO, { 120, "hard resource_list" } } },
	{ STAT_REQUESTS, OF(soft_resources), 0, R, PART_JOB, KEY("soft_resources"), { NO, NO, { 130, "soft resource_list" } } },
	{ STAT_PE, OF(pe), 0, R, PART_JOB, KEY("pe"), { NO, NO, { 140, "parallel environment" } } },
	{ STAT_NAME, OF(pe_range), 0, 0, PART_JOB, KEY("pe_range"), { NO, NO, { 150, "pe range" } } },
	{ STAT_GRANTED, OF(granted_pe), 0, R, PART_STARTED, KEY("granted_pe"), { NO, NO, { 210, "granted_pe" } } },
	{ STAT_QUEUE, OF(queue), 30, 0, PART_STARTED, KEY("queue"), { { 270, "queue" }, { 280, "queue_name" }, { 200, "queue" } } },
	{ STAT_NUMBER, OF(slots), 5, 0, EACH, KEY("slots"), { { 280, "slots" }, { 290, "slots" }, { 190, "slots" } } },
	{ STAT_TASKS, OF(tasks), 0, 0, PART_PENDING, KEY("tasks"), { { 290, "ja-task-ID" }, { 300, "tasks" }, { 170, "tasks not started" } } },
	{ STAT_CPU, OF(cpu), 10, E, PART_STARTED, KEY("cpu"), { { 180, "cpu" }, { 180, "cpu_usage" }, { 230, "cpu" } } },
	{ STAT_USAGE, OF(mem), 7, E, PART_STARTED, KEY("mem"), { { 190, "mem" }, { 190, "mem_usage" }, { 240, "mem" } } },
	{ STAT_USAGE, OF(io), 7, E, PART_STARTED, KEY("io"), { { 200, "io" }, { 200, "io_usage" }, { 250, "io" } } },
	{ STAT_PRIO, OF(prio), 7, 0, PART_PRIORITIES, KEY("prio"), { { 20, "prior" }, { 20, "JAT_prio" }, { 260, "prio" } } },
	{ STAT_NORMALISED, OF(nurg), 7, PU, PART_PRIORITIES, KEY("nurg"), { { 30, "nurg" }, { 50, "JB_nurg" }, { 270, "nurg" } } },
	{ STAT_CONTRIBUTION, OF(urg), 8, U, PART_PRIORITIES, KEY("urg"), { { 60, "urg" }, NO, { 300, "urg" } } },
	{ STAT_CONTRIBUTION, OF(rrcontr), 8, U, PART_PRIORITIES, KEY("rrcontr"), { { 70, "rrcontr" }, { 60, "JB_rrcontr" }, { 310, "rrcontr" } } },
	{ STAT_CONTRIBUTION, OF(wtcontr), 8, U, PART_PRIORITIES, KEY("wtcontr"), { { 80, "wtcontr" }, { 70, "JB_wtcontr" }, { 320, "wtcontr" } } },
	{ STAT_CONTRIBUTION, OF(dlcontr), 8, U, PART_PRIORITIES, KEY("dlcontr"), { { 90, "dlcontr" }, { 80, "JB_dlcontr" }, { 330, "dlcontr" } } },
	{ STAT_NORMALISED, OF(npprior), 7, P, PART_PRIORITIES, KEY("npprior"), { { 40, "npprior" }, { 40, "JB_nppri" }, { 280, "npprior" } } },
	{ STAT_NORMALISED, OF(ntckts), 7, PE, PART_PRIORITIES, KEY("ntckts"), { { 50, "ntckts" }, { 30, "JAT_ntix" }, { 290, "ntckts" } } },
	{ STAT_TICKETS, OF(tckts), 5, E, PART_PRIORITIES, KEY("tckts"), { { 210, "tckts" }, { 210, "tickets" }, { 340, "tckts" } } },
	{ STAT_TICKETS, OF(otckt), 5, E, PART_PRIORITIES, KEY("otckt"), { { 230, "otckt" }, { 240, "otickets" }, { 350, "otckt" } } },
	{ STAT_TICKETS, OF(ftckt), 5, E, PART_PRIORITIES, KEY("ftckt"), { { 240, "ftckt" }, { 250, "ftickets" }, { 360, "ftckt" } } },
	{ STAT_TICKETS, OF(stckt), 5, E, PART_PRIORITIES, KEY("stckt"), { { 250, "stckt" }, { 260, "stickets" }, { 370, "stckt" } } },
	{ STAT_SHARE, OF(share), 5, E, PART_PRIORITIES, KEY("share"), { { 260, "share" }, { 270, "JAT_share" }, { 380, "share" } } },
	/* element that qstat has */
	{ STAT_TEXT, OF(name), 0, R, 0, NO_KEY, { NO, { 310, "full_job_name" }, NO } },
};

#undef OF
#undef KEY
#undef NO_KEY
#undef EACH
#undef PU
#undef PE
#undef U
#undef P
#undef E
#undef T
#undef R
#undef NO

#define STAT_FIELDS (sizeof(stat_fields) / sizeof(*stat_fields))

/*
 * Store the fields of a format, in its order, that have one of `bits` of stat_show or stat_part.
 * `chosen` has room for STAT_FIELDS. Return their number.
 */
size_t stat_fields_choose(enum stat_order order, unsigned bits, const struct stat_field **chosen);
/* Store the fields that a list shows, like stat_fields_choose(). */
size_t stat_fields_shown(const struct job_listing *listing, enum stat_order order, const struct stat_field **chosen);

/* Return a pointer to the value in the job. */

static inline const void *stat_at(const struct fl_job *job, const struct stat_field *field)
{
	return (const char *)job + field->offset;
}

static inline double stat_real(const struct fl_job *job, const struct stat_field *field)
{
	return *(const double *)stat_at(job, field);
}

static inline const char *stat_string(const struct fl_job *job, const struct stat_field *field)
{
	return *(const char *const *)stat_at(job, field);
}

static inline int64_t stat_time(const struct fl_job *job, const struct stat_field *field)
{
	return *(const int64_t *)stat_at(job, field);
}

#endif
