/* SPDX-License-Identifier: Apache-2.0 */
/* Options, and the runs that they ask for, one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf/amount.h"
#include "conf/lists.h"
#include "sched/cli/verbs.h"
#include "sched/cli/whatif.h"
#include "sched/process/date.h"

#define FIELD(name) .field = offsetof(struct whatif_query, name)

static int set_take(void *query, struct words *w);
static int at_take(void *query, struct words *w);
static int algorithm_take(void *query, struct words *w);
static int or_take(void *query, struct words *w);

const struct argument whatif_options[] = {
	{ "--set", ARGUMENT_CALL, .call = set_take, .value = "[FILE:]NAME=VALUE", .sentence = "set a parameter of sched_conf, slurm.conf or condor_config; with FILE: of that file of the cell" },
	{ "--share-tree", ARGUMENT_CALL, .call = whatif_take_tree, .value = "FILE", .sentence = "use this share tree" },
	{ "--cell", ARGUMENT_CALL, .call = whatif_take_cell, .value = "DIR", .sentence = "use the files in DIR instead of the cell's; an empty file removes the cell's file" },
	{ "--user", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "user", .value = "NAME", .sentence = "select the user that --shares, --fshare, --oticket or --factor changes" },
	{ "--project", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "project", .value = "NAME", .sentence = "select a project, like --user" },
	{ "--department", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "department", .value = "NAME", .sentence = "select a department, like --user" },
	{ "--account", ARGUMENT_CALL, .call = whatif_take_sharer, .detail = "account", .value = "NAME", .sentence = "select an account (algorithm multifactor), like --user" },
	{ "--shares", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "shares", .value = "N", .sentence = "set shares in the share tree; without one, functional shares; with algorithm multifactor, Fairshare" },
	{ "--fshare", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "fshare", .value = "N", .sentence = "set functional shares" },
	{ "--oticket", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "oticket", .value = "N", .sentence = "set override tickets" },
	{ "--factor", ARGUMENT_CALL, .call = whatif_take_amount, .detail = "factor", .value = "X", .sentence = "set the priority factor of a submitter (algorithm userprio)" },
	{ "--queue", ARGUMENT_CALL, .call = whatif_take_queue, .value = "QUEUE[@HOST]", .sentence = "select the queue or queue instance that --slots changes" },
	{ "--slots", ARGUMENT_CALL, .call = whatif_take_slots, .value = "N", .sentence = "set the slots of each instance of the queue, or of this instance" },
	{ "--at", ARGUMENT_CALL, .call = at_take, .value = "+TIME|DATE", .sentence = "make the run at this time, with no events before it: +2h, +1d12h, 2026-12-01T10:00" },
	{ "--algorithm", ARGUMENT_CALL, .call = algorithm_take, .value = "NAME", .sentence = "use this policy: default (Grid Engine), multifactor (Slurm), userprio (HTCondor)" },
	{ "--tree-shares", ARGUMENT_FLAG, FIELD(tree_shares), .sentence = "with --algorithm multifactor after it: take shares of accounts and users from the share tree" },
	{ "--or", ARGUMENT_CALL, .call = or_take, .sentence = "start another question, with a column of its own" },
	{ "--rows", ARGUMENT_INT, FIELD(rows), .least = 0, .most = 1000000000, .due = "a number of rows is expected, 0 to 1000000000", .value = "N", .sentence = "print at most N rows of each table (default: 20)" },
	{ "--all", ARGUMENT_FLAG, FIELD(all), .sentence = "print all rows" },
	{ "--workers", ARGUMENT_INT, FIELD(workers), .least = 1, .most = 1024, .due = "a number of threads is expected, 1 to 1024", .value = "N", .sentence = "compute with N threads (default: 1)" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print all data as JSON" },
	{ "--job", ARGUMENT_CALL, .call = whatif_take_jobs, .value = "JOB[,...]", .sentence = "select the jobs that the following options change, see fairlead alter:" },
	{ "-h", ARGUMENT_CALL, .call = whatif_take_hold, .value = "u|o|s|n|U|O|S", .sentence = "u, o, s: place these holds; U, O, S: release these; n: release all" },
	{ "-ot", ARGUMENT_CALL, .call = job_take_count, .detail = "override_tickets", .value = "N", .sentence = "set the override tickets" },
	JOB_OPTION_ROWS,
	JOB_CONDOR_ROWS,
	{ .name = NULL },
};

/* Changes that are about nobody */

