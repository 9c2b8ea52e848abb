/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the table: columns and lines. */
#include "sched/cli/userprio/show.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NAME_MOST 99u			/* bytes of the first column */
#define COUNT_FORMAT "Number of users: %zu"
#define CELL_BYTES 400u			/* bytes for any number */

struct userprio_text {
	const struct userprio_records *records;
	const struct userprio_query *query;
	struct userprio_shape shape;
	size_t width;			/* width of the column of names */
};

/* Write a record's cell into `text`; "" leaves it blank. */
typedef void cell_put(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		      unsigned width);
/* Write the last line's cell. */
typedef void total_put(const struct userprio_text *userprio_text, char *text, unsigned width);

static void number_put(char *text, double value, unsigned width, int decimals)
{
	int n = snprintf(text, CELL_BYTES, "%.*f", decimals, value);

	if (n > (int)width)
		snprintf(text, CELL_BYTES, "%.*g", (int)width - 6, value);
}

void userprio_date(char text[USERPRIO_DATE_BYTES + 1], int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (time <= 0 || time > INT64_C(253402214400) || !localtime_r(&t, &tm))
		memset(text, ' ', USERPRIO_DATE_BYTES);
	else
		snprintf(text, USERPRIO_DATE_BYTES + 1, "%2u/%02u/%4u %02u:%02u", (tm.tm_mon + 1u) % 100,
			 tm.tm_mday % 100u, (tm.tm_year + 1900u) % 10000, tm.tm_hour % 100u, tm.tm_min % 100u);
	text[USERPRIO_DATE_BYTES] = '\0';
}

static void userprio_day(char text[USERPRIO_DAY_BYTES + 1], int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (time < 0 || time > INT64_C(253402214400) || !localtime_r(&t, &tm))
		snprintf(text, USERPRIO_DAY_BYTES + 1, " ?/?  ??:??");
	else
		snprintf(text, USERPRIO_DAY_BYTES + 1, "%2u/%-2u %02u:%02u", (tm.tm_mon + 1u) % 100, tm.tm_mday % 100u,
			 tm.tm_hour % 100u, tm.tm_min % 100u);
}

/* Write days, hours and minutes, cut to the column. */
static void distance_put(char *text, int64_t seconds, unsigned width)
{
	if (seconds <= 0)
		snprintf(text, CELL_BYTES, "<now>");
	else
		snprintf(text, CELL_BYTES, "%lld+%02lld:%02lld", (long long)(seconds / 86400),
			 (long long)(seconds / 3600 % 24), (long long)(seconds / 60 % 60));
	text[width] = '\0';
}

static void put_group_id(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
			 unsigned width)
{
	(void)userprio_text;
	number_put(text, (double)record->number, width, 0);
}

static void put_sort_key(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
			 unsigned width)
{
	(void)userprio_text;
	if (record->sort_key >= 3.40282001e38)
		snprintf(text, CELL_BYTES, "<last>");
	else
		number_put(text, record->sort_key, width, 2);
}

static const char *policy_name(const char *policy)
{
	static const char *const names[][2] = {
		{ "no", "no" }, { "regroup", "Regroup" }, { "byquota", "ByQuota" }, { "", "" }
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcasecmp(policy, names[i][0]) == 0)
			return names[i][1];
	return "n/a";
}

static void put_surplus(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
			unsigned width)
{
	(void)userprio_text;
	snprintf(text, CELL_BYTES, "%-*s", (int)width, record->number ? policy_name(record->surplus) : "yes");
}

static void total_surplus(const struct userprio_text *userprio_text, char *text, unsigned width)
{
	snprintf(text, CELL_BYTES, "%-*s", (int)width, policy_name(userprio_text->shape.policy));
}

static void put_real(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		     unsigned width)
{
	(void)userprio_text;
	number_put(text, record->priority / record->factor, width, 2);
}

static void put_factor(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		       unsigned width)
{
	(void)userprio_text;
	if (record->factor > 0)
		number_put(text, record->factor, width, 2);
}

static void total_in_use(const struct userprio_text *userprio_text, char *text, unsigned width)
{
	number_put(text, userprio_text->shape.weight_used, width, 0);
}

static void put_total(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		      unsigned width)
{
	(void)userprio_text;
	number_put(text, record->weight_accumulated / 3600, width, 2);
}

static void total_total(const struct userprio_text *userprio_text, char *text, unsigned width)
{
	number_put(text, userprio_text->shape.weight_accumulated / 3600, width, 2);
}

static void put_start(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		      unsigned width)
{
	(void)userprio_text, (void)width;
	userprio_date(text, record->begin);
}

