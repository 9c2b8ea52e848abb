/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/usage/usage.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/array.h"
#include "sched/cli/verbs.h"
#include "sched/process/date.h"

#define WANTED(name) .field = offsetof(struct usage_query, name)

static int by_take(void *query, struct words *words);
static int sort_take(void *query, struct words *words);
static int file_take(void *query, struct words *words);
static int date_take(void *field, struct words *words);

const char *const usage_key_names[USAGE_KEYS] = {
	[USAGE_USER] = "user",	     [USAGE_GROUP] = "group", [USAGE_PROJECT] = "project", [USAGE_DEPARTMENT] = "department",
	[USAGE_ACCOUNT] = "account", [USAGE_QUEUE] = "queue", [USAGE_HOST] = "host",	   [USAGE_PE] = "pe",
	[USAGE_YEAR] = "year",	     [USAGE_MONTH] = "month", [USAGE_WEEK] = "week",	   [USAGE_DAY] = "day",
};
const char *const usage_sort_names[USAGE_SORTS] = {
	[USAGE_SORT_SLOTS] = "slots", [USAGE_SORT_CPU] = "cpu",	  [USAGE_SORT_MEM] = "mem",
	[USAGE_SORT_JOBS] = "jobs",   [USAGE_SORT_WAIT] = "wait", [USAGE_SORT_NAME] = "name",
};

const struct argument usage_options[] = {
	{ "--since", ARGUMENT_CALL, WANTED(since), .call = date_take, .value = "DATE",
	  .sentence = "count usage from this time on (default: the first day of this month)" },
	{ "--until", ARGUMENT_CALL, WANTED(until), .call = date_take, .value = "DATE",
	  .sentence = "count usage before this time (default: now)" },
	{ "--by", ARGUMENT_CALL, .call = by_take, .value = "KEY[,...]",
	  .sentence = "print a row for each user, group, project, department, account, queue, host, pe, year, month, week, "
		      "day (default: user)" },
	{ "-u", ARGUMENT_TEXT, WANTED(user), .value = "USER", .sentence = "count only tasks of this user" },
	{ "-P", ARGUMENT_TEXT, WANTED(project), .value = "PROJECT", .sentence = "count only tasks of this project" },
	{ "--sort", ARGUMENT_CALL, .call = sort_take, .value = "COLUMN",
	  .sentence = "sort the rows of a period by slots, cpu, mem, jobs, wait or name (default: slots)" },
	{ "--me", ARGUMENT_FLAG, WANTED(me),
	  .sentence = "print a statement: own usage, jobs, rank, and when the share recovers" },
	{ "-f", ARGUMENT_CALL, .call = file_take, .value = "FILE",
	  .sentence = "read this accounting file, plain or compressed by gzip, \"-\" for standard input; may be repeated" },
	{ "--bars", ARGUMENT_FLAG, WANTED(bars), .sentence = "print bars, also if the output is not a terminal" },
	{ "--json", ARGUMENT_FLAG, WANTED(json), .sentence = "print JSON" },
	{ "--csv", ARGUMENT_FLAG, WANTED(csv), .sentence = "print CSV" },
	{ "--html", ARGUMENT_TEXT, WANTED(html), .value = "FILE", .sentence = "with --me: write the statement as a page" },
	{ .name = NULL },
};

/* Options */

/* Return the index of a name, or `n`. */
static size_t name_find(const char *const *names, size_t n, const char *name, size_t length)
{
	size_t k = 0;

	while (k < n && (strlen(names[k]) != length || memcmp(names[k], name, length)))
		k++;
	return k;
}

static int key_add(struct usage_query *query, const char *name, size_t length)
{
	size_t key = name_find(usage_key_names, USAGE_KEYS, name, length);

	if (key == USAGE_KEYS)
		return cli_fail(
			EXIT_USAGE,
			"usage: --by: no key \"%.*s\"; allowed: user, group, project, department, account, queue, "
			"host, pe, year, month, week, day",
			(int)length, name);
	for (size_t k = 0; k < query->nby; k++)
		if (query->by[k] == key)
			return cli_fail(EXIT_USAGE, "usage: --by: %s is named twice", usage_key_names[key]);
	if (query->nby == USAGE_BY_MOST)
		return cli_fail(EXIT_USAGE, "usage: --by: more than %d keys", USAGE_BY_MOST);
	query->by[query->nby++] = (enum usage_key)key;
	return EXIT_OK;
}

static int by_take(void *query, struct words *words)
{
	int code = EXIT_OK;

	((struct usage_query *)query)->nby = 0;
	for (const char *name = words->value; name && !code;) {
		size_t length = strcspn(name, ",");

		code = key_add(query, name, length);
		name = name[length] ? name + length + 1 : NULL;
	}
	return code;
}

