/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process says to whoever runs it: lines on standard error, with their level where the
 * journal reads them: sd-daemon(3).
 */
#ifndef SCHED_PROCESS_LOG_H
#define SCHED_PROCESS_LOG_H

#include <stdbool.h>

#include "conf/report.h"

/* as in syslog(3) */
enum log_level { LOG_FAILURE = 3, LOG_ODD = 4, LOG_NOTE = 5, LOG_DETAIL = 6 };

void log_open(const char *program, bool details);
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* All findings, each with its file and line. */
void log_report(const struct report *report);

#endif
