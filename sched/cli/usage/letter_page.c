/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statement as a page: one HTML file without scripts that loads nothing from other places. The
 * picture shows the received part of all usage over time.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "sched/cli/text.h"
#include "sched/cli/usage/letter.h"

#define DAY_S 86400
#define POINTS 120			/* points of a line */
#define WIDTH 640
#define HEIGHT 240
#define LEFT 44
#define BOTTOM 28
#define TOP 12

static const char style[] =
	":root{color-scheme:light dark;--line:#d8dde4;--idle:#0072b2;--present:#d55e00;--soft:#5b6675}\n"
	"body{max-width:720px;margin:32px auto;padding:0 24px;font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:24px}dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px}\n"
	"dt{color:var(--soft)}dd{margin:0}\n"
	"svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}p{color:var(--soft)}\n"
	".line{fill:none;stroke-width:2}.idle{stroke:var(--idle)}.present{stroke:var(--present)}\n"
	".promised{stroke:var(--soft);stroke-dasharray:5 4}.axis{stroke:var(--line)}\n";

static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Usage of ";

struct letter_picture {
	const struct user_statement *statement;
	double span_s;			/* time from the left to the right edge */
	double most;			/* part at the upper edge */
};

/* Return the time that the picture spans: the recovery and a quarter more, 1 to 400 days. */
static double span_of(const struct user_statement *statement)
{
	int64_t longest = statement->idle_s > statement->present_s ? statement->idle_s : statement->present_s;
	double span = 1.25 * (double)(longest > 0 ? longest : 30 * DAY_S);

	return fmin(fmax(span, DAY_S), 400.0 * DAY_S);
}

static double x_of(const struct letter_picture *picture, double seconds)
{
	return LEFT + (WIDTH - LEFT - 8) * seconds / picture->span_s;
}

static double y_of(const struct letter_picture *picture, double part)
{
	return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * fmin(part / picture->most, 1);
}

static void put_curve(struct out *out, const struct letter_picture *picture, bool is_idle)
{
	out_put(out, "<polyline class=\"line %s\" points=\"", is_idle ? "idle" : "present");
	for (int k = 0; k <= POINTS; k++) {
		double seconds = picture->span_s * k / POINTS;

		out_put(out, "%.1f,%.1f ", x_of(picture, seconds),
			y_of(picture, recovery_received(&picture->statement->recovery, seconds, is_idle)));
	}
	out_text(out, "\"/>\n");
}

static void put_axes(struct out *out, const struct letter_picture *picture)
{
	for (int k = 0; k <= 4; k++) {
		double part = picture->most * k / 4, y = y_of(picture, part);

		out_put(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, WIDTH - 8, y,
			y);
		out_put(out, "<text x=\"4\" y=\"%.1f\">%.0f %%</text>\n", y + 4, 100 * part);
	}
	for (int k = 0; k <= 4; k++) {
		double seconds = picture->span_s * k / 4;
		time_t time = (time_t)(picture->statement->now + (int64_t)seconds);
		struct tm tm = { 0 };
		char day[40] = "";

		strftime(day, sizeof(day), picture->span_s < 3 * DAY_S ? "%m-%d %H:%M" : "%Y-%m-%d",
			 localtime_r(&time, &tm));
		out_put(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x_of(picture, seconds),
			HEIGHT - 8,
			k == 0	 ? "start"
			: k == 4 ? "end"
				 : "middle",
			day);
	}
}

static void put_picture(struct out *out, const struct user_statement *statement)
{
	struct letter_picture picture = { .statement = statement, .span_s = span_of(statement) };
	double top = fmax(fmax(statement->received, statement->recovery.promised), 0.05);

	for (int k = 0; k <= POINTS; k++)
		top = fmax(top, recovery_received(&statement->recovery, picture.span_s * k / POINTS, false));
	picture.most = fmin(ceil(top * 20) / 20, 1);
	out_put(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Received part of all usage over time\">\n",
		WIDTH, HEIGHT);
	put_axes(out, &picture);
	out_put(out, "<line class=\"promised\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", LEFT, WIDTH - 8,
		y_of(&picture, statement->recovery.promised), y_of(&picture, statement->recovery.promised));
	put_curve(out, &picture, true);
	put_curve(out, &picture, false);
	out_text(out, "</svg>\n<p>Part of all usage. Broken line: promised. Blue: if nothing more runs. "
		      "Orange: at the present rate.</p>\n");
}

static void put_item(struct out *out, const char *name, const char *text)
{
	out_put(out, "<dt>%s</dt><dd>", name);
	text_xml(out, text);
	out_text(out, "</dd>\n");
}

void statement_html(struct out *out, const struct user_statement *statement)
{
	char text[LETTER_BYTES];

	out_text(out, page_head);
	text_xml(out, statement->query->user);
	out_put(out, "</title>\n<style>\n%s</style></head><body>\n<h1>Usage of ", style);
	text_xml(out, statement->query->user);
	letter_since(text, sizeof(text), statement);
	out_put(out, "%s</h1>\n<dl>\n", text);
	letter_used(text, sizeof(text), statement);
	put_item(out, "used", text);
	letter_jobs(text, sizeof(text), &statement->running);
	put_item(out, "running", text);
	letter_jobs(text, sizeof(text), &statement->pending);
	put_item(out, "pending", text);
	letter_share(text, sizeof(text), statement);
	put_item(out, "share", text);
	letter_rank(text, sizeof(text), statement);
	put_item(out, "rank", text);
	letter_recovery(text, sizeof(text), statement);
	put_item(out, "recovers", text);
	out_text(out, "</dl>\n");
	if (statement->has_recovery && statement->share != SHARE_PRIORITY)
		put_picture(out, statement);
	out_text(out, "</body></html>\n");
}
