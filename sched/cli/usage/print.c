/* SPDX-License-Identifier: Apache-2.0 */
/* Table, CSV and JSON of the sums. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/terminal.h"
#include "sched/cli/text.h"
#include "sched/cli/usage/usage.h"
#include "sched/process/csv.h"
#include "sched/process/json.h"

#define HOUR_S 3600.0
#define NUMBER_COLUMNS 73u		/* width of the numbers */
#define BAR_LEAST 10u
#define BAR_MOST 30u
#define BAR_USUAL 20u			/* with --bars and without a terminal */
#define VALUE_MOST 40u			/* widest column of a key */

/* Return the next value of a key and its length. */
static const char *value_next(const char **keys, size_t *n)
{
	const char *value = *keys;

	*n = strcspn(value, "\x1f");
	*keys += *n + 1;
	return value;
}

/* Copy a value that is cut at `size`; "NONE" of accounting(5) becomes "-". */
static void value_copy(char *text, size_t size, const char *value, size_t n)
{
	if (n == 4 && memcmp(value, "NONE", 4) == 0)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.*s", (int)(n < size ? n : size - 1), value);
}

struct usage_table {
	struct out *out;
	const struct usage_query *query;
	const struct usage_sums *sums;
	size_t widths[USAGE_BY_MOST];
	unsigned bar;			/* width, 0: no bars */
};

static void widths_find(struct usage_table *table)
{
	unsigned keys = 0, columns = terminal_columns();

	for (size_t k = 0; k < table->query->nby; k++)
		table->widths[k] = strlen(usage_key_names[table->query->by[k]]);
	if (table->widths[0] < strlen("total"))
		table->widths[0] = strlen("total");
	for (uint32_t i = 0; i < table->sums->keys.n; i++) {
		const char *at = table->sums->keys.texts[i];

		for (size_t k = 0; k < table->query->nby; k++) {
			size_t n;

			value_next(&at, &n);
			n = n < VALUE_MOST ? n : VALUE_MOST;
			table->widths[k] = n > table->widths[k] ? n : table->widths[k];
		}
	}
	for (size_t k = 0; k < table->query->nby; k++)
		keys += (unsigned)table->widths[k] + 2;
	if (columns == 0)
		table->bar = table->query->bars ? BAR_USUAL : 0;
	else if (columns >= keys + NUMBER_COLUMNS + 2 + BAR_LEAST || table->query->bars)
		table->bar = columns < keys + NUMBER_COLUMNS + 2 + BAR_LEAST  ? BAR_LEAST
			     : columns > keys + NUMBER_COLUMNS + 2 + BAR_MOST ? BAR_MOST
									      : columns - keys - NUMBER_COLUMNS - 2;
}

static void put_value(struct usage_table *table, size_t k, const char *text)
{
	char *p = out_room(table->out, table->widths[k] + 2);

	p = text_column(p, text, table->widths[k]);
	out_take(table->out, text_blanks(p, 2));
}

static void put_bar(struct usage_table *table, const struct usage_sum *sum)
{
	double part = table->sums->total.slot_s > 0 ? sum->slot_s / table->sums->total.slot_s : 0;
	unsigned n = (unsigned)(part * table->bar + 0.5);
	char *p = out_room(table->out, table->bar + 3);

	n = n < table->bar ? n : table->bar;
	p = text_blanks(p, 2);
	memset(p, '#', n);
	out_take(table->out, p + n);
}

static void put_numbers(struct usage_table *table, const struct usage_sum *sum)
{
	char wait[40] = "-";

	if (sum->waits)
		*text_duration(wait, sum->waiting_s / (double)sum->waits) = '\0';
	out_put(table->out, "%8llu %11.2f %11.2f %10.2f %10.2f %7.2f %10s", (unsigned long long)sum->jobs,
		sum->slot_s / HOUR_S, sum->wallclock_s / HOUR_S, sum->cpu_s / HOUR_S, sum->mem_gbs / HOUR_S, sum->io_gb,
		wait);
}

static void put_row(struct usage_table *table, const char *keys, const struct usage_sum *sum)
{
	for (size_t k = 0; k < table->query->nby; k++) {
		char text[4 * VALUE_MOST];
		size_t n;
		const char *value = value_next(&keys, &n);

		value_copy(text, sizeof(text), value, n);
		put_value(table, k, text);
	}
	put_numbers(table, sum);
	if (table->bar)
		put_bar(table, sum);
	out_text(table->out, "\n");
}

static void put_head(struct usage_table *table)
{
	for (size_t k = 0; k < table->query->nby; k++)
		put_value(table, k, usage_key_names[table->query->by[k]]);
	out_put(table->out, "%8s %11s %11s %10s %10s %7s %10s%s\n", "jobs", "slot hours", "wall hours", "CPU hours",
		"GB hours", "IO GB", "mean wait", table->bar ? "  # slot hours" : "");
}

