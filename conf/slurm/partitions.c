/* SPDX-License-Identifier: Apache-2.0 */
/* PartitionName lines of slurm.conf(5), and what their nodes have. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/slurm/files.h"

enum { PRIORITY_RANK_MOST = 65533 };	/* of PriorityJobFactor and PriorityTier */

static int rank_read(const char *text, uint32_t *rank, struct error *e)
{
	uint64_t v;
	int rc = slurm_number(text, PRIORITY_RANK_MOST, &v, e);

	if (!rc)
		*rank = (uint32_t)v;
	return rc;
}

static int pair_parse(struct slurm_partition *p, struct partition_line *line, const struct slurm_pair *pair, struct error *e)
{
	if (!strcasecmp(pair->key, "PriorityJobFactor"))
		return rank_read(pair->value, &p->job_factor, e);
	if (!strcasecmp(pair->key, "PriorityTier"))
		return rank_read(pair->value, &p->tier, e);
	if (!strcasecmp(pair->key, "MaxTime"))
		return slurm_minutes(pair->value, &p->max_time, e);
	if (!strcasecmp(pair->key, "Default"))
		return slurm_bool(pair->value, &line->is_default, e);
	if (!strcasecmp(pair->key, "Nodes"))
		return slurm_text(&line->nodes, pair->value);
	if (!strcasecmp(pair->key, "TRESBillingWeights"))
		return slurm_text(&line->billing, pair->value);
	if (!strcasecmp(pair->key, "QOS"))
		return slurm_text(&p->qos, pair->value);
	return 0;
}

static int pair_read(struct slurm_files *f, struct slurm_partition *p, struct partition_line *line, const struct slurm_pair *pair)
{
	struct error e;
	int rc;

	if (!strcasecmp(pair->key, "Priority")) {
		rc = rank_read(pair->value, &p->job_factor, &e);
		p->tier = rc ? p->tier : p->job_factor;
	} else {
		rc = pair_parse(p, line, pair, &e);
	}
	if (rc == -EINVAL)
		slurm_report(f, FAULT, f->line.place, "error parsing value \"%.60s\" of %s: %s", pair->value, pair->key, e.text);
	return rc == -ENOMEM ? rc : 0;
}

/* Priority sets both, and wins over what else the line says, as Slurm has it. */
static int pairs_read(struct slurm_files *f, struct slurm_partition *p, struct partition_line *line)
{
	int rc = 0;
	size_t i;

	for (i = 1; i < f->line.n && !rc; i++)
		if (strcasecmp(f->line.pairs[i].key, "Priority"))
			rc = pair_read(f, p, line, &f->line.pairs[i]);
	for (i = 1; i < f->line.n && !rc; i++)
		if (!strcasecmp(f->line.pairs[i].key, "Priority"))
			rc = pair_read(f, p, line, &f->line.pairs[i]);
	return rc;
}

static void defaults_set(struct slurm_files *f)
{
	if (!f->partition_default.name)
		f->partition_default = (struct slurm_partition){ .name = "", .job_factor = 1, .tier = 1, .max_time = SLURM_INFINITE };
}

/* The partition's place in both arrays, filled from the DEFAULT lines. */
static int partition_add(struct slurm_files *f, struct slurm_partition **p, struct partition_line **line)
{
	size_t n = f->conf->npartitions;
	int rc;

	*line = array_add(&f->partition_lines, &n, sizeof(**line));
	if (!*line)
		return -ENOMEM;
	*p = array_add(&f->conf->partitions, &f->conf->npartitions, sizeof(**p));
	if (!*p)
		return -ENOMEM;
	(*p)->job_factor = f->partition_default.job_factor;
	(*p)->tier = f->partition_default.tier;
	(*p)->max_time = f->partition_default.max_time;
	(*line)->place = f->line.place;
	(*line)->is_default = f->line_default.is_default;
	rc = slurm_text(&(*p)->name, f->line.pairs[0].value);
	if (!rc)
		rc = slurm_text(&(*p)->qos, f->partition_default.qos ? f->partition_default.qos : "");
	if (!rc && f->line_default.nodes)
		rc = slurm_text(&(*line)->nodes, f->line_default.nodes);
	if (!rc && f->line_default.billing)
		rc = slurm_text(&(*line)->billing, f->line_default.billing);
	return rc;
}

int slurm_partition_read(struct slurm_files *f)
{
	const char *name = f->line.pairs[0].value;
	struct partition_line *line;
	struct slurm_partition *p;
	int rc;

	defaults_set(f);
	if (!strcasecmp(name, "DEFAULT"))
		return pairs_read(f, &f->partition_default, &f->line_default);
	if (!*name || strlen(name) > SLURM_NAME_MOST || f->conf->npartitions == SLURM_PARTITIONS_MOST) {
		slurm_report(f, FAULT, f->line.place, "PartitionName \"%.60s\" found: 1 to %d bytes, and at most %d partitions, are allowed", name,
			     SLURM_NAME_MOST, SLURM_PARTITIONS_MOST);
		return 0;
	}
	rc = partition_add(f, &p, &line);
	return rc ? rc : pairs_read(f, p, line);
}