struct whatif_column *whatif_column_last(struct whatif_query *q)
{
	struct whatif_column *c = q->ncolumns > 0 ? &q->columns[q->ncolumns - 1] : array_add(&q->columns, &q->ncolumns, sizeof(*c));

	if (!c)
		cli_fail(EXIT_NO_DATA, "no memory");
	return c;
}

static int set_take(void *query, struct words *w)
{
	struct whatif_column *c = whatif_column_last(query);
	struct error error = { "" };
	char option[200];

	snprintf(option, sizeof(option), "--set %s", w->value);
	return c ? whatif_taken(suppose_set(&c->suppositions, option, w->value, &error), &error) : EXIT_NO_DATA;
}

static int algorithm_take(void *query, struct words *w)
{
	struct whatif_query *q = query;
	struct whatif_column *c = whatif_column_last(q);
	struct error error = { "" };
	char option[60];

	snprintf(option, sizeof(option), "--algorithm %s", w->value);
	return c ? whatif_taken(suppose_algorithm(&c->suppositions, option, w->value, q->tree_shares, &error), &error) : EXIT_NO_DATA;
}

static int at_take(void *query, struct words *w)
{
	struct whatif_column *c = whatif_column_last(query);
	char option[60];
	struct error error = { "" };
	uint32_t after;
	int64_t when;

	if (!c)
		return EXIT_NO_DATA;
	snprintf(option, sizeof(option), "--at %s", w->value);
	if (*w->value == '+') {
		if (amount_time(w->value + 1, &after) || after == UINT32_MAX)
			return cli_fail(EXIT_USAGE, "whatif: %s: after the + %s", option, AMOUNT_TIME_DUE);
		return whatif_taken(suppose_after(&c->suppositions, option, after), &error);
	}
	if (date_parse(w->value, (int64_t)time(NULL), &when))
		return cli_fail(EXIT_USAGE, "whatif: %s: %s, or +2h", option, DATE_DUE);
	return whatif_taken(suppose_at(&c->suppositions, option, when), &error);
}

/* Columns */

static int title_set(struct whatif_column *c, char **words, char **end)
{
	size_t bytes = 1;
	char *p;

	for (char **word = words; word < end; word++)
		bytes += strlen(*word) + 1;
	c->title = p = malloc(bytes);
	if (!p)
		return cli_fail(EXIT_NO_DATA, "no memory");
	*p = '\0';
	for (char **word = words; word < end; word++)
		p = stpcpy(stpcpy(p, word > words ? " " : ""), *word);
	return EXIT_OK;
}

/* The words are known behind the last one: titles are made then. */
static int or_take(void *query, struct words *w)
{
	struct whatif_query *q = query;
	int code = whatif_subject_end(q);

	if (code)
		return code;
	if (q->ncolumns == 0 || q->columns[q->ncolumns - 1].suppositions.n == 0)
		return cli_fail(EXIT_USAGE, "whatif: --or stands between two questions");
	if (q->ncolumns == WHATIF_COLUMNS_MOST)
		return cli_fail(EXIT_USAGE, "whatif: %d questions at most", WHATIF_COLUMNS_MOST);
	(void)w;
	return array_add(&q->columns, &q->ncolumns, sizeof(*q->columns)) ? EXIT_OK : cli_fail(EXIT_NO_DATA, "no memory");
}

static bool is_about_output(const char *word)
{
	return !strcmp(word, "--json") || !strcmp(word, "--all");
}

/* The words between --or, but for those that say how to print; argv is put together anew. */
static int titles_set(struct whatif_query *q, int argc, char **argv)
{
	size_t column = 0;
	int code = EXIT_OK, n = 0;

	for (int k = 1; !code && k <= argc; k++) {
		if (k < argc && (!strcmp(argv[k], "--rows") || !strcmp(argv[k], "--workers"))) {
			k++;
		} else if (k == argc || !strcmp(argv[k], "--or")) {
			if (column < q->ncolumns)
				code = title_set(&q->columns[column++], argv, argv + n);
			n = 0;
		} else if (!is_about_output(argv[k])) {
			argv[n++] = argv[k];
		}
	}
	return code;
}

