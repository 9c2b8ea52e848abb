/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of queue instances, in the order of qstat -f. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "sched/cli/queues/queues.h"

void queues_end(struct queues *queues)
{
	stat_end(&queues->jobs);
	cluster_cell_free(&queues->cell);
	attributes_free(&queues->found);
	placed_free(&queues->placed);
	free(queues->rows);
	queues->rows = NULL;
	queues->nrows = 0;
}

/* Compare like qstat: seq_no, queue, host. */
static int row_compare(const void *a, const void *b)
{
	const struct fl_instance *x = &((const struct queue_row *)a)->instance,
				 *y = &((const struct queue_row *)b)->instance;

	if (x->seq_no != y->seq_no)
		return x->seq_no < y->seq_no ? -1 : 1;
	if (x->queue != y->queue) {
		int order = strcmp(x->queue, y->queue);

		if (order)
			return order;
	}
	return strcmp(x->name, y->name);
}

/*
 * Return whether a list of the queue on this host has a name: "a b" or "a,b". NONE and an empty
 * text are empty.
 */
static bool list_has(const struct cell *cell, const struct fl_instance *instance, const char *attribute,
		     const char *wanted, bool *empty)
{
	const struct queue *queue = cell_queue(cell, instance->queue);
	const char *host = strchr(instance->name, '@'),
		   *text = queue && host ? cell_queue_value(cell, queue, host + 1, attribute) : NULL;
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

/* Return whether the user is in one of the access lists of an attribute. */
static bool access_has(const struct cell *cell, const struct fl_instance *instance, const char *attribute,
		       const char *user, bool *empty)
{
	bool listed = false;

	list_has(cell, instance, attribute, "", empty);
	for (size_t k = 0; k < cell->nusersets && !listed; k++)
		listed = cell_userset_lists(cell, &cell->usersets[k], user) &&
			 list_has(cell, instance, attribute, cell->usersets[k].name, NULL);
	return listed;
}

static bool may_use(const struct cell *cell, const struct fl_instance *instance, const char *user)
{
	bool open, none;
	bool in = access_has(cell, instance, "user_lists", user, &open),
	     out = access_has(cell, instance, "xuser_lists", user, &none);

	return (open || in) && !out;
}

static bool any_of(const struct names *names, const struct cell *cell, const struct fl_instance *instance,
		   bool (*is)(const struct cell *, const struct fl_instance *, const char *))
{
	for (size_t k = 0; k < names->n; k++)
		if (is(cell, instance, names->items[k]))
			return true;
	return names->n == 0;
}

static bool has_pe(const struct cell *cell, const struct fl_instance *instance, const char *pe)
{
	return list_has(cell, instance, "pe_list", pe, NULL);
}

static bool means(struct queues *queues, const struct fl_view *view, size_t k, const struct fl_instance *instance)
{
	const struct cell *cell = &queues->cell.cell;

	if (!cluster_queue_is(&queues->patterns, instance, cell) ||
	    (queues->states && !strpbrk(instance->state, queues->states)) || (queues->nonempty && instance->used == 0))
		return false;
	if (!any_of(&queues->jobs.filter.pes, cell, instance, has_pe) ||
	    !any_of(&queues->jobs.filter.queue_users, cell, instance, may_use))
		return false;
	if (queues->wanted.n == 0)
		return true;
	/* like qstat -l: compare with the total amounts of the instance */
	queues->found.totals = true;
	if (attributes_of(&queues->found, view, cell, instance->host, &k))
		queues->error = -ENOMEM;
	queues->found.totals = false;
	return wanted_fits(&queues->wanted, &queues->found, cell);
}

static void rows_find(struct queues *queues, const struct fl_view *view)
{
	size_t n = fl_instances(view);

	queues->rows = calloc(n + 1, sizeof(*queues->rows));
	if (!queues->rows) {
		queues->error = -ENOMEM;
		return;
	}
	for (size_t k = 0; k < n && queues->error == 0; k++) {
		struct queue_row *row = &queues->rows[queues->nrows];

		if (fl_instance(view, k, &row->instance) || !means(queues, view, k, &row->instance))
			continue;
		row->number = (uint32_t)k;
		queues->nrows++;
	}
	qsort(queues->rows, queues->nrows, sizeof(*queues->rows), row_compare);
}

/*
 * Check that each pattern of -q matches an instance. If not, store the known queues for the
 * message.
 */
static void patterns_check(struct queues *queues, const struct fl_view *view)
{
	size_t n = fl_instances(view);
	const char *last = NULL;
	struct fl_instance instance;

	for (size_t p = 0; p < queues->patterns.n; p++) {
		const struct names one = { &queues->patterns.items[p], 1 };
		size_t k = 0;

		while (k < n && fl_instance(view, k, &instance) == 0 &&
		       !cluster_queue_is(&one, &instance, &queues->cell.cell))
			k++;
		if (k < n)
			continue;
		queues->unknown = queues->patterns.items[p];
		queues->unknown_kind = "queue instance";
		queues->unknown_reason = REASON_NONE;
		for (k = 0; k < n && fl_instance(view, k, &instance) == 0; k++) {
			if (last != instance.queue)
				cluster_know(&queues->known,
					     strchr(queues->unknown, '@') ? instance.name : instance.queue);
			last = strchr(queues->unknown, '@') ? NULL : instance.queue;
		}
		return;
	}
}

static void pes_check(struct queues *queues)
{
	for (size_t p = 0; p < queues->jobs.filter.pes.n && !queues->unknown; p++)
		if (!cell_pe_matching(&queues->cell.cell, queues->jobs.filter.pes.items[p])) {
			queues->unknown = queues->jobs.filter.pes.items[p];
			queues->unknown_kind = "parallel environment";
			queues->unknown_reason = REASON_NO_PE;
			for (size_t k = 0; k < queues->cell.cell.npes; k++)
				cluster_know(&queues->known, queues->cell.cell.pes[k].name);
		}
}

int queues_begin(struct queues *queues, const struct fl_view *view, bool *any)
{
	bool needs_cell = queues->attributes || queues->wanted.n > 0 || queues->jobs.filter.pes.n > 0 ||
			  queues->jobs.filter.queue_users.n > 0 || cluster_queue_groups(&queues->patterns);
	int code = EXIT_OK;

	queues_end(queues);
	*any = false;
	queues->error = 0;
	queues->unknown = NULL;
	queues->known = (struct cluster_known){ 0 };
	queues->nothing = fl_hosts(view) == 0;
	if (queues->nothing)
		return EXIT_OK;
	queues->error = needs_cell ? cluster_cell_load(&queues->cell, view) : 0;
	if (queues->error == 0)
		code = wanted_check(queues->jobs.messages, &queues->wanted, "queues", &queues->cell.cell);
	if (queues->error == 0 && !code) {
		/* an empty result of a selection is no error */
		if (queues->jobs.format.print != queues_names)
			patterns_check(queues, view);
		pes_check(queues);
	}
	if (queues->error == 0 && !code && !queues->unknown)
		rows_find(queues, view);
	if (queues->error == 0 && !code &&
	    (queues->jobs.filter.owners.n > 0 || queues->jobs.format.print == queues_json))
		queues->error = placed_find(&queues->placed, view, &queues->jobs.filter.owners);
	if (queues->error == 0 && !code && !queues->unknown && queues->jobs.filter.owners.n > 0)
		(void)stat_begin(&queues->jobs, view);
	*any = queues->error == 0 && !code && !queues->unknown;
	return code;
}
