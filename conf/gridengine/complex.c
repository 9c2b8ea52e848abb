/* SPDX-License-Identifier: Apache-2.0 */
/* complex(5): one entry per line, eight columns */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/gridengine/readers.h"
#include "conf/gridengine/standard_complex.h"
#include "conf/text.h"

enum complex_column { NAME, SHORTCUT, TYPE, RELOP, REQUESTABLE, CONSUMABLE, DEFAULT, URGENCY, COLUMNS };

struct complex_line {			/* line that is being read */
	const struct text *t;
	char *column[COLUMNS];
	struct complex *c;
};

static const char *const types[] = { "INT",    "DOUBLE",  "TIME", "MEMORY",   "BOOL", "RSMAP",
				     "STRING", "CSTRING", "HOST", "RESTRING", NULL };
static const char *const relops[] = { "==", ">=", ">", "<=", "<", "!=", "EXCL", NULL };
static const char *const requestables[] = { "NO", "YES", "FORCED", "n", "y", "f", NULL };
static const char *const consumables[] = { "NO", "YES", "JOB", "HOST", "n", "y", "j", "h", NULL };

static void __attribute__((format(printf, 2, 3))) entry_fault(const struct complex_line *entry, const char *format, ...)
{
	va_list arguments;
	char before[80];

	snprintf(before, sizeof(before), "attribute \"%.60s\": ", entry->column[NAME]);
	va_start(arguments, format);
	report_add_arguments(entry->t->report, FAULT, entry->t->path, entry->t->number, before, format, arguments);
	va_end(arguments);
}

static int word_index(const struct complex_line *entry, enum complex_column column, const char *const *words,
		      const char *allowed)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcasecmp(words[i], entry->column[column]))
			return i;
	entry_fault(entry, "error parsing value \"%.60s\": %s allowed", entry->column[column], allowed);
	return -1;
}

const char *complex_type_word(enum complex_type type)
{
	return types[type];
}

const char *complex_consumable_word(enum complex_consumable consumable)
{
	return consumables[consumable];
}

static void entry_check_relop(const struct complex_line *entry)
{
	const struct complex *complex = entry->c;

	if (complex_is_text(complex) && complex->relop != RELOP_EQ && complex->relop != RELOP_NE)
		entry_fault(entry, "relop \"%s\" found, a %s has == or !=", entry->column[RELOP], types[complex->type]);
	else if (complex->type == TYPE_BOOL && complex->relop != RELOP_EQ && complex->relop != RELOP_EXCL)
		entry_fault(entry, "relop \"%s\" found, a BOOL has == or EXCL", entry->column[RELOP]);
	else if (complex->type != TYPE_BOOL && complex->relop == RELOP_EXCL)
		entry_fault(entry, "relop EXCL found at a %s, only a BOOL has it", types[complex->type]);
}

static void entry_check_consumable(const struct complex_line *entry)
{
	const struct complex *complex = entry->c;
	bool consumable = complex->consumable != CONSUMABLE_NO;

	if (complex->type == TYPE_RSMAP && !consumable)
		entry_fault(entry, "an RSMAP is consumable");
	else if (complex_is_text(complex) && consumable)
		entry_fault(entry, "a %s cannot be consumable", types[complex->type]);
	else if (complex->type == TYPE_BOOL && consumable != (complex->relop == RELOP_EXCL))
		entry_fault(entry, "a BOOL is consumable when its relop is EXCL, and only then");
	else if (consumable && complex->relop != RELOP_LE && complex->relop != RELOP_EXCL)
		entry_fault(entry, "relop \"%s\" found, a consumable has <=", entry->column[RELOP]);
}

static void entry_check_default(const struct complex_line *entry)
{
	struct complex *complex = entry->c;
	double value = 0;
	bool number = text_is_none(complex->default_value) || !number_parse(complex->default_value, &value);

	complex->consumption = number ? value : 0;
	if (complex->consumable == CONSUMABLE_NO) {
		if (!number || value != 0)
			entry_fault(entry, "default \"%.60s\" found, without consumption 0 or NONE is allowed",
				    complex->default_value);
	} else if (!number || value < 0) {
		entry_fault(entry, "default \"%.60s\" found, a consumable has a number from 0 on",
			    complex->default_value);
	} else if (complex->requestable == REQUESTABLE_NO && value == 0) {
		entry_fault(entry, "a consumable that jobs cannot request needs a default other than 0");
	} else if (complex->requestable == REQUESTABLE_FORCED && value != 0) {
		entry_fault(entry, "default \"%.60s\" found, 0 is allowed where a request is forced",
			    complex->default_value);
	}
}

static void entry_check_standard(const struct complex_line *entry)
{
	enum complex_type type;

	if (!strcmp(entry->c->name, "tmpdir") && entry->c->requestable != REQUESTABLE_NO)
		entry_fault(entry, "it may not be requestable");
	/* in Open Cluster Scheduler, built-in attributes of type STRING have RESTRING */
	if (standard_complex_type(entry->c->name, &type) && type != entry->c->type &&
	    !(type == TYPE_STRING && entry->c->type == TYPE_RESTRING))
		entry_fault(entry, "type %s found, that of a built-in attribute stays %s", types[entry->c->type],
			    types[type]);
}

static void entry_parse_urgency(const struct complex_line *entry)
{
	if (number_urgency(entry->column[URGENCY], &entry->c->urgency) || fabs(entry->c->urgency) > FIELD_LIMIT)
		entry_fault(entry, "urgency \"%.60s\" found, a finite number up to 1e100 is allowed",
			    entry->column[URGENCY]);
}

