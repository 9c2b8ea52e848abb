/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sched/cli/slurm/prio.h"

void prio_letters(char letters[PRIO_LETTERS])
{
	for (size_t k = 0; k < PRIO_FIELDS; k++)
		if (prio_fields[k].letter)
			*letters++ = prio_fields[k].letter;
	*letters = '\0';
}

static int bad(const char *text, const char *at)
{
	char letters[PRIO_LETTERS];

	prio_letters(letters);
	return cli_fail(
		EXIT_USAGE,
		"prio: -o \"%s\": \"%s\" is not a column; columns are %%[.][WIDTH]LETTER, WIDTH at most %u, letters %s",
		text, at, PRIO_WIDTH, letters);
}

/*
 * Parse one column after its percent sign. Return the start of the next column or the end of the
 * text. NULL: invalid.
 */
static const char *column_parse(struct prio_column *prio_column, const char *p)
{
	unsigned width = 0;

	*prio_column = (struct prio_column){ .right = *p == '.' };
	for (p += prio_column->right; *p >= '0' && *p <= '9' && width <= PRIO_WIDTH; p++)
		width = 10 * width + (unsigned)(*p - '0');
	prio_column->field = prio_field_find(*p);
	if (width > PRIO_WIDTH || !prio_column->field)
		return NULL;
	prio_column->width = (uint16_t)width;
	p++;
	prio_column->suffix = p;
	prio_column->suffix_bytes = (uint16_t)strcspn(p, "%");
	return p + prio_column->suffix_bytes;
}

int prio_format_parse(struct prio_format *format, const char *text)
{
	const char *p = text + strcspn(text, "%");

	*format = (struct prio_format){ .prefix = text, .prefix_bytes = (size_t)(p - text) };
	if (strlen(text) >= PRIO_FORMAT_BYTES)
		return cli_fail(EXIT_USAGE, "prio: -o is longer than %u bytes", PRIO_FORMAT_BYTES - 1);
	if (!*p)
		return bad(text, text);
	while (*p) {
		const char *start = p;

		if (format->n == PRIO_COLUMNS)
			return cli_fail(EXIT_USAGE, "prio: -o has more than %u columns", PRIO_COLUMNS);
		p = column_parse(&format->columns[format->n++], p + 1);
		if (!p)
			return bad(text, start);
	}
	return EXIT_OK;
}

static bool is_shown(const struct prio *prio, const struct fl_multifactor *multifactor, const struct prio_field *field)
{
	if (!(field->when & (prio->norm ? PRIO_NORM : PRIO_LINES)))
		return false;
	if (prio->is_long || !(field->when & (PRIO_IF_USERS | PRIO_IF_WEIGHT | PRIO_IF_LONG)))
		return true;
	return ((field->when & PRIO_IF_USERS) && prio->users.n > 0) ||
	       ((field->when & PRIO_IF_WEIGHT) && prio_weight(multifactor, field));
}

void prio_format_choose(const struct prio *prio, const struct fl_multifactor *multifactor, char *text)
{
	const char *blank = "";

	*text = '\0';
	for (unsigned at = 1; at <= UINT8_MAX; at++)
		for (size_t k = 0; k < PRIO_FIELDS; k++)
			if (prio_fields[k].at == at && is_shown(prio, multifactor, &prio_fields[k])) {
				text = stpcpy(stpcpy(text, blank), prio_fields[k].column);
				blank = " ";
			}
}
