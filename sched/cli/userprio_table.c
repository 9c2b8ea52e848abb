/* SPDX-License-Identifier: Apache-2.0 */
/* Columns and lines. */
#include "sched/cli/userprio_show.h"

#include <float.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NAME_MOST 99u			/* bytes of the first column */
#define CELL_BYTES 400u			/* any number has room */

struct cells {				/* what one line is made of */
	const struct userprio_records *records;
	const struct userprio_query *query;
	const struct userprio_record *record;	/* NULL: the line with the sums */
	double weight_used, weight_accumulated;	/* sums */
};

/* Into `text`; "" leaves the column blank. */
typedef void cell_put(const struct cells *c, char *text, unsigned width);

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
		snprintf(text, USERPRIO_DATE_BYTES + 1, "%2u/%02u/%4u %02u:%02u", (tm.tm_mon + 1u) % 100, tm.tm_mday % 100u, (tm.tm_year + 1900u) % 10000,
			 tm.tm_hour % 100u, tm.tm_min % 100u);
	text[USERPRIO_DATE_BYTES] = '\0';
}

void userprio_day(char text[USERPRIO_DAY_BYTES + 1], int64_t time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (time < 0 || time > INT64_C(253402214400) || !localtime_r(&t, &tm))
		snprintf(text, USERPRIO_DAY_BYTES + 1, " ?/?  ??:??");
	else
		snprintf(text, USERPRIO_DAY_BYTES + 1, "%2u/%-2u %02u:%02u", (tm.tm_mon + 1u) % 100, tm.tm_mday % 100u, tm.tm_hour % 100u, tm.tm_min % 100u);
}

/* Days, hours and minutes, cut to the column. */
static void distance_put(char *text, int64_t seconds, unsigned width)
{
	if (seconds <= 0)
		snprintf(text, CELL_BYTES, "<now>");
	else
		snprintf(text, CELL_BYTES, "%lld+%02lld:%02lld", (long long)(seconds / 86400), (long long)(seconds / 3600 % 24),
			 (long long)(seconds / 60 % 60));
	text[width] = '\0';
}

static bool of_group(const struct cells *c)
{
	return c->record && c->record->is_group;
}

static void put_group_id(const struct cells *c, char *text, unsigned width)
{
	(void)width;
	if (c->record && c->record->id > 0)
		snprintf(text, CELL_BYTES, "%u", c->record->id);
}

/* The root is the last one. */
static void put_order(const struct cells *c, char *text, unsigned width)
{
	if (c->record)
		number_put(text, c->record->id > 0 ? c->record->id : FLT_MAX, width, 2);
}

static void put_sort_key(const struct cells *c, char *text, unsigned width)
{
	if (of_group(c) && c->record->sort_key >= 3.40282e38)
		snprintf(text, CELL_BYTES, "<last>");
	else if (of_group(c))
		number_put(text, c->record->sort_key, width, 2);
}

static void put_effective_quota(const struct cells *c, char *text, unsigned width)
{
	if (of_group(c))
		number_put(text, c->record->effective_quota, width, 2);
}

static void put_config_quota(const struct cells *c, char *text, unsigned width)
{
	if (of_group(c))
		number_put(text, c->record->config_quota, width, 2);
}

static void put_surplus(const struct cells *c, char *text, unsigned width)
{
	const char *policy = "";

	if (!c->record)
		policy = "ByQuota";	/* the original says so, whatever is above it */
	else if (of_group(c) && strcmp(c->record->name, "<none>") == 0)
		policy = "yes";
	else if (of_group(c))
		policy = strcmp(c->record->surplus, "regroup") == 0 ? "Regroup" : strcmp(c->record->surplus, "byquota") == 0 ? "ByQuota" : "no";
	if (*policy)
		snprintf(text, CELL_BYTES, "%-*s", (int)width, policy);
}

static void put_subtree_quota(const struct cells *c, char *text, unsigned width)
{
	if (of_group(c))
		number_put(text, c->record->subtree_quota, width, 2);
}

