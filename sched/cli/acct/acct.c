/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/acct/acct.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/array.h"
#include "sched/cli/verbs.h"
#include "sched/process/date.h"
#include "sched/process/json.h"

#define DAY_S 86400

struct acct_options {
	struct acct wanted;
	int64_t days;			/* value of -d, -1: not used */
	char *group;			/* name of the group of a numeric -g, NULL: none */
};

static int column_take(void *options, struct words *words);
static int queue_take(void *options, struct words *words);
static int group_take(void *options, struct words *words);
static int number_take(void *options, struct words *words);
static int jobs_take(void *options, struct words *words);
static int tasks_take(void *options, struct words *words);
static int file_take(void *options, struct words *words);
static int date_take(void *options, struct words *words);
static int days_take(void *options, struct words *words);

#define WANTED(name) .field = offsetof(struct acct_options, wanted.name)
#define COLUMN(option, function, column, says) \
	{ .name = (option), .kind = ARGUMENT_CALL, .call = (function), .detail = &acct_keys[column], .sentence = (says) }

const struct argument acct_options[] = {
	{ "-j", ARGUMENT_CALL, .call = jobs_take, .sentence = "[JOB|NAME|PATTERN] show each task with all its data" },
	{ "-t", ARGUMENT_CALL, .call = tasks_take, .value = "TASKS",
	  .sentence = "with -j JOB: show only these tasks of the array, n[-m[:s]]" },
	COLUMN("-o", column_take, ACCT_OWNER, "[OWNER] count only this owner; without a value, print a line for "
			"each owner"),
	{ "-u", .kind = ARGUMENT_SAME },
	COLUMN("-P", column_take, ACCT_PROJECT, "[PROJECT] like -o, for projects"),
	COLUMN("-D", column_take, ACCT_DEPARTMENT, "[DEPARTMENT] like -o, for departments"),
	COLUMN("-g", group_take, ACCT_GROUP, "[GROUP] like -o, for groups, by name or number"),
	COLUMN("-A", column_take, ACCT_ACCOUNT, "[ACCOUNT] like -o, for accounts"),
	COLUMN("-h", column_take, ACCT_HOST, "[HOST] like -o, for hosts"),
	COLUMN("-q", queue_take, ACCT_QUEUE, "[QUEUE[@HOST]] like -o, for cluster queues; with a value (names or "
			"patterns), for queue instances"),
	COLUMN("-pe", column_take, ACCT_PE, "[PE] like -o, for parallel environments"),
	COLUMN("-slots", number_take, ACCT_SLOTS, "[SLOTS] like -o, for numbers of slots"),
	COLUMN("-ar", number_take, ACCT_AR, "[RESERVATION] like -o, for advance reservations"),
	{ "-l", ARGUMENT_TEXT, WANTED(resources), .value = "RESOURCE=VALUE[,...]",
	  .sentence = "count only tasks in queue instances that offer these resources now" },
	{ "-b", ARGUMENT_CALL, WANTED(from), .call = date_take, .value = "DATE",
	  .sentence = "count only tasks started at that time or later: 2026-12-01, 2026-12-01T10:00, MMDDhhmm" },
	{ "-e", ARGUMENT_CALL, WANTED(until), .call = date_take, .value = "DATE",
	  .sentence = "count only tasks started at that time or before" },
	{ "-d", ARGUMENT_CALL, .field = offsetof(struct acct_options, days), .call = days_take, .value = "DAYS",
	  .sentence = "count only the last DAYS days; with -b, DAYS from there on; with -e, DAYS up to there" },
	{ "-E", ARGUMENT_FLAG, WANTED(ends),
	  .sentence = "apply -b, -e and -d to the end of tasks, not to their start" },
	{ "-m", ARGUMENT_FLAG, WANTED(masters), .sentence = "leave out slave tasks of parallel jobs" },
	{ "-f", ARGUMENT_CALL, .call = file_take, .value = "FILE",
	  .sentence = "read this file, plain or compressed by gzip, \"-\" for standard input; may be repeated" },
	{ "--json", ARGUMENT_FLAG, WANTED(json), .sentence = "print JSON" },
	{ "--as-qacct", ARGUMENT_FLAG, WANTED(as_qacct),
	  .sentence = "with -j: leave out the limit that ended a task, like qacct" },
	{ .name = NULL },
};

/* Options */

/* Return the next word as an optional value, or NULL if it is an option or missing. */
static const char *value_maybe(struct words *words)
{
	return words->next < words->argc && words->argv[words->next][0] != '-' ? words->argv[words->next++] : NULL;
}

static enum acct_column column_of(const struct words *words)
{
	return (enum acct_column)((const struct acct_key *)words->row->detail - acct_keys);
}

static int column_take(void *options, struct words *words)
{
	struct acct_options *a = options;
	enum acct_column column = column_of(words);

	a->wanted.columns[column].shown = true;
	a->wanted.columns[column].value = value_maybe(words);
	return EXIT_OK;
}

