/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process says to whoever runs it: lines on standard error, with their level where the
 * journal reads them: sd-daemon(3). Names come from outside: nothing but printable characters gets
 * into a line. Nobody waits for who reads them: lines for which there is no room are lost, counted,
 * and spoken of when there is room again.
 */
#ifndef SCHED_PROCESS_LOG_H
#define SCHED_PROCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/base/report.h"

/* as in syslog(3) */
enum log_level { LOG_FAILURE = 3, LOG_ODD = 4, LOG_NOTE = 5, LOG_DETAIL = 6 };

void log_open(const char *program, bool details);

/* Lines from now on begin with the time, unless the journal has one of its own; or are JSON. */
void log_stamp(void);
void log_json(void);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct log_event {			/* what happened, for programs that read it */
	const char *name;		/* "submit", "start", ... */
	const char *user;		/* who has asked for it, or whose job it is; NULL: nobody */
	int64_t uid;			/* of who has asked; -1: nobody has */
	uint32_t job_number, task;	/* 0: none */
	bool refused;
};

/* "NAME by USER (UID): ...", or "NAME: ..." where nobody has asked. */
void log_event(enum log_level level, const struct log_event *event, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* All findings, each with its file and line. */
void log_report(const struct report *report);

#endif
