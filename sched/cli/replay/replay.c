/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead replay: results of a workload under several policies. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/cli/replay/replay.h"
#include "sched/cli/replay/journal.h"
#include "sched/cli/verbs.h"
#include "sched/cli/whole_file.h"
#include "sched/policy/policies.h"
#include "sched/process/date.h"

#define FIELD(name) offsetof(struct replay_query, name)
#define SAMPLES 500		/* samples of promised shares over the time of the trace */
#define SAMPLE_LEAST_S 300

static int cell_take(void *query, struct words *words);
static int algorithm_take(void *query, struct words *words);
static int slots_take(void *query, struct words *words);
static int date_take(void *date, struct words *words);
static int factor_take(void *factor, struct words *words);
static int format_take(void *format, struct words *words);
static int estimates_take(void *exact, struct words *words);
static int usage_take(void *usage, struct words *words);
static int number_take(void *number, struct words *words);
static int seconds_take(void *seconds, struct words *words);
static int every_event_take(void *runs, struct words *words);

const struct argument replay_options[] = {
	{ "--cell", ARGUMENT_CALL, .call = cell_take, .value = "DIR",
	  .sentence = "replay under the policy of this cell; may be repeated" },
	{ "--algorithm", ARGUMENT_CALL, .call = algorithm_take, .value = "NAME",
	  .sentence = "replay each cell with this algorithm; may be repeated" },
	{ "--slots", ARGUMENT_CALL, .call = slots_take, .value = "N|trace",
	  .sentence = "replay on a machine of N slots instead of the hosts and queues of the cells" },
	{ "--from", ARGUMENT_CALL, .field = FIELD(trace.from), .call = date_take, .value = "DATE",
	  .sentence = "replay jobs submitted at this time or later: 2026-12-01, 2026-12-01T10:00, or @seconds" },
	{ "--until", ARGUMENT_CALL, .field = FIELD(trace.until), .call = date_take, .value = "DATE",
	  .sentence = "replay jobs submitted before this time" },
	{ "--scale", ARGUMENT_CALL, .field = FIELD(trace.arrival_factor), .call = factor_take, .value = "F",
	  .sentence = "multiply the times between submissions by F: 0.5 is twice the load" },
	{ "--think", ARGUMENT_FLAG, FIELD(think),
	  .sentence = "submit a job after the end of its predecessor, if the trace names one" },
	{ "--estimates", ARGUMENT_CALL, .field = FIELD(trace.exact_limits), .call = estimates_take, .value = "user|exact",
	  .sentence = "give the scheduler the requested run times (user) or the recorded ones (exact)" },
	{ "--usage", ARGUMENT_CALL, .field = FIELD(replay.usage), .call = usage_take, .value = "slots|recorded",
	  .sentence = "book this CPU time: slots times run time (slots) or the recorded one" },
	{ "--every-event", ARGUMENT_CALL, .field = FIELD(replay.runs), .call = every_event_take,
	  .sentence = "also make a run after each submission and each job end" },
	{ "--interval", ARGUMENT_CALL, .field = FIELD(replay.interval_s), .call = seconds_take, .value = "SECONDS",
	  .sentence = "make runs at this interval instead of schedule_interval of the cell" },
	{ "--limits-kill", ARGUMENT_FLAG, FIELD(replay.limits_kill),
	  .sentence = "end a job when its requested time has passed" },
	{ "--no-reserve", ARGUMENT_FLAG, FIELD(replay.no_reserve),
	  .sentence = "submit jobs without a request for a reservation (-R y)" },
	{ "--checkpoints", ARGUMENT_FLAG, FIELD(replay.checkpoints),
	  .sentence = "let a vacated job continue from where it was" },
	{ "--pe", ARGUMENT_TEXT, FIELD(replay.pe), .value = "NAME",
	  .sentence = "use this parallel environment for jobs with several slots" },
	{ "--queues", ARGUMENT_FLAG, FIELD(replay.queues),
	  .sentence = "request the queue that the trace records (-q)" },
	{ "--resources", ARGUMENT_FLAG, FIELD(replay.resources),
	  .sentence = "request the resources that the trace records (-l)" },
	{ "--memory", ARGUMENT_TEXT, FIELD(replay.memory), .value = "NAME",
	  .sentence = "request memory by this complex, such as h_vmem" },
	{ "--format", ARGUMENT_CALL, .field = FIELD(trace.format), .call = format_take, .value = "swf|accounting|sacct",
	  .sentence = "read this trace format (default: detected from the first lines)" },
	{ "--sort", ARGUMENT_FLAG, FIELD(trace.sort),
	  .sentence = "sort an SWF trace that is not in order of submission" },
	{ "--allocated", ARGUMENT_FLAG, FIELD(trace.allocated),
	  .sentence = "request the slots that jobs were allocated, not those they requested" },
	{ "--about", ARGUMENT_FLAG, FIELD(about), .sentence = "describe the trace, and replay nothing" },
	{ "--report", ARGUMENT_TEXT, FIELD(report), .value = "FILE", .sentence = "write an HTML page with charts" },
	{ "--csv", ARGUMENT_TEXT, FIELD(csv), .value = "FILE", .sentence = "write each job under each policy as CSV" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print all results as JSON" },
	{ "--top", ARGUMENT_CALL, .field = FIELD(top), .call = number_take, .value = "N",
	  .sentence = "list N users and projects (default: 10)" },
	{ .name = NULL },
};

static int list_add(const char **list, size_t *n, struct words *words)
{
	if (*n == REPLAY_COLUMNS)
		return cli_fail(EXIT_USAGE, "replay: %s: at most %d", words->row->name, REPLAY_COLUMNS);
	list[(*n)++] = words->value;
	return EXIT_OK;
}

static int cell_take(void *query, struct words *words)
{
	struct replay_query *replay_query = query;

	return list_add(replay_query->cells, &replay_query->ncells, words);
}

static int algorithm_take(void *query, struct words *words)
{
	struct replay_query *replay_query = query;
	char names[POLICIES_NAMES_BYTES];

	if (!policies_find(words->value))
		return cli_fail(EXIT_USAGE, "replay: --algorithm: \"%s\" is not one of %s", words->value,
				policies_names(names, ", "));
	return list_add(replay_query->algorithms, &replay_query->nalgorithms, words);
}

static int slots_take(void *query, struct words *words)
{
	struct replay_query *replay_query = query;
	unsigned long slots;

	replay_query->slots_of_trace = !strcmp(words->value, "trace");
	if (replay_query->slots_of_trace)
		return EXIT_OK;
	if (options_number(words->messages, "replay", "--slots", words->value, 1, 1000000000, &slots))
		return EXIT_USAGE;
	replay_query->slots = slots;
	return EXIT_OK;
}

static int date_take(void *date, struct words *words)
{
	if (date_parse(words->value, (int64_t)time(NULL), date) == 0)
		return EXIT_OK;
	return cli_fail(EXIT_USAGE, "replay: %s: \"%s\": %s", words->row->name, words->value, DATE_DUE);
}

static int factor_take(void *factor, struct words *words)
{
	char *end;
	double value = strtod(words->value, &end);

	if (end == words->value || *end || !(value >= 0.001 && value <= 1000.0) ||
	    !strchr("0123456789.", words->value[0]))
		return cli_fail(EXIT_USAGE, "replay: --scale: \"%s\" is not a number from 0.001 to 1000", words->value);
	*(double *)factor = value;
	return EXIT_OK;
}

static int format_take(void *format, struct words *words)
{
	return trace_format_find(words->value, format)
		       ? EXIT_OK
		       : cli_fail(EXIT_USAGE, "replay: --format: \"%s\" is not one of swf, accounting, sacct",
				  words->value);
}

static int estimates_take(void *exact, struct words *words)
{
	if (strcmp(words->value, "user") && strcmp(words->value, "exact"))
		return cli_fail(EXIT_USAGE, "replay: --estimates: \"%s\" is not one of user, exact", words->value);
	*(bool *)exact = words->value[0] == 'e';
	return EXIT_OK;
}

static int usage_take(void *usage, struct words *words)
{
	enum replay_usage *u = usage;

	if (strcmp(words->value, "slots") && strcmp(words->value, "recorded"))
		return cli_fail(EXIT_USAGE, "replay: --usage: \"%s\" is not one of slots, recorded", words->value);
	*u = words->value[0] == 's' ? REPLAY_USAGE_SLOTS : REPLAY_USAGE_RECORDED;
	return EXIT_OK;
}

static int number_take(void *number, struct words *words)
{
	return options_number(words->messages, "replay", "--top", words->value, 0, 1000000, number) ? EXIT_USAGE
												    : EXIT_OK;
}

static int seconds_take(void *seconds, struct words *words)
{
	unsigned long value;

	if (options_number(words->messages, "replay", "--interval", words->value, 1, 86400, &value))
		return EXIT_USAGE;
	*(uint32_t *)seconds = (uint32_t)value;
	return EXIT_OK;
}

static int every_event_take(void *runs, struct words *words)
{
	(void)words;
	*(enum replay_runs *)runs = REPLAY_AT_EVENTS;
	return EXIT_OK;
}

/* Output */

static int print_answers(const struct replay_result *result)
{
	struct out out;
	int rc = out_open(&out, STDOUT_FILENO);

	if (!rc)
		rc = result->query->json ? replay_json_print(&out, result,
							     (struct replay_numbers){ .exact = true, .most = SIZE_MAX })
					 : replay_text_print(&out, result);
	if (!rc)
		rc = out_flush(&out);
	out_close(&out);
	return rc ? cli_unwritten(-rc) : EXIT_OK;
}

/*
 * Output files, opened before the replay, so that an error is reported at once and not after hours.
 */
struct files {
	struct whole_file report, csv;
};

static int files_begin(struct files *files, const struct replay_query *query)
{
	int code = query->report ? whole_file_begin(&files->report, query->report) : EXIT_OK;

	if (!code && query->csv)
		code = whole_file_begin(&files->csv, query->csv);
	return code;
}

static int files_write(struct files *files, const struct replay_result *result)
{
	int code = EXIT_OK, other = EXIT_OK;

	if (result->query->report)
		code = whole_file_end(&files->report, replay_page_print(&files->report.out, result));
	if (result->query->csv)
		other = whole_file_end(&files->csv, replay_csv_print(&files->csv.out, result));
	return code ? code : other;
}

/* Drop policies that had not begun when a signal arrived. */
static size_t columns_begun(struct replay_column *columns, size_t n)
{
	while (n > 0 && !columns[n - 1].began)
		replay_columns_free(&columns[--n], 1);
	return n;
}

/*
 * Return whether arrivals are scaled. The recorded starts then belong to a different workload and
 * are not comparable.
 */
static bool is_scaled(const struct replay_query *query)
{
	return query->trace.arrival_factor > 0.0 &&
	       (query->trace.arrival_factor < 1.0 || query->trace.arrival_factor > 1.0);
}

static int answer(struct replay_column *columns, size_t *n, struct files *files, bool stopped)
{
	struct replay_result result = {
		.query = columns[0].query, .trace = columns[0].trace, .columns = columns, .partial = stopped
	};
	int code, other;

	*n = columns_begun(columns, *n);
	if (*n == 0)
		return cli_fail(EXIT_NO_DATA, "stopped before anything was replayed");
	code = replay_columns_answer(columns, *n);
	if (code)
		return code;
	result.recorded = !is_scaled(result.query) && replay_columns_recorded(columns, n) == 0;
	result.n = *n;
	code = replay_columns_measure(columns, *n);
	if (!code)
		code = files_write(files, &result);
	other = print_answers(&result);
	if (stopped)
		cli_fail(EXIT_OK, "stopped early: the results cover the time up to then");
	code = code ? code : other;
	return !code && stopped ? EXIT_NO_DATA : code;
}

/* Sequence of the command */

static void sample_choose(struct replay_query *query, const struct trace_about *about)
{
	int64_t span = about->submit_last - about->submit_first, each = span / SAMPLES;

	each = each > SAMPLE_LEAST_S ? each : SAMPLE_LEAST_S;
	query->replay.sample_s = each < UINT32_MAX ? (uint32_t)each : UINT32_MAX;
}

static int replay_all(struct replay_query *query, const struct replay_trace *trace, struct files *files)
{
	struct replay_column columns[REPLAY_COLUMNS + 1];
	size_t n;
	int code;

	if (trace->about->jobs == 0)
		return cli_fail(EXIT_NO_DATA, "%s: no job can be replayed; for the reason, use fairlead replay --about",
				trace->name);
	sample_choose(query, trace->about);
	code = replay_columns_make(columns, &n, query, trace);
	if (!code)
		code = answer(columns, &n, files, replay_columns_run(columns, n));
	replay_columns_free(columns, n);
	return code;
}

/* Return the command line, quoted for a shell. */
static char *command_make(int argc, char **argv)
{
	char *made = NULL;
	size_t size;
	FILE *out = open_memstream(&made, &size);

	if (!out)
		return NULL;
	fputs("fairlead", out);
	for (int k = 0; k < argc; k++) {
		if (*argv[k] &&
		    argv[k]
			[strspn(argv[k], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=:,@+%")] ==
			    '\0') {
			fprintf(out, " %s", argv[k]);
			continue;
		}
		fputs(" '", out);
		for (const char *p = argv[k]; *p; p++)
			*p == '\'' ? (void)fputs("'\\''", out) : (void)fputc(*p, out);
		fputc('\'', out);
	}
	if (fclose(out)) {
		free(made);
		return NULL;
	}
	return made;
}

static int words_take(struct words *words, struct replay_query *query)
{
	int code = options_take(words, query);

	if (code)
		return code;
	if (words->next == words->argc)
		return cli_fail(
			EXIT_USAGE,
			"replay: name a trace: an SWF file, accounting, the output of sacct -P, or - for "
			"standard input");
	query->path = words->argv[words->next++];
	if (words->next < words->argc)
		return cli_fail(EXIT_USAGE, "replay: %s: unexpected, as the trace is %s", words->argv[words->next],
				query->path);
	return EXIT_OK;
}

static int query_check(struct replay_query *query, const char *cell)
{
	if (query->ncells == 0 && cell && *cell)
		query->cells[query->ncells++] = cell;
	if (query->ncells == 0 && !query->about)
		return cli_fail(EXIT_USAGE,
				"replay: name a policy: --cell DIR, once or several times, or -c CELL");
	if (query->trace.from && query->trace.until && query->trace.from >= query->trace.until)
		return cli_fail(EXIT_USAGE, "replay: --from is not before --until");
	query->trace.think_times = query->replay.think = query->think;
	return EXIT_OK;
}

int replay_run(const char *cell, int argc, char **argv)
{
	struct words words = { .table = replay_options, .argc = argc, .argv = argv, .next = 1 };
	struct replay_query query = { .top = 10 };
	struct replay_trace trace = { .spool = -1 };
	struct files files = { .report.fd = -1, .csv.fd = -1 };
	int code;

	if (replay_is_of_journal(argc, argv))
		return replay_journal(argc, argv);
	code = words_take(&words, &query);
	if (!code)
		code = query_check(&query, cell);
	query.command = command_make(argc, argv);
	if (!code && (!query.command || !replay_signals_begin()))
		code = cli_fail(EXIT_NO_DATA, "no memory");
	if (!code)
		code = files_begin(&files, &query);
	if (!code)
		code = replay_trace_open(&trace, &query);
	if (!code)
		code = query.about ? replay_about_print(&query, &trace) : replay_all(&query, &trace, &files);
	whole_file_drop(&files.report);
	whole_file_drop(&files.csv);
	replay_trace_close(&trace);
	free(query.command);
	return code;
}
