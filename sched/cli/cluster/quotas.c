/* SPDX-License-Identifier: Apache-2.0 */
/* Resource quotas in use and what is left of them, like qquota(1). */
#include <errno.h>
#include <math.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/wildcard.h"
#include "sched/cli/cells.h"
#include "sched/cli/cluster/cluster.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"
#include "sched/cli/xml.h"
#include "sched/process/json.h"

static section_print quotas_table, quotas_lines, quotas_xml, quotas_json;

struct quota_row {
	struct fl_quota quota;
	size_t counted;			/* position in the order of the first count */
};

struct quotas_asked {
	struct names parts[FL_QUOTA_PARTS];	/* -u -P -pe -q -h; empty: all */
	struct names resources;		/* -l */
	struct format format;

	/* Valid in a section. */
	struct cluster_cell cell;	/* for the types of resources */
	struct quota_row *rows;		/* in the order of the file */
	size_t n;
	int error;
	bool nothing;
};

#define PART(part) .field = offsetof(struct quotas_asked, parts) + (part) * sizeof(struct names)

static int names_take(void *names, struct words *words);

const struct argument quotas_options[] = {
	{ "-u", ARGUMENT_CALL, PART(FL_OF_USER), .call = names_take, .value = "USER[,...]",
	  .sentence = "show only limits for these users" },
	{ "-P", ARGUMENT_CALL, PART(FL_OF_PROJECT), .call = names_take, .value = "PROJECT[,...]",
	  .sentence = "show only limits for these projects" },
	{ "-pe", ARGUMENT_CALL, PART(FL_OF_PE), .call = names_take, .value = "PE[,...]",
	  .sentence = "show only limits for these parallel environments" },
	{ "-q", ARGUMENT_CALL, PART(FL_OF_QUEUE), .call = names_take, .value = "QUEUE[,...]",
	  .sentence = "show only limits for these cluster queues" },
	{ "-h", ARGUMENT_CALL, PART(FL_OF_HOST), .call = names_take, .value = "HOST[,...]",
	  .sentence = "show only limits for these hosts" },
	{ "-l", ARGUMENT_CALL, .field = offsetof(struct quotas_asked, resources), .call = names_take, .value = "RESOURCE[,...]",
	  .sentence = "show only limits of these resources" },
	OPTION_FORMAT("--qquota", offsetof(struct quotas_asked, format), quotas_lines, "print the layout of qquota"),
	OPTION_FORMAT("-xml", offsetof(struct quotas_asked, format), quotas_xml, "print XML, like qquota -xml"),
	OPTION_FORMAT("--json", offsetof(struct quotas_asked, format), quotas_json, "print JSON"),
	{ .name = NULL },
};

static int names_take(void *names, struct words *words)
{
	return names_add(words->messages, names, "quotas", words->row->name, (char *)words->value);
}

/* Selection */

/*
 * Return whether a filter "a,b,!c" with patterns and lists applies to a name. A list may include
 * any user.
 */
static bool filter_is_about(const char *filter, const char *name)
{
	bool in = false, names_some = false;
	char word[WILDCARD_BYTES];

	for (const char *p = filter; *p;) {
		size_t n = strcspn(p, ","), out = *p == '!';

		snprintf(word, sizeof(word), "%.*s", (int)(n - out), p + out);
		if (!out)
			names_some = true;
		if (*word == '@' ? !out : wildcard_match(word, name, 0) || wildcard_match(name, word, 0)) {
			if (out && *word != '@')
				return false;
			in = in || !out;
		}
		p += n + (p[n] == ',');
	}
	return in || !names_some;
}

static bool part_is_meant(const struct names *names, const struct fl_quota *quota, size_t part)
{
	for (size_t i = 0; i < names->n; i++) {
		bool about = quota->counted[part] ? wildcard_match(names->items[i], quota->parts[part], 0) :
						     filter_is_about(quota->parts[part], names->items[i]);

		if (about)
			return true;
	}
	return names->n == 0;
}

static bool is_meant(const struct quotas_asked *quotas, const struct fl_quota *quota)
{
	for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
		if (!part_is_meant(&quotas->parts[part], quota, part))
			return false;
	for (size_t i = 0; i < quotas->resources.n; i++) {
		const struct complex *complex = cell_complex(&quotas->cell.cell, quotas->resources.items[i]);

		if (strcmp(complex ? complex->name : quotas->resources.items[i], quota->resource) == 0)
			return true;
	}
	return quotas->resources.n == 0;
}