static void put_effective(const struct cells *c, char *text, unsigned width)
{
	if (c->record && !c->record->is_group)
		number_put(text, c->record->priority, width, 2);
}

static void put_real(const struct cells *c, char *text, unsigned width)
{
	if (c->record && !c->record->is_group)
		number_put(text, c->record->factor > 0 ? c->record->priority / c->record->factor : c->record->priority, width, 2);
}

/* Those of groups are 0, but with the sums of their subtrees. */
static void put_factor(const struct cells *c, char *text, unsigned width)
{
	if (c->record && c->record->factor > 0)
		number_put(text, c->record->factor, width, 2);
}

static void put_in_use(const struct cells *c, char *text, unsigned width)
{
	number_put(text, c->record ? c->record->weight_used : c->weight_used, width, 0);
}

static void put_total(const struct cells *c, char *text, unsigned width)
{
	number_put(text, (c->record ? c->record->weight_accumulated : c->weight_accumulated) / 3600, width, 2);
}

static void put_start(const struct cells *c, char *text, unsigned width)
{
	(void)width;
	if (c->record && c->record->begin > 0)
		userprio_date(text, c->record->begin);
}

static void put_last(const struct cells *c, char *text, unsigned width)
{
	int64_t time = c->record ? c->record->last : c->query->all_users ? 0 : c->query->active_from;

	(void)width;
	if (time > 0)
		userprio_date(text, time);
}

static void put_since(const struct cells *c, char *text, unsigned width)
{
	if (c->record || !c->query->all_users)
		distance_put(text, c->records->last_update - (c->record ? c->record->last : c->query->active_from), width);
}

static void put_requested(const struct cells *c, char *text, unsigned width)
{
	if (of_group(c))
		number_put(text, c->record->requested, width, 0);
}

static void put_floor(const struct cells *c, char *text, unsigned width)
{
	if (c->record && !c->record->is_group && c->record->floor > 0)
		number_put(text, (double)c->record->floor, width, 2);
}

static void put_ceiling(const struct cells *c, char *text, unsigned width)
{
	if (c->record && !c->record->is_group && c->record->ceiling >= 0)
		number_put(text, (double)c->record->ceiling, width, 2);
}

static const struct userprio_head {
	unsigned column;
	unsigned width;
	const char *first, *second;	/* line of the head */
	cell_put *put;
} heads[] = {
	{ USERPRIO_GROUP_ID, 5, "Group", "Id", put_group_id },
	{ USERPRIO_GROUP_ORDER, 9, "Group", "Order", put_order },
	{ USERPRIO_SORT_KEY, 9, "Group", "Sort Key", put_sort_key },
	{ USERPRIO_EFFECTIVE_QUOTA, 9, "Effective", "Quota", put_effective_quota },
	{ USERPRIO_CONFIG_QUOTA, 9, "Config", "Quota", put_config_quota },
	{ USERPRIO_SURPLUS, 7, "Use", "Surplus", put_surplus },
	{ USERPRIO_SUBTREE_QUOTA, 9, "Subtree", "Quota", put_subtree_quota },
	{ USERPRIO_EFFECTIVE, 12, "Effective", "Priority", put_effective },
	{ USERPRIO_REAL, 8, "Real", "Priority", put_real },
	{ USERPRIO_FACTOR, 9, "Priority", "Factor", put_factor },
	{ USERPRIO_IN_USE, 6, "Wghted", "In Use", put_in_use },
	{ USERPRIO_TOTAL, 12, "Total Usage", "(wghted-hrs)", put_total },
	{ USERPRIO_START, 16, "Usage", "Start Time", put_start },
	{ USERPRIO_LAST, 16, "Last", "Usage Time", put_last },
	{ USERPRIO_SINCE, 10, "Time Since", "Last Usage", put_since },
	{ USERPRIO_REQUESTED, 10, "Weighted", "Requested", put_requested },
	{ USERPRIO_FLOOR, 9, "Submitter", "Floor", put_floor },
	{ USERPRIO_CEILING, 9, "Submitter", "Ceiling", put_ceiling },
};