/* Nodes that have the feature. */
static int feature_add(struct slurm_files *f, struct node_spans *list, const char *feature)
{
	size_t length = strlen(feature), i;
	struct node_span *span;
	const char *at;

	for (i = 0; i < f->spans.n; i++) {
		for (at = f->kinds[f->spans.items[i].kind].features; *at; at += strcspn(at, ","), at += *at == ',')
			if (strcspn(at, ",") == length && !strncmp(at, feature, length))
				break;
		if (!*at)
			continue;
		span = array_add(&list->items, &list->n, sizeof(*span));
		if (!span)
			return -ENOMEM;
		*span = f->spans.items[i];
		span->prefix = strdup(span->prefix);
		if (!span->prefix)
			return -ENOMEM;
	}
	return 0;
}

static int set_add(struct slurm_files *f, struct node_spans *list, const struct node_set *set)
{
	struct error e;
	int rc = 0;

	if (set->nodes)
		rc = hostlist_parse(list, set->nodes, 0, &e);
	if (rc == -EINVAL)
		slurm_report(f, FAULT, set->place, "error parsing value \"%.60s\" of Nodes: %s", set->nodes, e.text);
	if (rc != -ENOMEM && set->feature)
		rc = feature_add(f, list, set->feature);
	return rc == -ENOMEM ? rc : 0;
}

/* A few bytes may name very many ranges, over and over: what all partitions come to has a bound. */
static bool spans_are_too_many(struct slurm_files *f, const struct partition_line *line, size_t more)
{
	if (f->spans_named + more <= SLURM_NAMED_MOST)
		return false;
	if (f->spans_named <= SLURM_NAMED_MOST)
		slurm_report(f, FAULT, line->place, "with \"%.60s\" the nodes of all partitions come to more than %d ranges", line->nodes,
			     SLURM_NAMED_MOST);
	f->spans_named = SLURM_NAMED_MOST + 1;
	return true;
}

/* Puts the sets that the list names in the place of their names. */
static int sets_add(struct slurm_files *f, const struct partition_line *line, struct node_spans *list)
{
	const struct node_set *set;
	size_t i, named = list->n;
	int rc = 0;

	for (i = 0; f->nsets > 0 && i < named && !rc && !spans_are_too_many(f, line, list->n); i++) {
		char name[2 * SLURM_NAME_MOST];
		struct node_span *s = &list->items[i];

		node_span_name(s, s->low, name);
		set = s->low == s->high ? array_find(f->sets, f->nsets, sizeof(*set), name) : NULL;
		if (!set)
			continue;
		rc = set_add(f, list, set);
		free(list->items[i].prefix);
		list->items[i--] = list->items[--named];
		list->items[named] = list->items[--list->n];
	}
	return rc;
}

static bool says_all(const char *nodes)
{
	return nodes && !strcasecmp(nodes, "ALL");
}

static int nodes_list(struct slurm_files *f, const struct partition_line *line, struct node_spans *list)
{
	struct error e;
	int rc;

	if (spans_are_too_many(f, line, 0))
		return 0;
	rc = hostlist_parse(list, line->nodes, 0, &e);
	if (rc == -EINVAL)
		slurm_report(f, FAULT, line->place, "error parsing value \"%.60s\" of Nodes: %s", line->nodes, e.text);
	if (rc != -ENOMEM)
		rc = sets_add(f, line, list);
	if (rc)
		return rc;
	if (spans_are_too_many(f, line, list->n)) {
		node_spans_free(list);
		return 0;
	}
	f->spans_named += list->n;
	if (list->n > 1)
		qsort(list->items, list->n, sizeof(*list->items), node_span_compare);
	node_spans_merge(list);
	return 0;
}

/* The first range some of whose nodes the cluster does not have. */
static void unknown_report(struct slurm_files *f, const struct slurm_partition *p, const struct partition_line *line, const struct node_spans *list)
{
	char low[2 * SLURM_NAME_MOST], high[2 * SLURM_NAME_MOST];
	double total[TRES_MOST];
	struct node_span *s = list->items;

	while (slurm_nodes_sum(f, &(struct node_spans){ s, 1 }, total) > s->high - s->low)
		s++;
	node_span_name(s, s->low, low);
	node_span_name(s, s->high, high);
	slurm_report(f, FAULT, line->place, "partition \"%.60s\" has nodes that no NodeName line has: \"%.60s\"%s%.60s%s", p->name, low,
		     s->low < s->high ? ", or one of those up to \"" : "", s->low < s->high ? high : "", s->low < s->high ? "\"" : "");
}

/* total[] of the nodes that the line names. */
static int nodes_sum(struct slurm_files *f, struct slurm_partition *p, const struct partition_line *line)
{
	struct node_spans list = { 0 };
	uint64_t named = 0, known;
	int rc;
	size_t i;

	if (says_all(line->nodes)) {
		memcpy(p->total, &f->before[f->spans.n * f->conf->ntres], f->conf->ntres * sizeof(*p->total));
		return 0;
	}
	rc = line->nodes ? nodes_list(f, line, &list) : 0;
	if (!rc) {
		known = slurm_nodes_sum(f, &list, p->total);
		for (i = 0; i < list.n && named <= known; i++)
			named += list.items[i].high - list.items[i].low + 1;
		if (named > known && f->spans.n > 0)
			unknown_report(f, p, line, &list);
	}
	node_spans_free(&list);
	return rc;
}