static int number_take(void *options, struct words *words)
{
	struct acct_options *a = options;
	const char *value;
	unsigned long number;

	column_take(a, words);
	value = a->wanted.columns[column_of(words)].value;
	return value && options_number(words->messages, words->row->name, NULL, value, 0, UINT32_MAX, &number)
		       ? EXIT_USAGE
		       : EXIT_OK;
}

/* Parse -g. A number is that of a group of this machine. */
static int group_take(void *options, struct words *words)
{
	struct acct_options *a = options;
	const struct group *group;
	const char *value;

	column_take(a, words);
	value = a->wanted.columns[ACCT_GROUP].value;
	if (!value || value[strspn(value, "0123456789")] || !*value ||
	    !(group = getgrgid((gid_t)strtoul(value, NULL, 10))))
		return EXIT_OK;
	free(a->group);
	a->wanted.columns[ACCT_GROUP].value = a->group = strdup(group->gr_name);
	return a->group ? EXIT_OK : message_no_memory(words->messages);
}

/* Parse "all.q", "all.q@node1" or "*@node1". */
static int queue_take(void *options, struct words *words)
{
	struct acct *acct = &((struct acct_options *)options)->wanted;
	const char *value, *at;

	column_take(options, words);
	value = acct->columns[ACCT_QUEUE].value;
	if (!value)
		return EXIT_OK;
	at = strchr(value, '@');
	if (at && at[1] == '@')
		return message_add(words->messages, EXIT_USAGE, "acct",
				   "-q %s: host groups are not supported; use a pattern of hosts, "
				   "such as %.*s@node*",
				   value, (int)(at - value), value);
	acct->queue = at ? strndup(value, (size_t)(at - value)) : strdup(value);
	acct->queue_host = at ? strdup(at + 1) : NULL;
	acct->columns[ACCT_HOST].shown = true;
	return acct->queue && (acct->queue_host || !at) ? EXIT_OK : message_no_memory(words->messages);
}

static int jobs_take(void *options, struct words *words)
{
	struct acct_options *a = options;

	a->wanted.jobs = true;
	a->wanted.job = value_maybe(words);
	if (a->wanted.job && isdigit((unsigned char)*a->wanted.job) &&
	    a->wanted.job[strspn(a->wanted.job, "0123456789")])
		return message_add(words->messages, EXIT_USAGE, "acct",
				   "-j %s: a job number is expected, or a name or pattern that "
				   "does not begin with a digit; -t selects tasks",
				   a->wanted.job);
	return EXIT_OK;
}

static int tasks_take(void *options, struct words *words)
{
	struct acct_options *a = options;

	a->wanted.tasks_text = words->value;
	ranges_free(&a->wanted.tasks);
	if (ranges_parse_most(&a->wanted.tasks, words->value, 1000000) == 0 && a->wanted.tasks.n > 0)
		return EXIT_OK;
	return message_add(words->messages, EXIT_USAGE, "acct",
			   "-t: \"%s\" is not a list n[-m[:s]][,...] of task ids, from 1 on, each "
			   "at most once",
			   words->value);
}

static int file_take(void *options, struct words *words)
{
	struct acct *acct = &((struct acct_options *)options)->wanted;

	if (array_grow(&acct->files, acct->nfiles + 1, sizeof(*acct->files)))
		return message_no_memory(words->messages);
	acct->files[acct->nfiles++] = words->value;
	return EXIT_OK;
}

static int date_take(void *field, struct words *words)
{
	return date_parse(words->value, (int64_t)time(NULL), field)
		       ? message_add(words->messages, EXIT_USAGE, "acct", "%s: \"%s\": %s", words->row->name,
				     words->value, DATE_DUE)
		       : EXIT_OK;
}

static int days_take(void *field, struct words *words)
{
	unsigned long days;

	if (options_number(words->messages, "acct", "-d", words->value, 0, 1000000, &days))
		return EXIT_USAGE;
	*(int64_t *)field = (int64_t)days;
	return EXIT_OK;
}

/* Apply -d. The days count from -b, or back from -e or from now. */
static int days_apply(struct messages *messages, struct acct_options *options)
{
	struct acct *wanted = &options->wanted;

	if (options->days < 0)
		return EXIT_OK;
	if (wanted->from >= 0 && wanted->until >= 0)
		return message_add(messages, EXIT_USAGE, "acct", "-d can be combined with -b or -e, but not with both");
	if (wanted->from >= 0)
		wanted->until = wanted->from + options->days * DAY_S;
	else if (wanted->until >= 0)
		wanted->from = wanted->until - options->days * DAY_S;
	else
		wanted->from = (int64_t)time(NULL) - options->days * DAY_S;
	return EXIT_OK;
}

