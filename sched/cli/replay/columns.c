/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies to compare. Each is a cell, optionally with another algorithm or machine, and has a
 * scheduler of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell_source.h"
#include "sched/cli/replay/replay.h"
#include "sched/cli/text.h"
#include "sched/detach.h"
#include "sched/sched.h"

/* Return an allocated copy of the text with another `algorithm`. NULL: memory is exhausted. */
static char *algorithm_put(const char *text, const char *algorithm)
{
	char *made = NULL;
	size_t size;
	FILE *out = open_memstream(&made, &size);

	if (!out)
		return NULL;
	for (const char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (strncmp(line, "algorithm", 9) || !strchr(" \t\n", line[9]))
			fprintf(out, "%.*s", (int)(end - line), line);
	}
	fprintf(out, "%salgorithm %s\n", size > 0 && made && made[size - 1] != '\n' ? "\n" : "", algorithm);
	if (fclose(out)) {
		free(made);
		return NULL;
	}
	return made;
}

static int files_set_algorithm(struct cell_files *files, const char *algorithm)
{
	struct cell_file *items;

	for (size_t k = 0; k < files->n; k++) {
		char *text;

		if (strcmp(files->items[k].name, "sched_conf"))
			continue;
		text = algorithm_put(files->items[k].text, algorithm);
		if (!text)
			return -ENOMEM;
		free(files->items[k].text);
		files->items[k].text = text;
		return 0;
	}
	items = reallocarray(files->items, files->n + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	files->items = items;
	items[files->n] = (struct cell_file){ .name = strdup("sched_conf"), .text = algorithm_put("", algorithm) };
	files->n++;
	if (!items[files->n - 1].name || !items[files->n - 1].text)
		return -ENOMEM;
	cell_files_sort(files);
	return 0;
}

static int files_copy(struct cell_files *made, const struct cell_files *from)
{
	made->items = calloc(from->n + 1, sizeof(*made->items));
	if (!made->items)
		return -ENOMEM;
	for (; made->n < from->n; made->n++) {
		made->items[made->n] = from->items[made->n];
		made->items[made->n].name = strdup(from->items[made->n].name);
		made->items[made->n].text = strdup(from->items[made->n].text);
		if (!made->items[made->n].name || !made->items[made->n].text) {
			made->n++;
			return -ENOMEM;
		}
	}
	return 0;
}

/*
 * Return the number of slots of the machine that replaces the cell's own, or 0 for its own. A Slurm
 * site's cell has no queues: its machine is the CPUs of the nodes in slurm.conf.
 */
static uint64_t slots_choose(const struct replay_column *column, const struct cell *cell)
{
	if (column->query->slots_of_trace)
		return column->trace->about->max_procs;
	if (column->query->slots > 0 || cell->nqueues > 0 || !cell->slurm.present)
		return column->query->slots;
	return cell->slurm.cpus;
}

/* Make the files that the cell is replayed with. */
static int files_make(struct cell_files *made, const struct replay_column *column, const struct cell *cell,
		      struct error *error)
{
	uint64_t slots = slots_choose(column, cell);
	int rc;

	if (slots == 0 && cell->nqueues == 0)
		return error_set(
			error, -EINVAL,
			"the cell has no machine to replay on: it has no queues, and no slurm.conf with nodes; "
			"--slots N gives it one");
	rc = slots > 0 ? replay_cell_of_slots(made, cell, slots, error) : files_copy(made, &cell->files);

	return !rc && column->algorithm ? files_set_algorithm(made, column->algorithm) : rc;
}

static int column_fail(const struct replay_column *column, int rc, const struct report *report,
		       const struct error *error)
{
	report_print(report, stderr);
	if (report->faults > 0)
		return cli_fail(EXIT_NO_DATA, "%s: this cell cannot be replayed: %zu fault%s", column->cell,
				report->faults, plural(report->faults));
	return cli_fail(rc == -EACCES || rc == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %s", column->cell,
			*error->text ? error->text : strerror(-rc));
}

static int scheduler_make(struct replay_column *column)
{
	struct report report = { 0 }, again = { 0 };
	struct cell_files files = { 0 };
	struct error error = { "" };
	struct cell *cell = calloc(1, sizeof(*cell));
	int rc = cell ? cell_load(cell, column->cell, &report) : -ENOMEM, code = EXIT_OK;

	if (!rc && report.faults > 0)
		rc = -EINVAL;
	if (!rc) {
		column->is_slurm = cell->slurm.present && cell->nqueues == 0;
		rc = files_make(&files, column, cell, &error);
	}
	if (!rc)
		rc = sched_create_detached(&column->sched, column->cell, &files, 0, &again, &error);
	if (rc)
		code = column_fail(column, rc, report.faults > 0 ? &report : &again, &error);
	if (cell)
		cell_free(cell);
	free(cell);
	cell_files_free(&files);
	report_free(&report);
	report_free(&again);
	return code;
}

/* Return the directory's own name, or a longer one if two cells have the same. */
static char *name_make(const struct replay_query *query, const char *cell, const char *algorithm)
{
	char *own = cli_cell_name(cell), *name = NULL;
	size_t same = 0;

	for (size_t k = 0; own && k < query->ncells; k++) {
		char *other = cli_cell_name(query->cells[k]);

		same += other && !strcmp(other, own);
		free(other);
	}
	if (own && asprintf(&name, "%s%s%s", same > 1 || !*own ? cell : own, algorithm ? ", " : "",
			    algorithm ? algorithm : "") < 0)
		name = NULL;
	free(own);
	return name;
}

static int column_make(struct replay_column *column, const struct replay_query *query, const struct replay_trace *trace,
		       const char *cell, const char *algorithm)
{
	*column = (struct replay_column){ .query = query,
					  .trace = trace,
					  .cell = cell,
					  .algorithm = algorithm,
					  .name = name_make(query, cell, algorithm) };
	if (!column->name || outcome_create(&column->outcome, column->name))
		return cli_fail(EXIT_NO_DATA, "no memory");
	return scheduler_make(column);
}

int replay_columns_make(struct replay_column *columns, size_t *n, const struct replay_query *query,
			const struct replay_trace *trace)
{
	size_t each = query->nalgorithms > 0 ? query->nalgorithms : 1;
	int code = EXIT_OK;

	*n = 0;
	if (query->ncells * each > REPLAY_COLUMNS)
		return cli_fail(EXIT_USAGE, "replay: %zu policies; at most %d are allowed", query->ncells * each,
				REPLAY_COLUMNS);
	if (query->slots_of_trace && trace->about->max_procs == 0)
		return cli_fail(EXIT_NO_DATA,
				"%s: its header has no number of processors (MaxProcs): set --slots N",
				trace->name);
	for (size_t k = 0; !code && k < query->ncells; k++)
		for (size_t a = 0; !code && a < each; a++)
			code = column_make(&columns[(*n)++], query, trace, query->cells[k],
					   query->nalgorithms > 0 ? query->algorithms[a] : NULL);
	return code;
}

static int nothing_came(const struct replay_column *column)
{
	struct outcome_counts counts;

	outcome_counts(column->outcome, &counts);
	if (counts.refused == 0)
		return cli_fail(EXIT_NO_DATA, "%s: no job was submitted so far", column->name);
	return cli_fail(EXIT_NO_DATA, "%s: none of %llu jobs can run in this cell; the first, line %llu: %s",
			column->name, (unsigned long long)counts.refused, (unsigned long long)counts.refused_line,
			counts.refused_why);
}

int replay_columns_answer(struct replay_column *columns, size_t n)
{
	int code = EXIT_OK;

	for (size_t k = 0; k < n && !code; k++) {
		struct replay_column *column = &columns[k];

		if (!column->began)
			continue;
		if (!column->rc)
			column->rc = answers_make(&column->answers, column->outcome);
		if (column->rc == -ENODATA)
			code = nothing_came(column);
		else if (column->rc)
			code = cli_fail(EXIT_NO_DATA, "%s: %s", column->name,
					*column->error.text ? column->error.text : strerror(-column->rc));
	}
	return code;
}

int replay_columns_recorded(struct replay_column *columns, size_t *n)
{
	struct replay_column made = {
		.query = columns[0].query, .trace = columns[0].trace, .name = strdup("as recorded"), .began = true
	};
	int rc = made.name ? outcome_recorded(&made.outcome, columns[0].outcome, made.name) : -ENOMEM;

	if (!rc)
		rc = answers_make(&made.answers, made.outcome);
	if (rc) {
		replay_columns_free(&made, 1);
		return rc;
	}
	for (size_t k = (*n)++; k > 0; k--)
		memcpy(&columns[k], &columns[k - 1], sizeof(*columns));
	memcpy(&columns[0], &made, sizeof(made));
	return 0;
}

/* Columns without promised shares use those of the first column that has some. */
int replay_columns_measure(struct replay_column *columns, size_t n)
{
	const struct replay_column *promiser = NULL;
	int rc = 0;

	for (size_t k = n; k-- > 0;)
		if (columns[k].answers.users.samples > 0 || columns[k].answers.projects.samples > 0)
			promiser = &columns[k];
	for (size_t k = 0; k < n && promiser && !rc; k++)
		if (columns[k].answers.users.samples == 0 && columns[k].answers.projects.samples == 0)
			rc = answers_measure(&columns[k].answers, promiser->outcome);
	return rc ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

void replay_columns_free(struct replay_column *columns, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		answers_free(&columns[k].answers);
		outcome_destroy(columns[k].outcome);
		if (columns[k].sched)
			sched_destroy(columns[k].sched);
		free(columns[k].name);
	}
}

bool replay_column_is_measured(const struct replay_column *column)
{
	return column->answers.promiser != column->outcome;
}

const char *replay_column_policy(const struct replay_column *column)
{
	return column->sched ? sched_cell(column->sched)->sched.algorithm : "";
}
