/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "sched/process/json.h"
#include "sched/cli/tree/shares.h"
#include "sched/cli/terminal.h"
#include "sched/cli/tree/tree.h"
#include "sched/cli/tree/bars.h"
#include "sched/process/digits.h"

/* values of one line, with the names of the fields */
struct tree_values {
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

struct printer {			/* state while one set of lines is printed */
	struct tree *tree;
	struct out *out;
	struct shares *shares;
	int64_t now;
	bool json;
	struct tree_bars *bars;		/* NULL: print lines */
	char *path;			/* path of the current node */
	size_t length, capacity;
	bool shown;			/* the node is below a requested path */
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

static int select_one(struct tree *tree, const char *name, size_t length)
{
	for (size_t k = 0; k < TREE_FIELDS; k++)
		if (strlen(fields[k].name) == length && !memcmp(fields[k].name, name, length)) {
			if (tree->nfields == TREE_FIELDS)
				return cli_fail(EXIT_USAGE, "tree: -f: more than %d fields", TREE_FIELDS);
			tree->fields[tree->nfields++] = &fields[k];
			return EXIT_OK;
		}
	return unknown(name, length);
}

int tree_select(struct tree *tree, const char *names)
{
	int bad = EXIT_OK;

	tree->nfields = 0;
	for (size_t k = 0; !names && k < TREE_FIELDS; k++)
		tree->fields[tree->nfields++] = &fields[k];
	while (names && !bad) {
		size_t length = strcspn(names, ",");

		bad = select_one(tree, names, length);
		names = names[length] ? names + length + 1 : NULL;
	}
	return bad;
}

static void print_time(struct out *out, struct tree *tree, int64_t time)
{
	if (tree->times && time)
		out_take(out, clock_put(&tree->clock, out_room(out, TIME_BYTES), time, TIME_TABLE));
	else
		out_take(out, digits_i64(out_room(out, DIGITS_BYTES), time));
}

static void print_value(struct out *out, struct tree *tree, const struct tree_field *field,
			const struct tree_values *values)
{
	const void *value = (const char *)values + field->offset;

	switch (field->type) {
	case FIELD_TIME: print_time(out, tree, *(const int64_t *)value); break;
	case FIELD_TEXT: text_plain(out, *(const char *const *)value); break;
	case FIELD_NUMBER: out_take(out, digits_i64(out_room(out, DIGITS_BYTES), *(const int64_t *)value)); break;
	case FIELD_REAL: out_take(out, digits_fixed(out_room(out, DIGITS_BYTES), *(const double *)value, 6)); break;
	}
}

static void print_line(struct out *out, struct tree *tree, const struct tree_values *values)
{
	for (size_t k = 0; k < tree->nfields; k++) {
		if (tree->names) {
			out_text(out, tree->fields[k]->name);
			out_bytes(out, "=", 1);
		}
		print_value(out, tree, tree->fields[k], values);
		out_text(out, tree->delimiter);
	}
	out_text(out, tree->line_delimiter);
}

static void print_json(struct out *out, struct tree *tree, const struct tree_values *values, bool follows)
{
	out_text(out, follows ? ",\n{" : "\n{");
	for (size_t k = 0; k < tree->nfields; k++) {
		const void *value = (const char *)values + tree->fields[k]->offset;

		out_text(out, k ? ",\"" : "\"");
		out_text(out, tree->fields[k]->name);
		switch (tree->fields[k]->type) {
		case FIELD_TEXT: json_write_string(out, "\":", *(const char *const *)value); break;
		case FIELD_TIME:
		case FIELD_NUMBER: json_write_number(out, "\":", *(const int64_t *)value); break;
		case FIELD_REAL: json_write_exact(out, "\":", *(const double *)value); break;
		}
	}
	out_text(out, "}");
}

/* Return the depth of the path. The root has none. */
static unsigned depth_of(const struct printer *printer)
{
	unsigned depth = 0;

	for (size_t k = 0; k < printer->length; k++)
		depth += printer->path[k] == '/';
	return depth;
}

static void print_share(struct printer *printer, const struct share_line *line, bool landed)
{
	double all = printer->shares->nodes[0].line.usage;
	const struct tree_values values = {
		.curr_time = printer->now,
		.usage_time = line->usage_time,
		.node_name = printer->length ? printer->path : "/",
		.user_name = line->user,
		.project_name = line->project,
		.shares = line->shares,
		.job_count = (int64_t)line->job_count,
		.level = line->level,
		.total = line->total,
		.long_target_share = line->long_target_share,
		.short_target_share = line->short_target_share,
		.actual_share = all > 0 ? line->usage / all : 0,
		.usage = line->usage,
		.cpu = line->own.cpu,
		.mem = line->own.mem,
		.io = line->own.io,
		.ltcpu = line->own.ltcpu,
		.ltmem = line->own.ltmem,
		.ltio = line->own.ltio,
	};

	if (printer->tree->leaves_only && line->is_inner)
		return;
	if (printer->bars)
		bars_row(printer->bars, printer->out, line, landed, depth_of(printer), values.actual_share);
	else if (printer->json)
		print_json(printer->out, printer->tree, &values, printer->follows);
	else
		print_line(printer->out, printer->tree, &values);
	printer->follows = true;
}

/* Append "/name" to the first `parent` bytes of the path. */
static void path_set(struct printer *printer, size_t parent, const char *name)
{
	size_t length = strlen(name), needed = parent + length + 2;

	if (needed > printer->capacity) {
		char *more = realloc(printer->path, needed * 2);

		if (!more) {
			printer->error = -ENOMEM;
			return;
		}
		printer->path = more;
		printer->capacity = needed * 2;
	}
	printer->path[parent] = '/';
	memcpy(printer->path + parent + 1, name, length);
	printer->length = parent + 1 + length;
	printer->path[printer->length] = '\0';
}

static bool path_is_wanted(struct printer *printer)
{
	bool wanted = !printer->tree->npaths;

	for (size_t k = 0; k < printer->tree->npaths; k++)
		if (!strcmp(printer->tree->paths[k].path, printer->length ? printer->path : "/"))
			wanted = printer->tree->paths[k].found = true;
	return wanted;
}

static void print_landed(const struct share_line *line, void *context)
{
	struct printer *printer = context;
	size_t parent = printer->length;

	if (printer->error || printer->out->error)
		return;
	path_set(printer, parent, line->name);
	bool wanted = path_is_wanted(printer);

	if (!printer->error && (printer->shown || wanted))
		print_share(printer, line, true);
	printer->length = parent;
	printer->path[parent] = '\0';
}

/*
 * Print all lines. `lengths` has the path length of each node, from which its children's paths
 * start.
 */
static void print_nodes(struct printer *printer, size_t *lengths)
{
	uint32_t shown_end = 0;

	for (uint32_t k = 0; k < printer->shares->nnodes && !printer->error && !printer->out->error; k++) {
		const struct share *share = &printer->shares->nodes[k];

		if (k)
			path_set(printer, lengths[share->parent], share->line.name);
		lengths[k] = printer->length;
		if (!printer->error && path_is_wanted(printer) && share->end > shown_end)
			shown_end = share->end;
		printer->shown = k < shown_end;
		if (!printer->error && printer->shown)
			print_share(printer, &share->line, false);
		if (!printer->error)
			shares_each(printer->shares, k, print_landed, printer);
	}
}

static void print_begin(struct printer *printer, const struct fl_view *view)
{
	struct tree *tree = printer->tree;

	if (printer->bars) {
		out_text(printer->out, tree->follows ? "\n" : "");
		bars_begin(printer->bars, printer->out, terminal_columns());
		return;
	}
	if (printer->json) {
		out_text(printer->out, "{");
		cli_json_run(printer->out, view);
		out_text(printer->out, ",\n\"nodes\":[");
		return;
	}
	for (size_t k = 0; tree->header && !tree->follows && k < tree->nfields; k++) {
		out_text(printer->out, tree->fields[k]->name);
		out_text(printer->out, tree->delimiter);
	}
	if (tree->header && !tree->follows)
		out_text(printer->out, tree->line_delimiter);
	if (tree->header || tree->follows)
		out_text(printer->out, tree->set_delimiter);
}

static void print_shares(struct printer *printer, const struct fl_view *view)
{
	size_t *lengths = calloc(printer->shares->nnodes, sizeof(*lengths));
	char *path = calloc(1, 256);

	printer->path = path;
	printer->capacity = 256;
	printer->error = lengths && path ? 0 : -ENOMEM;
	if (!printer->error) {
		print_begin(printer, view);
		print_nodes(printer, lengths);
		if (printer->bars)
			bars_end(printer->bars, printer->out);
		else
			out_text(printer->out, printer->json ? "\n]}\n" : "");
	}
	free(lengths);
	free(printer->path);
}

static int print_tree(const struct fl_view *view, struct out *out, struct tree *tree, bool json, struct tree_bars *bars)
{
	struct fl_run run;
	struct shares shares;
	struct printer printer = { .tree = tree, .out = out, .shares = &shares, .json = json, .bars = bars };

	fl_run(view, &run);
	printer.now = run.now;
	for (size_t k = 0; k < tree->npaths; k++)
		tree->paths[k].found = false;
	tree->error = shares_build(&shares, view);
	tree->no_tree = !tree->error && !shares.nnodes;
	if (!tree->error && !tree->no_tree) {
		print_shares(&printer, view);
		tree->error = printer.error;
	}
	shares_free(&shares);
	return EXIT_OK;
}

int tree_lines(const struct fl_view *view, struct out *out, void *tree)
{
	return print_tree(view, out, tree, false, NULL);
}

int tree_json(const struct fl_view *view, struct out *out, void *tree)
{
	return print_tree(view, out, tree, true, NULL);
}

int tree_picture(const struct fl_view *view, struct out *out, void *tree)
{
	struct tree_bars bars = { 0 };

	return print_tree(view, out, tree, false, &bars);
}
