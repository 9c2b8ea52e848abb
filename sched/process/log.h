/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log of the process: lines on standard error, or messages with fields if that is the journal of
 * systemd. Names may have any characters, so only printable characters get into a line. The
 * process never waits for the reader. Lines for which there is no room are lost and counted, and
 * their number is logged when there is room again.
 */
#ifndef SCHED_PROCESS_LOG_H
#define SCHED_PROCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/report.h"

/* Levels of syslog(3). */
enum log_level { LOG_FAILURE = 3, LOG_ODD = 4, LOG_NOTE = 5, LOG_DETAIL = 6 };

void log_open(const char *program, bool details);

/* Begin all further lines with the time, unless the journal adds one; or write them as JSON. */
void log_stamp(void);
void log_json(void);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the number of the last run, which the journal gets with each message. 0: there is none. */
void log_run(uint64_t run);

struct log_event {			/* an event, for programs that read the log */
	const char *name;		/* "submit", "start", ...; NULL: a message without a name */
	const char *user;		/* user who requested it, or owner of the job; NULL: none */
	int64_t uid;			/* user id of the requester; -1: no requester */
	uint32_t job_number, task;	/* 0: none */
	const char *host;		/* execution host; NULL: none */
	bool refused;
};

#define LOG_JOB(job) (&(const struct log_event){ .uid = -1, .job_number = (job) })
#define LOG_TASK(job, id) (&(const struct log_event){ .uid = -1, .job_number = (job), .task = (id) })
#define LOG_HOST(name) (&(const struct log_event){ .uid = -1, .host = (name) })

/*
 * Log "NAME by USER (UID): ...", "NAME: ..." if there is no requester, or only the text if there is
 * no name.
 */
void log_event(enum log_level level, const struct log_event *event, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Log all findings, each with its file and line. */
void log_report(const struct report *report);

#endif
