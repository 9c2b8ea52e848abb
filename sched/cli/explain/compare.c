/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead compare: the term that puts one job before another. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/explain/explain.h"
#include "sched/client/job_names.h"
#include "sched/cli/text.h"
#include "sched/cli/verbs.h"
#include "sched/explain/comparison.h"
#include "sched/process/json.h"

#define FIELD(name) .field = offsetof(struct compare_query, name)

enum { COMPARED_COLUMNS = 5 };

struct compare_query {
	bool json, exact;
	const char *cell;
	struct job_operand operands[2];
	/* Results. */
	uint32_t jobs[2], tasks[2];
	bool is_same;			/* result: both operands are one task */
	int rc;
	struct error error;
};

const struct argument compare_options[] = {
	{ "--exact", ARGUMENT_FLAG, FIELD(exact), .sentence = "print numbers with all their digits" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON" },
	{ .name = NULL },
};

/* Text */

static void job_name(table_cell to, const struct fl_job *job)
{
	snprintf(to, CELL_BYTES, job->is_array ? "job %u.%u" : "job %u", job->job_number, job->task);
}

static void number_cells(const struct compared_number *compared_number, double all, bool exact, table_cell *row)
{
	memset(row, 0, COMPARED_COLUMNS * sizeof(*row));
	cell_text(row[0], compared_number->name);
	cell_number(row[1], compared_number->first, exact);
	cell_number(row[2], compared_number->second, exact);
	cell_number(row[3], compared_number->first - compared_number->second, exact);
	if (all != 0.0)		/* avoids -0.0 */
		snprintf(row[4], CELL_BYTES, "%.1f",
			 round(1000.0 * (compared_number->first - compared_number->second) / all) / 10.0 + 0.0);
}

static void put_table(struct out *out, const struct job_comparison *comparison, const struct compared_number *numbers,
		      size_t n, double all, bool exact)
{
	struct cells cells = { .columns = COMPARED_COLUMNS };
	table_cell heads[COMPARED_COLUMNS] = { "", "", "", "difference", "percent" }, row[COMPARED_COLUMNS];

	job_name(heads[1], &comparison->first->job);
	job_name(heads[2], &comparison->second->job);
	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			cells_heads(&cells, out, heads);
		for (size_t i = 0; i < n; i++) {
			number_cells(&numbers[i], all, exact, row);
			if (pass)
				cells_print(&cells, out, row);
			else
				cells_measure(&cells, row);
		}
	}
}

static void compare_text(struct out *out, const struct job_comparison *comparison, bool exact)
{
	struct compared_number terms[COMPARED_MOST + 1];
	double all = 0.0;

	text_plain(out, comparison->sentence);
	out_text(out, "\n");
	for (size_t i = 0; i < comparison->nterms; i++) {
		terms[i] = comparison->terms[i];
		all += terms[i].first - terms[i].second;
	}
	if (comparison->nterms > 0) {
		terms[comparison->nterms] = (struct compared_number){
			"prio", derived_value(&comparison->first->derivation, comparison->first->prio),
			derived_value(&comparison->second->derivation, comparison->second->prio)
		};
		out_text(out, "\n");
		put_table(out, comparison, terms, comparison->nterms + 1, all, exact);
	}
	if (comparison->nvalues > 0) {
		out_text(out, "\nWhat they come from\n");
		put_table(out, comparison, comparison->values, comparison->nvalues, 0.0, exact);
	}
}

/* JSON */

static void put_numbers(struct out *out, const char *key, const struct compared_number *numbers, size_t n)
{
	json_write_literal(out, key);
	for (size_t i = 0; i < n; i++) {
		json_write_string(out, i ? ",\n  {\"name\":" : "\n  {\"name\":", numbers[i].name);
		json_write_exact(out, ",\"first\":", numbers[i].first);
		json_write_exact(out, ",\"second\":", numbers[i].second);
		json_write_exact(out, ",\"difference\":", numbers[i].first - numbers[i].second);
		json_write_literal(out, "}");
	}
	json_write_literal(out, "]");
}

static void put_job(struct out *out, const char *key, const struct fl_job *job)
{
	json_write_literal(out, key);
	json_write_number(out, "{\"job_number\":", job->job_number);
	json_write_number(out, ",\"task\":", job->task);
	json_write_literal(out, "}");
}

