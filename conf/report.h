/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a cell's files, collected: every reader goes on after a fault, so that an
 * administrator sees all of them at once.
 */
#ifndef CONF_REPORT_H
#define CONF_REPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum severity {
	/* the file can't be used: the running configuration stays in force */
	FAULT,
	WARNING,		/* unknown, ignored, or legal but hurtful */
};

struct finding {
	enum severity severity;
	char *file;		/* path as opened */
	int line;		/* 1..; 0: the file as a whole */
	char *text;		/* what was found, what is allowed */
};

struct cell_source;

struct report {
	/* while a cell is loaded: cell_source.h; NULL: files are just opened */
	struct cell_source *source;
	struct finding *findings;
	size_t n, capacity;
	size_t faults, warnings;	/* how many of each */
};

/*
 * Zero-initialise a report before its first use. Out of memory is a fault that is counted but has
 * no text.
 */
void report_add(struct report *report, enum severity severity, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/*
 * The same, for functions that report what is wrong at a place of their own. `before` begins the
 * text.
 */
void report_add_arguments(struct report *report, enum severity severity, const char *file, int line, const char *before,
			  const char *format, va_list arguments) __attribute__((format(printf, 6, 0)));

/* "file:line", or "file" where no single line is meant; cut to `size`. */
void finding_place(const struct finding *finding, char *place, size_t size);

/* "file:line: fault: text", one per line, in the order found. */
void report_print(const struct report *report, FILE *out);

void report_free(struct report *report);

#endif
