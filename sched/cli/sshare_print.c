/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sched/cli/sshare.h"
#include "sched/cli/text.h"
#include "sched/digits.h"

#define NAME_BYTES 4096u		/* of names; longer ones are cut */
#define NOT_SHOWN UINT32_MAX
#define NO_RUN_MINS "cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0"	/* when nothing runs */

struct lines {
	const struct sshare *sshare;
	struct sshare_columns columns;
	bool has_fair_tree, nothing_runs;
	uint32_t *blanks;		/* before each association's account; NOT_SHOWN */
	size_t n;
};

struct cell_text {			/* what stands in one column of one line */
	char text[NAME_BYTES + 512];
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
	int length = sprintf(p, "%.*e", digits, value);	/* as many decimals less as that is too long: the way sshare does it */

	if (length > size)
		digits -= length - size;
	return p + sprintf(p, "%.*e", digits < 0 ? 6 : digits, value);
}

static void put_number(struct cell_text *t, const struct lines *l, const struct sshare_column *c, double value)
{
	if (l->sshare->style == STYLE_TABLE)
		t->end = sshare_number(t->end, value, c->width);
	else
		t->end = isfinite(value) ? digits_fixed(t->end, value, 6) : stpcpy(t->end, "inf");
}

static void put_name(struct cell_text *t, const char *name)
{
	t->end = text_column(t->end, name, strnlen(name, NAME_BYTES / 2));
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
static void put_value(struct cell_text *t, const struct lines *l, const struct sshare_column *c, const struct fl_association *a, uint32_t blanks)
{
	bool is_root = a->parent < 0;

	t->end = t->text;
	switch (c->field) {
	case FIELD_ACCOUNT: put_account(t, a->account, blanks); break;
	case FIELD_CLUSTER: put_name(t, l->sshare->cluster); break;
	case FIELD_USER: put_name(t, a->user); break;
	case FIELD_PARTITION: put_name(t, a->partition); break;
	case FIELD_RAW_SHARES: put_shares(t, a); break;
	case FIELD_RAW_USAGE: t->end = digits_truncated(t->end, a->raw_usage); break;
	case FIELD_NORM_SHARES: put_number(t, l, c, a->norm_shares); break;
	case FIELD_EFFECTV_USAGE: put_number(t, l, c, a->effective_usage); break;
	case FIELD_TRES_RUN_MINS:
		if (l->nothing_runs)		/* else it is not known: what is left of the time limits is not kept */
			t->end = stpcpy(t->end, NO_RUN_MINS);
		break;
	case FIELD_NORM_USAGE:
		if (!is_root)
			put_number(t, l, c, a->norm_usage);
		break;
	case FIELD_FAIRSHARE:
		if (!l->has_fair_tree || a->is_user)
			put_number(t, l, c, a->fairshare);
		break;
	case FIELD_LEVEL_FS:
		if (!is_root && !a->has_parent_shares)
			put_number(t, l, c, a->level_fs);
		break;
	case FIELD_GRP_TRES_MINS:
	case FIELDS:
		break;
	}
}

/* Whether a value that is too long is cut, and shows so by a plus sign. */
static bool is_text(enum sshare_field field)
{
	return field == FIELD_ACCOUNT || field == FIELD_CLUSTER || field == FIELD_USER || field == FIELD_PARTITION || field == FIELD_GRP_TRES_MINS ||
	       field == FIELD_TRES_RUN_MINS;
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

static void print_cell(struct out *o, const struct lines *l, size_t k, struct cell_text *t)
{
	const struct sshare_column *c = &l->columns.items[k];

	if (l->sshare->style == STYLE_TABLE) {
		print_fixed(o, t->text, t->end, c, is_text(c->field));
		return;
	}
	out_bytes(o, t->text, (size_t)(t->end - t->text));
	if (l->sshare->style == STYLE_ENDING || k + 1 < l->columns.n)
		out_bytes(o, "|", 1);
}

static void print_header(struct out *o, const struct lines *l)
{
	struct cell_text t;

	for (size_t k = 0; k < l->columns.n; k++) {
		const struct sshare_column *c = &l->columns.items[k];
		size_t width = (size_t)abs(c->width);

		t.end = stpcpy(t.text, sshare_title(c->field));
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
static uint32_t blanks_of(const struct lines *l, const struct fl_association *a, size_t k)
{
	size_t parent = a->parent < 0 ? l->n : (size_t)a->parent;

	return parent < k && l->blanks[parent] != NOT_SHOWN ? l->blanks[parent] + 1 : 0;
}

static void print_line(struct out *o, const struct lines *l, const struct fl_association *a, uint32_t blanks)
{
	struct cell_text t;

	for (size_t k = 0; k < l->columns.n; k++) {
		put_value(&t, l, &l->columns.items[k], a, blanks);
		print_cell(o, l, k, &t);
	}
	out_bytes(o, "\n", 1);
}

static void print_lines(struct out *o, const struct fl_view *view, struct lines *l)
{
	struct fl_association a;

	for (size_t k = 0; k < l->n && !o->error; k++) {
		bool shown = fl_association(view, k, &a) == 0 && sshare_is_meant(l->sshare, &a);

		l->blanks[k] = shown ? blanks_of(l, &a, k) : NOT_SHOWN;
		if (shown)
			print_line(o, l, &a, l->blanks[k]);
	}
}

int sshare_print(const struct fl_view *view, struct out *o, void *sshare)
{
	struct sshare *s = sshare;
	struct lines l = { .sshare = s, .n = fl_associations(view) };
	struct fl_multifactor m;
	int code = EXIT_OK;

	s->error = 0;
	s->no_multifactor = fl_multifactor(view, &m) != 0;
	if (s->no_multifactor)
		return EXIT_OK;
	l.has_fair_tree = m.has_fair_tree;
	l.nothing_runs = fl_count(view, FL_STARTED) == 0;
	if (s->fields)
		code = sshare_columns_parse(&l.columns, s->fields);
	else
		sshare_columns_choose(s, m.has_fair_tree, &l.columns);
	l.blanks = reallocarray(NULL, l.n + 1, sizeof(*l.blanks));
	s->error = l.blanks ? 0 : -ENOMEM;
	if (!code && !s->error) {
		if (s->header)
			print_header(o, &l);
		print_lines(o, view, &l);
	}
	free(l.blanks);
	return code;
}
