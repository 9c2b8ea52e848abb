/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/whatif/rewrite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"

#define DIRECTORY "."			/* directory in findings; nothing is read from it */

static struct cell_file *find(const struct rewrite *rewrite, const char *file)
{
	return array_find(rewrite->files.items, rewrite->files.n, sizeof(*rewrite->files.items), file);
}

static void cell_forget(struct rewrite *rewrite)
{
	if (rewrite->cell)
		cell_free(rewrite->cell);
	free(rewrite->cell);
	rewrite->cell = NULL;
}

static int add(struct rewrite *rewrite, const char *file, const char *text)
{
	struct cell_file *item = array_add(&rewrite->files.items, &rewrite->files.n, sizeof(*item));

	if (!item)
		return -ENOMEM;
	item->name = strdup(file);
	item->text = strdup(text);
	if (item->name && item->text)
		return 0;
	free(item->name);
	free(item->text);
	rewrite->files.n--;
	return -ENOMEM;
}

int rewrite_begin(struct rewrite *rewrite, const struct cell_files *from)
{
	*rewrite = (struct rewrite){ 0 };
	for (size_t i = 0; i < from->n; i++)
		if (add(rewrite, from->items[i].name, from->items[i].text))
			return -ENOMEM;
	cell_files_sort(&rewrite->files);
	return 0;
}

void rewrite_free(struct rewrite *rewrite)
{
	cell_forget(rewrite);
	for (size_t i = 0; i < rewrite->nlines; i++)
		free(rewrite->lines[i].file);
	free(rewrite->lines);
	free(rewrite->notes);
	cell_files_free(&rewrite->files);
	*rewrite = (struct rewrite){ 0 };
}

const char *rewrite_text(const struct rewrite *rewrite, const char *file)
{
	const struct cell_file *cell_file = find(rewrite, file);

	return cell_file ? cell_file->text : NULL;
}

static int note(struct rewrite *rewrite, const char *file, int line, const char *option)
{
	struct rewritten *rewritten = array_add(&rewrite->lines, &rewrite->nlines, sizeof(*rewritten));

	if (!rewritten)
		return -ENOMEM;
	*rewritten = (struct rewritten){ strdup(file), line, option };
	if (rewritten->file)
		return 0;
	rewrite->nlines--;
	return -ENOMEM;
}

static void take_out(struct rewrite *rewrite, struct cell_file *file)
{
	size_t i = (size_t)(file - rewrite->files.items);

	free(file->name);
	free(file->text);
	memmove(file, file + 1, (--rewrite->files.n - i) * sizeof(*file));
}

static int put(struct rewrite *rewrite, const char *file, const char *text)
{
	struct cell_file *old = find(rewrite, file);
	char *copy = text ? strdup(text) : NULL;
	int rc = 0;

	if (text && !copy)
		return -ENOMEM;
	cell_forget(rewrite);
	if (old && text) {
		free(old->text);
		old->text = copy;
		return 0;
	}
	free(copy);
	if (old) {
		take_out(rewrite, old);
	} else if (text) {
		rc = add(rewrite, file, text);
		cell_files_sort(&rewrite->files);
	}
	return rc;
}

int rewrite_put(struct rewrite *rewrite, const char *file, const char *text, const char *option)
{
	return note(rewrite, file, 0, option) || put(rewrite, file, text) ? -ENOMEM : 0;
}

int rewrite_note(struct rewrite *rewrite, const char *option, const char *format, ...)
{
	char text[400], *notes;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (asprintf(&notes, "%s%s: %s\n", rewrite->notes ? rewrite->notes : "", option, text) < 0)
		return -ENOMEM;
	free(rewrite->notes);
	rewrite->notes = notes;
	return 0;
}

/* Parameters */

/* "name value", "Name=value", "NAME = value" */
enum line_form { FORM_BLANK, FORM_SLURM, FORM_CONDOR };

static enum line_form form_of(const char *file)
{
	const char *end = strrchr(file, '.');

	if (strncmp(file, "condor_config", 13) == 0 || strncmp(file, "config.d/", 9) == 0)
		return FORM_CONDOR;
	return end && strcmp(end, ".conf") == 0 ? FORM_SLURM : FORM_BLANK;
}

/* Return the length of a line with its continuation lines and line ends, and count these lines. */
static size_t line_length(const char *text, int *lines)
{
	size_t n = 0;

	for (*lines = 0; text[n];) {
		size_t bytes = strcspn(text + n, "\n");
		bool goes_on = bytes > 0 && text[n + bytes - 1] == '\\';

		n += bytes + (text[n + bytes] == '\n');
		++*lines;
		if (!goes_on)
			break;
	}
	return n;
}

