/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/metrics/exposition.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "conf/base/utf8.h"
#include "sched/process/digits.h"

#define EXACT_MOST 9007199254740992.0 /* whole numbers up to here are written without an exponent */

void exposition_family(struct exposition *page, const struct family *family)
{
	page->family = family;
	page->begun = false;
}

static const char *type_name(const struct exposition *page)
{
	static const char *const names[] = { [FAMILY_GAUGE] = "gauge",
					     [FAMILY_COUNTER] = "counter",
					     [FAMILY_HISTOGRAM] = "histogram",
					     [FAMILY_GAUGE_HISTOGRAM] = "gaugehistogram" };
	bool is_old = page->format == PAGE_TEXT && page->family->type == FAMILY_GAUGE_HISTOGRAM;

	return names[is_old ? FAMILY_HISTOGRAM : page->family->type];
}

static void head(struct exposition *page)
{
	const struct family *family = page->family;
	/* The old format has no notion of a family: the name of the sample is described. */
	const char *end = page->format == PAGE_TEXT && family->type == FAMILY_COUNTER ? "_total" : "";

	page->begun = true;
	out_put(&page->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", family->name, end, family->help, family->name, end,
		type_name(page));
	if (page->format == PAGE_OPENMETRICS && family->unit)
		out_put(&page->out, "# UNIT %s %s\n", family->name, family->unit);
}

/* Write a label's value: printable UTF-8, with the three escapes that both formats know. */
static void escape(struct out *out, const char *text)
{
	while (*text) {
		size_t bytes = utf8_length(text);

		if (*text == '\\' || *text == '"')
			out_bytes(out, "\\", 1);
		if (bytes == 0)
			out_bytes(out, *text == '\n' ? "\\n" : "?", *text == '\n' ? 2 : 1);
		else
			out_bytes(out, text, bytes);
		text += bytes ? bytes : 1;
	}
}

static void put_label(struct out *out, const char *name, const char *value, bool *any)
{
	if (!value || !*value)
		return;
	out_bytes(out, *any ? "," : "{", 1);
	out_text(out, name);
	out_bytes(out, "=\"", 2);
	escape(out, value);
	out_bytes(out, "\"", 1);
	*any = true;
}

static void number(struct out *out, double value)
{
	char *p = out_room(out, DIGITS_BYTES);

	out_take(out, fabs(value) <= EXACT_MOST && value == trunc(value) ? digits_i64(p, (int64_t)value)
									 : digits_exact(p, value));
}

/* Write the name and the labels of a sample, and the blank before its value. */
static void begin(struct exposition *page, const char *suffix, const struct label *labels, size_t n, const char *le)
{
	struct out *out = &page->out;
	bool any = false;

	if (!page->begun)
		head(page);
	out_text(out, page->family->name);
	out_text(out, suffix);
	put_label(out, "cluster", page->cluster, &any);
	for (size_t i = 0; i < n; i++)
		put_label(out, labels[i].name, labels[i].value, &any);
	put_label(out, "le", le, &any);
	out_text(out, any ? "} " : " ");
}

void exposition_value(struct exposition *page, const struct label *labels, size_t n, double value)
{
	if (!isfinite(value) || fabs(value) >= DBL_MAX)
		return;
	begin(page, page->family->type == FAMILY_COUNTER ? "_total" : "", labels, n, NULL);
	number(&page->out, value);
	out_bytes(&page->out, "\n", 1);
}

static void put_exemplar(struct exposition *page, const struct exemplar *exemplar)
{
	if (page->format == PAGE_OPENMETRICS && exemplar->job_number)
		out_put(&page->out, " # {job_number=\"%u\"} %.17g %lld", exemplar->job_number, exemplar->value,
			(long long)exemplar->time);
}

static void put_end(struct exposition *page, const char *suffix, const struct label *labels, size_t n, double value)
{
	begin(page, suffix, labels, n, NULL);
	number(&page->out, value);
	out_bytes(&page->out, "\n", 1);
}

/* Write the upper limit of a bucket. The new format requires a decimal point. */
static void limit_text(const struct exposition *page, double limit, char text[32])
{
	snprintf(text, 32, page->format == PAGE_OPENMETRICS && limit == trunc(limit) ? "%.1f" : "%.17g", limit);
}

void exposition_histogram(struct exposition *page, const struct label *labels, size_t n,
			  const struct histogram_sample *sample)
{
	bool is_gauge = page->format == PAGE_OPENMETRICS && page->family->type == FAMILY_GAUGE_HISTOGRAM;
	uint64_t count = 0;
	char text[32];

	for (size_t i = 0; i <= sample->nlimits; i++) {
		if (i < sample->nlimits)
			limit_text(page, sample->limits[i], text);
		begin(page, "_bucket", labels, n, i < sample->nlimits ? text : "+Inf");
		number(&page->out, (double)(count += sample->counts[i]));
		if (sample->exemplars)
			put_exemplar(page, &sample->exemplars[i]);
		out_bytes(&page->out, "\n", 1);
	}
	put_end(page, is_gauge ? "_gcount" : "_count", labels, n, (double)count);
	put_end(page, is_gauge ? "_gsum" : "_sum", labels, n, sample->sum);
	if (page->format == PAGE_OPENMETRICS && sample->created > 0)
		put_end(page, "_created", labels, n, sample->created);
}

void exposition_columns(struct exposition *page, const struct family_column *columns, size_t ncolumns,
			const struct family_rows *rows)
{
	struct label labels[LABELS_MOST];

	for (size_t c = 0; c < ncolumns; c++) {
		exposition_family(page, &columns[c].family);
		for (size_t i = 0; i < rows->n; i++) {
			const char *row = (const char *)rows->items + i * rows->bytes;
			double value;

			memcpy(&value, row + columns[c].field, sizeof(value));
			if (isfinite(value))
				exposition_value(page, labels, rows->labels(row, labels), value);
		}
	}
}

void exposition_end(struct exposition *page)
{
	if (page->format == PAGE_OPENMETRICS)
		out_text(&page->out, "# EOF\n");
}
