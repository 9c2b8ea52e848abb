/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/replay/journal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/process/json.h"
#include "sched/qmaster/journal/rerun.h"

#define PROGRESS_S 1

struct journal_query {
	const char *journal, *as;
	int64_t from, until, stop_at, workers;
	bool json;
	/* State of a running replay. */
	char directory[PATH_MAX];	/* directory where runs can be read, "" */
	uint64_t run;
	time_t reported;
};

#define FIELD(name) offsetof(struct journal_query, name)
#define RUN_LEAST .least = 1, .most = INT64_MAX, .due = "the number of a run is expected, from 1 on"

const struct argument replay_journal_options[] = {
	{ "--journal", ARGUMENT_TEXT, FIELD(journal), .value = "FILE",
	  .sentence = "compute the runs of this journal again, and compare them" },
	{ "--from", ARGUMENT_INT64, FIELD(from), RUN_LEAST, .value = "RUN",
	  .sentence = "begin the comparison with this run" },
	{ "--until", ARGUMENT_INT64, FIELD(until), RUN_LEAST, .value = "RUN",
	  .sentence = "end the comparison with this run" },
	{ "--stop-at", ARGUMENT_INT64, FIELD(stop_at), RUN_LEAST, .value = "RUN",
	  .sentence = "end with this run, and leave it published for stat, tree, explain, ..." },
	{ "--as", ARGUMENT_TEXT, FIELD(as), .value = "DIR",
	  .sentence = "with --stop-at: publish under this new or empty directory (default: a new one in $TMPDIR "
	              "or /tmp)" },
	{ "--workers", ARGUMENT_INT64, FIELD(workers), .least = 1, .most = 1024, .due = "a number of threads is "
			"expected, 1 to 1024", .value = "N",
	  .sentence = "compute with N threads (default: 1)" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON" },
	{ .name = NULL },
};

bool replay_is_of_journal(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--journal") == 0 || strncmp(argv[i], "--journal=", strlen("--journal=")) == 0)
			return true;
	return false;
}

/* The directory */

/* Take the directory of the result, which must be new or empty. */
static int directory_take(struct journal_query *query)
{
	DIR *dir;
	const struct dirent *entry;
	bool empty = true;

	if (mkdir(query->as, 0755) && errno != EEXIST)
		return cli_fail(errno == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "replay: --as: %s: %m", query->as);
	dir = opendir(query->as);
	if (!dir)
		return cli_fail(errno == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "replay: --as: %s: %m", query->as);
	while ((entry = readdir(dir)))
		empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	closedir(dir);
	if (!empty)
		return cli_fail(EXIT_USAGE,
				"replay: --as: %s is not empty; a new or an empty directory is expected",
				query->as);
	if (!realpath(query->as, query->directory))
		return cli_fail(EXIT_NO_DATA, "replay: --as: %s: %m", query->as);
	return EXIT_OK;
}

static int directory_make(struct journal_query *query)
{
	const char *tmp = getenv("TMPDIR");

	if (query->as)
		return directory_take(query);
	if (snprintf(query->directory, sizeof(query->directory), "%s/fairlead-replay.XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") >= (int)sizeof(query->directory) ||
	    !mkdtemp(query->directory)) {
		query->directory[0] = '\0';
		return cli_fail(EXIT_NO_DATA, "replay: a temporary directory: %m");
	}
	return EXIT_OK;
}

/* Progress */

static int report_run(void *context, uint64_t run, int64_t now, const struct sched *sched)
{
	struct journal_query *query = context;
	char date[40];
	time_t at = (time_t)now;
	struct tm local;

	(void)sched;
	query->run = run;
	if (!isatty(STDERR_FILENO) || time(NULL) < query->reported + PROGRESS_S)
		return 0;
	query->reported = time(NULL);
	strftime(date, sizeof(date), "%F %T", localtime_r(&at, &local));
	fprintf(stderr, "\rrun %llu, %s ", (unsigned long long)run, date);
	return 0;
}

static void progress_end(const struct journal_query *query)
{
	if (query->reported)
		fprintf(stderr, "\r%60s\r", "");
}

/* Results */

static void print_difference(const struct rerun_difference *difference)
{
	printf("run %llu had another result: %s", (unsigned long long)difference->run, difference->table);
	if (*difference->of)
		printf(": %s", difference->of);
	if (*difference->column)
		printf(": %s: it was %s, and now is %s\n", difference->column, difference->live, difference->again);
	else
		printf("; which value the journal does not say: fairlead-schedd --journal-full keeps them\n");
}

static void print_outcome(const struct journal_query *query, const struct rerun_outcome *outcome)
{
	if (outcome->differs)
		print_difference(&outcome->difference);
	else
		printf("runs %llu to %llu: %llu made again, each with the same orders and the same numbers\n",
		       (unsigned long long)outcome->first, (unsigned long long)outcome->last,
		       (unsigned long long)outcome->runs);
	printf("events %llu, orders %llu, begun %llu %s\n", (unsigned long long)outcome->events,
	       (unsigned long long)outcome->orders, (unsigned long long)outcome->parts,
	       outcome->parts == 1 ? "time" : "times");
	if (outcome->gaps)
		printf("gaps %llu, the last one: %s\n", (unsigned long long)outcome->gaps, outcome->gap);
	if (outcome->cut)
		printf("the journal has no end: its scheduler was killed, or is still running\n");
	if (*query->directory)
		printf("run %llu can be read: fairlead stat -c %s\nto remove it: rm -r %s %s\n",
		       (unsigned long long)query->run, query->directory, query->directory, outcome->segment);
}

static void json_difference(struct out *out, const struct rerun_difference *difference)
{
	json_write_number(out, ",\"difference\":{\"run\":", (int64_t)difference->run);
	json_write_string(out, ",\"table\":", difference->table);
	json_write_string_or_null(out, ",\"of\":", difference->of);
	json_write_string_or_null(out, ",\"column\":", difference->column);
	json_write_string_or_null(out, ",\"live\":", difference->live);
	json_write_string_or_null(out, ",\"again\":", difference->again);
	json_write_literal(out, "}");
}

static int json_outcome(const struct journal_query *query, const struct rerun_outcome *outcome)
{
	struct out out;

	if (out_open(&out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	json_write_number(&out, "{\"first\":", (int64_t)outcome->first);
	json_write_number(&out, ",\"last\":", (int64_t)outcome->last);
	json_write_number(&out, ",\"runs\":", (int64_t)outcome->runs);
	json_write_number(&out, ",\"orders\":", (int64_t)outcome->orders);
	json_write_number(&out, ",\"events\":", (int64_t)outcome->events);
	json_write_number(&out, ",\"begun\":", (int64_t)outcome->parts);
	json_write_number(&out, ",\"gaps\":", (int64_t)outcome->gaps);
	json_write_string_or_null(&out, ",\"gap\":", outcome->gap);
	json_write_bool(&out, ",\"breaks_off\":", outcome->cut);
	json_write_string_or_null(&out, ",\"cell\":", query->directory);
	json_write_string_or_null(&out, ",\"segment\":", *query->directory ? outcome->segment : "");
	if (outcome->differs)
		json_difference(&out, &outcome->difference);
	else
		json_write_literal(&out, ",\"difference\":null");
	json_write_literal(&out, "}\n");
	if (out_flush(&out))
		return cli_fail(EXIT_NO_DATA, "the output could not be written");
	out_close(&out);
	return EXIT_OK;
}

static int failed(const struct journal_query *query, int rc, const struct error *error)
{
	if (*query->directory && !query->run)
		rmdir(query->directory);
	return cli_fail(rc == -EACCES || rc == -EPERM || rc == -EBUSY ? EXIT_PERMISSION : EXIT_NO_DATA, "replay: %s",
			error->text);
}

static int query_make(struct journal_query *query, int argc, char **argv)
{
	struct words words = { .table = replay_journal_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, query);

	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "replay: \"%s\": with --journal there is no trace", argv[words.next]);
	if (query->stop_at && query->until)
		return cli_fail(EXIT_USAGE, "replay: either --until or --stop-at");
	if (query->as && !query->stop_at)
		return cli_fail(EXIT_USAGE, "replay: --as: only with --stop-at");
	if (query->until && query->until < query->from)
		return cli_fail(EXIT_USAGE, "replay: --until is before --from");
	if (query->stop_at && query->stop_at < query->from)
		return cli_fail(EXIT_USAGE, "replay: --stop-at is before --from");
	return query->stop_at ? directory_make(query) : EXIT_OK;
}

int replay_journal(int argc, char **argv)
{
	struct journal_query query = { 0 };
	struct rerun_outcome outcome;
	struct error error = { "" };
	int code = query_make(&query, argc, argv), rc;
	struct rerun_options options;

	if (code)
		return code;
	options = (struct rerun_options){ .path = query.journal,
					  .from = (uint64_t)query.from,
					  .until = (uint64_t)(query.stop_at ? query.stop_at : query.until),
					  .as = *query.directory ? query.directory : NULL,
					  .workers = (unsigned)query.workers,
					  .context = &query,
					  .ran = report_run };
	/* runs before it are not needed, and the journal may have many */
	if (query.stop_at && !query.from)
		options.from = (uint64_t)query.stop_at;
	rc = rerun(&options, &outcome, &error);
	progress_end(&query);
	if (rc)
		return failed(&query, rc, &error);
	if (outcome.differs)
		query.run = outcome.difference.run;
	if (!query.json)
		print_outcome(&query, &outcome);
	else if ((code = json_outcome(&query, &outcome)))
		return code;
	return outcome.differs ? EXIT_DIFFERENCE : EXIT_OK;
}
