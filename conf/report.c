/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "conf/array.h"
#include "conf/utf8.h"

/* a file of garbage must not fill the memory: what is more is counted only */
enum { FINDINGS_KEPT = 10000 };

static struct finding *report_slot(struct report *r)
{
	struct finding *findings;
	size_t capacity;

	if (r->n == r->capacity) {
		capacity = r->capacity ? 2 * r->capacity : 16;
		findings = realloc(r->findings, capacity * sizeof(*findings));
		if (!findings)
			return NULL;
		r->findings = findings;
		r->capacity = capacity;
	}
	return &r->findings[r->n];
}

static char *__attribute__((format(printf, 2, 0))) report_text(const char *before, const char *format, va_list arguments)
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

void report_add_arguments(struct report *r, enum severity severity, const char *file, int line, const char *before, const char *format,
			  va_list arguments)
{
	struct finding *f;

	*(severity == FAULT ? &r->faults : &r->warnings) += 1;
	if (r->n >= FINDINGS_KEPT)
		return;
	f = report_slot(r);
	if (!f)
		return;
	*f = (struct finding){ severity, strdup(file), line, report_text(before, format, arguments) };
	if (!f->file || !f->text) {
		free(f->file);
		free(f->text);
		return;
	}
	utf8_clean(f->file);
	r->n++;
}

void report_add(struct report *r, enum severity severity, const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(r, severity, file, line, "", format, arguments);
	va_end(arguments);
}

void finding_place(const struct finding *f, char *place, size_t size)
{
	if (f->line > 0)
		snprintf(place, size, "%s:%d", f->file, f->line);
	else
		snprintf(place, size, "%s", f->file);
}

void report_print(const struct report *r, FILE *out)
{
	const struct finding *f;
	char place[PATH_MAX + 16];

	for (f = r->findings; f != array_end(r->findings, r->n); f++) {
		finding_place(f, place, sizeof(place));
		fprintf(out, "%s: %s: %s\n", place, f->severity == FAULT ? "fault" : "warning", f->text);
	}
	if (r->faults + r->warnings > r->n)
		fprintf(out, "... and %zu more\n", r->faults + r->warnings - r->n);
}

void report_free(struct report *r)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		free(r->findings[i].file);
		free(r->findings[i].text);
	}
	free(r->findings);
	*r = (struct report){ 0 };
}
