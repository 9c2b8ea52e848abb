/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/sshare.h"
#include "sched/cli/text.h"
#include "sched/process/digits.h"

#define NAME_BYTES 4096u		/* of names; longer ones are cut */
#define NOT_SHOWN UINT32_MAX
/* of a column: as many as 64 kinds of TRES with their minutes have */
#define TEXT_BYTES 32768u

struct sshare_lines {
	const struct sshare_query *sshare;
	struct sshare_columns columns;
	const struct fl_view *view;
	bool has_fair_tree;
	uint32_t *blanks;		/* before each association's account; NOT_SHOWN */
	size_t n;
};

struct cell_text {			/* what stands in one column of one line */
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
	/* as many decimals less as that is too long: the way sshare does it */
	int length = sprintf(p, "%.*e", digits, value);

	if (length > size)
		digits -= length - size;
	return p + sprintf(p, "%.*e", digits < 0 ? 6 : digits, value);
}

static void put_number(struct cell_text *t, const struct sshare_lines *l, const struct sshare_column *c, double value)
{
	if (l->sshare->style == STYLE_TABLE)
		t->end = sshare_number(t->end, value, c->width);
	else
		t->end = isfinite(value) ? digits_fixed(t->end, value, 6) : stpcpy(t->end, "inf");
}

static void put_text(struct cell_text *t, const char *text, size_t most)
{
	t->end = text_column(t->end, text, strnlen(text, most));
}

static void put_name(struct cell_text *t, const char *name)
{
	put_text(t, name, NAME_BYTES / 2);
}

/* "cpu=20,mem=0", all kinds of the cell; one that finds no room any more is left out. */
static void put_run_minutes(struct cell_text *t, const struct fl_view *view, const struct fl_association *a)
{
	const char *kind;

	for (size_t k = 0; (kind = fl_tres_kind(view, k)); k++) {
		size_t length = strlen(kind);

		if ((size_t)(t->end - t->text) + length + DIGITS_BYTES + 2 > sizeof(t->text))
			break;
		if (k > 0)
			*t->end++ = ',';
		t->end = text_column(t->end, kind, length);
		*t->end++ = '=';
		t->end = digits_u64(t->end, k < a->ntres ? a->tres_run_minutes[k] : 0);
	}
}

static void put_account(struct cell_text *t, const char *account, uint32_t blanks)
{
	t->end = text_blanks(t->end, blanks < NAME_BYTES / 2 ? blanks : NAME_BYTES / 2);
	put_name(t, account);
}

static void put_shares(struct cell_text *t, const struct fl_association *a)
{
	if (a->has_parent_shares)
		t->end = stpcpy(t->end, "parent");
	else if (a->parent >= 0)
		t->end = digits_u64(t->end, a->shares);
}

/* What has no meaning for the root, or for an account, stays blank. */
static void put_value(struct cell_text *t, const struct sshare_lines *l, const struct sshare_column *c, const struct fl_association *a, uint32_t blanks)
{
	const struct sshare_field *f = c->field;
	const void *value = sshare_at(a, f);
	bool is_root = a->parent < 0;

	t->end = t->text;
	switch (f->type) {
	case SHARE_ACCOUNT: put_account(t, a->account, blanks); break;
	case SHARE_CLUSTER: put_name(t, l->sshare->cluster); break;
	case SHARE_TEXT: put_name(t, *(const char *const *)value); break;
	case SHARE_SHARES: put_shares(t, a); break;
	case SHARE_USAGE: t->end = digits_truncated(t->end, *(const double *)value); break;
	case SHARE_REAL: put_number(t, l, c, *(const double *)value); break;
	case SHARE_LIMITS: put_text(t, *(const char *const *)value, TEXT_BYTES / 2); break;
	case SHARE_RUN_MINUTES: put_run_minutes(t, l->view, a); break;
	case SHARE_NORM_USAGE:
		if (!is_root)
			put_number(t, l, c, *(const double *)value);
		break;
	case SHARE_FAIRSHARE:
		if (!l->has_fair_tree || a->is_user)
			put_number(t, l, c, *(const double *)value);
		break;
	case SHARE_LEVEL_FS:
		if (!a->has_parent_shares && !(is_root && l->has_fair_tree))
			put_number(t, l, c, *(const double *)value);
		break;
	case SHARE_NUMBER: case SHARE_RANK: case SHARE_INDEX: case SHARE_PARENT: case SHARE_LEVEL_INFINITE:
		break;
	}
}

