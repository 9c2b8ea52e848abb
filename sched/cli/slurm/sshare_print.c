/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/slurm/sshare.h"
#include "sched/cli/text.h"
#include "sched/process/digits.h"

#define NAME_BYTES 4096u		/* bytes of names, longer ones are cut */
#define NOT_SHOWN UINT32_MAX
/* Bytes of a column: room for 64 kinds of TRES with their minutes. */
#define TEXT_BYTES 32768u

struct sshare_lines {
	const struct sshare_query *sshare;
	struct sshare_columns columns;
	const struct fl_view *view;
	bool has_fair_tree;
	uint32_t *blanks;		/* blanks before each association's account, or NOT_SHOWN */
	size_t n;
};

struct cell_text {			/* text of one column of one line */
	char text[TEXT_BYTES];
	char *end;
};

char *sshare_number(char *p, double value, int width)
{
	int size = abs(width), digits = size;

	if (!isfinite(value))
		return stpcpy(p, "inf");
	char *end = digits_fixed(p, value, 6);

	if (end - p <= size)
		return end;
	/* like sshare: reduce the decimals by the excess length */
	int length = sprintf(p, "%.*e", digits, value);

	if (length > size)
		digits -= length - size;
	return p + sprintf(p, "%.*e", digits < 0 ? 6 : digits, value);
}

static void put_number(struct cell_text *text, const struct sshare_lines *lines, const struct sshare_column *column,
		       double value)
{
	if (lines->sshare->style == STYLE_TABLE)
		text->end = sshare_number(text->end, value, column->width);
	else
		text->end = isfinite(value) ? digits_fixed(text->end, value, 6) : stpcpy(text->end, "inf");
}

static void put_text(struct cell_text *cell_text, const char *text, size_t most)
{
	cell_text->end = text_column(cell_text->end, text, strnlen(text, most));
}

static void put_name(struct cell_text *text, const char *name)
{
	put_text(text, name, NAME_BYTES / 2);
}

/* Write "cpu=20,mem=0" for all kinds of the cell. Kinds without room are left out. */
static void put_run_minutes(struct cell_text *text, const struct fl_view *view,
			    const struct fl_association *association)
{
	const char *kind;

	for (size_t k = 0; (kind = fl_tres_kind(view, k)); k++) {
		size_t length = strlen(kind);

		if ((size_t)(text->end - text->text) + length + DIGITS_BYTES + 2 > sizeof(text->text))
			break;
		if (k > 0)
			*text->end++ = ',';
		text->end = text_column(text->end, kind, length);
		*text->end++ = '=';
		text->end = digits_u64(text->end, k < association->ntres ? association->tres_run_minutes[k] : 0);
	}
}

static void put_account(struct cell_text *text, const char *account, uint32_t blanks)
{
	text->end = text_blanks(text->end, blanks < NAME_BYTES / 2 ? blanks : NAME_BYTES / 2);
	put_name(text, account);
}

static void put_shares(struct cell_text *text, const struct fl_association *association)
{
	if (association->has_parent_shares)
		text->end = stpcpy(text->end, "parent");
	else if (association->parent >= 0)
		text->end = digits_u64(text->end, association->shares);
}

/* Write a value. Values without a meaning for the root or an account are blank. */
static void put_value(struct cell_text *text, const struct sshare_lines *lines, const struct sshare_column *column,
		      const struct fl_association *a, uint32_t blanks)
{
	const struct sshare_field *field = column->field;
	const void *value = sshare_at(a, field);
	bool is_root = a->parent < 0;

	text->end = text->text;
	switch (field->type) {
	case SHARE_ACCOUNT: put_account(text, a->account, blanks); break;
	case SHARE_CLUSTER: put_name(text, lines->sshare->cluster); break;
	case SHARE_TEXT: put_name(text, *(const char *const *)value); break;
	case SHARE_SHARES: put_shares(text, a); break;
	case SHARE_USAGE: text->end = digits_truncated(text->end, *(const double *)value); break;
	case SHARE_REAL: put_number(text, lines, column, *(const double *)value); break;
	case SHARE_LIMITS: put_text(text, *(const char *const *)value, TEXT_BYTES / 2); break;
	case SHARE_RUN_MINUTES: put_run_minutes(text, lines->view, a); break;
	case SHARE_NORM_USAGE:
		if (!is_root)
			put_number(text, lines, column, *(const double *)value);
		break;
	case SHARE_FAIRSHARE:
		if (!lines->has_fair_tree || a->is_user)
			put_number(text, lines, column, *(const double *)value);
		break;
	case SHARE_LEVEL_FS:
		if (!a->has_parent_shares && !(is_root && lines->has_fair_tree))
			put_number(text, lines, column, *(const double *)value);
		break;
	case SHARE_NUMBER: case SHARE_RANK: case SHARE_INDEX: case SHARE_PARENT: case SHARE_LEVEL_INFINITE:
		break;
	}
}

