/* SPDX-License-Identifier: Apache-2.0 */
/* Options, and the runs of all columns in sequence. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/amount.h"
#include "conf/lists.h"
#include "sched/cli/verbs.h"
#include "sched/cli/whatif/whatif.h"
#include "sched/process/date.h"

#define FIELD(name) .field = offsetof(struct whatif_query, name)

static int set_take(void *query, struct words *words);
static int at_take(void *query, struct words *words);
static int algorithm_take(void *query, struct words *words);
static int or_take(void *query, struct words *words);

const struct argument whatif_options[] = {
	{ "--set", ARGUMENT_CALL, .call = set_take, .value = "[FILE:]NAME=VALUE",
	  .sentence = "set a parameter of sched_conf, slurm.conf or condor_config; with FILE: of that file of "
	              "the cell" },
	{ "--share-tree", ARGUMENT_CALL, .call = whatif_take_tree, .value = "FILE", .sentence = "use this share tree" },
	{ "--cell", ARGUMENT_CALL, .call = whatif_take_cell, .value = "DIR",
	  .sentence = "use the files in DIR instead of the cell's; an empty file removes the cell's file" },
	{ "--user", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "user", .value = "NAME",
	  .sentence = "select the user that --shares, --fshare, --oticket or --factor changes" },
	{ "--project", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "project", .value = "NAME",
	  .sentence = "select a project, like --user" },
	{ "--department", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "department", .value = "NAME",
	  .sentence = "select a department, like --user" },
	{ "--account", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "account", .value = "NAME",
	  .sentence = "select an account (algorithm multifactor), like --user" },
	{ "--shares", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "shares", .value = "N",
	  .sentence = "set shares in the share tree; without one, functional shares; with algorithm multifactor, "
	              "Fairshare" },
	{ "--fshare", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "fshare", .value = "N",
	  .sentence = "set functional shares" },
	{ "--oticket", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "oticket", .value = "N",
	  .sentence = "set override tickets" },
	{ "--factor", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "factor", .value = "X",
	  .sentence = "set the priority factor of a submitter (algorithm userprio)" },
	{ "--queue", ARGUMENT_CALL, .call = whatif_take_queue, .value = "QUEUE[@HOST]",
	  .sentence = "select the queue or queue instance that --slots changes" },
	{ "--slots", ARGUMENT_CALL, .call = whatif_take_slots, .value = "N",
	  .sentence = "set the slots of each instance of the queue, or of this instance" },
	{ "--at", ARGUMENT_CALL, .call = at_take, .value = "+TIME|DATE",
	  .sentence = "make the run at this time, with no events before it: +2h, +1d12h, 2026-12-01T10:00" },
	{ "--algorithm", ARGUMENT_CALL, .call = algorithm_take, .value = "NAME",
	  .sentence = "use this policy: default (Grid Engine), multifactor (Slurm), userprio (HTCondor)" },
	{ "--tree-shares", ARGUMENT_FLAG, FIELD(tree_shares),
	  .sentence = "with --algorithm multifactor after it: take shares of accounts and users from the share tree" },
	{ "--or", ARGUMENT_CALL, .call = or_take, .sentence = "start another question, with a column of its own" },
	{ "--rows", ARGUMENT_INT, FIELD(rows), .least = 0, .most = 1000000000, .due = "a number of rows is expected, 0 to 1000000000", .value = "N",
	  .sentence = "print at most N rows of each table (default: 20)" },
	{ "--all", ARGUMENT_FLAG, FIELD(all), .sentence = "print all rows" },
	{ "--workers", ARGUMENT_INT, FIELD(workers), .least = 1, .most = 1024, .due = "a number of threads is expected, 1 to 1024", .value = "N",
	  .sentence = "compute with N threads (default: 1)" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print all data as JSON" },
	{ "--job", ARGUMENT_CALL, .call = whatif_take_jobs, .value = "JOB[,...]",
	  .sentence = "select the jobs that the following options change, see fairlead alter:" },
	{ "-h", ARGUMENT_CALL, .call = whatif_take_hold, .value = "u|o|s|n|U|O|S",
	  .sentence = "u, o, s: place these holds; U, O, S: release these; n: release all" },
	{ "-ot", ARGUMENT_CALL, .call = job_take_count, .detail = "override_tickets", .value = "N",
	  .sentence = "set the override tickets" },
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ .name = NULL },
};

/* Changes without a subject */

