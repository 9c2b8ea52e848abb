/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/tree_bars.h"

#include <limits.h>
#include <string.h>

#include "sched/cli/text.h"

#define COLUMNS_USUAL 100u		/* where there is no terminal */
#define NUMBERS 43u			/* columns behind the bar */
#define NAME_LEAST 12u
#define NAME_MOST 32u
#define GAUGE_LEAST 20u			/* what its heading needs */
#define GAUGE_MOST 40u
#define DEPTH_MOST 8u			/* deeper ones are indented no further */

static unsigned within(unsigned n, unsigned least, unsigned most)
{
	return n < least ? least : n > most ? most : n;
}

void bars_begin(struct tree_bars *b, struct out *o, unsigned columns)
{
	unsigned room = columns ? columns : COLUMNS_USUAL;

	room = within(room > NUMBERS + 2 ? room - NUMBERS - 2 : 0, NAME_LEAST + GAUGE_LEAST, UINT_MAX);
	b->name = within(room > 2 * GAUGE_LEAST ? room / 2 : room - GAUGE_LEAST, NAME_LEAST, NAME_MOST);
	b->gauge = within(room > b->name ? room - b->name : 0, GAUGE_LEAST, GAUGE_MOST);
	b->left_out = 0;
	out_put(o, "%-*s  %-*s %10s %7s %8s %7s %6s\n", (int)b->name, "node", (int)b->gauge, "### used, | promised", "shares",
			  "used", "promised", "due", "tasks");
}

/* Marks for a part of the whole; a promise counts only for those who ask for something. */
static void gauge_put(const struct tree_bars *b, char *marks, double used, double promised, bool asks)
{
	double whole = (double)b->gauge;
	unsigned n = within((unsigned)(used * whole + 0.5), 0, b->gauge), at = within((unsigned)(promised * whole), 0, b->gauge - 1);

	memset(marks, ' ', b->gauge);
	memset(marks, '#', n);
	if (asks)
		marks[at] = '|';
	marks[b->gauge] = '\0';
}

/* A part of the whole, whatever a torn view says. */
static double part(double value)
{
	return value > 0 ? value < 1 ? value : 1 : 0;
}

static void name_put(struct out *o, const char *name, unsigned depth, unsigned width)
{
	unsigned indent = 2 * (depth < DEPTH_MOST ? depth : DEPTH_MOST);
	char *p = out_room(o, width + 2);

	indent = indent < width ? indent : width;
	p = text_blanks(p, indent);
	p = text_column(p, name, width - indent);
	out_take(o, text_blanks(p, 2));
}

void bars_row(struct tree_bars *b, struct out *o, const struct share_line *line, bool landed, unsigned depth, double actual)
{
	char marks[GAUGE_MOST + 1];
	double used = part(actual), promised = part(line->long_target_share);

	if (landed && !line->job_count && !(line->usage > 0)) {
		b->left_out++;
		return;
	}
	gauge_put(b, marks, used, promised, line->job_count > 0);
	name_put(o, *line->name ? line->name : "/", depth, b->name);
	out_put(o, "%s %10u %6.1f%%", marks, line->shares, 100 * used);
	if (line->job_count)
		out_put(o, " %7.1f%% %6.1f%% %6llu\n", 100 * promised, 100 * part(line->short_target_share), (unsigned long long)line->job_count);
	else			/* nothing is promised to who asks for nothing */
		out_put(o, " %8s %7s %6s\n", "-", "-", "-");
}

void bars_end(const struct tree_bars *b, struct out *o)
{
	if (b->left_out)
		out_put(o, "%zu user%s who %s neither used anything nor ask%s for anything\n", b->left_out, plural(b->left_out),
				  b->left_out == 1 ? "has" : "have", b->left_out == 1 ? "s" : "");
}