static int parse(struct messages *messages, struct acct_options *options, int argc, char **argv)
{
	struct words words = { .table = acct_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	int code = options_read(&words, options);

	if (code)
		return code;
	if (words.next < argc)
		return message_add(messages, EXIT_USAGE, "acct", "unexpected word %s; -f names a file",
				   argv[words.next]);
	if (options->wanted.tasks_text && !options->wanted.job)
		return message_add(messages, EXIT_USAGE, "acct", "-t needs -j JOB");
	return days_apply(messages, options);
}

/* Reading */

struct acct_reading {
	struct messages *messages;	/* borrowed */
	const struct acct *wanted;
	struct acct_sums *sums;
	struct out out;
	uint64_t found, faults;
};

static int record_take(void *context, const struct accounting_record *record)
{
	struct acct_reading *reading = context;

	if (!acct_selects(reading->wanted, record))
		return 0;
	reading->found++;
	if (reading->wanted->jobs && reading->wanted->json) {
		json_write_literal(&reading->out, reading->found > 1 ? ",\n" : "\n");
		acct_record_json(&reading->out, record);
	} else if (reading->wanted->jobs) {
		acct_block(&reading->out, record, !reading->wanted->as_qacct);
	}
	if (acct_sums_add(reading->sums, reading->wanted, record)) {
		message_no_memory(reading->messages);
		return -1;
	}
	return reading->out.error ? -1 : 0;
}

static int files_read(struct acct_reading *reading)
{
	const struct acct *acct = reading->wanted;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < acct->nfiles; i++) {
		uint64_t faults = 0;

		rc = acct_read(reading->messages, acct->files[i], record_take, reading, &faults);
		reading->faults += faults;
	}
	return rc;
}

static int not_found(struct messages *messages, const struct acct *acct)
{
	const char *where = acct->nfiles == 1 ? acct->files[0] : "these files";
	bool is_number = isdigit((unsigned char)*acct->job);

	if (acct->tasks_text)
		return message_add(messages, EXIT_NO_DATA, NULL, "no task %s of job %s has ended according to %s",
				   acct->tasks_text, acct->job, where);
	message_add(messages, EXIT_NO_DATA, NULL,
		    is_number ? "job %s has not ended according to %s" : "no job named %s has ended according to %s",
		    acct->job, where);
	return message_reason(messages, is_number ? REASON_NO_JOB : REASON_NO_JOB_NAME, acct->job);
}

static void end_print(struct acct_reading *reading)
{
	const struct acct *acct = reading->wanted;

	if (acct->json) {
		if (acct->jobs)
			json_write_literal(&reading->out, "\n]");
		else
			acct_sums_json(reading->sums, acct, &reading->out);
		json_write_number(&reading->out, ",\"faulty_lines\":", (int64_t)reading->faults);
		json_write_literal(&reading->out, "}\n");
	} else if (!acct->job) {
		acct_sums_print(reading->sums, acct, &reading->out);
	}
}

static int acct_print(struct messages *messages, const struct acct *acct)
{
	struct acct_reading reading = { .messages = messages, .wanted = acct };
	int rc, error;

	if (acct_sums_create(&reading.sums) || out_open(&reading.out, STDOUT_FILENO)) {
		acct_sums_destroy(reading.sums);
		return message_no_memory(messages);
	}
	if (acct->json && acct->jobs)
		json_write_literal(&reading.out, "{\"jobs\":[");
	rc = files_read(&reading);
	if (rc == 0)
		end_print(&reading);
	error = rc && !reading.out.error ? 0 : out_flush(&reading.out);
	if (error)
		rc = cli_add_unwritten(messages, -error);
	else if (rc == 0 && acct->job && reading.found == 0)
		rc = not_found(messages, acct);
	out_close(&reading.out);
	acct_sums_destroy(reading.sums);
	return rc < 0 ? EXIT_NO_DATA : rc;
}

int acct_show(struct messages *messages, const char *cell, int argc, char **argv)
{
	struct acct_options options = { .wanted = { .from = -1, .until = -1 }, .days = -1 };
	char *path = NULL;
	int code = parse(messages, &options, argc, argv);

	if (!code && options.wanted.nfiles == 0 && (!cell || !*cell))
		code = message_add(messages, EXIT_USAGE, "acct",
				   "name a cell with -c CELL or FAIRLEAD_CELL, or an accounting "
				   "file with -f");
	if (!code && options.wanted.resources)
		code = cell && *cell ? acct_instances_find(messages, cell, options.wanted.resources,
							   &options.wanted.instances)
				     : message_add(messages, EXIT_USAGE, "acct",
						   "-l needs a cell: use -c CELL or set FAIRLEAD_CELL");
	if (!code && options.wanted.nfiles == 0) {
		code = acct_path(messages, cell, &path);
		if (!code && array_grow(&options.wanted.files, 1, sizeof(*options.wanted.files)))
			code = message_no_memory(messages);
		if (!code)
			options.wanted.files[options.wanted.nfiles++] = path;
	}
	if (!code)
		code = acct_print(messages, &options.wanted);
	ranges_free(&options.wanted.tasks);
	acct_instances_free(&options.wanted.instances);
	free(options.wanted.files);
	free(options.group);
	free(options.wanted.queue);
	free(options.wanted.queue_host);
	free(path);
	return code;
}

int acct_run(const char *cell, int argc, char **argv)
{
	return verb_print(acct_show, cell, argc, argv);
}