/* Compare by position in the file. Rows of the same limit are in the order of counting. */
static int by_limit(const void *a, const void *b)
{
	const struct quota_row *x = a, *y = b;

	if (x->quota.number != y->quota.number)
		return x->quota.number < y->quota.number ? -1 : 1;
	return x->counted < y->counted ? -1 : x->counted > y->counted;
}

static int begin(struct quotas_asked *quotas, const struct fl_view *view)
{
	size_t all = fl_quotas(view);

	free(quotas->rows);
	cluster_cell_free(&quotas->cell);
	quotas->n = 0;
	quotas->error = 0;
	quotas->nothing = fl_hosts(view) == 0;
	quotas->rows = calloc(all + 1, sizeof(*quotas->rows));
	if (!quotas->rows)
		return quotas->error = -ENOMEM;
	if (all > 0)
		quotas->error = cluster_cell_load(&quotas->cell, view);
	/* without the cell's files, numbers are printed without units */
	if (quotas->error == -EACCES)
		quotas->error = 0;
	for (size_t k = 0; k < all && quotas->error == 0; k++) {
		struct quota_row *row = &quotas->rows[quotas->n];

		row->counted = k;
		if (fl_quota(view, k, &row->quota) == 0 && is_meant(quotas, &row->quota))
			quotas->n++;
	}
	qsort(quotas->rows, quotas->n, sizeof(*quotas->rows), by_limit);
	return quotas->error;
}

/* Output */

static void value_text(const struct quotas_asked *quotas, const struct fl_quota *quota, double value, char text[64])
{
	const struct complex *complex = quotas->cell.loaded ? cell_complex(&quotas->cell.cell, quota->resource) : NULL;

	attribute_value(text, complex ? complex->type : TYPE_DOUBLE, value, true);
}

static void filter_put(struct out *out, const struct fl_quota *quota)
{
	static const char *const names[] = { "users", "projects", "pes", "queues", "hosts" };
	bool first = true;

	for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
		if (*quota->parts[part]) {
			out_put(out, "%s%s ", first ? "" : " ", names[part]);
			text_plain(out, quota->parts[part]);
			first = false;
		}
}

static int quotas_lines(const struct fl_view *view, struct out *out, void *context)
{
	struct quotas_asked *quotas = context;
	char limit[64], used[64], cut[64];
	int rc = begin(quotas, view);

	if (rc == 0 && quotas->n > 0)
		out_text(out, "resource quota rule limit                filter\n"
			      "--------------------------------------------------------------------------------\n");
	for (size_t k = 0; rc == 0 && k < quotas->n && !out->error; k++) {
		const struct fl_quota *quota = &quotas->rows[k].quota;
		char name[128], amount[224];

		value_text(quotas, quota, quota->limit, limit);
		value_text(quotas, quota, quota->used, used);
		snprintf(name, sizeof(name), "%.60s/%.60s", quota->set, quota->rule);
		snprintf(amount, sizeof(amount), "%.60s=%s/%s", quota->resource, used,
			 *quota->text ? quota->text : limit);
		*text_column(cut, name, 18) = '\0';
		out_put(out, "%s ", cut);
		*text_column(cut, amount, 20) = '\0';
		out_put(out, "%s ", cut);
		filter_put(out, quota);
		out_text(out, "\n");
	}
	return EXIT_OK;
}

/* Write the parts of a rule and then its limit, an element each. */
static void rule_xml(const struct quotas_asked *quotas, struct out *out, const struct fl_quota *quota)
{
	static const char *const names[] = { "users", "projects", "pes", "queues", "hosts" };
	char limit[64], used[64];

	value_text(quotas, quota, quota->limit, limit);
	value_text(quotas, quota, quota->used, used);
	out_text(out, " <qquota_rule name='");
	text_xml(out, quota->set);
	out_text(out, "/");
	text_xml(out, quota->rule);
	out_text(out, "'>\n");
	for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
		if (*quota->parts[part])
			xml_string(out, 3, names[part], quota->parts[part]);
	out_text(out, "   <limit resource='");
	text_xml(out, quota->resource);
	out_text(out, "' limit='");
	text_xml(out, *quota->text ? quota->text : limit);
	out_put(out, "' value='%s'/>\n </qquota_rule>\n", used);
}

static int quotas_xml(const struct fl_view *view, struct out *out, void *context)
{
	struct quotas_asked *quotas = context;

	if (begin(quotas, view))
		return EXIT_OK;
	out_text(
		out, XML_HEAD
		"<qquota_result xmlns=\"http://arc.liv.ac.uk/repos/darcs/sge/source/source/dist/util/resources/schemas/qquota/qquota.xsd\">\n");
	for (size_t k = 0; k < quotas->n && !out->error; k++)
		rule_xml(quotas, out, &quotas->rows[k].quota);
	out_text(out, "</qquota_result>\n");
	return EXIT_OK;
}

