/* SPDX-License-Identifier: Apache-2.0 */
/* NodeName and NodeSet lines of slurm.conf(5), and what any set of nodes has together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "conf/search.h"
#include "conf/slurm/files.h"

struct node_number {
	const char *key;
	size_t offset;
	uint32_t most;
};

static const struct node_number numbers[] = {
	{ "CPUs", offsetof(struct node_kind, cpus), UINT16_MAX }, { "Procs", offsetof(struct node_kind, cpus), UINT16_MAX },
	{ "Boards", offsetof(struct node_kind, boards), UINT16_MAX }, { "Sockets", offsetof(struct node_kind, sockets), UINT16_MAX },
	{ "SocketsPerBoard", offsetof(struct node_kind, sockets_per_board), UINT16_MAX },
	{ "CoresPerSocket", offsetof(struct node_kind, cores), UINT16_MAX }, { "ThreadsPerCore", offsetof(struct node_kind, threads), UINT16_MAX },
};

static int value_fault(struct slurm_files *f, const struct slurm_pair *pair, int rc, const struct error *e)
{
	if (rc == -EINVAL)
		slurm_report(f, FAULT, f->line.place, "error parsing value \"%.60s\" of %s: %s", pair->value, pair->key, e->text);
	return rc == -ENOMEM ? rc : 0;
}

/* The topology of a line makes the cpus that a DEFAULT line may have said void, as in Slurm. */
static int number_read(struct slurm_files *f, struct node_kind *kind, const struct slurm_pair *pair, bool *has_cpus)
{
	struct error e;
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcasecmp(pair->key, numbers[i].key))
			continue;
		if (slurm_number(pair->value, numbers[i].most, &value, &e))
			return value_fault(f, pair, -EINVAL, &e);
		*(uint32_t *)((char *)kind + numbers[i].offset) = value ? (uint32_t)value : 1;
		if (numbers[i].offset == offsetof(struct node_kind, cpus))
			*has_cpus = true;
		else if (!*has_cpus)
			kind->cpus = 0;
		return 0;
	}
	return 0;
}

static int pair_read(struct slurm_files *f, struct node_kind *kind, const struct slurm_pair *pair, bool *has_cpus)
{
	struct error e;

	if (!strcasecmp(pair->key, "Gres"))
		return slurm_text(&kind->gres, pair->value);
	if (!strcasecmp(pair->key, "Feature") || !strcasecmp(pair->key, "Features"))
		return slurm_text(&kind->features, pair->value);
	if (!strcasecmp(pair->key, "RealMemory"))
		return value_fault(f, pair, slurm_number(pair->value, UINT32_MAX, &kind->memory, &e), &e);
	return number_read(f, kind, pair, has_cpus);
}

static int pairs_read(struct slurm_files *f, struct node_kind *kind)
{
	bool has_cpus = false;
	int rc = 0;
	size_t i;

	/* CPUs first: they stay whatever the topology says */
	for (i = 0; i < f->line.n && !rc; i++)
		if (!strcasecmp(f->line.pairs[i].key, "CPUs") || !strcasecmp(f->line.pairs[i].key, "Procs"))
			rc = number_read(f, kind, &f->line.pairs[i], &has_cpus);
	for (i = 1; i < f->line.n && !rc; i++)
		if (strcasecmp(f->line.pairs[i].key, "CPUs") && strcasecmp(f->line.pairs[i].key, "Procs"))
			rc = pair_read(f, kind, &f->line.pairs[i], &has_cpus);
	return rc;
}

int slurm_node_read(struct slurm_files *f)
{
	const char *names = f->line.pairs[0].value;
	struct node_kind *kind;
	struct error e;
	int rc;

	if (!strcasecmp(names, "DEFAULT"))
		return pairs_read(f, &f->kind_default);
	kind = array_add(&f->kinds, &f->nkinds, sizeof(*kind));
	if (!kind)
		return -ENOMEM;
	*kind = f->kind_default;
	kind->place = f->line.place;
	kind->gres = strdup(f->kind_default.gres ? f->kind_default.gres : "");
	kind->features = strdup(f->kind_default.features ? f->kind_default.features : "");
	if (!kind->gres || !kind->features)
		return -ENOMEM;
	rc = pairs_read(f, kind);
	if (!rc)
		rc = value_fault(f, &f->line.pairs[0], hostlist_parse(&f->spans, names, (uint32_t)(f->nkinds - 1), &e), &e);
	return rc;
}

int slurm_node_set_read(struct slurm_files *f)
{
	struct node_set *set = array_add(&f->sets, &f->nsets, sizeof(*set));
	int rc;
	size_t i;

	if (!set)
		return -ENOMEM;
	set->place = f->line.place;
	rc = slurm_text(&set->name, f->line.pairs[0].value);
	for (i = 1; i < f->line.n && !rc; i++) {
		if (!strcasecmp(f->line.pairs[i].key, "Nodes"))
			rc = slurm_text(&set->nodes, f->line.pairs[i].value);
		else if (!strcasecmp(f->line.pairs[i].key, "Feature"))
			rc = slurm_text(&set->feature, f->line.pairs[i].value);
	}
	return rc;
}

static uint32_t or_one(uint32_t n)
{
	return n ? n : 1;
}

/* What the line says itself counts; else sockets, cores and threads make them. */
static double kind_cpus(const struct node_kind *kind)
{
	double sockets = kind->sockets ? kind->sockets : (double)or_one(kind->boards) * or_one(kind->sockets_per_board);

	return kind->cpus ? kind->cpus : sockets * or_one(kind->cores) * or_one(kind->threads);
}