static void compare_json(struct out *out, const struct fl_view *view, const struct job_comparison *comparison)
{
	json_write_literal(out, "{");
	cli_json_run(out, view);
	put_job(out, ",\n \"first\":", &comparison->first->job);
	put_job(out, ",\"second\":", &comparison->second->job);
	json_write_string(out, ",\n \"sentence\":", comparison->sentence);
	json_write_string_or_null(out, ",\n \"decisive\":",
				  comparison->decisive == COMPARED_NONE ? ""
									: comparison->terms[comparison->decisive].name);
	put_numbers(out, ",\n \"terms\":[", comparison->terms, comparison->nterms);
	put_numbers(out, ",\n \"values\":[", comparison->values, comparison->nvalues);
	json_write_literal(out, "}\n");
}

/* Verb */

static void print_both(struct explainer *explainer, const struct fl_view *view, struct out *out,
		       struct compare_query *query)
{
	struct explanation explanation[2] = { { .prio = DERIVED_NONE }, { .prio = DERIVED_NONE } };
	struct job_comparison comparison;

	for (int i = 0; i < 2 && query->rc == 0; i++)
		query->rc = explain_job(explainer, query->jobs[i], query->tasks[i], &explanation[i], &query->error);
	/* JOB.TASK and JOB may be the same task */
	query->is_same = query->rc == 0 && explanation[0].job.job_number == explanation[1].job.job_number &&
			 explanation[0].job.task == explanation[1].job.task;
	if (query->rc == 0 && !query->is_same) {
		explanations_compare(view, &explanation[0], &explanation[1], &comparison);
		if (query->json)
			compare_json(out, view, &comparison);
		else
			compare_text(out, &comparison, query->exact);
	}
	explanation_free(&explanation[0]);
	explanation_free(&explanation[1]);
}

/* Find the job of an operand. A name must match exactly one job. */
static int job_find(struct compare_query *query, const struct fl_view *view, int i)
{
	const struct job_operand *operand = &query->operands[i];
	struct named_jobs found = { .items = NULL };
	int rc = operand->name ? jobs_named(&found, view, operand->name) : 0;

	if (rc)
		rc = error_set(&query->error, rc, "no memory");
	else if (operand->name && found.n != 1)
		rc = error_set(&query->error, -ENOENT, "%zu jobs are named %s; the name of one is expected", found.n,
			       operand->name);
	query->jobs[i] = found.n ? found.items[0] : operand->job;
	query->tasks[i] = operand->task;
	named_jobs_free(&found);
	return rc;
}

static int compare_print(const struct fl_view *view, struct out *out, void *query)
{
	struct compare_query *compare_query = query;
	struct explainer *explainer;

	compare_query->error.text[0] = '\0';
	compare_query->rc = job_find(compare_query, view, 0);
	if (compare_query->rc == 0)
		compare_query->rc = job_find(compare_query, view, 1);
	if (compare_query->rc == 0)
		compare_query->rc = explainer_create(&explainer, view, &compare_query->error);
	if (compare_query->rc == 0) {
		print_both(explainer, view, out, compare_query);
		explainer_destroy(explainer);
	}
	return EXIT_OK;
}

static int parse(struct compare_query *query, int argc, char **argv)
{
	struct words words = { .table = compare_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, query);

	if (!code && argc - words.next != 2)
		code = cli_fail(EXIT_USAGE, "compare: name two jobs: JOB, JOB.TASK or a name each");
	for (int i = 0; !code && i < 2; i++)
		code = explain_operand("compare", argv[words.next + i], &query->operands[i]);
	return code;
}

int compare_run(const char *cell, int argc, char **argv)
{
	struct compare_query query = { .cell = cell };
	int code = parse(&query, argc, argv);

	if (!code)
		code = section_run(cell, compare_print, &query);
	if (!code && query.is_same)
		code = cli_fail(EXIT_USAGE, "compare: both operands are the same job");
	if (!code && query.rc)
		code = cli_fail(query.rc == -EPROTO   ? EXIT_DIFFERENCE
				: query.rc == -EACCES ? EXIT_PERMISSION
						      : EXIT_NO_DATA,
				"%s", query.error.text);
	return code;
}
