/* SPDX-License-Identifier: Apache-2.0 */
/* An explanation as it is put together. */
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

const char *explanation_text(struct explanation *x, const char *text)
{
	uint32_t number;

	if (!*text)
		return "";
	if (text_set_add(&x->derivation.texts, text, &number)) {
		x->derivation.rc = -ENOMEM;
		return "";
	}
	return x->derivation.texts.texts[number];
}

/* One more element; NULL: no memory, which is remembered. */
static void *add(struct explanation *x, void *items, size_t *n, size_t bytes)
{
	void *item = array_add(items, n, bytes);

	if (!item)
		x->derivation.rc = -ENOMEM;
	return item;
}

static struct explained_section *last_section(struct explanation *x)
{
	return x->nsections > 0 ? &x->sections[x->nsections - 1] : NULL;
}

struct explained_section *sections_begin(struct explanation *x, const char *title)
{
	struct explained_section *s = add(x, &x->sections, &x->nsections, sizeof(*s));

	if (s)
		*s = (struct explained_section){ .title = explanation_text(x, title) };
	return s;
}

void sections_columns(struct explanation *x, size_t n, const char *const *columns)
{
	struct explained_section *s = last_section(x);

	for (size_t i = 0; s && i < n && i < SECTION_COLUMNS; i++)
		s->columns[i] = columns[i];
	if (s)
		s->ncolumns = n;
}

void sections_row(struct explanation *x, const char *label, const uint32_t *lines, size_t n)
{
	struct explained_section *s = last_section(x);
	struct section_row *row = s ? add(x, &s->rows, &s->nrows, sizeof(*row)) : NULL;

	if (!row)
		return;
	row->label = explanation_text(x, label);
	for (size_t i = 0; i < SECTION_COLUMNS; i++)
		row->lines[i] = i < n ? lines[i] : DERIVED_NONE;
}

void sections_line(struct explanation *x, uint32_t line)
{
	if (line < x->derivation.n)
		sections_row(x, x->derivation.lines[line].name, &line, 1);
}

void sections_note(struct explanation *x, const char *format, ...)
{
	struct explained_section *s = last_section(x);
	const char **note = s ? add(x, &s->notes, &s->nnotes, sizeof(*note)) : NULL;
	char text[TEXT_BYTES];
	va_list list;

	if (!note)
		return;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	*note = explanation_text(x, text);
}

void sections_move(struct explanation *x, size_t to)
{
	struct explained_section last;

	if (to + 1 >= x->nsections)
		return;
	last = x->sections[x->nsections - 1];
	memmove(&x->sections[to + 1], &x->sections[to], (x->nsections - 1 - to) * sizeof(*x->sections));
	x->sections[to] = last;
}

void term_add(struct explanation *x, const struct explained_term *term)
{
	struct explained_term *t = add(x, &x->terms, &x->nterms, sizeof(*t));

	if (!t)
		return;
	*t = *term;
	t->name = explanation_text(x, term->name);
}

void value_add(struct explanation *x, const char *name, uint32_t line)
{
	struct explained_value *v = line == DERIVED_NONE ? NULL : add(x, &x->values, &x->nvalues, sizeof(*v));

	if (v)
		*v = (struct explained_value){ name, line };
}