static void row_fill(const struct quotas_asked *quotas, const struct fl_quota *quota, table_cell *row)
{
	char text[64];

	snprintf(row[0], CELL_BYTES, "%.40s/%.40s", quota->set, quota->rule);
	cell_text(row[1], quota->resource);
	value_text(quotas, quota, quota->limit, text);
	cell_text(row[2], *quota->text ? quota->text : text);
	value_text(quotas, quota, quota->used, text);
	cell_text(row[3], text);
	value_text(quotas, quota, quota->limit >= DBL_MAX ? DBL_MAX : fmax(quota->limit - quota->used, 0), text);
	cell_text(row[4], *quota->text ? "" : text);
}

static int quotas_table(const struct fl_view *view, struct out *out, void *context)
{
	struct quotas_asked *quotas = context;
	table_cell heads[] = { "quota", "resource", "limit", "used", "left" }, row[5];
	struct cells cells = { .columns = 5 };
	int rc = begin(quotas, view);

	for (size_t k = 0; rc == 0 && k < quotas->n; k++) {
		row_fill(quotas, &quotas->rows[k].quota, row);
		cells_measure(&cells, row);
	}
	if (rc == 0 && quotas->n > 0)
		cells_heads(&cells, out, heads);
	for (size_t k = 0; rc == 0 && k < quotas->n && !out->error; k++) {
		row_fill(quotas, &quotas->rows[k].quota, row);
		cells_print_open(&cells, out, row);
		out_text(out, "  ");
		filter_put(out, &quotas->rows[k].quota);
		out_text(out, "\n");
	}
	return EXIT_OK;
}

static void quota_write(struct out *out, const struct fl_quota *quota)
{
	static const char *const names[] = { ",\"user\":", ",\"project\":", ",\"pe\":", ",\"queue\":", ",\"host\":" };
	static const char *const filters[] = { ",\"users\":", ",\"projects\":", ",\"pes\":", ",\"queues\":",
					       ",\"hosts\":" };
	bool endless = quota->limit >= DBL_MAX;

	json_write_string(out, "{\"set\":", quota->set);
	json_write_string(out, ",\"rule\":", quota->rule);
	json_write_string(out, ",\"resource\":", quota->resource);
	if (*quota->text)
		json_write_string(out, ",\"limit\":", quota->text);
	else
		json_write_exact(out, ",\"limit\":", endless ? NAN : quota->limit);
	json_write_exact(out, ",\"used\":", quota->used);
	json_write_exact(out, ",\"left\":", endless || *quota->text ? NAN : quota->limit - quota->used);
	for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
		json_write_string_or_null(out, names[part], quota->counted[part] ? quota->parts[part] : "");
	for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
		json_write_string_or_null(out, filters[part], quota->counted[part] ? "" : quota->parts[part]);
	json_write_literal(out, "}");
}

static int quotas_json(const struct fl_view *view, struct out *out, void *context)
{
	struct quotas_asked *quotas = context;

	if (begin(quotas, view))
		return EXIT_OK;
	json_write_literal(out, "{");
	cli_json_run(out, view);
	json_write_literal(out, ",\"quotas\":[");
	for (size_t k = 0; k < quotas->n && !out->error; k++) {
		if (k > 0)
			json_write_literal(out, ",\n");
		quota_write(out, &quotas->rows[k].quota);
	}
	json_write_literal(out, "]}\n");
	return EXIT_OK;
}

int quotas_show(struct messages *messages, const char *cell, int argc, char **argv)
{
	static struct quotas_asked quotas = { .format.print = quotas_table };
	struct words words = { .table = quotas_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	int code = options_read(&words, &quotas);

	if (!code && words.next < argc)
		code = message_add(messages, EXIT_USAGE, "quotas", "unexpected word \"%s\"", argv[words.next]);
	if (!code)
		code = section_show(messages, cell, quotas.format.print, &quotas);
	if (!code && quotas.nothing)
		code = cluster_nothing(messages, cell);
	if (!code && quotas.error)
		code = cluster_failed(messages, cell, quotas.error);
	for (size_t part = 0; part < FL_QUOTA_PARTS; part++)
		names_free(&quotas.parts[part]);
	names_free(&quotas.resources);
	cluster_cell_free(&quotas.cell);
	free(quotas.rows);
	return code;
}

int quotas_run(const char *cell, int argc, char **argv)
{
	return verb_print(quotas_show, cell, argc, argv);
}