static void put_total(struct usage_table *table)
{
	for (size_t k = 0; k < table->query->nby; k++)
		put_value(table, k, k ? "" : "total");
	put_numbers(table, &table->sums->total);
	out_text(table->out, "\n");
}

void usage_print_table(struct out *out, const struct usage_query *query, struct usage_sums *sums)
{
	struct usage_table table = { .out = out, .query = query, .sums = sums };
	uint32_t *order = usage_sums_order(sums, query);

	widths_find(&table);
	put_head(&table);
	for (size_t i = 0; order && i < sums->keys.n; i++)
		put_row(&table, sums->keys.texts[order[i]], &sums->sums[order[i]]);
	if (sums->keys.n > 1)
		put_total(&table);
	if (!order && !out->error)
		out->error = -ENOMEM;
	free(order);
}

/* CSV */

static void csv_row(struct out *out, const struct usage_query *query, const char *keys, const struct usage_sum *sum)
{
	for (size_t k = 0; k < query->nby; k++) {
		size_t n;
		const char *value = value_next(&keys, &n);

		if (n == 4 && memcmp(value, "NONE", 4) == 0)
			n = 0;
		csv_text(out, value, n);
	}
	json_write_number(out, "", (int64_t)sum->jobs);
	json_write_exact(out, ",", sum->slot_s);
	json_write_exact(out, ",", sum->wallclock_s);
	json_write_exact(out, ",", sum->cpu_s);
	json_write_exact(out, ",", sum->mem_gbs);
	json_write_exact(out, ",", sum->io_gb);
	json_write_number(out, ",", (int64_t)sum->waits);
	json_write_exact(out, ",", sum->waiting_s);
	json_write_exact(out, ",", sum->longest_wait_s);
	json_write_literal(out, "\n");
}

void usage_print_csv(struct out *out, const struct usage_query *query, struct usage_sums *sums)
{
	uint32_t *order = usage_sums_order(sums, query);

	for (size_t k = 0; k < query->nby; k++)
		out_put(out, "%s,", usage_key_names[query->by[k]]);
	out_text(out, "jobs,slot_seconds,ru_wallclock,cpu,mem,io,started,waiting_seconds,longest_wait\n");
	for (size_t i = 0; order && i < sums->keys.n; i++)
		csv_row(out, query, sums->keys.texts[order[i]], &sums->sums[order[i]]);
	if (!order && !out->error)
		out->error = -ENOMEM;
	free(order);
}

/* JSON */

void usage_sum_json(struct out *out, const struct usage_sum *sum)
{
	json_write_number(out, "\"jobs\":", (int64_t)sum->jobs);
	json_write_exact(out, ",\"slot_seconds\":", sum->slot_s);
	json_write_exact(out, ",\"ru_wallclock\":", sum->wallclock_s);
	json_write_exact(out, ",\"cpu\":", sum->cpu_s);
	json_write_exact(out, ",\"mem\":", sum->mem_gbs);
	json_write_exact(out, ",\"io\":", sum->io_gb);
	json_write_number(out, ",\"started\":", (int64_t)sum->waits);
	json_write_exact(out, ",\"waiting_seconds\":", sum->waiting_s);
	json_write_exact(out, ",\"longest_wait\":", sum->longest_wait_s);
}

static void json_keys(struct out *out, const struct usage_query *query, const char *keys)
{
	for (size_t k = 0; k < query->nby; k++) {
		size_t n;
		const char *value = value_next(&keys, &n);
		char *text = strndup(value, n);

		if (!text) {
			out->error = -ENOMEM;
			return;
		}
		out_put(out, "\"%s\":", usage_key_names[query->by[k]]);
		json_text_or_null(out, strcmp(text, "NONE") ? text : "");
		json_write_literal(out, ",");
		free(text);
	}
}

void usage_print_json(struct out *out, const struct usage_query *query, struct usage_sums *sums, uint64_t faults)
{
	uint32_t *order = usage_sums_order(sums, query);

	out_take(out, json_put_time(out_room(out, 80), "{\"since\":", query->since < 0 ? 0 : query->since));
	out_take(out, json_put_time(out_room(out, 80), ",\"until\":", query->until < 0 ? 0 : query->until));
	json_write_literal(out, ",\"by\":[");
	for (size_t k = 0; k < query->nby; k++)
		json_write_string(out, k ? "," : "", usage_key_names[query->by[k]]);
	json_write_literal(out, "],\"rows\":[");
	for (size_t i = 0; order && i < sums->keys.n; i++) {
		json_write_literal(out, i ? ",\n{" : "\n{");
		json_keys(out, query, sums->keys.texts[order[i]]);
		usage_sum_json(out, &sums->sums[order[i]]);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "\n],\"total\":{");
	usage_sum_json(out, &sums->total);
	json_write_number(out, "},\"faulty_lines\":", (int64_t)faults);
	json_write_literal(out, "}\n");
	if (!order && !out->error)
		out->error = -ENOMEM;
	free(order);
}