struct whatif_column *whatif_column_last(struct whatif_query *query)
{
	struct whatif_column *column = query->ncolumns > 0
					       ? &query->columns[query->ncolumns - 1]
					       : array_add(&query->columns, &query->ncolumns, sizeof(*column));

	if (!column)
		cli_fail(EXIT_NO_DATA, "no memory");
	return column;
}

static int set_take(void *query, struct words *words)
{
	struct whatif_column *column = whatif_column_last(query);
	struct error error = { "" };
	char option[200];

	snprintf(option, sizeof(option), "--set %s", words->value);
	return column ? whatif_taken(suppose_set(&column->suppositions, option, words->value, &error), &error)
		      : EXIT_NO_DATA;
}

static int algorithm_take(void *query, struct words *words)
{
	struct whatif_query *whatif_query = query;
	struct whatif_column *column = whatif_column_last(whatif_query);
	struct error error = { "" };
	char option[60];

	snprintf(option, sizeof(option), "--algorithm %s", words->value);
	return column ? whatif_taken(suppose_algorithm(&column->suppositions, option, words->value,
						       whatif_query->tree_shares, &error),
				     &error)
		      : EXIT_NO_DATA;
}

static int at_take(void *query, struct words *words)
{
	struct whatif_column *column = whatif_column_last(query);
	char option[60];
	struct error error = { "" };
	uint32_t after;
	int64_t when;

	if (!column)
		return EXIT_NO_DATA;
	snprintf(option, sizeof(option), "--at %s", words->value);
	if (*words->value == '+') {
		if (amount_time(words->value + 1, &after) || after == UINT32_MAX)
			return cli_fail(EXIT_USAGE, "whatif: %s: after the + %s", option, AMOUNT_TIME_DUE);
		return whatif_taken(suppose_after(&column->suppositions, option, after), &error);
	}
	if (date_parse(words->value, (int64_t)time(NULL), &when))
		return cli_fail(EXIT_USAGE, "whatif: %s: %s, or +2h", option, DATE_DUE);
	return whatif_taken(suppose_at(&column->suppositions, option, when), &error);
}

/* Columns */

static int title_set(struct whatif_column *column, char **words, char **end)
{
	size_t bytes = 1;
	char *p;

	for (char **word = words; word < end; word++)
		bytes += strlen(*word) + 1;
	column->title = p = malloc(bytes);
	if (!p)
		return cli_fail(EXIT_NO_DATA, "no memory");
	*p = '\0';
	for (char **word = words; word < end; word++)
		p = stpcpy(stpcpy(p, word > words ? " " : ""), *word);
	return EXIT_OK;
}

/* Begin a new column. The title of the last one is made when its words are known. */
static int or_take(void *query, struct words *words)
{
	struct whatif_query *whatif_query = query;
	int code = whatif_subject_end(whatif_query);

	if (code)
		return code;
	if (whatif_query->ncolumns == 0 || whatif_query->columns[whatif_query->ncolumns - 1].suppositions.n == 0)
		return cli_fail(EXIT_USAGE, "whatif: --or must be between two questions");
	if (whatif_query->ncolumns == WHATIF_COLUMNS_MOST)
		return cli_fail(EXIT_USAGE, "whatif: %d questions at most", WHATIF_COLUMNS_MOST);
	(void)words;
	return array_add(&whatif_query->columns, &whatif_query->ncolumns, sizeof(*whatif_query->columns))
		       ? EXIT_OK
		       : cli_fail(EXIT_NO_DATA, "no memory");
}

static bool is_about_output(const char *word)
{
	return !strcmp(word, "--json") || !strcmp(word, "--all");
}

/*
 * Make the titles from the words between --or, without options about the output. argv is rebuilt
 * without these words.
 */
static int titles_set(struct whatif_query *query, int argc, char **argv)
{
	size_t column = 0;
	int code = EXIT_OK, n = 0;

	for (int k = 1; !code && k <= argc; k++) {
		if (k < argc && (!strcmp(argv[k], "--rows") || !strcmp(argv[k], "--workers"))) {
			k++;
		} else if (k == argc || !strcmp(argv[k], "--or")) {
			if (column < query->ncolumns)
				code = title_set(&query->columns[column++], argv, argv + n);
			n = 0;
		} else if (!is_about_output(argv[k])) {
			argv[n++] = argv[k];
		}
	}
	return code;
}

