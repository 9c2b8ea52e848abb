/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/explain/explain.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/amount.h"
#include "conf/base/array.h"
#include "conf/base/wildcard.h"
#include "sched/cli/explain/place.h"
#include "sched/client/job_names.h"
#include "sched/cli/verbs.h"
#include "sched/process/json.h"

#define FEW_JOBS 1000
#define FEW_OPERANDS 10
#define HORIZON_S (30 * 86400)
#define FEW_NS 2000000000u		/* real time for a search without an option for it */
#define WHEN_NS 60000000000u
#define FIELD(name) .field = offsetof(struct explain_query, name)

static int run_time_take(void *query, struct words *words);

const struct argument explain_options[] = {
	{ "--exact", ARGUMENT_FLAG, FIELD(exact), .sentence = "print numbers with all their digits" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON: each line with its operation and operands" },
	{ "--no-place", ARGUMENT_FLAG, FIELD(no_place), .sentence = "omit the rank among pending jobs" },
	{ "--advice", ARGUMENT_FLAG, FIELD(advice),
	  .sentence = "search for changes that would move the job forward, however many jobs wait" },
	{ "--no-advice", ARGUMENT_FLAG, FIELD(no_advice), .sentence = "do not search for such changes" },
	{ "--no-start", ARGUMENT_FLAG, FIELD(no_start), .sentence = "omit why the job does not start" },
	{ "--when", ARGUMENT_FLAG, FIELD(when), .sentence = "estimate when the job starts, however many jobs wait" },
	{ "--no-when", ARGUMENT_FLAG, FIELD(no_when), .sentence = "do not estimate when the job starts" },
	{ "--assume-run-time", ARGUMENT_CALL, .call = run_time_take, .value = "TIME",
	  .sentence = "assume this run time for tasks without a limit, s or h:m:s (default: they run for ever)" },
	{ .name = NULL },
};

/* Jobs are explained one after the other. An error of one does not stop the others. */

/* Return whether a search is so short that it is made without an option for it. */
static bool is_quick(const struct explain_query *query, const struct outlook *outlook)
{
	return query->njobs <= FEW_OPERANDS && fl_count(outlook->view, FL_PENDING) <= FEW_JOBS;
}

static int look_out(const struct explain_query *query, struct outlook *outlook, struct error *error)
{
	bool waits = outlook->wants_place && !outlook->job.is_started;
	int rc = waits ? standing_find(&outlook->standing, outlook->view, outlook->job.job_number) : 0;

	if (rc)
		return error_set(error, rc, "job %u: out of memory", outlook->job.job_number);
	outlook->has_advices = waits && !query->no_advice && (query->advice || is_quick(query, outlook));
	return outlook->has_advices ? advices_find(&outlook->advices, outlook->view, &outlook->job, error) : 0;
}

static int look_ahead(const struct explain_query *query, struct outlook *outlook, struct error *error)
{
	outlook->has_starting = outlook->wants_start && !query->no_when && (query->when || is_quick(query, outlook));
	outlook->wishes = (struct starting_wishes){ .run_s = query->run_s,
						    .horizon_s = HORIZON_S,
						    .budget_ns = query->when ? WHEN_NS : FEW_NS };
	return outlook->has_starting
		       ? starting_find(&outlook->starting, outlook->view, &outlook->job, &outlook->wishes, error)
		       : 0;
}

/*
 * Search for advice and the start time. If the user may not read what this needs, or it is not
 * available, the rest is printed.
 */
static int look_further(const struct explain_query *query, struct outlook *outlook, struct error *error)
{
	int rc = look_out(query, outlook, error);

	rc = rc ? rc : look_ahead(query, outlook, error);
	if (rc != -EACCES && rc != -ENODATA)
		return rc;
	outlook->unreported = *error;
	outlook->has_advices = outlook->has_starting = false;
	error->text[0] = '\0';
	return 0;
}

static void explain_one(const struct fl_view *view, struct explainer *explainer, struct out *out,
			struct explain_query *query, struct wanted_explanation *wanted, bool is_first)
{
	struct outlook outlook = { .view = view, .wants_place = !query->no_place, .wants_start = !query->no_start };
	struct explanation explanation;

	wanted->error.text[0] = '\0';
	wanted->rc = explain_job(explainer, wanted->job, wanted->task, &explanation, &wanted->error);
	outlook.job = explanation.job;
	if (wanted->rc == 0)
		wanted->rc = look_further(query, &outlook, &wanted->error);
	if (wanted->rc == 0 && query->json) {
		explain_json(out, &explanation, is_first);
		outlook_json(out, &outlook);
		json_write_literal(out, "}");
	} else if (wanted->rc == 0) {
		explain_text(out, &explanation, query->exact, is_first);
		outlook_text(out, &outlook);
	}
	standing_free(&outlook.standing);
	starting_free(&outlook.starting);
	explanation_free(&explanation);
}

/* Selection of jobs */

static int job_add(struct explain_query *query, uint32_t job, uint32_t task)
{
	if (array_grow(&query->jobs, query->njobs + 1, sizeof(*query->jobs)))
		return -ENOMEM;
	query->jobs[query->njobs++] = (struct wanted_explanation){ .job = job, .task = task };
	return 0;
}

static int jobs_find(struct explain_query *query, const struct fl_view *view)
{
	int rc = 0;

	query->njobs = 0;
	query->nobody = NULL;
	for (size_t i = 0; rc == 0 && i < query->noperands; i++) {
		const struct job_operand *operand = &query->operands[i];
		struct named_jobs found = { .items = NULL };

		rc = operand->name ? jobs_named(&found, view, operand->name)
				   : job_add(query, operand->job, operand->task);
		for (size_t k = 0; rc == 0 && k < found.n; k++)
			rc = job_add(query, found.items[k], 0);
		if (operand->name && found.n == 0)
			query->nobody = operand->name;
		named_jobs_free(&found);
	}
	return rc;
}

static int explain_print(const struct fl_view *view, struct out *out, void *query)
{
	struct explain_query *explain_query = query;
	struct explainer *explainer;
	bool is_first = true;

	explain_query->error.text[0] = '\0';
	if (jobs_find(explain_query, view))
		return cli_fail(EXIT_NO_DATA, "no memory");
	explain_query->rc = explainer_create(&explainer, view, &explain_query->error);
	if (explain_query->rc)
		return EXIT_OK;
	if (explain_query->json) {
		json_write_literal(out, "{");
		cli_json_run(out, view);
		json_write_literal(out, ",\n\"jobs\":[");
	}
	for (size_t i = 0; i < explain_query->njobs && !out->error; i++) {
		explain_one(view, explainer, out, explain_query, &explain_query->jobs[i], is_first);
		is_first &= explain_query->jobs[i].rc != 0;
	}
	if (explain_query->json)
		json_write_literal(out, "\n]}\n");
	explainer_destroy(explainer);
	return EXIT_OK;
}

/* Command line */

int explain_operand(const char *verb, const char *word, struct job_operand *operand)
{
	unsigned long number, id = 0;
	char copy[32], name[32], *point;

	if (*word && !isdigit((unsigned char)*word) && strlen(word) < WILDCARD_BYTES) {
		*operand = (struct job_operand){ .name = word };
		return EXIT_OK;
	}
	if (strlen(word) >= sizeof(copy))
		return cli_fail(EXIT_USAGE, "%s: %.40s... is not a job", verb, word);
	strcpy(copy, word);
	point = strchr(copy, '.');
	if (point)
		*point++ = '\0';
	snprintf(name, sizeof(name), "%s: JOB%s", verb, point ? ".TASK" : "");
	if (cli_number(name, copy, 1, UINT32_MAX, &number) ||
	    (point && cli_number(name, point, 1, UINT32_MAX, &id)))
		return EXIT_USAGE;
	*operand = (struct job_operand){ .job = (uint32_t)number, .task = (uint32_t)id };
	return EXIT_OK;
}

static int run_time_take(void *query, struct words *words)
{
	struct explain_query *explain_query = query;

	if (amount_time(words->value, &explain_query->run_s) || explain_query->run_s == 0 ||
	    explain_query->run_s == UINT32_MAX)
		return cli_fail(EXIT_USAGE, "explain: --assume-run-time: \"%.40s\": %s, more than 0", words->value,
				AMOUNT_TIME_DUE);
	return EXIT_OK;
}

static int parse(struct explain_query *query, int argc, char **argv)
{
	struct words words = { .table = explain_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, query);

	if (code)
		return code;
	if (words.next == argc)
		return cli_fail(EXIT_USAGE, "explain: name at least one job: JOB, JOB.TASK or a name");
	if (query->json && query->exact)
		return cli_fail(EXIT_USAGE, "explain: --json has all digits; --exact is for text");
	query->operands = calloc((size_t)(argc - words.next), sizeof(*query->operands));
	if (!query->operands)
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (; !code && words.next < argc; words.next++, query->noperands++)
		code = explain_operand("explain", argv[words.next], &query->operands[query->noperands]);
	return code;
}

/* Return EXIT_DIFFERENCE if the derived value is not the published one. */
static int report(const struct explain_query *query)
{
	int code = EXIT_OK;

	if (query->rc)
		return cli_fail(query->rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %s", query->cell,
				query->error.text);
	if (query->nobody)
		code = cli_fail(EXIT_NO_DATA, "there is no job named %s", query->nobody);
	for (size_t i = 0; i < query->njobs; i++)
		if (query->jobs[i].rc)
			code = cli_fail(query->jobs[i].rc == -EPROTO && code != EXIT_NO_DATA ? EXIT_DIFFERENCE
											     : EXIT_NO_DATA,
					"%s", query->jobs[i].error.text);
	return code;
}

int explain_run(const char *cell, int argc, char **argv)
{
	struct explain_query query = { .cell = cell };
	int code = parse(&query, argc, argv);

	if (!code)
		code = section_run(cell, explain_print, &query);
	if (!code)
		code = report(&query);
	free(query.operands);
	free(query.jobs);
	return code;
}
