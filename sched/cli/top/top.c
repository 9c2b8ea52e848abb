/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/top/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct top, name)
#define ROWS_USUAL 24u			/* size of a page without a terminal */
#define COLUMNS_USUAL 80u
#define ROWS_LEAST 10u
#define COLUMNS_LEAST 40u

static int view_take(void *top, struct words *words);
static int sort_take(void *top, struct words *words);
static int filter_take(void *top, struct words *words);
static int interval_take(void *top, struct words *words);
static int size_take(void *size, struct words *words);

const struct argument top_options[] = {
	{ "--view", ARGUMENT_CALL, .call = view_take, .value = "VIEW",
	  .sentence = "begin with overview (the default), pending, running, shares, hosts, queues or scheduler" },
	{ "--sort", ARGUMENT_CALL, .call = sort_take, .value = "COLUMN",
	  .sentence = "sort by priority (the default), time, slots, owner or load" },
	{ "-u", ARGUMENT_CALL, FIELD(filter.user), .call = filter_take, .value = "USER", .sentence = "show only jobs of this user" },
	{ "-P", ARGUMENT_CALL, FIELD(filter.project), .call = filter_take, .value = "PROJECT",
	  .sentence = "show only jobs of this project" },
	{ "-q", ARGUMENT_CALL, FIELD(filter.queue), .call = filter_take, .value = "QUEUE",
	  .sentence = "show only running tasks in queue instances that match this pattern" },
	{ "--interval", ARGUMENT_CALL, .call = interval_take, .value = "SECONDS",
	  .sentence = "look for a new run at this interval (default: 1)" },
	{ "--once", ARGUMENT_FLAG, FIELD(once), .sentence = "print one page and exit" },
	{ "--rows", ARGUMENT_CALL, FIELD(rows), .call = size_take, .value = "N", .sentence = "with --once: height of the page" },
	{ "--columns", ARGUMENT_CALL, FIELD(columns), .call = size_take, .value = "N", .sentence = "with --once: width of the page" },
	{ "--plain", ARGUMENT_FLAG, FIELD(plain), .sentence = "use no bold text and no reverse headings" },
	{ .name = NULL },
};

static int name_take(const char *option, const char *value, const char *const *names, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (strcmp(names[k], value) == 0)
			return (int)k;
	cli_fail(EXIT_USAGE, "top: %s: \"%s\" is not one of the values of --help", option, value);
	return -1;
}

static int view_take(void *top, struct words *words)
{
	int k = name_take("--view", words->value, top_view_names, TOP_VIEWS);

	((struct top *)top)->view = (enum top_view)(k < 0 ? 0 : k);
	return k < 0 ? EXIT_USAGE : EXIT_OK;
}

static int sort_take(void *top, struct words *words)
{
	int k = name_take("--sort", words->value, top_sort_names, TOP_SORTS);

	((struct top *)top)->sort = (enum top_sort)(k < 0 ? 0 : k);
	return k < 0 ? EXIT_USAGE : EXIT_OK;
}

static int filter_take(void *filter, struct words *words)
{
	const struct top *top = NULL;

	if (strlen(words->value) >= sizeof(top->filter.user))
		return cli_fail(EXIT_USAGE, "top: %s: a pattern has at most %zu bytes", words->row->name,
				sizeof(top->filter.user) - 1);
	strcpy(filter, words->value);
	return EXIT_OK;
}

static int interval_take(void *top, struct words *words)
{
	char *end;
	double seconds = strtod(words->value, &end);

	if (*end || end == words->value || !(seconds >= 0.1 && seconds <= 3600))
		return cli_fail(EXIT_USAGE, "top: --interval: \"%s\" is not a number of seconds from 0.1 to 3600",
				words->value);
	((struct top *)top)->interval_s = seconds;
	return EXIT_OK;
}

static int size_take(void *size, struct words *words)
{
	unsigned long number;

	if (cli_number(words->row->name, words->value, ROWS_LEAST, PAGE_ROWS_MOST, &number))
		return EXIT_USAGE;
	*(unsigned *)size = (unsigned)number;
	return EXIT_OK;
}

/* One page */

static int page_print(const struct top_page *page)
{
	struct out out;
	unsigned n = page->n;
	int rc;

	while (n > 0 && !*page->lines[n - 1].text)
		n--;
	if (out_open(&out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (unsigned k = 0; k < n; k++) {
		out_text(&out, page->lines[k].text);
		out_text(&out, "\n");
	}
	rc = out_flush(&out);
	out_close(&out);
	return rc ? cli_unwritten(-rc) : EXIT_OK;
}

static int print_once(struct top *top)
{
	struct top_page page;
	int code = EXIT_OK;

	if (page_open(&page, top->rows ? top->rows : ROWS_USUAL, top->columns ? top->columns : COLUMNS_USUAL) ||
	    frame_make(top, &page))
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code)
		code = page_print(&page);
	page_close(&page);
	return code;
}

/* Terminal */

static int draw(struct top *top)
{
	struct top_page page;
	unsigned rows, columns;
	int rc;

	screen_size(&rows, &columns);
	rc = page_open(&page, rows, columns);
	if (rc == 0)
		rc = frame_make(top, &page);
	if (rc == 0)
		screen_draw(&page);
	page_close(&page);
	return rc;
}

/* Draw and wait for a key until the user leaves. Each key has its frame, as it may select a job. */
static int live(struct top *top)
{
	int rc = screen_begin(top->plain);

	if (rc)
		return cli_fail(EXIT_USAGE, "top: %s; use --once to print one page",
				rc == -ENOTTY ? "input and output must be a terminal"
					      : "this terminal is not known; set TERM");
	while (!top->ends && rc == 0) {
		rc = draw(top);
		if (rc == 0)
			key_take(top, screen_key((int)(top->interval_s * 1000)));
	}
	screen_end();
	return rc ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

static int parse(struct top *top, int argc, char **argv)
{
	struct words words = { .table = top_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, top);

	if (!code && words.next < argc)
		code = cli_fail(EXIT_USAGE, "top: unexpected word %s", argv[words.next]);
	if (!code && !top->once && (top->rows || top->columns))
		code = cli_fail(EXIT_USAGE, "top: --rows and --columns need --once");
	return code;
}

int top_run(const char *cell, int argc, char **argv)
{
	static struct top top = { .interval_s = 1 };
	int code = parse(&top, argc, argv), rc;

	if (code)
		return code;
	top.cell = cell;
	rc = fl_attach(&top.handle, cell);
	if (rc)
		return cli_attach_failed(cell, rc);
	code = top.once ? print_once(&top) : live(&top);
	job_text_close(&top);
	job_choice_free(&top.choice);
	fl_detach(top.handle);
	return code;
}