/* Return whether the line sets the parameter. */
static bool line_sets(const char *line, const char *name, enum line_form form)
{
	size_t n = strlen(name);

	line += strspn(line, " \t");
	if (form == FORM_BLANK)
		return strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == '\t');
	if (strncasecmp(line, name, n) != 0)
		return false;
	line += n;
	return line[strspn(line, " \t")] == '=';
}

static void line_write(FILE *out, const char *name, const char *value, enum line_form form)
{
	static const char *const between[] = { [FORM_BLANK] = " ", [FORM_SLURM] = "=", [FORM_CONDOR] = " = " };

	fprintf(out, "%s%s%s\n", name, between[form], form == FORM_BLANK && !*value ? "NONE" : value);
}

/*
 * Write the changed text; return the number of the new line. HTCondor's macros may use their own
 * earlier value, and the last definition counts. They therefore always get a new line.
 */
static int text_set(FILE *out, const char *text, const char *name, const char *value, enum line_form form)
{
	int at = 0, written = 0, lines;

	for (size_t n; *text; text += n) {
		n = line_length(text, &lines);
		if (form == FORM_CONDOR || !line_sets(text, name, form)) {
			fwrite(text, 1, n, out);
			written += lines;
			if (text[n - 1] != '\n')
				fputc('\n', out);
		} else if (at == 0) {
			line_write(out, name, value, form);
			at = ++written;
		}
	}
	if (at == 0) {
		line_write(out, name, value, form);
		at = written + 1;
	}
	return at;
}

int rewrite_set(struct rewrite *rewrite, const char *file, const char *name, const char *value, const char *option)
{
	const struct cell_file *old = find(rewrite, file);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = -ENOMEM, line = 0;

	if (out) {
		line = text_set(out, old ? old->text : "", name, value, form_of(file));
		rc = fclose(out) ? -ENOMEM : put(rewrite, file, text);
	}
	free(text);
	/* lines of other options may have moved: they are found by their file then */
	return rc || note(rewrite, file, line, option) ? -ENOMEM : 0;
}

/* The cell */

static const char *name_of(const struct finding *finding)
{
	size_t n = strlen(DIRECTORY "/");

	return strncmp(finding->file, DIRECTORY "/", n) == 0 ? finding->file + n : finding->file;
}

/* Return the last change of the line, or else of the file; NULL: there is none. */
static const struct rewritten *writer_of(const struct rewrite *rewrite, const struct finding *finding)
{
	const struct rewritten *file = NULL;

	for (size_t i = rewrite->nlines; i > 0; i--) {
		const struct rewritten *rewritten = &rewrite->lines[i - 1];

		if (strcmp(rewritten->file, name_of(finding)) != 0)
			continue;
		if (rewritten->line && rewritten->line == finding->line)
			return rewritten;
		file = file ? file : rewritten;
	}
	return file;
}

static int explain(const struct rewrite *rewrite, const struct report *report, struct error *error)
{
	for (size_t i = 0; i < report->n; i++) {
		const struct finding *finding = &report->findings[i];
		const struct rewritten *rewritten = writer_of(rewrite, finding);

		if (finding->severity != FAULT)
			continue;
		if (rewritten && rewritten->line && rewritten->line == finding->line)
			return error_set(error, -EINVAL, "%.100s: %s", rewritten->option, finding->text);
		if (rewritten)
			return error_set(error, -EINVAL, "%.80s: %.60s:%d: %s", rewritten->option, name_of(finding),
					 finding->line, finding->text);
		return error_set(error, -EINVAL, "%.80s:%d: %s", name_of(finding), finding->line, finding->text);
	}
	return error_set(error, -EINVAL, "the cell has faults");
}

int rewrite_cell(struct rewrite *rewrite, const struct cell **cell, struct error *error)
{
	struct report report = { 0 };
	int rc = 0;

	*cell = rewrite->cell;
	if (rewrite->cell)
		return 0;
	rewrite->cell = calloc(1, sizeof(*rewrite->cell));
	if (rewrite->cell)
		rc = cell_load_files(rewrite->cell, DIRECTORY, &rewrite->files, &report);
	if (!rewrite->cell || rc)
		rc = error_set(error, -ENOMEM, "out of memory");
	else if (report.faults)
		rc = explain(rewrite, &report, error);
	report_free(&report);
	if (rc)
		cell_forget(rewrite);
	*cell = rewrite->cell;
	return rc;
}
