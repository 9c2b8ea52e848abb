/* SPDX-License-Identifier: Apache-2.0 */
/* Which queue instances are meant, in the order of qstat -f. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/cli/queues.h"

void queues_end(struct queues *q)
{
	stat_end(&q->jobs);
	cluster_cell_free(&q->cell);
	attributes_free(&q->found);
	placed_free(&q->placed);
	free(q->rows);
	q->rows = NULL;
	q->nrows = 0;
}

/* By what qstat sorts: seq_no, queue, host. */
static int row_compare(const void *a, const void *b)
{
	const struct fl_instance *x = &((const struct queue_row *)a)->instance, *y = &((const struct queue_row *)b)->instance;

	if (x->seq_no != y->seq_no)
		return x->seq_no < y->seq_no ? -1 : 1;
	if (x->queue != y->queue) {
		int order = strcmp(x->queue, y->queue);

		if (order)
			return order;
	}
	return strcmp(x->name, y->name);
}

/* A list of the queue on this host: "a b" or "a,b"; NONE and nothing are empty. */
static bool list_has(const struct cell *cell, const struct fl_instance *i, const char *attribute, const char *wanted, bool *empty)
{
	const struct queue *queue = cell_queue(cell, i->queue);
	const char *host = strchr(i->name, '@'), *text = queue && host ? cell_queue_value(cell, queue, host + 1, attribute) : NULL;
	struct strlist list = { 0 };
	struct error error;
	bool has = false;

	if (text && strlist_parse(&list, text, &error) == 0)
		for (size_t k = 0; k < list.n && !has; k++)
			has = wildcard_match(wanted, list.items[k], 0);
	if (empty)
		*empty = list.n == 0;
	strlist_free(&list);
	return has;
}

/* Is the user in one of the access lists of an attribute? */
static bool access_has(const struct cell *cell, const struct fl_instance *i, const char *attribute, const char *user, bool *empty)
{
	bool listed = false;

	list_has(cell, i, attribute, "", empty);
	for (size_t k = 0; k < cell->nusersets && !listed; k++)
		listed = cell_userset_lists(cell, &cell->usersets[k], user) && list_has(cell, i, attribute, cell->usersets[k].name, NULL);
	return listed;
}

static bool may_use(const struct cell *cell, const struct fl_instance *i, const char *user)
{
	bool open, none;
	bool in = access_has(cell, i, "user_lists", user, &open), out = access_has(cell, i, "xuser_lists", user, &none);

	return (open || in) && !out;
}

static bool any_of(const struct names *names, const struct cell *cell, const struct fl_instance *i,
		   bool (*is)(const struct cell *, const struct fl_instance *, const char *))
{
	for (size_t k = 0; k < names->n; k++)
		if (is(cell, i, names->items[k]))
			return true;
	return names->n == 0;
}

static bool has_pe(const struct cell *cell, const struct fl_instance *i, const char *pe)
{
	return list_has(cell, i, "pe_list", pe, NULL);
}

static bool means(struct queues *q, const struct fl_view *view, size_t k, const struct fl_instance *i)
{
	const struct cell *cell = &q->cell.cell;

	if (!cluster_queue_is(&q->patterns, i, cell) || (q->states && !strpbrk(i->state, q->states)) || (q->nonempty && i->used == 0))
		return false;
	if (!any_of(&q->jobs.filter.pes, cell, i, has_pe) || !any_of(&q->jobs.filter.queue_users, cell, i, may_use))
		return false;
	if (q->wanted.n == 0)
		return true;
	/* as qstat -l: whether the instance has that much at all */
	q->found.totals = true;
	if (attributes_of(&q->found, view, cell, i->host, &k))
		q->error = -ENOMEM;
	q->found.totals = false;
	return wanted_fits(&q->wanted, &q->found, cell);
}

static void rows_find(struct queues *q, const struct fl_view *view)
{
	size_t n = fl_instances(view);

	q->rows = calloc(n + 1, sizeof(*q->rows));
	if (!q->rows) {
		q->error = -ENOMEM;
		return;
	}
	for (size_t k = 0; k < n && q->error == 0; k++) {
		struct queue_row *row = &q->rows[q->nrows];

		if (fl_instance(view, k, &row->instance) || !means(q, view, k, &row->instance))
			continue;
		row->number = (uint32_t)k;
		q->nrows++;
	}
	qsort(q->rows, q->nrows, sizeof(*q->rows), row_compare);
}

/* Each pattern of -q means an instance that there is; else the queues are told. */
static void patterns_check(struct queues *q, const struct fl_view *view)
{
	size_t n = fl_instances(view);
	const char *last = NULL;
	struct fl_instance i;

	for (size_t p = 0; p < q->patterns.n; p++) {
		const struct names one = { &q->patterns.items[p], 1 };
		size_t k = 0;

		while (k < n && fl_instance(view, k, &i) == 0 && !cluster_queue_is(&one, &i, &q->cell.cell))
			k++;
		if (k < n)
			continue;
		q->unknown = q->patterns.items[p];
		q->unknown_kind = "queue instance";
		for (k = 0; k < n && fl_instance(view, k, &i) == 0; k++) {
			if (last != i.queue)
				cluster_know(&q->known, strchr(q->unknown, '@') ? i.name : i.queue);
			last = strchr(q->unknown, '@') ? NULL : i.queue;
		}
		return;
	}
}

static void pes_check(struct queues *q)
{
	for (size_t p = 0; p < q->jobs.filter.pes.n && !q->unknown; p++)
		if (!cell_pe_matching(&q->cell.cell, q->jobs.filter.pes.items[p])) {
			q->unknown = q->jobs.filter.pes.items[p];
			q->unknown_kind = "parallel environment";
			for (size_t k = 0; k < q->cell.cell.npes; k++)
				cluster_know(&q->known, q->cell.cell.pes[k].name);
		}
}

int queues_begin(struct queues *q, const struct fl_view *view, bool *any)
{
	bool needs_cell = q->attributes || q->wanted.n > 0 || q->jobs.filter.pes.n > 0 || q->jobs.filter.queue_users.n > 0 || cluster_queue_groups(&q->patterns);
	int code = EXIT_OK;

	queues_end(q);
	*any = false;
	q->error = 0;
	q->unknown = NULL;
	q->known = (struct cluster_known){ 0 };
	q->nothing = fl_hosts(view) == 0;
	if (q->nothing)
		return EXIT_OK;
	q->error = needs_cell ? cluster_cell_load(&q->cell, view) : 0;
	if (q->error == 0)
		code = wanted_check(&q->wanted, "queues", &q->cell.cell);
	if (q->error == 0 && !code) {
		if (q->jobs.format.print != queues_names)	/* what no instance has is no fault of a selection */
			patterns_check(q, view);
		pes_check(q);
	}
	if (q->error == 0 && !code && !q->unknown)
		rows_find(q, view);
	if (q->error == 0 && !code && (q->jobs.filter.owners.n > 0 || q->jobs.format.print == queues_json))
		q->error = placed_find(&q->placed, view, &q->jobs.filter.owners);
	if (q->error == 0 && !code && !q->unknown && q->jobs.filter.owners.n > 0)
		(void)stat_begin(&q->jobs, view);
	*any = q->error == 0 && !code && !q->unknown;
	return code;
}