#define HEADS (sizeof(heads) / sizeof(*heads))

static void fill(struct out *o, char c, size_t n)
{
	while (n > 0) {
		size_t bytes = n < 4096 ? n : 4096;
		char *p = out_room(o, bytes);

		memset(p, c, bytes);
		out_take(o, p + bytes);
		n -= bytes;
	}
}

/* What is wider is cut. */
static void put_name(struct out *o, const char *text, size_t width)
{
	size_t n = strlen(text);

	n = n < width ? n : width;
	out_bytes(o, text, n);
	fill(o, ' ', width - n);
}

static void head_line(struct out *o, unsigned columns, const char *name, size_t width, bool second)
{
	put_name(o, name, width);
	for (size_t i = 0; i < HEADS; i++) {
		const char *title = second ? heads[i].second : heads[i].first;
		size_t blanks = heads[i].width - strlen(title);

		if (!(columns & heads[i].column))
			continue;
		fill(o, ' ', 1 + blanks / 2);
		out_text(o, title);
		fill(o, ' ', blanks - blanks / 2);
	}
	out_text(o, "\n");
}

static void dashes(struct out *o, unsigned columns, size_t width)
{
	fill(o, '-', width);
	for (size_t i = 0; i < HEADS; i++) {
		if (columns & heads[i].column) {
			out_text(o, " ");
			fill(o, '-', heads[i].width);
		}
	}
	out_text(o, "\n");
}

static void cells_line(struct out *o, const struct cells *c, unsigned columns)
{
	for (size_t i = 0; i < HEADS; i++) {
		char text[CELL_BYTES + 1] = "";
		size_t n;

		if (!(columns & heads[i].column))
			continue;
		heads[i].put(c, text, heads[i].width);
		n = strlen(text);
		fill(o, ' ', 1 + (n < heads[i].width ? heads[i].width - n : 0));
		out_bytes(o, text, n);
	}
	out_text(o, "\n");
}

static void record_line(struct out *o, const struct cells *c, unsigned columns, size_t width)
{
	const struct userprio_record *r = c->record;
	const char *name = r->name;
	size_t group = strlen(r->group);

	if (c->records->is_nested && !r->is_group) {
		if (r->id > 0 && strncasecmp(name, r->group, group) == 0 && name[group] == '.')
			name += group + 1;
		out_text(o, "  ");
		put_name(o, name, width - 2);
	} else {
		put_name(o, name, width);
	}
	cells_line(o, c, columns);
}

int userprio_table(const struct userprio_records *r, const struct userprio_query *q, struct out *o)
{
	unsigned columns = q->columns ? q->columns : USERPRIO_MOST_COLUMNS;
	struct cells c = { .records = r, .query = q };
	char count[64], day[USERPRIO_DAY_BYTES + 1];
	size_t width = (size_t)snprintf(count, sizeof(count), "Number of users: %zu", r->nusers);

	width = r->name_width > width ? r->name_width : width;
	width = (width < NAME_MOST ? width : NAME_MOST) + (r->is_nested ? 2 : 0);
	userprio_day(day, r->last_update);
	out_text(o, "Last Priority Update: ");
	out_text(o, day);
	out_text(o, "\n");
	head_line(o, columns, r->is_nested ? "Group" : "", width, false);
	head_line(o, columns, !r->shows_users ? "Name" : r->is_nested ? "  User Name" : "User Name", width, true);
	dashes(o, columns, width);
	for (size_t i = 0; i < r->nshown && !o->error; i++) {
		c.record = userprio_shown(r, i);
		if (!c.record->is_group) {
			c.weight_used += c.record->weight_used;
			c.weight_accumulated += c.record->weight_accumulated;
		}
		if (c.record->is_group ? r->shows_groups : r->shows_users)
			record_line(o, &c, columns, width);
	}
	dashes(o, columns, width);
	put_name(o, count, width);
	c.record = NULL;
	cells_line(o, &c, columns);
	return 0;
}
