/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/gridengine/audit_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sched/process/append.h"

/* Writing */

/* Write a field. TABs and line ends in it are replaced. */
static void field(FILE *line, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(line, "\t%s=", name);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		fputc(*c < 0x20 || *c == 0x7f ? '?' : *c, line);
}

static void worst_write(FILE *line, const struct audit_difference *difference)
{
	char of[32], theirs[32], ours[32];

	snprintf(of, sizeof(of), difference->task ? "%u.%u" : "%u", difference->job_number, difference->task);
	audit_number_print(difference->number, difference->theirs, theirs);
	audit_number_print(difference->number, difference->ours, ours);
	fprintf(line, "\tworst=%s %s %s %s", of, audit_number_name(difference->number), theirs, ours);
	field(line, "defect", difference->defect);
}

static const char *start_text(const struct audit_starts *starts, size_t k)
{
	return k < starts->n ? starts->items[k].text : "";
}

static void line_write(FILE *line, const struct audit *audit)
{
	fprintf(line,
		"now=%" PRId64 "\ttheirs=%zu\tours=%zu\tagreeing=%zu\tnumbers=%" PRIu64 "\tdiffering=%" PRIu64
		"\tknown=%" PRIu64,
		audit->now, audit->theirs.n, audit->ours.n, audit->agreeing, audit->numbers, audit->differing,
		audit->defects);
	field(line, "skipped", audit->skipped);
	if (audit->starts_differ) {
		field(line, "differ", "starts");
		field(line, "their", start_text(&audit->theirs, audit->agreeing));
		field(line, "our", start_text(&audit->ours, audit->agreeing));
		field(line, "why", audit->why);
	}
	if (audit->differing > 0)
		worst_write(line, &audit->worst);
	fputc('\n', line);
}

/*
 * Rename a journal that is too large. If this fails, the journal grows further, which is better
 * than losing it.
 */
static void journal_turn(const char *path)
{
	struct stat st;
	char *before;

	if (stat(path, &st) || st.st_size < AUDIT_JOURNAL_BYTES || asprintf(&before, "%s.1", path) < 0)
		return;
	(void)!rename(path, before);
	free(before);
}

int audit_line_append(const char *path, const struct audit *audit)
{
	char *text = NULL;
	size_t length = 0;
	FILE *line = open_memstream(&text, &length);
	int rc;

	if (!line)
		return -ENOMEM;
	line_write(line, audit);
	rc = fclose(line) ? -ENOMEM : 0;
	if (rc == 0) {
		journal_turn(path);
		rc = append_text(path, text, length);
	}
	free(text);
	return rc;
}

/* Reading */

static bool number_take(const char *text, uint64_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !*end && !errno;
}

static void worst_take(const char *text, struct audited *run)
{
	if (sscanf(text, "%23s %11s %31s %31s", run->worst.of, run->worst.column, run->worst.theirs, run->worst.ours) !=
	    4)
		run->worst.of[0] = '\0';
}

static bool text_take(const char *name, const char *value, struct audited *run)
{
	const struct { const char *name; const char **text;
	} texts[] = {
		{ "skipped", &run->skipped }, { "their", &run->their },	  { "our", &run->our },
		{ "why", &run->why },	      { "defect", &run->defect },
	};

	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
		if (strcmp(name, texts[k].name) == 0) {
			*texts[k].text = value;
			return true;
		}
	return false;
}

/* Take a field. false: its value is invalid. */
static bool field_take(const char *name, const char *value, struct audited *run)
{
	uint64_t now;
	const struct { const char *name; uint64_t *number;
	} numbers[] = {
		{ "now", &now },
		{ "theirs", &run->theirs },
		{ "ours", &run->ours },
		{ "agreeing", &run->agreeing },
		{ "numbers", &run->numbers },
		{ "differing", &run->differing },
		{ "known", &run->defects },
	};

	for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
		if (strcmp(name, numbers[k].name) == 0) {
			if (!number_take(value, numbers[k].number))
				return false;
			if (k == 0)
				run->now = now > INT64_MAX ? INT64_MAX : (int64_t)now;
			return true;
		}
	if (strcmp(name, "differ") == 0)
		run->starts_differ = true;
	else if (strcmp(name, "worst") == 0)
		worst_take(value, run);
	else
		text_take(name, value, run);
	return true;
}

/* Parse a line, which is modified. false: not a line of the journal. */
static bool audited_parse(char *line, struct audited *run)
{
	char *piece, *value;

	*run = (struct audited){ .skipped = "", .their = "", .our = "", .why = "", .defect = "" };
	while ((piece = strsep(&line, "\t")) != NULL) {
		value = strchr(piece, '=');
		if (!value)
			return false;
		*value++ = '\0';
		if (!field_take(piece, value, run))
			return false;
	}
	return run->now > 0 && run->defects <= run->differing;
}

bool audited_differs(const struct audited *run)
{
	return !*run->skipped && (run->starts_differ || run->differing > 0);
}

bool audited_is_known(const struct audited *run)
{
	return audited_differs(run) && !run->starts_differ && run->defects == run->differing;
}

static int file_read(FILE *file, audited_take *take, void *context, uint64_t *odd)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (n = getline(&line, &size, file)) > 0 && line[n - 1] == '\n') {
		struct audited run;

		line[n - 1] = '\0';
		if (memchr(line, '\0', (size_t)n - 1) || !audited_parse(line, &run))
			(*odd)++;
		else
			rc = take(context, &run);
	}
	free(line);
	return rc == 0 && ferror(file) ? -EIO : rc;
}

static int path_read(const char *path, audited_take *take, void *context, uint64_t *odd, struct error *error)
{
	FILE *file = fopen(path, "re");
	int rc = file ? file_read(file, take, context, odd) : -errno;

	if (file)
		fclose(file);
	return rc ? error_set(error, rc, "%.200s: %s", path, strerror(rc < 0 ? -rc : EIO)) : 0;
}

int audit_journal_read(const char *path, audited_take *take, void *context, uint64_t *odd, struct error *error)
{
	char *before;
	int rc, rc_before;

	*odd = 0;
	if (asprintf(&before, "%s.1", path) < 0)
		return error_set(error, -ENOMEM, "out of memory");
	rc_before = path_read(before, take, context, odd, error);
	free(before);
	if (rc_before && rc_before != -ENOENT)
		return rc_before;
	rc = path_read(path, take, context, odd, error);
	return rc == -ENOENT && rc_before == 0 ? 0 : rc;
}