static int sort_take(void *query, struct words *words)
{
	size_t k = name_find(usage_sort_names, USAGE_SORTS, words->value, strlen(words->value));

	if (k == USAGE_SORTS)
		return cli_fail(EXIT_USAGE,
				"usage: --sort: no column \"%s\"; allowed: slots, cpu, mem, jobs, wait, name",
				words->value);
	((struct usage_query *)query)->sort = (enum usage_sort)k;
	return EXIT_OK;
}

static int file_take(void *query, struct words *words)
{
	struct usage_query *usage = query;

	if (array_grow(&usage->files, usage->nfiles + 1, sizeof(*usage->files)))
		return cli_fail(EXIT_NO_DATA, "no memory");
	usage->files[usage->nfiles++] = words->value;
	return EXIT_OK;
}

static int date_take(void *field, struct words *words)
{
	return date_parse(words->value, (int64_t)time(NULL), field) ?
	       cli_fail(EXIT_USAGE, "usage: %s: \"%s\": %s", words->row->name, words->value, DATE_DUE) : EXIT_OK;
}

/* Check that the options can be combined. */
static int check(const struct usage_query *query)
{
	if (query->html && !query->me)
		return cli_fail(EXIT_USAGE, "usage: --html needs --me");
	if (query->json + query->csv + (query->html != NULL) > 1)
		return cli_fail(EXIT_USAGE, "usage: only one of --json, --csv and --html is possible");
	if (query->me && (query->csv || query->nby || query->project))
		return cli_fail(EXIT_USAGE, "usage: --me cannot be combined with --by, --csv or -P");
	if (query->until >= 0 && query->since >= query->until)
		return cli_fail(EXIT_USAGE, "usage: --since must be before --until");
	return EXIT_OK;
}

static int parse(struct usage_query *query, int argc, char **argv)
{
	struct words words = { .table = usage_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, query);

	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "usage: unexpected word %s; -f names a file", argv[words.next]);
	if (query->since < 0 && query->nfiles == 0)
		query->since = usage_period_begin(USAGE_MONTH, (int64_t)time(NULL));
	code = check(query);
	if (!code && query->nby == 0)
		query->by[query->nby++] = USAGE_USER;
	return code;
}

/* Rights */

/* Return whether the caller may see the usage of all users: root, or the owner of the cell. */
static bool sees_all(const char *cell)
{
	struct stat directory;

	return geteuid() == 0 || (cell && stat(cell, &directory) == 0 && directory.st_uid == geteuid());
}

/*
 * Limit the query to the caller. Files that the caller names are not limited. Return an exit code,
 * after a message.
 */
static int limit(struct usage_query *query, const char *cell)
{
	static char name[256];
	const struct passwd *caller = getpwuid(geteuid());
	bool is_own = query->nfiles == 0 && !sees_all(cell);

	if (!query->me && !is_own)
		return EXIT_OK;
	if (!caller)
		return cli_fail(EXIT_NO_DATA, "usage: user id %u has no name on this machine", (unsigned)geteuid());
	if (query->user && strcmp(query->user, caller->pw_name) && is_own)
		return cli_fail(EXIT_PERMISSION,
				"usage: -u %s: only root and the owner of the cell see the usage of other users",
				query->user);
	snprintf(name, sizeof(name), "%s", caller->pw_name);
	if (!query->user)
		query->user = name;
	query->is_own = is_own;
	return EXIT_OK;
}

/* Sums */

static int print(const struct usage_query *query, struct usage_sums *sums, uint64_t faults)
{
	struct out out;
	int rc;

	if (out_open(&out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	if (query->json)
		usage_print_json(&out, query, sums, faults);
	else if (query->csv)
		usage_print_csv(&out, query, sums);
	else
		usage_print_table(&out, query, sums);
	rc = out_flush(&out);
	out_close(&out);
	return rc ? cli_unwritten(-rc) : EXIT_OK;
}

static int sums_run(const char *cell, const struct usage_query *query)
{
	struct usage_sums sums = { .total = { 0 } };
	uint64_t faults;
	int code = usage_read(cell, query, &sums, &faults);

	if (!code)
		code = print(query, &sums, faults);
	usage_sums_free(&sums);
	return code;
}

int usage_run(const char *cell, int argc, char **argv)
{
	struct usage_query query = { .since = -1, .until = -1 };
	int code = parse(&query, argc, argv);

	cell = cell && *cell ? cell : NULL;
	if (!code && !cell && (query.me || query.nfiles == 0))
		code = cli_no_cell(query.me ? "" : ", or an accounting file with -f");
	if (!code)
		code = limit(&query, cell);
	if (!code)
		code = query.me ? usage_statement(cell, &query) : sums_run(cell, &query);
	free(query.files);
	return code;
}
