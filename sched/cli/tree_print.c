/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "sched/process/json.h"
#include "sched/cli/shares.h"
#include "sched/cli/terminal.h"
#include "sched/cli/tree.h"
#include "sched/cli/tree_bars.h"
#include "sched/process/digits.h"

struct tree_values {				/* of one line, under the fields' names */
	int64_t curr_time, usage_time;
	const char *node_name, *user_name, *project_name;
	int64_t shares, job_count;
	double level, total, long_target_share, short_target_share, actual_share, usage;
	double cpu, mem, io, ltcpu, ltmem, ltio;
};

enum field_type { FIELD_TIME, FIELD_TEXT, FIELD_NUMBER, FIELD_REAL };

struct tree_field {
	const char *name;
	enum field_type type;
	size_t offset;
};

#define FIELD(name, member, type) { name, type, offsetof(struct tree_values, member) }

static const struct tree_field fields[TREE_FIELDS] = {
	FIELD("curr_time", curr_time, FIELD_TIME),
	FIELD("usage_time", usage_time, FIELD_TIME),
	FIELD("node_name", node_name, FIELD_TEXT),
	FIELD("user_name", user_name, FIELD_TEXT),
	FIELD("project_name", project_name, FIELD_TEXT),
	FIELD("shares", shares, FIELD_NUMBER),
	FIELD("job_count", job_count, FIELD_NUMBER),
	FIELD("level%", level, FIELD_REAL),
	FIELD("total%", total, FIELD_REAL),
	FIELD("long_target_share", long_target_share, FIELD_REAL),
	FIELD("short_target_share", short_target_share, FIELD_REAL),
	FIELD("actual_share", actual_share, FIELD_REAL),
	FIELD("usage", usage, FIELD_REAL),
	FIELD("cpu", cpu, FIELD_REAL),
	FIELD("mem", mem, FIELD_REAL),
	FIELD("io", io, FIELD_REAL),
	FIELD("ltcpu", ltcpu, FIELD_REAL),
	FIELD("ltmem", ltmem, FIELD_REAL),
	FIELD("ltio", ltio, FIELD_REAL),
};

struct printer {			/* one set of lines on its way out */
	struct tree *tree;
	struct out *out;
	struct shares *shares;
	int64_t now;
	bool json;
	struct tree_bars *bars;		/* NULL: lines */
	char *path;			/* of the node being printed */
	size_t length, capacity;
	bool shown;			/* the node lies below a path that was asked for */
	bool follows;
	int error;
};

static int unknown(const char *name, size_t length)
{
	char known[TREE_FIELDS * 20] = "", *p = known;

	for (size_t k = 0; k < TREE_FIELDS; k++)
		p = stpcpy(stpcpy(p, " "), fields[k].name);
	return cli_fail(EXIT_USAGE, "tree: -f: no field \"%.*s\"; there are%s", (int)length, name, known);
}

static int select_one(struct tree *t, const char *name, size_t length)
{
	for (size_t k = 0; k < TREE_FIELDS; k++)
		if (strlen(fields[k].name) == length && !memcmp(fields[k].name, name, length)) {
			if (t->nfields == TREE_FIELDS)
				return cli_fail(EXIT_USAGE, "tree: -f: more than %d fields", TREE_FIELDS);
			t->fields[t->nfields++] = &fields[k];
			return EXIT_OK;
		}
	return unknown(name, length);
}

int tree_select(struct tree *t, const char *names)
{
	int bad = EXIT_OK;

	t->nfields = 0;
	for (size_t k = 0; !names && k < TREE_FIELDS; k++)
		t->fields[t->nfields++] = &fields[k];
	while (names && !bad) {
		size_t length = strcspn(names, ",");

		bad = select_one(t, names, length);
		names = names[length] ? names + length + 1 : NULL;
	}
	return bad;
}

