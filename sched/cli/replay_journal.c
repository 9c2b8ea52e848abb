/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/replay_journal.h"

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
	/* while it goes on */
	char directory[PATH_MAX];	/* where runs can be read; "" */
	uint64_t run;
	time_t told;
};

#define FIELD(name) offsetof(struct journal_query, name)
#define RUN_LEAST .least = 1, .most = INT64_MAX, .due = "the number of a run is expected, from 1 on"

const struct argument replay_journal_options[] = {
	{ "--journal", ARGUMENT_TEXT, FIELD(journal), .value = "FILE", .sentence = "compute the runs of this journal again, and compare them" },
	{ "--from", ARGUMENT_INT64, FIELD(from), RUN_LEAST, .value = "RUN", .sentence = "begin the comparison with this run" },
	{ "--until", ARGUMENT_INT64, FIELD(until), RUN_LEAST, .value = "RUN", .sentence = "end the comparison with this run" },
	{ "--stop-at", ARGUMENT_INT64, FIELD(stop_at), RUN_LEAST, .value = "RUN", .sentence = "end with this run, and leave it published for stat, tree, explain, ..." },
	{ "--as", ARGUMENT_TEXT, FIELD(as), .value = "DIR", .sentence = "with --stop-at: publish under this new or empty directory (default: a new one in $TMPDIR or /tmp)" },
	{ "--workers", ARGUMENT_INT64, FIELD(workers), .least = 1, .most = 1024, .due = "a number of threads is expected, 1 to 1024", .value = "N",
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

/* Nobody's cell: a new directory, or one that has nothing in it. */
static int directory_take(struct journal_query *q)
{
	DIR *dir;
	const struct dirent *entry;
	bool empty = true;

	if (mkdir(q->as, 0755) && errno != EEXIST)
		return cli_fail(errno == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "replay: --as: %s: %m", q->as);
	dir = opendir(q->as);
	if (!dir)
		return cli_fail(errno == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "replay: --as: %s: %m", q->as);
	while ((entry = readdir(dir)))
		empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
	closedir(dir);
	if (!empty)
		return cli_fail(EXIT_USAGE, "replay: --as: %s has something in it; a new directory is expected, or an empty one", q->as);
	if (!realpath(q->as, q->directory))
		return cli_fail(EXIT_NO_DATA, "replay: --as: %s: %m", q->as);
	return EXIT_OK;
}

static int directory_make(struct journal_query *q)
{
	const char *tmp = getenv("TMPDIR");

	if (q->as)
		return directory_take(q);
	if (snprintf(q->directory, sizeof(q->directory), "%s/fairlead-replay.XXXXXX", tmp && *tmp ? tmp : "/tmp") >= (int)sizeof(q->directory) ||
	    !mkdtemp(q->directory)) {
		q->directory[0] = '\0';
		return cli_fail(EXIT_NO_DATA, "replay: a temporary directory: %m");
	}
	return EXIT_OK;
}

/* Progress */

static int tell_run(void *context, uint64_t run, int64_t now, const struct sched *sched)
{
	struct journal_query *q = context;
	char date[40];
	time_t at = (time_t)now;
	struct tm local;

	(void)sched;
	q->run = run;
	if (!isatty(STDERR_FILENO) || time(NULL) < q->told + PROGRESS_S)
		return 0;
	q->told = time(NULL);
	strftime(date, sizeof(date), "%F %T", localtime_r(&at, &local));
	fprintf(stderr, "\rrun %llu, %s ", (unsigned long long)run, date);
	return 0;
}

static void progress_end(const struct journal_query *q)
{
	if (q->told)
		fprintf(stderr, "\r%60s\r", "");
}

/* What came out */

static void print_difference(const struct rerun_difference *d)
{
	printf("run %llu came out otherwise: %s", (unsigned long long)d->run, d->table);
	if (*d->of)
		printf(": %s", d->of);
	if (*d->column)
		printf(": %s: it was %s, and now is %s\n", d->column, d->live, d->again);
	else
		printf("; which value the journal does not say: fairlead-schedd --journal-full keeps them\n");
}

static void print_outcome(const struct journal_query *q, const struct rerun_outcome *o)
{
	if (o->differs)
		print_difference(&o->difference);
	else
		printf("runs %llu to %llu: %llu made again, each with the same orders and the same numbers\n", (unsigned long long)o->first,
		       (unsigned long long)o->last, (unsigned long long)o->runs);
	printf("events %llu, orders %llu, begun %llu %s\n", (unsigned long long)o->events, (unsigned long long)o->orders, (unsigned long long)o->parts,
	       o->parts == 1 ? "time" : "times");
	if (o->gaps)
		printf("gaps %llu, the last one: %s\n", (unsigned long long)o->gaps, o->gap);
	if (o->cut)
		printf("the journal breaks off: its scheduler was killed, or still goes on\n");
	if (*q->directory)
		printf("run %llu can be read: fairlead stat -c %s\nwhen nobody needs it any more: rm -r %s %s\n", (unsigned long long)q->run, q->directory,
		       q->directory, o->segment);
}

static void json_difference(struct out *o, const struct rerun_difference *d)
{
	json_write_number(o, ",\"difference\":{\"run\":", (int64_t)d->run);
	json_write_string(o, ",\"table\":", d->table);
	json_write_string_or_null(o, ",\"of\":", d->of);
	json_write_string_or_null(o, ",\"column\":", d->column);
	json_write_string_or_null(o, ",\"live\":", d->live);
	json_write_string_or_null(o, ",\"again\":", d->again);
	json_write_literal(o, "}");
}

static int json_outcome(const struct journal_query *q, const struct rerun_outcome *r)
{
	struct out o;

	if (out_open(&o, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "no memory");
	json_write_number(&o, "{\"first\":", (int64_t)r->first);
	json_write_number(&o, ",\"last\":", (int64_t)r->last);
	json_write_number(&o, ",\"runs\":", (int64_t)r->runs);
	json_write_number(&o, ",\"orders\":", (int64_t)r->orders);
	json_write_number(&o, ",\"events\":", (int64_t)r->events);
	json_write_number(&o, ",\"begun\":", (int64_t)r->parts);
	json_write_number(&o, ",\"gaps\":", (int64_t)r->gaps);
	json_write_string_or_null(&o, ",\"gap\":", r->gap);
	json_write_bool(&o, ",\"breaks_off\":", r->cut);
	json_write_string_or_null(&o, ",\"cell\":", q->directory);
	json_write_string_or_null(&o, ",\"segment\":", *q->directory ? r->segment : "");
	if (r->differs)
		json_difference(&o, &r->difference);
	else
		json_write_literal(&o, ",\"difference\":null");
	json_write_literal(&o, "}\n");
	if (out_flush(&o))
		return cli_fail(EXIT_NO_DATA, "the output could not be written");
	out_close(&o);
	return EXIT_OK;
}

static int failed(const struct journal_query *q, int rc, const struct error *error)
{
	if (*q->directory && !q->run)
		rmdir(q->directory);
	return cli_fail(rc == -EACCES || rc == -EPERM || rc == -EBUSY ? EXIT_PERMISSION : EXIT_NO_DATA, "replay: %s", error->text);
}

static int query_make(struct journal_query *q, int argc, char **argv)
{
	struct words words = { .table = replay_journal_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, q);

	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "replay: \"%s\": with --journal there is no trace", argv[words.next]);
	if (q->stop_at && q->until)
		return cli_fail(EXIT_USAGE, "replay: either --until or --stop-at");
	if (q->as && !q->stop_at)
		return cli_fail(EXIT_USAGE, "replay: --as: only with --stop-at");
	if (q->until && q->until < q->from)
		return cli_fail(EXIT_USAGE, "replay: --until lies before --from");
	if (q->stop_at && q->stop_at < q->from)
		return cli_fail(EXIT_USAGE, "replay: --stop-at lies before --from");
	return q->stop_at ? directory_make(q) : EXIT_OK;
}

int replay_journal(int argc, char **argv)
{
	struct journal_query q = { 0 };
	struct rerun_outcome outcome;
	struct error error = { "" };
	int code = query_make(&q, argc, argv), rc;
	struct rerun_options options;

	if (code)
		return code;
	options = (struct rerun_options){ .path = q.journal, .from = (uint64_t)q.from, .until = (uint64_t)(q.stop_at ? q.stop_at : q.until),
					  .as = *q.directory ? q.directory : NULL, .workers = (unsigned)q.workers, .context = &q, .ran = tell_run };
	/* nothing before it is asked about, and much may lie before it */
	if (q.stop_at && !q.from)
		options.from = (uint64_t)q.stop_at;
	rc = rerun(&options, &outcome, &error);
	progress_end(&q);
	if (rc)
		return failed(&q, rc, &error);
	if (outcome.differs)
		q.run = outcome.difference.run;
	if (!q.json)
		print_outcome(&q, &outcome);
	else if ((code = json_outcome(&q, &outcome)))
		return code;
	return outcome.differs ? EXIT_DIFFERENCE : EXIT_OK;
}