static int parse(struct whatif_query *query, int argc, char **argv)
{
	struct words words = { .table = whatif_options, .argc = argc, .argv = argv, .next = 1,
			       .messages = query->job.messages };
	int code = options_read(&words, query);

	if (!code)
		code = whatif_subject_end(query);
	cli_print(query->job.messages);
	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "whatif: unexpected word %s", argv[words.next]);
	if (query->ncolumns == 0)
		return cli_fail(EXIT_USAGE, "whatif: no change is named; see fairlead whatif --help");
	if (query->columns[query->ncolumns - 1].suppositions.n == 0)
		return cli_fail(EXIT_USAGE, "whatif: --or must be between two questions");
	return titles_set(query, argc, argv);
}

/* Runs */

static void column_clear(struct whatif_column *column)
{
	moves_free(&column->moves);
	targets_free(&column->targets);
	free(column->notes);
	column->notes = NULL;
}

static int column_compare(struct whatif_column *column, struct whatif *whatif, struct fl_cell *result,
			  const struct whatif_query *query, struct error *error)
{
	const struct fl_view *before, *after = fl_begin(result);
	int rc = whatif_before(whatif, &before, error);

	if (rc)
		return rc;
	fl_run(after, &column->run);
	rc = moves_find(&column->moves, before, after, query->all ? SIZE_MAX : query->rows);
	rc = rc ? rc : targets_find(&column->targets, before, after);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static int column_run(struct whatif_column *column, struct whatif *whatif, const struct whatif_query *query,
		      struct error *error)
{
	struct fl_cell *result;
	int rc = whatif_run(whatif, &column->suppositions, &result, error);

	if (rc)
		return rc;
	column->notes = strdup(whatif_notes(whatif));
	rc = column->notes ? column_compare(column, whatif, result, query, error)
			   : error_set(error, -ENOMEM, "out of memory");
	fl_end(result);
	fl_detach(result);
	return rc;
}

static int code_of(int rc)
{
	return rc == -EINVAL ? EXIT_USAGE : rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA;
}

static int answer(const struct fl_view *view, struct out *out, void *query)
{
	struct whatif_query *whatif_query = query;
	const struct fl_view *before;
	struct whatif *whatif;
	int rc = whatif_open(&whatif, view, &whatif_query->error);

	whatif_query->different = false;
	if (rc == 0)
		whatif_workers(whatif, whatif_query->workers);
	for (size_t k = 0; rc == 0 && k < whatif_query->ncolumns; k++)
		if (suppose_files(&whatif_query->columns[k].suppositions))
			whatif_reconfigured(whatif);
	for (size_t k = 0; rc == 0 && k < whatif_query->ncolumns; k++) {
		column_clear(&whatif_query->columns[k]);
		rc = column_run(&whatif_query->columns[k], whatif, whatif_query, &whatif_query->error);
		whatif_query->different |=
			moves_any(&whatif_query->columns[k].moves) || whatif_query->columns[k].targets.different;
	}
	if (rc == 0)
		rc = whatif_before(whatif, &before, &whatif_query->error);
	if (rc == 0)
		(whatif_query->json ? whatif_json : whatif_print)(out, whatif_query, before);
	whatif_close(whatif);
	whatif_query->code = rc ? code_of(rc) : EXIT_OK;
	return rc ? whatif_query->code : whatif_query->different ? EXIT_DIFFERENCE : EXIT_OK;
}

static void query_free(struct whatif_query *query)
{
	for (size_t k = 0; k < query->ncolumns; k++) {
		suppose_nothing(&query->columns[k].suppositions);
		column_clear(&query->columns[k]);
		free(query->columns[k].title);
	}
	free(query->columns);
	while (query->events) {
		struct whatif_event *next = query->events->next;

		event_clear(&query->events->event, &query->events->taking);
		free(query->events);
		query->events = next;
	}
	job_close(&query->job);
}

int whatif_verb_run(const char *cell, int argc, char **argv)
{
	struct messages messages = { .items = NULL };
	struct whatif_query query = { .job = { .verb = "whatif", .alters = true, .messages = &messages },
				      .cell = cell,
				      .rows = WHATIF_ROWS,
				      .workers = 1 };
	int code = parse(&query, argc, argv);

	cli_print(&messages);
	if (!code)
		code = section_run(cell, answer, &query);
	if (query.code)
		code = cli_fail(query.code, "%s%s%s", query.code == EXIT_USAGE ? "whatif" : cell, ": ",
				query.error.text);
	query_free(&query);
	return code;
}
