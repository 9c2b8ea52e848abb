/* SPDX-License-Identifier: Apache-2.0 */
/* NodeName and NodeSet lines of slurm.conf(5), and the total resources of any set of nodes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/base/search.h"
#include "conf/slurm/files.h"

struct node_number {
	const char *key;
	size_t offset;
	uint32_t most;
};

static const struct node_number numbers[] = {
	{ "CPUs", offsetof(struct node_kind, cpus), UINT16_MAX },
	{ "Procs", offsetof(struct node_kind, cpus), UINT16_MAX },
	{ "Boards", offsetof(struct node_kind, boards), UINT16_MAX },
	{ "Sockets", offsetof(struct node_kind, sockets), UINT16_MAX },
	{ "SocketsPerBoard", offsetof(struct node_kind, sockets_per_board), UINT16_MAX },
	{ "CoresPerSocket", offsetof(struct node_kind, cores), UINT16_MAX },
	{ "ThreadsPerCore", offsetof(struct node_kind, threads), UINT16_MAX },
};

static int value_fault(struct slurm_files *files, const struct slurm_pair *pair, int rc, const struct error *error)
{
	if (rc == -EINVAL)
		slurm_report(files, FAULT, files->line.place, "error parsing value \"%.60s\" of %s: %s", pair->value,
			     pair->key, error->text);
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Read a number. If the line has a topology, it overrides the CPUs of a DEFAULT line, as in Slurm.
 */
static int number_read(struct slurm_files *files, struct node_kind *kind, const struct slurm_pair *pair, bool *has_cpus)
{
	struct error error;
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcasecmp(pair->key, numbers[i].key))
			continue;
		if (slurm_number(pair->value, numbers[i].most, &value, &error))
			return value_fault(files, pair, -EINVAL, &error);
		*(uint32_t *)((char *)kind + numbers[i].offset) = value ? (uint32_t)value : 1;
		if (numbers[i].offset == offsetof(struct node_kind, cpus))
			*has_cpus = true;
		else if (!*has_cpus)
			kind->cpus = 0;
		return 0;
	}
	return 0;
}

static int pair_read(struct slurm_files *files, struct node_kind *kind, const struct slurm_pair *pair, bool *has_cpus)
{
	struct error error;

	if (!strcasecmp(pair->key, "Gres"))
		return slurm_text(&kind->gres, pair->value);
	if (!strcasecmp(pair->key, "Feature") || !strcasecmp(pair->key, "Features"))
		return slurm_text(&kind->features, pair->value);
	if (!strcasecmp(pair->key, "RealMemory"))
		return value_fault(files, pair, slurm_number(pair->value, UINT32_MAX, &kind->memory, &error), &error);
	return number_read(files, kind, pair, has_cpus);
}

static int pairs_read(struct slurm_files *files, struct node_kind *kind)
{
	bool has_cpus = false;
	int rc = 0;
	size_t i;

	/* CPUs first: they are not overridden by the topology of the same line */
	for (i = 0; i < files->line.n && !rc; i++)
		if (!strcasecmp(files->line.pairs[i].key, "CPUs") || !strcasecmp(files->line.pairs[i].key, "Procs"))
			rc = number_read(files, kind, &files->line.pairs[i], &has_cpus);
	for (i = 1; i < files->line.n && !rc; i++)
		if (strcasecmp(files->line.pairs[i].key, "CPUs") && strcasecmp(files->line.pairs[i].key, "Procs"))
			rc = pair_read(files, kind, &files->line.pairs[i], &has_cpus);
	return rc;
}

int slurm_node_read(struct slurm_files *files)
{
	const char *names = files->line.pairs[0].value;
	struct node_kind *kind;
	struct error error;
	int rc;

	if (!strcasecmp(names, "DEFAULT"))
		return pairs_read(files, &files->kind_default);
	kind = array_add(&files->kinds, &files->nkinds, sizeof(*kind));
	if (!kind)
		return -ENOMEM;
	*kind = files->kind_default;
	kind->place = files->line.place;
	kind->gres = strdup(files->kind_default.gres ? files->kind_default.gres : "");
	kind->features = strdup(files->kind_default.features ? files->kind_default.features : "");
	if (!kind->gres || !kind->features)
		return -ENOMEM;
	rc = pairs_read(files, kind);
	if (!rc)
		rc = value_fault(files, &files->line.pairs[0],
				 hostlist_parse(&files->spans, names, (uint32_t)(files->nkinds - 1), &error), &error);
	return rc;
}

int slurm_node_set_read(struct slurm_files *files)
{
	struct node_set *set = array_add(&files->sets, &files->nsets, sizeof(*set));
	int rc;
	size_t i;

	if (!set)
		return -ENOMEM;
	set->place = files->line.place;
	rc = slurm_text(&set->name, files->line.pairs[0].value);
	for (i = 1; i < files->line.n && !rc; i++) {
		if (!strcasecmp(files->line.pairs[i].key, "Nodes"))
			rc = slurm_text(&set->nodes, files->line.pairs[i].value);
		else if (!strcasecmp(files->line.pairs[i].key, "Feature"))
			rc = slurm_text(&set->feature, files->line.pairs[i].value);
	}
	return rc;
}

static uint32_t or_one(uint32_t n)
{
	return n ? n : 1;
}

/*
 * Return the CPUs of a node. If the line does not have CPUs, they are computed from sockets, cores
 * and threads.
 */
static double kind_cpus(const struct node_kind *kind)
{
	double sockets = kind->sockets ? kind->sockets : (double)or_one(kind->boards) * or_one(kind->sockets_per_board);

	return kind->cpus ? kind->cpus : sockets * or_one(kind->cores) * or_one(kind->threads);
}

