/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "conf/utf8.h"

static struct {
	const char *program;
	bool details, journal;
} log_to;

void log_open(const char *program, bool details)
{
	log_to.program = program;
	log_to.details = details;
	log_to.journal = getenv("JOURNAL_STREAM") && !isatty(STDERR_FILENO);
}

void log_line(enum log_level level, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (level == LOG_DETAIL && !log_to.details)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	utf8_clean(text);
	if (log_to.journal)
		dprintf(STDERR_FILENO, "<%d>%s\n", level, text);
	else
		dprintf(STDERR_FILENO, "%s: %s\n", log_to.program, text);
}

void log_report(const struct report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		const struct finding *f = &report->findings[i];
		bool fault = f->severity == FAULT;
		char place[512];

		finding_place(f, place, sizeof(place));
		log_line(fault ? LOG_FAILURE : LOG_ODD, "%s: %s: %s", place, fault ? "fault" : "warning", f->text);
	}
	if (report->faults > report->n)
		log_line(LOG_FAILURE, "%zu faults in all", report->faults);
}
