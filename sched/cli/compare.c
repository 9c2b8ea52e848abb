/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead compare: which term puts one job before another. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sched/cli/cells.h"
#include "sched/cli/explain.h"
#include "sched/cli/job_names.h"
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
	/* found */
	uint32_t jobs[2], tasks[2];
	bool is_same;			/* found: both are one task */
	int rc;
	struct error error;
};

const struct argument compare_options[] = {
	{ "--exact", ARGUMENT_FLAG, FIELD(exact), .sentence = "print numbers with all their digits" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON" },
	{ .name = NULL },
};

/* For people */

static void job_name(table_cell to, const struct fl_job *job)
{
	snprintf(to, CELL_BYTES, job->is_array ? "job %u.%u" : "job %u", job->job_number, job->task);
}

static void number_cells(const struct compared_number *n, double all, bool exact, table_cell *row)
{
	memset(row, 0, COMPARED_COLUMNS * sizeof(*row));
	cell_text(row[0], n->name);
	cell_number(row[1], n->first, exact);
	cell_number(row[2], n->second, exact);
	cell_number(row[3], n->first - n->second, exact);
	if (all != 0.0)		/* no -0.0 */
		snprintf(row[4], CELL_BYTES, "%.1f", round(1000.0 * (n->first - n->second) / all) / 10.0 + 0.0);
}

static void put_table(struct out *o, const struct job_comparison *c, const struct compared_number *numbers, size_t n, double all, bool exact)
{
	struct cells cells = { .columns = COMPARED_COLUMNS };
	table_cell heads[COMPARED_COLUMNS] = { "", "", "", "difference", "percent" }, row[COMPARED_COLUMNS];

	job_name(heads[1], &c->first->job);
	job_name(heads[2], &c->second->job);
	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			cells_heads(&cells, o, heads);
		for (size_t i = 0; i < n; i++) {
			number_cells(&numbers[i], all, exact, row);
			if (pass)
				cells_print(&cells, o, row);
			else
				cells_measure(&cells, row);
		}
	}
}

static void compare_text(struct out *o, const struct job_comparison *c, bool exact)
{
	struct compared_number terms[COMPARED_MOST + 1];
	double all = 0.0;

	text_plain(o, c->sentence);
	out_text(o, "\n");
	for (size_t i = 0; i < c->nterms; i++) {
		terms[i] = c->terms[i];
		all += terms[i].first - terms[i].second;
	}
	if (c->nterms > 0) {
		terms[c->nterms] = (struct compared_number){ "prio", derived_value(&c->first->derivation, c->first->prio),
							     derived_value(&c->second->derivation, c->second->prio) };
		out_text(o, "\n");
		put_table(o, c, terms, c->nterms + 1, all, exact);
	}
	if (c->nvalues > 0) {
		out_text(o, "\nWhat they come from\n");
		put_table(o, c, c->values, c->nvalues, 0.0, exact);
	}
}

/* For programs */

static void put_numbers(struct out *o, const char *key, const struct compared_number *numbers, size_t n)
{
	json_write_literal(o, key);
	for (size_t i = 0; i < n; i++) {
		json_write_string(o, i ? ",\n  {\"name\":" : "\n  {\"name\":", numbers[i].name);
		json_write_exact(o, ",\"first\":", numbers[i].first);
		json_write_exact(o, ",\"second\":", numbers[i].second);
		json_write_exact(o, ",\"difference\":", numbers[i].first - numbers[i].second);
		json_write_literal(o, "}");
	}
	json_write_literal(o, "]");
}

static void put_job(struct out *o, const char *key, const struct fl_job *job)
{
	json_write_literal(o, key);
	json_write_number(o, "{\"job_number\":", job->job_number);
	json_write_number(o, ",\"task\":", job->task);
	json_write_literal(o, "}");
}

static void compare_json(struct out *o, const struct fl_view *view, const struct job_comparison *c)
{
	json_write_literal(o, "{");
	cli_json_run(o, view);
	put_job(o, ",\n \"first\":", &c->first->job);
	put_job(o, ",\"second\":", &c->second->job);
	json_write_string(o, ",\n \"sentence\":", c->sentence);
	json_write_string_or_null(o, ",\n \"decisive\":", c->decisive == COMPARED_NONE ? "" : c->terms[c->decisive].name);
	put_numbers(o, ",\n \"terms\":[", c->terms, c->nterms);
	put_numbers(o, ",\n \"values\":[", c->values, c->nvalues);
	json_write_literal(o, "}\n");
}

/* The verb */

static void print_both(struct explainer *e, const struct fl_view *view, struct out *o, struct compare_query *q)
{
	struct explanation x[2] = { { .prio = DERIVED_NONE }, { .prio = DERIVED_NONE } };
	struct job_comparison c;

	for (int i = 0; i < 2 && q->rc == 0; i++)
		q->rc = explain_job(e, q->jobs[i], q->tasks[i], &x[i], &q->error);
	/* JOB.TASK may name what JOB alone means. */
	q->is_same = q->rc == 0 && x[0].job.job_number == x[1].job.job_number && x[0].job.task == x[1].job.task;
	if (q->rc == 0 && !q->is_same) {
		explanations_compare(view, &x[0], &x[1], &c);
		if (q->json)
			compare_json(o, view, &c);
		else
			compare_text(o, &c, q->exact);
	}
	explanation_free(&x[0]);
	explanation_free(&x[1]);
}

/* A name must be that of one job. */
static int job_find(struct compare_query *q, const struct fl_view *view, int i)
{
	const struct job_operand *operand = &q->operands[i];
	struct named_jobs found = { .items = NULL };
	int rc = operand->name ? jobs_named(&found, view, operand->name) : 0;

	if (rc)
		rc = error_set(&q->error, rc, "no memory");
	else if (operand->name && found.n != 1)
		rc = error_set(&q->error, -ENOENT, "%zu jobs are named %s; the name of one is expected", found.n, operand->name);
	q->jobs[i] = found.n ? found.items[0] : operand->job;
	q->tasks[i] = operand->task;
	named_jobs_free(&found);
	return rc;
}

static int compare_print(const struct fl_view *view, struct out *o, void *query)
{
	struct compare_query *q = query;
	struct explainer *e;

	q->error.text[0] = '\0';
	q->rc = job_find(q, view, 0);
	if (q->rc == 0)
		q->rc = job_find(q, view, 1);
	if (q->rc == 0)
		q->rc = explainer_create(&e, view, &q->error);
	if (q->rc == 0) {
		print_both(e, view, o, q);
		explainer_destroy(e);
	}
	return EXIT_OK;
}

static int parse(struct compare_query *q, int argc, char **argv)
{
	struct words words = { .table = compare_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, q);

	if (!code && argc - words.next != 2)
		code = cli_fail(EXIT_USAGE, "compare: which two jobs? JOB, JOB.TASK or a name each");
	for (int i = 0; !code && i < 2; i++)
		code = explain_operand("compare", argv[words.next + i], &q->operands[i]);
	return code;
}

int compare_run(const char *cell, int argc, char **argv)
{
	struct compare_query q = { .cell = cell };
	int code = parse(&q, argc, argv);

	if (!code)
		code = section_run(cell, compare_print, &q);
	if (!code && q.is_same)
		code = cli_fail(EXIT_USAGE, "compare: that is the same job twice");
	if (!code && q.rc)
		code = cli_fail(q.rc == -EPROTO ? EXIT_DIFFERENCE : q.rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "%s", q.error.text);
	return code;
}
