/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that build an explanation. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/explain/inside.h"

const char *text_made(char buffer[TEXT_BYTES], const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(buffer, TEXT_BYTES, format, list);
	va_end(list);
	return buffer;
}

const char *explanation_text(struct explanation *explanation, const char *text)
{
	uint32_t number;

	if (!*text)
		return "";
	if (text_set_add(&explanation->derivation.texts, text, &number)) {
		explanation->derivation.rc = -ENOMEM;
		return "";
	}
	return explanation->derivation.texts.texts[number];
}

/* Append an element. NULL: memory is exhausted, and derivation.rc is set. */
static void *add(struct explanation *explanation, void *items, size_t *n, size_t bytes)
{
	void *item = array_add(items, n, bytes);

	if (!item)
		explanation->derivation.rc = -ENOMEM;
	return item;
}

static struct explained_section *last_section(struct explanation *explanation)
{
	return explanation->nsections > 0 ? &explanation->sections[explanation->nsections - 1] : NULL;
}

struct explained_section *sections_begin(struct explanation *explanation, const char *title)
{
	struct explained_section *section =
		add(explanation, &explanation->sections, &explanation->nsections, sizeof(*section));

	if (section)
		*section = (struct explained_section){ .title = explanation_text(explanation, title) };
	return section;
}

void sections_columns(struct explanation *explanation, size_t n, const char *const *columns)
{
	struct explained_section *section = last_section(explanation);

	for (size_t i = 0; section && i < n && i < SECTION_COLUMNS; i++)
		section->columns[i] = columns[i];
	if (section)
		section->ncolumns = n;
}

void sections_row(struct explanation *explanation, const char *label, const uint32_t *lines, size_t n)
{
	struct explained_section *section = last_section(explanation);
	struct section_row *row = section ? add(explanation, &section->rows, &section->nrows, sizeof(*row)) : NULL;

	if (!row)
		return;
	row->label = explanation_text(explanation, label);
	for (size_t i = 0; i < SECTION_COLUMNS; i++)
		row->lines[i] = i < n ? lines[i] : DERIVED_NONE;
}

void sections_line(struct explanation *explanation, uint32_t line)
{
	if (line < explanation->derivation.n)
		sections_row(explanation, explanation->derivation.lines[line].name, &line, 1);
}

void sections_note(struct explanation *explanation, const char *format, ...)
{
	struct explained_section *section = last_section(explanation);
	const char **note = section ? add(explanation, &section->notes, &section->nnotes, sizeof(*note)) : NULL;
	char text[TEXT_BYTES];
	va_list list;

	if (!note)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	*note = explanation_text(explanation, text);
}

void sections_move(struct explanation *explanation, size_t to)
{
	struct explained_section last;

	if (to + 1 >= explanation->nsections)
		return;
	last = explanation->sections[explanation->nsections - 1];
	memmove(&explanation->sections[to + 1], &explanation->sections[to],
		(explanation->nsections - 1 - to) * sizeof(*explanation->sections));
	explanation->sections[to] = last;
}

void term_add(struct explanation *explanation, const struct explained_term *term)
{
	struct explained_term *explained_term =
		add(explanation, &explanation->terms, &explanation->nterms, sizeof(*explained_term));

	if (!explained_term)
		return;
	*explained_term = *term;
	explained_term->name = explanation_text(explanation, term->name);
}

void value_add(struct explanation *explanation, const char *name, uint32_t line)
{
	struct explained_value *value =
		line == DERIVED_NONE ? NULL
				     : add(explanation, &explanation->values, &explanation->nvalues, sizeof(*value));

	if (value)
		*value = (struct explained_value){ name, line };
}
