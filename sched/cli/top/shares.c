/* SPDX-License-Identifier: Apache-2.0 */
/* Shares promised and received: the share tree, Slurm's associations or HTCondor's customers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/top/top.h"
#include "sched/cli/tree/shares.h"

#define BAR_LEAST 10u
#define BAR_MOST 60u
#define FIXED_COLUMNS 54u		/* width of the other columns */

struct share_rows {			/* rows that are being written */
	struct top *top;
	struct top_page *page;
	unsigned rows;			/* rows that still fit */
	size_t first, selected, n;	/* n: rows so far */
	double all;			/* usage of the whole tree */
	unsigned bar;
};

/* Return a value from 0 to 1, even if the view is inconsistent. */
static double part(double value)
{
	return value > 0 ? fmin(value, 1) : 0;
}

/* Draw '#' for the received part and '|' at the promised part. */
static const char *bar_text(char text[BAR_MOST + 1], unsigned width, double received, double promised)
{
	unsigned n = (unsigned)(part(received) * width + 0.5), at = (unsigned)(part(promised) * width);

	memset(text, ' ', width);
	memset(text, '#', n < width ? n : width);
	if (promised > 0)
		text[at < width ? at : width - 1] = '|';
	text[width] = '\0';
	return text;
}

/* Return the style of the next row, or -1 if it is not on the page. */
static int row_style(struct share_rows *rows)
{
	size_t k = rows->n++;

	if (k < rows->first || rows->rows == 0)
		return -1;
	rows->rows--;
	return k == rows->selected ? PAGE_SELECTED : PAGE_PLAIN;
}

static void name_indent(char to[NAME_BYTES], const char *name, unsigned depth)
{
	char clean[NAME_BYTES];
	unsigned indent = depth < 8 ? 2 * depth : 16;

	snprintf(to, NAME_BYTES, "%*s%s", (int)indent, "", page_label(clean, name, 24 - indent));
}

/* Share tree */

static void node_row(struct share_rows *rows, const struct share_line *line, unsigned depth)
{
	int style = row_style(rows);
	char name[NAME_BYTES], bar[BAR_MOST + 1];
	double received = rows->all > 0 ? part(line->usage / rows->all) : 0, promised = part(line->long_target_share);

	if (style < 0)
		return;
	name_indent(name, *line->name ? line->name : "/", depth);
	bar_text(bar, rows->bar, received, line->job_count > 0 ? promised : 0);
	if (line->job_count > 0)
		page_add(rows->page, (enum page_style)style, "%s %s %5.1f%% %5.1f%% %5.1f%% %6llu", name, bar,
			 100 * received, 100 * promised, 100 * part(line->short_target_share),
			 (unsigned long long)line->job_count);
	else
		page_add(rows->page, (enum page_style)style, "%s %s %5.1f%%      -      -      -", name, bar,
			 100 * received);
}

struct landed_rows { struct share_rows *rows; unsigned depth; };

/* A user on a `default` node is shown if there is usage or a task. */
static void landed_row(const struct share_line *line, void *context)
{
	struct landed_rows *landed = context;

	if (line->job_count > 0 || line->usage > 0)
		node_row(landed->rows, line, landed->depth);
}

static unsigned depth_of(const struct shares *shares, uint32_t k)
{
	unsigned depth = 0;

	while (shares->nodes[k].parent != NOBODY && depth < 100) {
		k = shares->nodes[k].parent;
		depth++;
	}
	return depth;
}

static void tree_rows(struct share_rows *rows, const struct fl_view *view)
{
	struct shares shares;

	page_add(rows->page, PAGE_HEAD, "%-24s %-*s   used promis.    due  tasks", "share tree", (int)rows->bar,
		 "# used, | promised");
	if (shares_build(&shares, view) == 0 && shares.nnodes > 0) {
		rows->all = shares.nodes[0].line.usage;
		for (uint32_t k = 0; k < shares.nnodes; k++) {
			struct landed_rows landed = { rows, depth_of(&shares, k) + 1 };

			node_row(rows, &shares.nodes[k].line, landed.depth - 1);
			shares_each(&shares, k, landed_row, &landed);
		}
	}
	shares_free(&shares);
}

/* Slurm and HTCondor */

static void association_rows(struct share_rows *rows, const struct fl_view *view)
{
	struct fl_association association;

	page_add(rows->page, PAGE_HEAD, "%-24s %-*s   used  share factor  tasks", "account, user", (int)rows->bar,
		 "# used, | share");
	for (size_t k = 0; fl_association(view, k, &association) == 0; k++) {
		char name[NAME_BYTES], bar[BAR_MOST + 1];
		int style = row_style(rows);

		if (style < 0)
			continue;
		name_indent(name, association.is_user ? association.user : association.account, association.depth);
		page_add(rows->page, (enum page_style)style, "%s %s %5.1f%% %5.1f%% %6.4f %6u", name,
			 bar_text(bar, rows->bar, association.norm_usage, association.norm_shares),
			 100 * part(association.norm_usage), 100 * part(association.norm_shares),
			 part(association.fairshare), association.running_tasks);
	}
}

static void customer_rows(struct share_rows *rows, const struct fl_view *view)
{
	struct fl_negotiation negotiation;
	struct fl_customer customer;
	double pool = fl_negotiation(view, &negotiation) == 0 ? negotiation.pool_weight : 0;

	page_add(rows->page, PAGE_HEAD, "%-24s %-*s   used  share      eup weight", "submitter", (int)rows->bar,
		 "# used, | share");
	for (size_t k = 0; fl_customer(view, k, &customer) == 0; k++) {
		char name[NAME_BYTES], bar[BAR_MOST + 1];
		double weight = customer.is_group ? customer.tree_used : customer.weight_used,
		       used = pool > 0 ? weight / pool : 0;
		int style = row_style(rows);

		if (style < 0)
			continue;
		name_indent(name, customer.name, customer.is_group ? 0 : 1);
		page_add(rows->page, (enum page_style)style, "%s %s %5.1f%% %5.1f%% %8.2f %6.1f", name,
			 bar_text(bar, rows->bar, used, customer.share), 100 * part(used), 100 * part(customer.share),
			 customer.rup * customer.factor, weight);
	}
}

size_t top_shares(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
		  size_t selected)
{
	unsigned width = page->columns > FIXED_COLUMNS ? page->columns - FIXED_COLUMNS : 0;
	struct share_rows share_rows = {
		.top = top, .page = page, .rows = rows > 0 ? rows - 1 : 0, .first = first, .selected = selected
	};
	struct fl_multifactor multifactor;
	struct fl_negotiation negotiation;

	share_rows.bar = width < BAR_LEAST ? BAR_LEAST : width > BAR_MOST ? BAR_MOST : width;
	if (fl_multifactor(view, &multifactor) == 0)
		association_rows(&share_rows, view);
	else if (fl_negotiation(view, &negotiation) == 0)
		customer_rows(&share_rows, view);
	else
		tree_rows(&share_rows, view);
	return share_rows.n;
}