/* Return whether a value that is too long is cut and marked with a plus sign. */
static bool is_text(enum sshare_type type)
{
	return type == SHARE_ACCOUNT || type == SHARE_CLUSTER || type == SHARE_TEXT || type == SHARE_LIMITS ||
	       type == SHARE_RUN_MINUTES;
}

/* Print a value padded to the width, followed by the blank after each column. */
static void print_fixed(struct out *out, char *start, char *end, const struct sshare_column *column, bool cut)
{
	size_t width = (size_t)abs(column->width);

	if (cut && (size_t)(end - start) > width) {
		end = text_cut(start, width - 1);
		*end++ = '+';
	}
	char *p = out_room(out, width + (size_t)(end - start) + 1), *from = p;

	p = (char *)memcpy(p, start, (size_t)(end - start)) + (end - start);
	p = column->width < 0 ? text_pad(from, p, width) : text_pad_left(from, p, width);
	*p++ = ' ';
	out_take(out, p);
}

static void print_cell(struct out *out, const struct sshare_lines *lines, size_t k, struct cell_text *text)
{
	const struct sshare_column *column = &lines->columns.items[k];

	if (lines->sshare->style == STYLE_TABLE) {
		print_fixed(out, text->text, text->end, column, is_text(column->field->type));
		return;
	}
	out_bytes(out, text->text, (size_t)(text->end - text->text));
	if (lines->sshare->style == STYLE_ENDING || k + 1 < lines->columns.n)
		out_bytes(out, "|", 1);
}

static void print_header(struct out *out, const struct sshare_lines *lines)
{
	struct cell_text text;

	for (size_t k = 0; k < lines->columns.n; k++) {
		const struct sshare_column *column = &lines->columns.items[k];
		size_t width = (size_t)abs(column->width);

		text.end = stpcpy(text.text, column->field->title);
		if (lines->sshare->style == STYLE_TABLE && (size_t)(text.end - text.text) > width)
			text.end = text.text + width;
		print_cell(out, lines, k, &text);
	}
	out_bytes(out, "\n", 1);
	if (lines->sshare->style != STYLE_TABLE)
		return;
	for (size_t k = 0; k < lines->columns.n; k++) {
		size_t width = (size_t)abs(lines->columns.items[k].width);
		char *p = out_room(out, width + 1);

		memset(p, '-', width);
		p[width] = ' ';
		out_take(out, p + width + 1);
	}
	out_bytes(out, "\n", 1);
}

/* Return the indentation: one blank more than the parent account, if that is shown. */
static uint32_t blanks_of(const struct sshare_lines *lines, const struct fl_association *association, size_t k)
{
	size_t parent = association->parent < 0 ? lines->n : (size_t)association->parent;

	return parent < k && lines->blanks[parent] != NOT_SHOWN ? lines->blanks[parent] + 1 : 0;
}

static void print_line(struct out *out, const struct sshare_lines *lines, const struct fl_association *association,
		       uint32_t blanks)
{
	struct cell_text text;

	for (size_t k = 0; k < lines->columns.n; k++) {
		put_value(&text, lines, &lines->columns.items[k], association, blanks);
		print_cell(out, lines, k, &text);
	}
	out_bytes(out, "\n", 1);
}

static void print_lines(struct out *out, struct sshare_lines *lines)
{
	struct fl_association association;

	for (size_t k = 0; k < lines->n && !out->error; k++) {
		bool shown = fl_association(lines->view, k, &association) == 0 &&
			     sshare_is_meant(lines->sshare, &association);

		lines->blanks[k] = shown ? blanks_of(lines, &association, k) : NOT_SHOWN;
		if (shown)
			print_line(out, lines, &association, lines->blanks[k]);
	}
}

int sshare_print(const struct fl_view *view, struct out *out, void *sshare)
{
	struct sshare_query *query = sshare;
	struct sshare_lines lines = { .sshare = query, .view = view, .n = fl_associations(view) };
	struct fl_multifactor multifactor;
	int code = EXIT_OK;

	query->error = 0;
	query->no_multifactor = fl_multifactor(view, &multifactor) != 0;
	if (query->no_multifactor)
		return EXIT_OK;
	lines.has_fair_tree = multifactor.has_fair_tree;
	if (query->columns)
		code = sshare_columns_parse(&lines.columns, query->columns);
	else
		sshare_columns_choose(query, multifactor.has_fair_tree, &lines.columns);
	lines.blanks = reallocarray(NULL, lines.n + 1, sizeof(*lines.blanks));
	query->error = lines.blanks ? 0 : -ENOMEM;
	if (!code && !query->error) {
		if (!query->no_header)
			print_header(out, &lines);
		print_lines(out, &lines);
	}
	free(lines.blanks);
	return code;
}
