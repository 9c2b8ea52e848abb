/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sched/cli/prio.h"

#define LONG "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T"
#define LONG_NORM "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t"

static int bad(const char *text, const char *at)
{
	return cli_fail(EXIT_USAGE, "prio: -o \"%s\": \"%s\" is no column; columns are %%[.][WIDTH]LETTER, WIDTH at most %u, letters %s", text, at,
			PRIO_WIDTH, PRIO_LETTERS);
}

/*
 * One column from behind its percent sign on; NULL: it is none. Returns where the next one begins,
 * or the text ends.
 */
static const char *column_parse(struct prio_column *c, const char *p)
{
	unsigned width = 0;

	*c = (struct prio_column){ .right = *p == '.' };
	for (p += c->right; *p >= '0' && *p <= '9' && width <= PRIO_WIDTH; p++)
		width = 10 * width + (unsigned)(*p - '0');
	if (width > PRIO_WIDTH || !*p || !strchr(PRIO_LETTERS, *p))
		return NULL;
	c->width = (uint16_t)width;
	c->letter = *p++;
	c->suffix = p;
	c->suffix_bytes = (uint16_t)strcspn(p, "%");
	return p + c->suffix_bytes;
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

/* A blank and a column, weighted or normalised, if its weight is there. */
static char *add(char *p, bool shown, bool norm, const char *weighted, const char *normalised)
{
	return shown ? stpcpy(p, norm ? normalised : weighted) : p;
}

void prio_format_choose(const struct prio *p, const struct fl_multifactor *m, char *text)
{
	bool norm = p->norm;

	if (p->is_long) {
		strcpy(text, norm ? LONG_NORM : LONG);
		return;
	}
	text = stpcpy(text, "%.15i %9r");
	text = add(text, p->users.n > 0, norm, " %.8u", " %.8u");
	text = add(text, true, norm, " %.10Y %.10S", " %10y");
	text = add(text, m->weight_age, norm, " %.10A", " %10a");
	text = add(text, m->weight_assoc, norm, " %.10B", " %10b");
	text = add(text, m->weight_fairshare, norm, " %.10F", " %10f");
	text = add(text, m->weight_job_size, norm, " %.10J", " %10j");
	text = add(text, m->weight_partition, norm, " %.10P", " %10p");
	text = add(text, m->weight_qos, norm, " %.10Q", " %10q");
	add(text, *m->weight_tres, norm, " %.20T", " %20t");
}