static int kinds_finish(struct slurm_files *f)
{
	size_t n = f->conf->ntres, i;
	struct error e;
	double *row;
	int rc = 0;

	f->kind_tres = calloc(f->nkinds ? f->nkinds : 1, n * sizeof(*f->kind_tres));
	if (!f->kind_tres)
		return -ENOMEM;
	for (i = 0; i < f->nkinds && rc != -ENOMEM; i++) {
		row = &f->kind_tres[i * n];
		row[TRES_CPU] = kind_cpus(&f->kinds[i]);
		row[TRES_MEM] = f->kinds[i].memory ? (double)f->kinds[i].memory : 1;
		row[TRES_NODE] = 1;
		rc = slurm_gres_add(f->conf, "gres", f->kinds[i].gres, row, &e);
		if (rc == -EINVAL)
			slurm_report(f, FAULT, f->kinds[i].place, "error parsing value \"%.60s\" of Gres: %s", f->kinds[i].gres, e.text);
	}
	return rc == -ENOMEM ? rc : 0;
}

static bool spans_are_alike(const struct node_span *a, const struct node_span *b)
{
	return a->digits == b->digits && !strcmp(a->prefix, b->prefix);
}

/* Each node once. Counts them. */
static bool nodes_check(struct slurm_files *f, uint64_t *nodes)
{
	const struct node_span *s, *last = NULL;
	char name[2 * SLURM_NAME_MOST];
	size_t later, earlier;

	for (*nodes = 0, s = f->spans.items; s != array_end(f->spans.items, f->spans.n); last = s++) {
		if (last && spans_are_alike(last, s) && s->low <= last->high) {
			later = last->kind > s->kind ? last->kind : s->kind;
			earlier = last->kind > s->kind ? s->kind : last->kind;
			node_span_name(s, s->low, name);
			slurm_report(f, FAULT, f->kinds[later].place, "node \"%.60s\" is in line %d of %s already: once is allowed", name,
				     f->kinds[earlier].place.line, f->kinds[earlier].place.file);
			return false;
		}
		*nodes += s->high - s->low + 1;
		if (*nodes > SLURM_NODES_MOST) {
			slurm_report(f, FAULT, f->kinds[s->kind].place, "the cluster has more than %d nodes with these", SLURM_NODES_MOST);
			return false;
		}
	}
	return true;
}

/*
 * Sums of all that stands before a span, so that a range costs the same however many spans it
 * covers.
 */
static int sums_make(struct slurm_files *f)
{
	size_t n = f->conf->ntres, i, t;
	const double *kind;
	double nodes, *row;

	f->before = calloc(f->spans.n + 1, n * sizeof(*f->before));
	if (!f->before)
		return -ENOMEM;
	for (i = 0; i < f->spans.n; i++) {
		nodes = (double)(f->spans.items[i].high - f->spans.items[i].low + 1);
		kind = &f->kind_tres[f->spans.items[i].kind * n];
		row = &f->before[i * n];
		for (t = 0; t < n; t++)
			row[n + t] = row[t] + nodes * kind[t];
	}
	return 0;
}

int slurm_nodes_finish(struct slurm_files *f)
{
	uint64_t nodes = 0;
	int rc = kinds_finish(f);

	if (rc)
		return rc;
	if (f->spans.n > 1)
		qsort(f->spans.items, f->spans.n, sizeof(*f->spans.items), node_span_compare);
	if (!nodes_check(f, &nodes))
		node_spans_free(&f->spans);
	rc = sums_make(f);
	if (rc)
		return rc;
	f->conf->nodes = f->spans.n ? (uint32_t)nodes : 0;
	f->conf->cpus = (uint64_t)f->before[f->spans.n * f->conf->ntres + TRES_CPU];
	return 0;
}

static bool span_ends_before(const struct node_span *s, const struct node_span *like, uint64_t number)
{
	int order = strcmp(s->prefix, like->prefix);

	return order ? order < 0 : s->digits != like->digits ? s->digits < like->digits : s->high < number;
}

/*
 * Index of the first span that ends at or behind the number, in the order of node_span_compare().
 */
static size_t span_find(const struct node_spans *spans, const struct node_span *like, uint64_t number)
{
	size_t at;

	lower_bound(at, spans->n, span_ends_before(&spans->items[at], like, number));
	return at;
}

/* Adds `sign` times what the nodes before the number have. */
static void before_add(const struct slurm_files *f, const struct node_span *like, uint64_t number, double sign, double *total)
{
	size_t n = f->conf->ntres, i = span_find(&f->spans, like, number), t;
	const struct node_span *s = i < f->spans.n ? &f->spans.items[i] : NULL;
	double nodes = s && spans_are_alike(s, like) && s->low < number ? (double)(number - s->low) : 0;

	for (t = 0; t < n; t++)
		total[t] += sign * (f->before[i * n + t] + (nodes > 0 ? nodes * f->kind_tres[s->kind * n + t] : 0));
}

uint64_t slurm_nodes_sum(const struct slurm_files *f, const struct node_spans *list, double *total)
{
	const struct node_span *s;

	memset(total, 0, f->conf->ntres * sizeof(*total));
	for (s = list->items; s != array_end(list->items, list->n); s++) {
		before_add(f, s, s->high + 1, 1, total);
		before_add(f, s, s->low, -1, total);
	}
	return (uint64_t)total[TRES_NODE];
}