static void print_time(struct out *o, struct tree *t, int64_t time)
{
	if (t->times && time)
		out_take(o, clock_put(&t->clock, out_room(o, TIME_BYTES), time, TIME_TABLE));
	else
		out_take(o, digits_i64(out_room(o, DIGITS_BYTES), time));
}

static void print_value(struct out *o, struct tree *t, const struct tree_field *f, const struct tree_values *values)
{
	const void *value = (const char *)values + f->offset;

	switch (f->type) {
	case FIELD_TIME: print_time(o, t, *(const int64_t *)value); break;
	case FIELD_TEXT: text_plain(o, *(const char *const *)value); break;
	case FIELD_NUMBER: out_take(o, digits_i64(out_room(o, DIGITS_BYTES), *(const int64_t *)value)); break;
	case FIELD_REAL: out_take(o, digits_fixed(out_room(o, DIGITS_BYTES), *(const double *)value, 6)); break;
	}
}

static void print_line(struct out *o, struct tree *t, const struct tree_values *values)
{
	for (size_t k = 0; k < t->nfields; k++) {
		if (t->names) {
			out_text(o, t->fields[k]->name);
			out_bytes(o, "=", 1);
		}
		print_value(o, t, t->fields[k], values);
		out_text(o, t->delimiter);
	}
	out_text(o, t->line_delimiter);
}

static void print_json(struct out *o, struct tree *t, const struct tree_values *values, bool follows)
{
	out_text(o, follows ? ",\n{" : "\n{");
	for (size_t k = 0; k < t->nfields; k++) {
		const void *value = (const char *)values + t->fields[k]->offset;

		out_text(o, k ? ",\"" : "\"");
		out_text(o, t->fields[k]->name);
		switch (t->fields[k]->type) {
		case FIELD_TEXT: json_write_string(o, "\":", *(const char *const *)value); break;
		case FIELD_TIME:
		case FIELD_NUMBER: json_write_number(o, "\":", *(const int64_t *)value); break;
		case FIELD_REAL: json_write_exact(o, "\":", *(const double *)value); break;
		}
	}
	out_text(o, "}");
}

/* Of the path: the root has none. */
static unsigned depth_of(const struct printer *p)
{
	unsigned depth = 0;

	for (size_t k = 0; k < p->length; k++)
		depth += p->path[k] == '/';
	return depth;
}

static void print_share(struct printer *p, const struct share_line *line, bool landed)
{
	double all = p->shares->nodes[0].line.usage;
	const struct tree_values values = {
		.curr_time = p->now, .usage_time = line->usage_time, .node_name = p->length ? p->path : "/",
		.user_name = line->user, .project_name = line->project, .shares = line->shares,
		.job_count = (int64_t)line->job_count, .level = line->level, .total = line->total, .long_target_share = line->long_target_share,
		.short_target_share = line->short_target_share, .actual_share = all > 0 ? line->usage / all : 0,
		.usage = line->usage, .cpu = line->own.cpu, .mem = line->own.mem, .io = line->own.io, .ltcpu = line->own.ltcpu,
		.ltmem = line->own.ltmem, .ltio = line->own.ltio,
	};

	if (p->tree->leaves_only && line->is_inner)
		return;
	if (p->bars)
		bars_row(p->bars, p->out, line, landed, depth_of(p), values.actual_share);
	else if (p->json)
		print_json(p->out, p->tree, &values, p->follows);
	else
		print_line(p->out, p->tree, &values);
	p->follows = true;
}

/* Appends "/name" to the parent's path, whose length is given. */
static void path_set(struct printer *p, size_t parent, const char *name)
{
	size_t length = strlen(name), needed = parent + length + 2;

	if (needed > p->capacity) {
		char *more = realloc(p->path, needed * 2);

		if (!more) {
			p->error = -ENOMEM;
			return;
		}
		p->path = more;
		p->capacity = needed * 2;
	}
	p->path[parent] = '/';
	memcpy(p->path + parent + 1, name, length);
	p->length = parent + 1 + length;
	p->path[p->length] = '\0';
}