static int kinds_finish(struct slurm_files *files)
{
	size_t n = files->conf->ntres, i;
	struct error error;
	double *row;
	int rc = 0;

	files->kind_tres = calloc(files->nkinds ? files->nkinds : 1, n * sizeof(*files->kind_tres));
	if (!files->kind_tres)
		return -ENOMEM;
	for (i = 0; i < files->nkinds && rc != -ENOMEM; i++) {
		row = &files->kind_tres[i * n];
		row[TRES_CPU] = kind_cpus(&files->kinds[i]);
		row[TRES_MEM] = files->kinds[i].memory ? (double)files->kinds[i].memory : 1;
		row[TRES_NODE] = 1;
		rc = slurm_gres_add(files->conf, "gres", files->kinds[i].gres, row, &error);
		if (rc == -EINVAL)
			slurm_report(files, FAULT, files->kinds[i].place, "error parsing value \"%.60s\" of Gres: %s",
				     files->kinds[i].gres, error.text);
	}
	return rc == -ENOMEM ? rc : 0;
}

static bool spans_are_equal(const struct node_span *a, const struct node_span *b)
{
	return a->digits == b->digits && !strcmp(a->prefix, b->prefix);
}

/* Check that each node is defined only once, and count the nodes. */
static bool nodes_check(struct slurm_files *files, uint64_t *nodes)
{
	const struct node_span *span, *last = NULL;
	char name[2 * SLURM_NAME_MOST];
	size_t later, earlier;

	for (*nodes = 0, span = files->spans.items; span != array_end(files->spans.items, files->spans.n);
	     last = span++) {
		if (last && spans_are_equal(last, span) && span->low <= last->high) {
			later = last->kind > span->kind ? last->kind : span->kind;
			earlier = last->kind > span->kind ? span->kind : last->kind;
			node_span_name(span, span->low, name);
			slurm_report(files, FAULT, files->kinds[later].place,
				     "node \"%.60s\" is already in line %d of %s: once is allowed", name,
				     files->kinds[earlier].place.line, files->kinds[earlier].place.file);
			return false;
		}
		*nodes += span->high - span->low + 1;
		if (*nodes > SLURM_NODES_MOST) {
			slurm_report(files, FAULT, files->kinds[span->kind].place,
				     "the cluster has more than %d nodes with these", SLURM_NODES_MOST);
			return false;
		}
	}
	return true;
}

/*
 * Compute the sums over all nodes before each span. A range then costs the same however many spans
 * it covers.
 */
static int sums_make(struct slurm_files *files)
{
	size_t n = files->conf->ntres, i, t;
	const double *kind;
	double nodes, *row;

	files->before = calloc(files->spans.n + 1, n * sizeof(*files->before));
	if (!files->before)
		return -ENOMEM;
	for (i = 0; i < files->spans.n; i++) {
		nodes = (double)(files->spans.items[i].high - files->spans.items[i].low + 1);
		kind = &files->kind_tres[files->spans.items[i].kind * n];
		row = &files->before[i * n];
		for (t = 0; t < n; t++)
			row[n + t] = row[t] + nodes * kind[t];
	}
	return 0;
}

int slurm_nodes_finish(struct slurm_files *files)
{
	uint64_t nodes = 0;
	int rc = kinds_finish(files);

	if (rc)
		return rc;
	if (files->spans.n > 1)
		qsort(files->spans.items, files->spans.n, sizeof(*files->spans.items), node_span_compare);
	if (!nodes_check(files, &nodes))
		node_spans_free(&files->spans);
	rc = sums_make(files);
	if (rc)
		return rc;
	files->conf->nodes = files->spans.n ? (uint32_t)nodes : 0;
	files->conf->cpus = (uint64_t)files->before[files->spans.n * files->conf->ntres + TRES_CPU];
	return 0;
}

static bool span_ends_before(const struct node_span *span, const struct node_span *like, uint64_t number)
{
	int order = strcmp(span->prefix, like->prefix);

	return order ? order < 0 : span->digits != like->digits ? span->digits < like->digits : span->high < number;
}

/*
 * Return the index of the first span that ends at or after the number, in the order of
 * node_span_compare().
 */
static size_t span_find(const struct node_spans *spans, const struct node_span *like, uint64_t number)
{
	size_t at;

	lower_bound(at, spans->n, span_ends_before(&spans->items[at], like, number));
	return at;
}

/* Add `sign` times the resources of the nodes before the number. */
static void before_add(const struct slurm_files *files, const struct node_span *like, uint64_t number, double sign,
		       double *total)
{
	size_t n = files->conf->ntres, i = span_find(&files->spans, like, number), t;
	const struct node_span *span = i < files->spans.n ? &files->spans.items[i] : NULL;
	double nodes = span && spans_are_equal(span, like) && span->low < number ? (double)(number - span->low) : 0;

	for (t = 0; t < n; t++)
		total[t] += sign *
			    (files->before[i * n + t] + (nodes > 0 ? nodes * files->kind_tres[span->kind * n + t] : 0));
}

uint64_t slurm_nodes_sum(const struct slurm_files *files, const struct node_spans *list, double *total)
{
	const struct node_span *span;

	memset(total, 0, files->conf->ntres * sizeof(*total));
	for (span = list->items; span != array_end(list->items, list->n); span++) {
		before_add(files, span, span->high + 1, 1, total);
		before_add(files, span, span->low, -1, total);
	}
	return (uint64_t)total[TRES_NODE];
}