static void put_last(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		     unsigned width)
{
	(void)userprio_text, (void)width;
	userprio_date(text, record->last);
}

static void total_last(const struct userprio_text *userprio_text, char *text, unsigned width)
{
	(void)width;
	userprio_date(text, userprio_text->query->active_from);
}

/*
 * Write the time since the last usage. A record without usage shows the distance from 1970 plus one
 * second.
 */
static void put_since(const struct userprio_text *userprio_text, const struct userprio_record *userprio_record,
		      char *text, unsigned width)
{
	distance_put(text,
		     userprio_text->records->last_update -
			     (userprio_record->last ? userprio_record->last : USERPRIO_EVER),
		     width);
}

static void total_since(const struct userprio_text *userprio_text, char *text, unsigned width)
{
	if (userprio_text->query->active_from > 0)
		distance_put(text, userprio_text->records->last_update - userprio_text->query->active_from, width);
}

static void put_floor(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
		      unsigned width)
{
	(void)userprio_text;
	if (record->floor > 0)
		number_put(text, (double)record->floor, width, 2);
}

static void put_ceiling(const struct userprio_text *userprio_text, const struct userprio_record *record, char *text,
			unsigned width)
{
	(void)userprio_text;
	if (record->ceiling >= 0)
		number_put(text, (double)record->ceiling, width, 2);
}

#define NUMBER(MEMBER, DECIMALS) NULL, offsetof(struct userprio_record, MEMBER), DECIMALS
#define PUT(FUNCTION) FUNCTION, 0, 0

static const struct userprio_head {
	unsigned column;
	unsigned width;
	const char *first, *second;	/* lines of the heading */
	cell_put *put;			/* NULL: print the member, a number */
	size_t member;
	int decimals;
	total_put *total;		/* NULL: blank in the last line */
} heads[] = {
	{ USERPRIO_GROUP_ID, 5, "Group", "Id", PUT(put_group_id), NULL },
	{ USERPRIO_GROUP_ORDER, 9, "Group", "Order", NUMBER(order, 2), NULL },
	{ USERPRIO_SORT_KEY, 9, "Group", "Sort Key", PUT(put_sort_key), NULL },
	{ USERPRIO_EFFECTIVE_QUOTA, 9, "Effective", "Quota", NUMBER(effective_quota, 2), NULL },
	{ USERPRIO_CONFIG_QUOTA, 9, "Config", "Quota", NUMBER(config_quota, 2), NULL },
	{ USERPRIO_SURPLUS, 7, "Use", "Surplus", PUT(put_surplus), total_surplus },
	{ USERPRIO_SUBTREE_QUOTA, 9, "Subtree", "Quota", NUMBER(subtree_quota, 2), NULL },
	{ USERPRIO_EFFECTIVE, 12, "Effective", "Priority", NUMBER(priority, 2), NULL },
	{ USERPRIO_REAL, 8, "Real", "Priority", PUT(put_real), NULL },
	{ USERPRIO_FACTOR, 9, "Priority", "Factor", PUT(put_factor), NULL },
	{ USERPRIO_IN_USE, 6, "Wghted", "In Use", NUMBER(weight_used, 0), total_in_use },
	{ USERPRIO_TOTAL, 12, "Total Usage", "(wghted-hrs)", PUT(put_total), total_total },
	{ USERPRIO_START, 16, "Usage", "Start Time", PUT(put_start), NULL },
	{ USERPRIO_LAST, 16, "Last", "Usage Time", PUT(put_last), total_last },
	{ USERPRIO_SINCE, 10, "Time Since", "Last Usage", PUT(put_since), total_since },
	{ USERPRIO_REQUESTED, 10, "Weighted", "Requested", NUMBER(requested, 0), NULL },
	{ USERPRIO_FLOOR, 9, "Submitter", "Floor", PUT(put_floor), NULL },
	{ USERPRIO_CEILING, 9, "Submitter", "Ceiling", PUT(put_ceiling), NULL },
};

#define HEADS (sizeof(heads) / sizeof(*heads))

static void fill(struct out *out, char c, size_t n)
{
	while (n > 0) {
		size_t bytes = n < 4096 ? n : 4096;
		char *p = out_room(out, bytes);

		memset(p, c, bytes);
		out_take(out, p + bytes);
		n -= bytes;
	}
}

/* Write a name, cut to the width. */
static void put_name(struct out *out, const char *text, size_t width)
{
	size_t n = strlen(text);

	n = n < width ? n : width;
	out_bytes(out, text, n);
	fill(out, ' ', width - n);
}