/* Whether a value that is too long is cut, and shows so by a plus sign. */
static bool is_text(enum sshare_type type)
{
	return type == SHARE_ACCOUNT || type == SHARE_CLUSTER || type == SHARE_TEXT || type == SHARE_LIMITS || type == SHARE_RUN_MINUTES;
}

/* Filled up to the width, with the blank that stands behind each column. */
static void print_fixed(struct out *o, char *start, char *end, const struct sshare_column *c, bool cut)
{
	size_t width = (size_t)abs(c->width);

	if (cut && (size_t)(end - start) > width) {
		end = text_cut(start, width - 1);
		*end++ = '+';
	}
	char *p = out_room(o, width + (size_t)(end - start) + 1), *from = p;

	p = (char *)memcpy(p, start, (size_t)(end - start)) + (end - start);
	p = c->width < 0 ? text_pad(from, p, width) : text_pad_left(from, p, width);
	*p++ = ' ';
	out_take(o, p);
}

static void print_cell(struct out *o, const struct sshare_lines *l, size_t k, struct cell_text *t)
{
	const struct sshare_column *c = &l->columns.items[k];

	if (l->sshare->style == STYLE_TABLE) {
		print_fixed(o, t->text, t->end, c, is_text(c->field->type));
		return;
	}
	out_bytes(o, t->text, (size_t)(t->end - t->text));
	if (l->sshare->style == STYLE_ENDING || k + 1 < l->columns.n)
		out_bytes(o, "|", 1);
}

static void print_header(struct out *o, const struct sshare_lines *l)
{
	struct cell_text t;

	for (size_t k = 0; k < l->columns.n; k++) {
		const struct sshare_column *c = &l->columns.items[k];
		size_t width = (size_t)abs(c->width);

		t.end = stpcpy(t.text, c->field->title);
		if (l->sshare->style == STYLE_TABLE && (size_t)(t.end - t.text) > width)
			t.end = t.text + width;
		print_cell(o, l, k, &t);
	}
	out_bytes(o, "\n", 1);
	if (l->sshare->style != STYLE_TABLE)
		return;
	for (size_t k = 0; k < l->columns.n; k++) {
		size_t width = (size_t)abs(l->columns.items[k].width);
		char *p = out_room(o, width + 1);

		memset(p, '-', width);
		p[width] = ' ';
		out_take(o, p + width + 1);
	}
	out_bytes(o, "\n", 1);
}

/* One blank more than the account above has, if that is shown. */
static uint32_t blanks_of(const struct sshare_lines *l, const struct fl_association *a, size_t k)
{
	size_t parent = a->parent < 0 ? l->n : (size_t)a->parent;

	return parent < k && l->blanks[parent] != NOT_SHOWN ? l->blanks[parent] + 1 : 0;
}

static void print_line(struct out *o, const struct sshare_lines *l, const struct fl_association *a, uint32_t blanks)
{
	struct cell_text t;

	for (size_t k = 0; k < l->columns.n; k++) {
		put_value(&t, l, &l->columns.items[k], a, blanks);
		print_cell(o, l, k, &t);
	}
	out_bytes(o, "\n", 1);
}

static void print_lines(struct out *o, struct sshare_lines *l)
{
	struct fl_association a;

	for (size_t k = 0; k < l->n && !o->error; k++) {
		bool shown = fl_association(l->view, k, &a) == 0 && sshare_is_meant(l->sshare, &a);

		l->blanks[k] = shown ? blanks_of(l, &a, k) : NOT_SHOWN;
		if (shown)
			print_line(o, l, &a, l->blanks[k]);
	}
}

int sshare_print(const struct fl_view *view, struct out *o, void *sshare)
{
	struct sshare_query *s = sshare;
	struct sshare_lines l = { .sshare = s, .view = view, .n = fl_associations(view) };
	struct fl_multifactor m;
	int code = EXIT_OK;

	s->error = 0;
	s->no_multifactor = fl_multifactor(view, &m) != 0;
	if (s->no_multifactor)
		return EXIT_OK;
	l.has_fair_tree = m.has_fair_tree;
	if (s->columns)
		code = sshare_columns_parse(&l.columns, s->columns);
	else
		sshare_columns_choose(s, m.has_fair_tree, &l.columns);
	l.blanks = reallocarray(NULL, l.n + 1, sizeof(*l.blanks));
	s->error = l.blanks ? 0 : -ENOMEM;
	if (!code && !s->error) {
		if (!s->no_header)
			print_header(o, &l);
		print_lines(o, &l);
	}
	free(l.blanks);
	return code;
}
