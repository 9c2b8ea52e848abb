/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/array.h"
#include "conf/base/utf8.h"

/*
 * Findings that are kept, so that a file of garbage cannot fill the memory. Further findings are
 * only counted.
 */
enum { FINDINGS_KEPT = 10000 };

static struct finding *report_slot(struct report *report)
{
	struct finding *findings;
	size_t capacity;

	if (report->n == report->capacity) {
		capacity = report->capacity ? 2 * report->capacity : 16;
		findings = realloc(report->findings, capacity * sizeof(*findings));
		if (!findings)
			return NULL;
		report->findings = findings;
		report->capacity = capacity;
	}
	return &report->findings[report->n];
}

static char *__attribute__((format(printf, 2, 0)))
report_text(const char *before, const char *format, va_list arguments)
{
	char *own, *text;

	if (vasprintf(&own, format, arguments) < 0)
		return NULL;
	if (asprintf(&text, "%s%s", before, own) < 0)
		text = NULL;
	free(own);
	if (text)
		utf8_clean(text);
	return text;
}

void report_add_arguments(struct report *report, enum severity severity, const char *file, int line, const char *before,
			  const char *format, va_list arguments)
{
	struct finding *finding;

	*(severity == FAULT ? &report->faults : &report->warnings) += 1;
	if (report->n >= FINDINGS_KEPT)
		return;
	finding = report_slot(report);
	if (!finding)
		return;
	*finding = (struct finding){ severity, strdup(file), line, report_text(before, format, arguments) };
	if (!finding->file || !finding->text) {
		free(finding->file);
		free(finding->text);
		return;
	}
	utf8_clean(finding->file);
	report->n++;
}

void report_add(struct report *report, enum severity severity, const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(report, severity, file, line, "", format, arguments);
	va_end(arguments);
}

void finding_place(const struct finding *finding, char *place, size_t size)
{
	if (finding->line > 0)
		snprintf(place, size, "%s:%d", finding->file, finding->line);
	else
		snprintf(place, size, "%s", finding->file);
}

void report_print(const struct report *report, FILE *out)
{
	const struct finding *finding;
	char place[PATH_MAX + 16];

	for (finding = report->findings; finding != array_end(report->findings, report->n); finding++) {
		finding_place(finding, place, sizeof(place));
		fprintf(out, "%s: %s: %s\n", place, finding->severity == FAULT ? "fault" : "warning", finding->text);
	}
	if (report->faults + report->warnings > report->n)
		fprintf(out, "... and %zu more\n", report->faults + report->warnings - report->n);
}

void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->n; i++) {
		free(report->findings[i].file);
		free(report->findings[i].text);
	}
	free(report->findings);
	*report = (struct report){ 0 };
}
