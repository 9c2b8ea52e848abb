/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/explain.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/amount.h"
#include "conf/array.h"
#include "conf/wildcard.h"
#include "sched/cli/explain_place.h"
#include "sched/cli/job_names.h"
#include "sched/cli/verbs.h"
#include "sched/process/json.h"

#define FEW_JOBS 1000
#define FEW_OPERANDS 10
#define HORIZON_S (30 * 86400)
#define FEW_NS 2000000000u		/* of real time, if nobody has asked */
#define WHEN_NS 60000000000u
#define FIELD(name) .field = offsetof(struct explain_query, name)

static int run_time_take(void *query, struct words *w);

const struct argument explain_options[] = {
	{ "--exact", ARGUMENT_FLAG, FIELD(exact), .sentence = "print numbers with all their digits" },
	{ "--json", ARGUMENT_FLAG, FIELD(json), .sentence = "print JSON: each line with its operation and operands" },
	{ "--no-place", ARGUMENT_FLAG, FIELD(no_place), .sentence = "omit the rank among pending jobs" },
	{ "--advice", ARGUMENT_FLAG, FIELD(advice), .sentence = "search for changes that would move the job forward, however many jobs wait" },
	{ "--no-advice", ARGUMENT_FLAG, FIELD(no_advice), .sentence = "do not search for such changes" },
	{ "--no-start", ARGUMENT_FLAG, FIELD(no_start), .sentence = "omit why the job does not start" },
	{ "--when", ARGUMENT_FLAG, FIELD(when), .sentence = "estimate when the job starts, however many jobs wait" },
	{ "--no-when", ARGUMENT_FLAG, FIELD(no_when), .sentence = "do not estimate when the job starts" },
	{ "--assume-run-time", ARGUMENT_CALL, .call = run_time_take, .value = "TIME", .sentence = "assume this run time for tasks without a limit, s or h:m:s (default: they run for ever)" },
	{ .name = NULL },
};

/* One job after the other: what is wrong with one does not keep the others from being explained. */

/* Searches are made without being asked for where they take no time that anybody would notice. */
static bool is_quick(const struct explain_query *q, const struct outlook *l)
{
	return q->njobs <= FEW_OPERANDS && fl_count(l->view, FL_PENDING) <= FEW_JOBS;
}

static int look_out(const struct explain_query *q, struct outlook *l, struct error *error)
{
	bool waits = l->wants_place && !l->job.is_started;
	int rc = waits ? standing_find(&l->standing, l->view, l->job.job_number) : 0;

	if (rc)
		return error_set(error, rc, "job %u: out of memory", l->job.job_number);
	l->has_advices = waits && !q->no_advice && (q->advice || is_quick(q, l));
	return l->has_advices ? advices_find(&l->advices, l->view, &l->job, error) : 0;
}

static int look_ahead(const struct explain_query *q, struct outlook *l, struct error *error)
{
	l->has_starting = l->wants_start && !q->no_when && (q->when || is_quick(q, l));
	l->wishes = (struct starting_wishes){ .run_s = q->run_s, .horizon_s = HORIZON_S, .budget_ns = q->when ? WHEN_NS : FEW_NS };
	return l->has_starting ? starting_find(&l->starting, l->view, &l->job, &l->wishes, error) : 0;
}

/* Whoever may not read what a run needs, or finds nothing of it, is told the rest all the same. */
static int look_further(const struct explain_query *q, struct outlook *l, struct error *error)
{
	int rc = look_out(q, l, error);

	rc = rc ? rc : look_ahead(q, l, error);
	if (rc != -EACCES && rc != -ENODATA)
		return rc;
	l->untold = *error;
	l->has_advices = l->has_starting = false;
	error->text[0] = '\0';
	return 0;
}

static void explain_one(const struct fl_view *view, struct explainer *e, struct out *o, struct explain_query *q, struct wanted_explanation *wanted, bool is_first)
{
	struct outlook l = { .view = view, .wants_place = !q->no_place, .wants_start = !q->no_start };
	struct explanation x;

	wanted->error.text[0] = '\0';
	wanted->rc = explain_job(e, wanted->job, wanted->task, &x, &wanted->error);
	l.job = x.job;
	if (wanted->rc == 0)
		wanted->rc = look_further(q, &l, &wanted->error);
	if (wanted->rc == 0 && q->json) {
		explain_json(o, &x, is_first);
		outlook_json(o, &l);
		json_write_literal(o, "}");
	} else if (wanted->rc == 0) {
		explain_text(o, &x, q->exact, is_first);
		outlook_text(o, &l);
	}
	standing_free(&l.standing);
	starting_free(&l.starting);
	explanation_free(&x);
}

/* Which jobs */

