/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policies that are compared: each is a cell, maybe with another algorithm or machine, and a
 * scheduler of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/cell_source.h"
#include "sched/cli/replay.h"
#include "sched/cli/text.h"
#include "sched/detach.h"
#include "sched/sched.h"

/* The text with `algorithm` in place of that which it has; allocated, NULL: no memory. */
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
static uint64_t slots_choose(const struct replay_column *c, const struct cell *cell)
{
	if (c->query->slots_of_trace)
		return c->trace->about->max_procs;
	if (c->query->slots > 0 || cell->nqueues > 0 || !cell->slurm.present)
		return c->query->slots;
	return cell->slurm.cpus;
}

/* Make the files that the cell is replayed with. */
static int files_make(struct cell_files *made, const struct replay_column *c, const struct cell *cell, struct error *error)
{
	uint64_t slots = slots_choose(c, cell);
	int rc;

	if (slots == 0 && cell->nqueues == 0)
		return error_set(error, -EINVAL, "the cell has no machine to replay on: it has no queues, and no slurm.conf with nodes; --slots N gives it one");
	rc = slots > 0 ? replay_cell_of_slots(made, cell, slots, error) : files_copy(made, &cell->files);

	return !rc && c->algorithm ? files_set_algorithm(made, c->algorithm) : rc;
}

static int column_fail(const struct replay_column *c, int rc, const struct report *report, const struct error *error)
{
	report_print(report, stderr);
	if (report->faults > 0)
		return cli_fail(EXIT_NO_DATA, "%s: this cell can't be replayed: %zu fault%s", c->cell, report->faults, plural(report->faults));
	return cli_fail(rc == -EACCES || rc == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %s", c->cell,
			*error->text ? error->text : strerror(-rc));
}

static int scheduler_make(struct replay_column *c)
{
	struct report report = { 0 }, again = { 0 };
	struct cell_files files = { 0 };
	struct error error = { "" };
	struct cell *cell = calloc(1, sizeof(*cell));
	int rc = cell ? cell_load(cell, c->cell, &report) : -ENOMEM, code = EXIT_OK;

	if (!rc && report.faults > 0)
		rc = -EINVAL;
	if (!rc) {
		c->is_slurm = cell->slurm.present && cell->nqueues == 0;
		rc = files_make(&files, c, cell, &error);
	}
	if (!rc)
		rc = sched_create_detached(&c->sched, c->cell, &files, 0, &again, &error);
	if (rc)
		code = column_fail(c, rc, report.faults > 0 ? &report : &again, &error);
	if (cell)
		cell_free(cell);
	free(cell);
	cell_files_free(&files);
	report_free(&report);
	report_free(&again);
	return code;
}

/* The directory's own name, unless two have the same. */
static char *name_make(const struct replay_query *q, const char *cell, const char *algorithm)
{
	char *own = cli_cell_name(cell), *name = NULL;
	size_t same = 0;

	for (size_t k = 0; own && k < q->ncells; k++) {
		char *other = cli_cell_name(q->cells[k]);

		same += other && !strcmp(other, own);
		free(other);
	}
	if (own && asprintf(&name, "%s%s%s", same > 1 || !*own ? cell : own, algorithm ? ", " : "", algorithm ? algorithm : "") < 0)
		name = NULL;
	free(own);
	return name;
}

static int column_make(struct replay_column *c, const struct replay_query *q, const struct replay_trace *t, const char *cell, const char *algorithm)
{
	*c = (struct replay_column){ .query = q, .trace = t, .cell = cell, .algorithm = algorithm, .name = name_make(q, cell, algorithm) };
	if (!c->name || outcome_create(&c->outcome, c->name))
		return cli_fail(EXIT_NO_DATA, "no memory");
	return scheduler_make(c);
}

int replay_columns_make(struct replay_column *columns, size_t *n, const struct replay_query *q, const struct replay_trace *t)
{
	size_t each = q->nalgorithms > 0 ? q->nalgorithms : 1;
	int code = EXIT_OK;

	*n = 0;
	if (q->ncells * each > REPLAY_COLUMNS)
		return cli_fail(EXIT_USAGE, "replay: %zu policies; %d is the most in one call", q->ncells * each, REPLAY_COLUMNS);
	if (q->slots_of_trace && t->about->max_procs == 0)
		return cli_fail(EXIT_NO_DATA, "%s: its header does not say how many processors there were (MaxProcs): give --slots N", t->name);
	for (size_t k = 0; !code && k < q->ncells; k++)
		for (size_t a = 0; !code && a < each; a++)
			code = column_make(&columns[(*n)++], q, t, q->cells[k], q->nalgorithms > 0 ? q->algorithms[a] : NULL);
	return code;
}

static int nothing_came(const struct replay_column *c)
{
	struct outcome_counts counts;

	outcome_counts(c->outcome, &counts);
	if (counts.refused == 0)
		return cli_fail(EXIT_NO_DATA, "%s: no job was submitted so far", c->name);
	return cli_fail(EXIT_NO_DATA, "%s: none of %llu jobs has a place in this cell; the first, line %llu: %s", c->name,
			(unsigned long long)counts.refused, (unsigned long long)counts.refused_line, counts.refused_why);
}

int replay_columns_answer(struct replay_column *columns, size_t n)
{
	int code = EXIT_OK;

	for (size_t k = 0; k < n && !code; k++) {
		struct replay_column *c = &columns[k];

		if (!c->began)
			continue;
		if (!c->rc)
			c->rc = answers_make(&c->answers, c->outcome);
		if (c->rc == -ENODATA)
			code = nothing_came(c);
		else if (c->rc)
			code = cli_fail(EXIT_NO_DATA, "%s: %s", c->name, *c->error.text ? c->error.text : strerror(-c->rc));
	}
	return code;
}

int replay_columns_recorded(struct replay_column *columns, size_t *n)
{
	struct replay_column made = { .query = columns[0].query, .trace = columns[0].trace, .name = strdup("as recorded"), .began = true };
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

/* Those who promise nothing are measured by the first one who does. */
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

bool replay_column_is_measured(const struct replay_column *c)
{
	return c->answers.promiser != c->outcome;
}

const char *replay_column_policy(const struct replay_column *c)
{
	return c->sched ? sched_cell(c->sched)->sched.algorithm : "";
}