static bool path_is_wanted(struct printer *p)
{
	bool wanted = !p->tree->npaths;

	for (size_t k = 0; k < p->tree->npaths; k++)
		if (!strcmp(p->tree->paths[k].path, p->length ? p->path : "/"))
			wanted = p->tree->paths[k].found = true;
	return wanted;
}

static void print_landed(const struct share_line *line, void *context)
{
	struct printer *p = context;
	size_t parent = p->length;

	if (p->error || p->out->error)
		return;
	path_set(p, parent, line->name);
	bool wanted = path_is_wanted(p);

	if (!p->error && (p->shown || wanted))
		print_share(p, line, true);
	p->length = parent;
	p->path[parent] = '\0';
}

/* All lines; `lengths` of the nodes' paths, so that a child finds where its parent's ends. */
static void print_nodes(struct printer *p, size_t *lengths)
{
	uint32_t shown_end = 0;

	for (uint32_t k = 0; k < p->shares->nnodes && !p->error && !p->out->error; k++) {
		const struct share *n = &p->shares->nodes[k];

		if (k)
			path_set(p, lengths[n->parent], n->line.name);
		lengths[k] = p->length;
		if (!p->error && path_is_wanted(p) && n->end > shown_end)
			shown_end = n->end;
		p->shown = k < shown_end;
		if (!p->error && p->shown)
			print_share(p, &n->line, false);
		if (!p->error)
			shares_each(p->shares, k, print_landed, p);
	}
}

static void print_begin(struct printer *p, const struct fl_view *view)
{
	struct tree *t = p->tree;

	if (p->bars) {
		out_text(p->out, t->follows ? "\n" : "");
		bars_begin(p->bars, p->out, terminal_columns());
		return;
	}
	if (p->json) {
		out_text(p->out, "{");
		cli_json_run(p->out, view);
		out_text(p->out, ",\n\"nodes\":[");
		return;
	}
	for (size_t k = 0; t->header && !t->follows && k < t->nfields; k++) {
		out_text(p->out, t->fields[k]->name);
		out_text(p->out, t->delimiter);
	}
	if (t->header && !t->follows)
		out_text(p->out, t->line_delimiter);
	if (t->header || t->follows)
		out_text(p->out, t->set_delimiter);
}

static void print_shares(struct printer *p, const struct fl_view *view)
{
	size_t *lengths = calloc(p->shares->nnodes, sizeof(*lengths));
	char *path = calloc(1, 256);

	p->path = path;
	p->capacity = 256;
	p->error = lengths && path ? 0 : -ENOMEM;
	if (!p->error) {
		print_begin(p, view);
		print_nodes(p, lengths);
		if (p->bars)
			bars_end(p->bars, p->out);
		else
			out_text(p->out, p->json ? "\n]}\n" : "");
	}
	free(lengths);
	free(p->path);
}

static int print_tree(const struct fl_view *view, struct out *o, struct tree *t, bool json, struct tree_bars *bars)
{
	struct fl_run run;
	struct shares shares;
	struct printer p = { .tree = t, .out = o, .shares = &shares, .json = json, .bars = bars };

	fl_run(view, &run);
	p.now = run.now;
	for (size_t k = 0; k < t->npaths; k++)
		t->paths[k].found = false;
	t->error = shares_build(&shares, view);
	t->no_tree = !t->error && !shares.nnodes;
	if (!t->error && !t->no_tree) {
		print_shares(&p, view);
		t->error = p.error;
	}
	shares_free(&shares);
	return EXIT_OK;
}

int tree_lines(const struct fl_view *view, struct out *o, void *tree)
{
	return print_tree(view, o, tree, false, NULL);
}

int tree_json(const struct fl_view *view, struct out *o, void *tree)
{
	return print_tree(view, o, tree, true, NULL);
}

int tree_picture(const struct fl_view *view, struct out *o, void *tree)
{
	struct tree_bars bars = { 0 };

	return print_tree(view, o, tree, false, &bars);
}