static int parse(struct whatif_query *q, int argc, char **argv)
{
	struct words words = { .table = whatif_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, q);

	if (!code)
		code = whatif_subject_end(q);
	if (code)
		return code;
	if (words.next < argc)
		return cli_fail(EXIT_USAGE, "whatif: unexpected word %s", argv[words.next]);
	if (q->ncolumns == 0)
		return cli_fail(EXIT_USAGE, "whatif: what is to be otherwise? See fairlead whatif --help");
	if (q->columns[q->ncolumns - 1].suppositions.n == 0)
		return cli_fail(EXIT_USAGE, "whatif: --or stands between two questions");
	return titles_set(q, argc, argv);
}

/* Runs */

static void column_clear(struct whatif_column *c)
{
	moves_free(&c->moves);
	targets_free(&c->targets);
	free(c->notes);
	c->notes = NULL;
}

static int column_compare(struct whatif_column *c, struct whatif *w, struct fl_cell *result, const struct whatif_query *q, struct error *error)
{
	const struct fl_view *before, *after = fl_begin(result);
	int rc = whatif_before(w, &before, error);

	if (rc)
		return rc;
	fl_run(after, &c->run);
	rc = moves_find(&c->moves, before, after, q->all ? SIZE_MAX : q->rows);
	rc = rc ? rc : targets_find(&c->targets, before, after);
	return rc ? error_set(error, rc, "out of memory") : 0;
}

static int column_run(struct whatif_column *c, struct whatif *w, const struct whatif_query *q, struct error *error)
{
	struct fl_cell *result;
	int rc = whatif_run(w, &c->suppositions, &result, error);

	if (rc)
		return rc;
	c->notes = strdup(whatif_notes(w));
	rc = c->notes ? column_compare(c, w, result, q, error) : error_set(error, -ENOMEM, "out of memory");
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
	struct whatif_query *q = query;
	const struct fl_view *before;
	struct whatif *w;
	int rc = whatif_open(&w, view, &q->error);

	q->different = false;
	if (rc == 0)
		whatif_workers(w, q->workers);
	for (size_t k = 0; rc == 0 && k < q->ncolumns; k++)
		if (suppose_files(&q->columns[k].suppositions))
			whatif_reconfigured(w);
	for (size_t k = 0; rc == 0 && k < q->ncolumns; k++) {
		column_clear(&q->columns[k]);
		rc = column_run(&q->columns[k], w, q, &q->error);
		q->different |= moves_any(&q->columns[k].moves) || q->columns[k].targets.different;
	}
	if (rc == 0)
		rc = whatif_before(w, &before, &q->error);
	if (rc == 0)
		(q->json ? whatif_json : whatif_print)(out, q, before);
	whatif_close(w);
	q->code = rc ? code_of(rc) : EXIT_OK;
	return rc ? q->code : q->different ? EXIT_DIFFERENCE : EXIT_OK;
}

static void query_free(struct whatif_query *q)
{
	for (size_t k = 0; k < q->ncolumns; k++) {
		suppose_nothing(&q->columns[k].suppositions);
		column_clear(&q->columns[k]);
		free(q->columns[k].title);
	}
	free(q->columns);
	while (q->events) {
		struct whatif_event *next = q->events->next;

		event_clear(&q->events->event, &q->events->taking);
		values_destroy(&q->events->values);
		free(q->events);
		q->events = next;
	}
	job_close(&q->job);
}

int whatif_verb_run(const char *cell, int argc, char **argv)
{
	struct whatif_query q = { .job = { .verb = "whatif", .alters = true }, .cell = cell, .rows = WHATIF_ROWS, .workers = 1 };
	int code = job_open(&q.job);

	if (!code)
		code = parse(&q, argc, argv);
	if (!code)
		code = section_run(cell, answer, &q);
	if (q.code)
		code = cli_fail(q.code, "%s%s%s", q.code == EXIT_USAGE ? "whatif" : cell, ": ", q.error.text);
	query_free(&q);
	return code;
}