static int job_add(struct explain_query *q, uint32_t job, uint32_t task)
{
	if (array_grow(&q->jobs, q->njobs + 1, sizeof(*q->jobs)))
		return -ENOMEM;
	q->jobs[q->njobs++] = (struct wanted_explanation){ .job = job, .task = task };
	return 0;
}

static int jobs_find(struct explain_query *q, const struct fl_view *view)
{
	int rc = 0;

	q->njobs = 0;
	q->nobody = NULL;
	for (size_t i = 0; rc == 0 && i < q->noperands; i++) {
		const struct job_operand *operand = &q->operands[i];
		struct named_jobs found = { .items = NULL };

		rc = operand->name ? jobs_named(&found, view, operand->name) : job_add(q, operand->job, operand->task);
		for (size_t k = 0; rc == 0 && k < found.n; k++)
			rc = job_add(q, found.items[k], 0);
		if (operand->name && found.n == 0)
			q->nobody = operand->name;
		named_jobs_free(&found);
	}
	return rc;
}

static int explain_print(const struct fl_view *view, struct out *o, void *query)
{
	struct explain_query *q = query;
	struct explainer *e;
	bool is_first = true;

	q->error.text[0] = '\0';
	if (jobs_find(q, view))
		return cli_fail(EXIT_NO_DATA, "no memory");
	q->rc = explainer_create(&e, view, &q->error);
	if (q->rc)
		return EXIT_OK;
	if (q->json) {
		json_write_literal(o, "{");
		cli_json_run(o, view);
		json_write_literal(o, ",\n\"jobs\":[");
	}
	for (size_t i = 0; i < q->njobs && !o->error; i++) {
		explain_one(view, e, o, q, &q->jobs[i], is_first);
		is_first &= q->jobs[i].rc != 0;
	}
	if (q->json)
		json_write_literal(o, "\n]}\n");
	explainer_destroy(e);
	return EXIT_OK;
}

/* The command line */

int explain_operand(const char *verb, const char *word, struct job_operand *operand)
{
	unsigned long number, id = 0;
	char copy[32], name[32], *point;

	if (*word && !isdigit((unsigned char)*word) && strlen(word) < WILDCARD_BYTES) {
		*operand = (struct job_operand){ .name = word };
		return EXIT_OK;
	}
	if (strlen(word) >= sizeof(copy))
		return cli_fail(EXIT_USAGE, "%s: %.40s... is no job", verb, word);
	strcpy(copy, word);
	point = strchr(copy, '.');
	if (point)
		*point++ = '\0';
	snprintf(name, sizeof(name), "%s: JOB%s", verb, point ? ".TASK" : "");
	if (options_number(name, copy, 1, UINT32_MAX, &number) || (point && options_number(name, point, 1, UINT32_MAX, &id)))
		return EXIT_USAGE;
	*operand = (struct job_operand){ .job = (uint32_t)number, .task = (uint32_t)id };
	return EXIT_OK;
}

static int run_time_take(void *query, struct words *w)
{
	struct explain_query *q = query;

	if (amount_time(w->value, &q->run_s) || q->run_s == 0 || q->run_s == UINT32_MAX)
		return cli_fail(EXIT_USAGE, "explain: --assume-run-time: \"%.40s\": %s, more than 0", w->value, AMOUNT_TIME_DUE);
	return EXIT_OK;
}

static int parse(struct explain_query *q, int argc, char **argv)
{
	struct words words = { .table = explain_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, q);

	if (code)
		return code;
	if (words.next == argc)
		return cli_fail(EXIT_USAGE, "explain: which job? JOB, JOB.TASK or a name; several are allowed");
	if (q->json && q->exact)
		return cli_fail(EXIT_USAGE, "explain: --json has all digits; --exact is for text");
	q->operands = calloc((size_t)(argc - words.next), sizeof(*q->operands));
	if (!q->operands)
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (; !code && words.next < argc; words.next++, q->noperands++)
		code = explain_operand("explain", argv[words.next], &q->operands[q->noperands]);
	return code;
}

/* What was derived is not what was published: a difference. */
static int report(const struct explain_query *q)
{
	int code = EXIT_OK;

	if (q->rc)
		return cli_fail(q->rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %s", q->cell, q->error.text);
	if (q->nobody)
		code = cli_fail(EXIT_NO_DATA, "no job named %s is there", q->nobody);
	for (size_t i = 0; i < q->njobs; i++)
		if (q->jobs[i].rc)
			code = cli_fail(q->jobs[i].rc == -EPROTO && code != EXIT_NO_DATA ? EXIT_DIFFERENCE : EXIT_NO_DATA, "%s", q->jobs[i].error.text);
	return code;
}

int explain_run(const char *cell, int argc, char **argv)
{
	struct explain_query q = { .cell = cell };
	int code = parse(&q, argc, argv);

	if (!code)
		code = section_run(cell, explain_print, &q);
	if (!code)
		code = report(&q);
	free(q.operands);
	free(q.jobs);
	return code;
}
