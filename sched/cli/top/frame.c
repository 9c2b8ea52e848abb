/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sched/cli/text.h"
#include "sched/cli/top/top.h"

#define FRAME_TRIES 3			/* attempts to read one run */
#define HEAD_ROWS 3u			/* lines above the view; the foot has one line */

const char *const top_view_names[TOP_VIEWS] = {
	[TOP_OVERVIEW] = "overview", [TOP_PENDING] = "pending", [TOP_RUNNING] = "running",	[TOP_SHARES] = "shares",
	[TOP_HOSTS] = "hosts",	     [TOP_QUEUES] = "queues",	[TOP_SCHEDULER] = "scheduler",
};
const char *const top_sort_names[TOP_SORTS] = {
	[TOP_SORT_PRIORITY] = "priority", [TOP_SORT_TIME] = "time", [TOP_SORT_SLOTS] = "slots",
	[TOP_SORT_OWNER] = "owner",	  [TOP_SORT_LOAD] = "load",
};

static top_show *const shows[TOP_VIEWS] = {
	[TOP_PENDING] = top_pending, [TOP_RUNNING] = top_running, [TOP_SHARES] = top_shares,
	[TOP_HOSTS] = top_hosts,	   [TOP_QUEUES] = top_queues,	      [TOP_SCHEDULER] = top_scheduler,
};

static const char *const help_lines[] = {
	"1 ... 7, Tab     select a view: overview, pending, running, shares, hosts, queues, scheduler",
	"up down j k      select a row; page up, page down, home, end move further",
	"Enter, e         explain the priority of the selected job, and when it starts",
	"i                show everything about the selected job, as stat -j does",
	"s                sort by the next column: priority, time, slots, owner, load",
	"u p              show only jobs of a user or project; patterns such as phys* are possible",
	"f                show only running tasks in these queue instances, for example all.q@node*",
	"t                show only jobs in these states: w h E of pending jobs, r s S T of running tasks",
	"c                clear all filters",
	"h ?              this help",
	"q Esc            close a text, or leave",
	"",
	"Pages are made from the published run only. The scheduler is not contacted.",
};

/* Head */

static void put_run(const struct top *top, struct top_page *page, const struct fl_run *run, const struct run_age *age)
{
	char name[NAME_BYTES], clock[40] = "", since[AGE_BYTES];
	time_t now = (time_t)run->now;
	struct tm tm = { 0 };
	const char *slash = strrchr(top->cell, '/');
	const char *note = !run->scheduler_alive ? ", ended" : age->age_s > age->late_s ? ", late" : "";

	strftime(clock, sizeof(clock), "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
	age_text(age->age_s > 0 ? age->age_s : 0, since);
	page_label(name, slash && slash[1] ? slash + 1 : top->cell, 16);
	page_add(page, *note ? PAGE_WARNING : PAGE_TITLE, "fairlead top  %s run %" PRIu64 " of %s, %s ago%s", name,
		 run->run, clock, since, note);
	page_add(page, PAGE_PLAIN, "%zu pending job%s  %zu running task%s  %" PRIu64 " free slot%s  run time %.1f ms",
		 run->pending, plural(run->pending), run->started, plural(run->started), run->free_slots,
		 plural(run->free_slots), (double)run->run_ns / 1e6);
}

static void put_view(const struct top *top, struct top_page *page)
{
	char filters[400];
	int n = snprintf(filters, sizeof(filters), "%s", "");
	const struct { const char *name, *value;
	} set[] = { { "user", top->filter.user },
		    { "project", top->filter.project },
		    { "queue", top->filter.queue },
		    { "state", top->filter.states } };

	for (size_t k = 0; k < sizeof(set) / sizeof(*set); k++)
		if (*set[k].value)
			n += snprintf(filters + n, sizeof(filters) - (size_t)n, "  %s %s", set[k].name, set[k].value);
	page_add(page, PAGE_TITLE, "%d %s  sorted by %s%s", top->view + 1, top_view_names[top->view],
		 top_sort_names[top->sort], filters);
}

static void put_foot(struct top *top, struct top_page *page)
{
	while (page->n + 1 < page->rows)
		page_add(page, PAGE_PLAIN, "%s", "");
	if (top->prompt)
		page_add(page, PAGE_TITLE, "%s (empty: all): %s_",
			 top->prompt == 'u'   ? "user"
			 : top->prompt == 'p' ? "project"
			 : top->prompt == 'f' ? "queue"
					      : "states",
			 top->typed);
	else if (*top->message)
		page_add(page, PAGE_WARNING, "%s", top->message);
	else if (!top->once)
		page_add(page, PAGE_TITLE,
			 "q quit  h help  1-7 view  e explain  i job  s sort  u user  p project  t state");
}

/* View */

/* Write the parts of the overview: shares, pending jobs, hosts. The jobs can be selected. */
static size_t put_overview(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows)
{
	unsigned shares = rows / 4 > 3 ? rows / 4 : 3, hosts = rows / 5 > 2 ? rows / 5 : 2;
	unsigned jobs = rows > shares + hosts ? rows - shares - hosts : 1, before = page->n;
	size_t n;

	top_shares(top, view, page, shares, 0, SIZE_MAX);
	while (page->n < before + shares)
		page_add(page, PAGE_PLAIN, "%s", "");
	top->height = jobs > 1 ? jobs - 1 : 1;
	n = top_pending(top, view, page, jobs, top->first[top->view], top->once ? SIZE_MAX : top->selected[top->view]);
	while (page->n < before + shares + jobs)
		page_add(page, PAGE_PLAIN, "%s", "");
	top_hosts(top, view, page, hosts, 0, SIZE_MAX);
	return n;
}

static void put_rows(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows)
{
	top->job_number = 0;
	top->height = rows > 1 ? rows - 1 : 1;
	if (top->view == TOP_OVERVIEW)
		top->total = put_overview(top, view, page, rows);
	else
		top->total = shows[top->view](top, view, page, rows, top->first[top->view],
					      top->once ? SIZE_MAX : top->selected[top->view]);
}

static void put_help(struct top_page *page)
{
	for (size_t k = 0; k < sizeof(help_lines) / sizeof(*help_lines); k++)
		page_add(page, PAGE_PLAIN, "%s", help_lines[k]);
}

static void put_page(struct top *top, const struct fl_view *view, struct top_page *page)
{
	unsigned rows = page->rows > HEAD_ROWS + 1 ? page->rows - HEAD_ROWS - 1 : 1;
	struct run_age age;
	struct fl_run run;

	fl_run(view, &run);
	age_look(&age, view);
	put_run(top, page, &run, &age);
	put_view(top, page);
	if (top->help)
		put_help(page);
	else if (top->shown.text)
		job_text_show(top, page, rows);
	else
		put_rows(top, view, page, rows);
	put_foot(top, page);
}

int frame_make(struct top *top, struct top_page *page)
{
	int rc = -ESTALE;

	for (int k = 0; rc == -ESTALE && k < FRAME_TRIES; k++) {
		page->n = 0;
		put_page(top, fl_begin(top->handle), page);
		rc = fl_end(top->handle);
		if (rc)
			top->choice.generation = 0;
	}
	if (rc == -ESTALE) {
		page->n = 0;
		page_add(page, PAGE_WARNING, "No run stayed published long enough to be read.");
	}
	return rc == -ENOMEM ? rc : 0;
}