static bool entry_parse(const struct complex_line *entry)
{
	struct complex *complex = entry->c;
	int type = word_index(entry, TYPE, types, "INT DOUBLE TIME MEMORY BOOL RSMAP STRING CSTRING HOST RESTRING are");
	int relop = word_index(entry, RELOP, relops, "== >= > <= < != EXCL are");
	int requestable = word_index(entry, REQUESTABLE, requestables, "YES NO FORCED are");
	int consumable = word_index(entry, CONSUMABLE, consumables, "YES NO JOB HOST are");

	if (type < 0 || relop < 0 || requestable < 0 || consumable < 0)
		return false;
	complex->type = (enum complex_type)type;
	complex->relop = (enum complex_relop)relop;
	complex->requestable = (enum complex_requestable)(requestable % 3);
	complex->consumable = (enum complex_consumable)(consumable % 4);
	return true;
}

static int entry_fill(const struct complex_line *entry)
{
	struct complex *complex = entry->c;
	struct error error;

	complex->name = strdup(entry->column[NAME]);
	complex->shortcut = strdup(entry->column[SHORTCUT]);
	complex->default_value = strdup(text_is_none(entry->column[DEFAULT]) ? "" : entry->column[DEFAULT]);
	if (!complex->name || !complex->shortcut || !complex->default_value)
		return -ENOMEM;
	if (name_check(complex->name, &error) || name_check(complex->shortcut, &error))
		entry_fault(entry, "%s", error.text);
	entry_parse_urgency(entry);
	if (entry_parse(entry)) {
		entry_check_relop(entry);
		entry_check_consumable(entry);
		entry_check_default(entry);
		entry_check_standard(entry);
	}
	return 0;
}

static int line_read(struct reader *reader, const struct text *text, char *line)
{
	struct complex_line entry = { .t = text };
	char *rest = line, *word;
	size_t n = 0;

	while ((word = text_word(&rest, " \t\r"))) {
		if (n < COLUMNS)
			entry.column[n] = word;
		n++;
	}
	/* Univa Grid Engine has one more column, aapre. */
	if (n == COLUMNS + 1 && reader->cell->ncomplexes == 0)
		report_add(text->report, WARNING, text->path, text->number,
			   "9 columns found, as in files of Univa Grid Engine: the last one is ignored");
	if (n != COLUMNS && n != COLUMNS + 1) {
		report_add(text->report, FAULT, text->path, text->number,
			   "attribute \"%.60s\": %zu columns found: name shortcut type relop "
			   "requestable consumable default urgency are needed",
			   entry.column[0], n);
		return 0;
	}
	entry.c = array_add(&reader->cell->complexes, &reader->cell->ncomplexes, sizeof(*entry.c));
	if (!entry.c)
		return -ENOMEM;
	entry.c->line = text->number;
	return entry_fill(&entry);
}

struct word {			/* a name or a shortcut */
	const char *text;
	const struct complex *of;
};

static void repetition_report(struct reader *reader, const char *path, const char *text, unsigned one, unsigned other)
{
	report_add(reader->report, FAULT, path, one > other ? one : other,
		   "attribute \"%s\": the name or shortcut is used more than once, first in line %u", text,
		   one > other ? other : one);
}

/*
 * Refuse duplicate names and shortcuts. They share one namespace, in which only the name and the
 * shortcut of the same entry may be equal.
 */
static int complex_check_unique(struct reader *reader, const char *path)
{
	const struct complex *complex = reader->cell->complexes;
	size_t n = reader->cell->ncomplexes, i;
	struct word *words = reallocarray(NULL, 2 * n + 1, sizeof(*words));

	if (!words)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		words[2 * i] = (struct word){ complex[i].name, &complex[i] };
		words[2 * i + 1] = (struct word){ complex[i].shortcut, &complex[i] };
	}
	array_sort(words, 2 * n, sizeof(*words));
	for (i = 1; i < 2 * n; i++)
		if (!strcmp(words[i - 1].text, words[i].text) && words[i - 1].of != words[i].of)
			repetition_report(reader, path, words[i].text, words[i - 1].of->line, words[i].of->line);
	free(words);
	return 0;
}

static int complex_read_file(struct reader *reader, const char *path)
{
	struct text text;
	char *line;
	int rc = text_open(&text, path, reader->report);

	if (rc == -ENOENT)
		return standard_complex_fill(reader->cell);
	if (rc)
		return rc == -EIO ? 0 : rc;
	while (!rc && (line = text_line(&text)))
		rc = line_read(reader, &text, line);
	text_close(&text);
	if (rc)
		return rc;
	array_sort(reader->cell->complexes, reader->cell->ncomplexes, sizeof(*reader->cell->complexes));
	if (!cell_complex(reader->cell, "slots"))
		report_add(reader->report, WARNING, path, 0, "\"slots\" is missing: no job has an urgency without it");
	return complex_check_unique(reader, path);
}

int complex_read(struct reader *reader)
{
	char *path = path_join(reader->dir, NULL, "complex");
	size_t faults = reader->report->faults;
	int rc = path ? complex_read_file(reader, path) : -ENOMEM;

	reader->complex_valid = reader->report->faults == faults;
	free(path);
	return rc;
}

void complex_free(struct cell *cell)
{
	size_t i;

	for (i = 0; i < cell->ncomplexes; i++) {
		free(cell->complexes[i].name);
		free(cell->complexes[i].shortcut);
		free(cell->complexes[i].default_value);
	}
	free(cell->complexes);
}
