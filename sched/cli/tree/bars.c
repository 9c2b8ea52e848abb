/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/tree/bars.h"

#include <limits.h>
#include <string.h>

#include "sched/cli/text.h"

#define COLUMNS_USUAL 100u		/* default without a terminal */
#define NUMBERS 43u			/* width of the columns after the bar */
#define NAME_LEAST 12u
#define NAME_MOST 32u
#define GAUGE_LEAST 20u			/* width of its heading */
#define GAUGE_MOST 40u
#define DEPTH_MOST 8u			/* maximum indentation */

static unsigned within(unsigned n, unsigned least, unsigned most)
{
	return n < least ? least : n > most ? most : n;
}

void bars_begin(struct tree_bars *bars, struct out *out, unsigned columns)
{
	unsigned room = columns ? columns : COLUMNS_USUAL;

	room = within(room > NUMBERS + 2 ? room - NUMBERS - 2 : 0, NAME_LEAST + GAUGE_LEAST, UINT_MAX);
	bars->name = within(room > 2 * GAUGE_LEAST ? room / 2 : room - GAUGE_LEAST, NAME_LEAST, NAME_MOST);
	bars->gauge = within(room > bars->name ? room - bars->name : 0, GAUGE_LEAST, GAUGE_MOST);
	bars->left_out = 0;
	out_put(out, "%-*s  %-*s %10s %7s %8s %7s %6s\n", (int)bars->name, "node", (int)bars->gauge,
		"### used, | promised", "shares", "used", "promised", "due", "tasks");
}

/*
 * Draw the bar of a part of the whole. A promise is marked only for users with pending or running
 * jobs.
 */
static void gauge_put(const struct tree_bars *bars, char *marks, double used, double promised, bool asks)
{
	double whole = (double)bars->gauge;
	unsigned n = within((unsigned)(used * whole + 0.5), 0, bars->gauge),
		 at = within((unsigned)(promised * whole), 0, bars->gauge - 1);

	memset(marks, ' ', bars->gauge);
	memset(marks, '#', n);
	if (asks)
		marks[at] = '|';
	marks[bars->gauge] = '\0';
}

/* Return a value from 0 to 1, even if the view is inconsistent. */
static double part(double value)
{
	return value > 0 ? value < 1 ? value : 1 : 0;
}

static void name_put(struct out *out, const char *name, unsigned depth, unsigned width)
{
	unsigned indent = 2 * (depth < DEPTH_MOST ? depth : DEPTH_MOST);
	char *p = out_room(out, width + 2);

	indent = indent < width ? indent : width;
	p = text_blanks(p, indent);
	p = text_column(p, name, width - indent);
	out_take(out, text_blanks(p, 2));
}

void bars_row(struct tree_bars *bars, struct out *out, const struct share_line *line, bool landed, unsigned depth,
	      double actual)
{
	char marks[GAUGE_MOST + 1];
	double used = part(actual), promised = part(line->long_target_share);

	if (landed && !line->job_count && !(line->usage > 0)) {
		bars->left_out++;
		return;
	}
	gauge_put(bars, marks, used, promised, line->job_count > 0);
	name_put(out, *line->name ? line->name : "/", depth, bars->name);
	out_put(out, "%s %10u %6.1f%%", marks, line->shares, 100 * used);
	if (line->job_count)
		out_put(out, " %7.1f%% %6.1f%% %6llu\n", 100 * promised, 100 * part(line->short_target_share),
			(unsigned long long)line->job_count);
	else			/* a node without demand has no promise */
		out_put(out, " %8s %7s %6s\n", "-", "-", "-");
}

void bars_end(const struct tree_bars *bars, struct out *out)
{
	if (bars->left_out)
		out_put(out, "%zu user%s who %s neither used anything nor ask%s for anything\n", bars->left_out,
			plural(bars->left_out), bars->left_out == 1 ? "has" : "have", bars->left_out == 1 ? "s" : "");
}