static void head_line(struct out *out, unsigned columns, const char *name, size_t width, bool second)
{
	put_name(out, name, width);
	for (size_t i = 0; i < HEADS; i++) {
		const char *title = second ? heads[i].second : heads[i].first;
		size_t blanks = heads[i].width - strlen(title);

		if (!(columns & heads[i].column))
			continue;
		fill(out, ' ', 1 + blanks / 2);
		out_text(out, title);
		fill(out, ' ', blanks - blanks / 2);
	}
	out_text(out, "\n");
}

static void dashes(struct out *out, unsigned columns, size_t width)
{
	fill(out, '-', width);
	for (size_t i = 0; i < HEADS; i++) {
		if (columns & heads[i].column) {
			out_text(out, " ");
			fill(out, '-', heads[i].width);
		}
	}
	out_text(out, "\n");
}

/* Write a cell. A group's quota or sort key that was not reported is "n/d". */
static void record_cell(const struct userprio_text *userprio_text, const struct userprio_record *record,
			const struct userprio_head *head, char *text)
{
	if (!(record->columns & head->column))
		snprintf(text, CELL_BYTES, "%s",
			 record->is_group && head->column & (USERPRIO_QUOTAS | USERPRIO_SORT_KEY) ? "n/d" : "");
	else if (head->put)
		head->put(userprio_text, record, text, head->width);
	else
		number_put(text, *(const double *)((const char *)record + head->member), head->width, head->decimals);
}

/* Write the cells of a record, or of the last line if it is NULL. */
static void cells_line(struct out *out, const struct userprio_text *userprio_text, const struct userprio_record *record)
{
	for (size_t i = 0; i < HEADS; i++) {
		const struct userprio_head *head = &heads[i];
		char text[CELL_BYTES + 1] = "";
		size_t n;

		if (!(userprio_text->shape.columns & head->column))
			continue;
		if (record)
			record_cell(userprio_text, record, head, text);
		else if (head->total)
			head->total(userprio_text, text, head->width);
		n = strlen(text);
		fill(out, ' ', 1 + (n < head->width ? head->width - n : 0));
		out_bytes(out, text, n);
	}
	out_text(out, "\n");
}

static void record_line(struct out *out, const struct userprio_text *text, const struct userprio_record *record)
{
	const char *name = record->name;
	size_t group = strlen(record->group);

	if (text->shape.is_nested && !record->is_group) {
		if (record->number > 0 && strncasecmp(name, record->group, group) == 0 && name[group] == '.')
			name += group + 1;
		out_text(out, "  ");
		put_name(out, name, text->width - 2);
	} else {
		put_name(out, name, text->width);
	}
	cells_line(out, text, record);
}

/*
 * Return the width of the column of names. It has room for the last line, counted as if all records
 * were submitters.
 */
static size_t width_of(const struct userprio_text *text)
{
	size_t least = (size_t)snprintf(NULL, 0, COUNT_FORMAT, text->records->n), width = text->shape.name_width;

	width = width < NAME_MOST ? width : NAME_MOST;
	return (width > least ? width : least) + (text->shape.is_nested ? 2 : 0);
}

static void table_put(struct out *out, const struct userprio_text *text)
{
	const struct userprio_shape *shape = &text->shape;
	char count[64], day[USERPRIO_DAY_BYTES + 1];

	userprio_day(day, text->records->last_update);
	out_text(out, "Last Priority Update: ");
	out_text(out, day);
	out_text(out, "\n");
	head_line(out, shape->columns, shape->is_nested ? "Group" : "", text->width, false);
	if (shape->shows_users)
		head_line(out, shape->columns, shape->is_nested ? "  User Name" : "User Name", text->width, true);
	else
		head_line(out, shape->columns, shape->is_nested ? "Name" : "Group Name", text->width, true);
	dashes(out, shape->columns, text->width);
	for (size_t i = 0; i < shape->nrows && !out->error; i++)
		record_line(out, text, shape->rows[i]);
	dashes(out, shape->columns, text->width);
	snprintf(count, sizeof(count), COUNT_FORMAT, shape->nusers);
	put_name(out, count, text->width);
	cells_line(out, text, NULL);
}

int userprio_table(struct userprio_records *records, const struct userprio_query *query, struct out *out)
{
	struct userprio_text text = { .records = records, .query = query };
	int rc = userprio_shape_make(&text.shape, records, query);

	text.width = width_of(&text);
	if (!rc && records->n > 0)		/* the output is empty if there is no record */
		table_put(out, &text);
	userprio_shape_free(&text.shape);
	return rc;
}