/*
 * What Slurm says that all of it would be charged as: cpus, or what the weights make of it, cut to
 * a whole number.
 */
static double billing_sum(const struct slurm_conf *conf, const struct slurm_partition *p)
{
	double sum = 0, most = 0, part;
	bool takes_most = conf->flags & (FLAG_MAX_TRES | FLAG_MAX_TRES_GRES), is_gres;
	size_t t;

	if (!p->has_billing)
		return p->total[TRES_CPU];
	for (t = 0; t < conf->ntres; t++) {
		part = t == TRES_BILLING ? 0 : p->billing[t] * p->total[t];
		is_gres = !strncmp(conf->tres[t], "gres/", 5) && !(conf->flags & FLAG_MAX_TRES_GRES);
		if (takes_most && (t == TRES_CPU || t == TRES_MEM || t == TRES_NODE || is_gres))
			most = fmax(most, part);
		else
			sum += part;
	}
	return floor(sum + most);
}

static int billing_finish(struct slurm_files *f, struct slurm_partition *p, const struct partition_line *line)
{
	struct error e;
	int rc = 0;
	size_t t;

	p->has_billing = line->billing && *line->billing;
	if (p->has_billing)
		rc = slurm_weights_parse(f->conf, line->billing, p->billing, &e);
	for (t = 0; t < f->conf->ntres && !rc; t++)
		if (p->billing[t] < 0)
			rc = error_set(&e, -EINVAL, "the weight %g of %.40s is negative: 0 or more is allowed", p->billing[t], f->conf->tres[t]);
	if (rc == -EINVAL)
		slurm_report(f, FAULT, line->place, "error parsing value \"%.60s\" of TRESBillingWeights: %s", line->billing, e.text);
	return rc == -ENOMEM ? rc : 0;
}

static int licenses_add(struct slurm_files *f, double *counts)
{
	struct error e;
	int rc = f->licenses ? slurm_gres_add(f->conf, "license", f->licenses, counts, &e) : 0;

	if (rc == -EINVAL)
		slurm_report(f, FAULT, slurm_parameter_place(f, "Licenses"), "error parsing value \"%.60s\" of Licenses: %s", f->licenses, e.text);
	return rc == -ENOMEM ? rc : 0;
}

static int partition_finish(struct slurm_files *f, size_t i, const double *licenses)
{
	struct slurm_partition *p = &f->conf->partitions[i];
	size_t n = f->conf->ntres, t;
	int rc;

	p->billing = calloc(n, sizeof(*p->billing));
	p->total = calloc(n, sizeof(*p->total));
	if (!p->billing || !p->total)
		return -ENOMEM;
	rc = billing_finish(f, p, &f->partition_lines[i]);
	if (!rc)
		rc = nodes_sum(f, p, &f->partition_lines[i]);
	p->nodes = (uint32_t)p->total[TRES_NODE];
	for (t = 0; t < n; t++)
		p->total[t] += licenses[t];
	p->total[TRES_BILLING] = billing_sum(f->conf, p);
	if (f->partition_lines[i].is_default) {
		if (f->conf->default_partition != UINT32_MAX)
			slurm_report(f, WARNING, f->partition_lines[i].place, "partition \"%.60s\" says Default=YES as \"%.60s\" does: the last one counts",
				     p->name, f->conf->partitions[f->conf->default_partition].name);
		f->conf->default_partition = (uint32_t)i;
	}
	return rc;
}

static int names_index(struct slurm_files *f)
{
	size_t n = f->conf->npartitions, i;
	struct slurm_name *names = calloc(n ? n : 1, sizeof(*names));
	uint32_t later;

	if (!names)
		return -ENOMEM;
	f->conf->partition_names = names;
	for (i = 0; i < n; i++)
		names[i] = (struct slurm_name){ f->conf->partitions[i].name, (uint32_t)i };
	array_sort(names, n, sizeof(*names));
	for (i = 1; i < n; i++) {
		if (strcmp(names[i - 1].name, names[i].name))
			continue;
		later = names[i].index > names[i - 1].index ? names[i].index : names[i - 1].index;
		slurm_report(f, FAULT, f->partition_lines[later].place, "partition \"%.60s\" is there twice: once is allowed", names[i].name);
	}
	return 0;
}

int slurm_partitions_finish(struct slurm_files *f)
{
	double licenses[TRES_MOST] = { 0 };
	int rc = names_index(f);
	size_t i;

	array_sort(f->sets, f->nsets, sizeof(*f->sets));
	if (!rc)
		rc = licenses_add(f, licenses);
	for (i = 0; i < f->conf->npartitions && !rc; i++)
		rc = partition_finish(f, i, licenses);
	return rc;
}
