/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults and warnings about a cell's files. Every reader continues after a fault, so that an
 * administrator sees all of them at once.
 */
#ifndef CONF_BASE_REPORT_H
#define CONF_BASE_REPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum severity {
	/* the file cannot be used: the running configuration stays in force */
	FAULT,
	WARNING,		/* unknown, ignored, or legal but harmful */
};

struct finding {
	enum severity severity;
	char *file;		/* path as opened */
	int line;		/* 1..; 0: the whole file */
	char *text;		/* the value that was found and the values that are allowed */
};

struct cell_source;

struct report {
	/*
	 * source of the files while a cell is loaded: cell_source.h; NULL: files are simply opened
	 */
	struct cell_source *source;
	struct finding *findings;
	size_t n, capacity;
	size_t faults, warnings;	/* number of each */
};

/*
 * Add a finding. Zero-initialize a report before its first use. If memory is exhausted, the finding
 * is a fault that is counted but has no text.
 */
void report_add(struct report *report, enum severity severity, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Add a finding of a function that has its own format. The text begins with `before`. */
void report_add_arguments(struct report *report, enum severity severity, const char *file, int line, const char *before,
			  const char *format, va_list arguments) __attribute__((format(printf, 6, 0)));

/* Write "file:line", or "file" if the finding has no line, truncated to `size`. */
void finding_place(const struct finding *finding, char *place, size_t size);

/* Print "file:line: fault: text", one per line, in the order found. */
void report_print(const struct report *report, FILE *out);

void report_free(struct report *report);

#endif
