/* SPDX-License-Identifier: Apache-2.0 */
/* PartitionName lines of slurm.conf(5), and the resources of their nodes. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/slurm/files.h"

enum { PRIORITY_RANK_MOST = 65533 };	/* maximum of PriorityJobFactor and PriorityTier */

static int rank_read(const char *text, uint32_t *rank, struct error *error)
{
	uint64_t v;
	int rc = slurm_number(text, PRIORITY_RANK_MOST, &v, error);

	if (!rc)
		*rank = (uint32_t)v;
	return rc;
}

static int pair_parse(struct slurm_partition *partition, struct partition_line *line, const struct slurm_pair *pair,
		      struct error *error)
{
	if (!strcasecmp(pair->key, "PriorityJobFactor"))
		return rank_read(pair->value, &partition->job_factor, error);
	if (!strcasecmp(pair->key, "PriorityTier"))
		return rank_read(pair->value, &partition->tier, error);
	if (!strcasecmp(pair->key, "MaxTime"))
		return slurm_minutes(pair->value, &partition->max_time, error);
	if (!strcasecmp(pair->key, "Default"))
		return slurm_bool(pair->value, &line->is_default, error);
	if (!strcasecmp(pair->key, "Nodes"))
		return slurm_text(&line->nodes, pair->value);
	if (!strcasecmp(pair->key, "TRESBillingWeights"))
		return slurm_text(&line->billing, pair->value);
	if (!strcasecmp(pair->key, "QOS"))
		return slurm_text(&partition->qos, pair->value);
	return 0;
}

static int pair_read(struct slurm_files *files, struct slurm_partition *partition, struct partition_line *line,
		     const struct slurm_pair *pair)
{
	struct error error;
	int rc;

	if (!strcasecmp(pair->key, "Priority")) {
		rc = rank_read(pair->value, &partition->job_factor, &error);
		partition->tier = rc ? partition->tier : partition->job_factor;
	} else {
		rc = pair_parse(partition, line, pair, &error);
	}
	if (rc == -EINVAL)
		slurm_report(files, FAULT, files->line.place, "error parsing value \"%.60s\" of %s: %s", pair->value,
			     pair->key, error.text);
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Read the pairs of a line. Priority sets both PriorityJobFactor and PriorityTier and overrides
 * them, as in Slurm.
 */
static int pairs_read(struct slurm_files *files, struct slurm_partition *partition, struct partition_line *line)
{
	int rc = 0;
	size_t i;

	for (i = 1; i < files->line.n && !rc; i++)
		if (strcasecmp(files->line.pairs[i].key, "Priority"))
			rc = pair_read(files, partition, line, &files->line.pairs[i]);
	for (i = 1; i < files->line.n && !rc; i++)
		if (!strcasecmp(files->line.pairs[i].key, "Priority"))
			rc = pair_read(files, partition, line, &files->line.pairs[i]);
	return rc;
}

static void defaults_set(struct slurm_files *files)
{
	if (!files->partition_default.name)
		files->partition_default =
			(struct slurm_partition){ .name = "", .job_factor = 1, .tier = 1, .max_time = SLURM_INFINITE };
}

/* Add a partition to both arrays, with the values of the DEFAULT lines. */
static int partition_add(struct slurm_files *files, struct slurm_partition **partition, struct partition_line **line)
{
	size_t n = files->conf->npartitions;
	int rc;

	*line = array_add(&files->partition_lines, &n, sizeof(**line));
	if (!*line)
		return -ENOMEM;
	*partition = array_add(&files->conf->partitions, &files->conf->npartitions, sizeof(**partition));
	if (!*partition)
		return -ENOMEM;
	(*partition)->job_factor = files->partition_default.job_factor;
	(*partition)->tier = files->partition_default.tier;
	(*partition)->max_time = files->partition_default.max_time;
	(*line)->place = files->line.place;
	(*line)->is_default = files->line_default.is_default;
	rc = slurm_text(&(*partition)->name, files->line.pairs[0].value);
	if (!rc)
		rc = slurm_text(&(*partition)->qos, files->partition_default.qos ? files->partition_default.qos : "");
	if (!rc && files->line_default.nodes)
		rc = slurm_text(&(*line)->nodes, files->line_default.nodes);
	if (!rc && files->line_default.billing)
		rc = slurm_text(&(*line)->billing, files->line_default.billing);
	return rc;
}

int slurm_partition_read(struct slurm_files *files)
{
	const char *name = files->line.pairs[0].value;
	struct partition_line *line;
	struct slurm_partition *partition;
	int rc;

	defaults_set(files);
	if (!strcasecmp(name, "DEFAULT"))
		return pairs_read(files, &files->partition_default, &files->line_default);
	if (!*name || strlen(name) > SLURM_NAME_MOST || files->conf->npartitions == SLURM_PARTITIONS_MOST) {
		slurm_report(files, FAULT, files->line.place,
			     "PartitionName \"%.60s\" found: 1 to %d bytes, and at most %d partitions, are allowed",
			     name, SLURM_NAME_MOST, SLURM_PARTITIONS_MOST);
		return 0;
	}
	rc = partition_add(files, &partition, &line);
	return rc ? rc : pairs_read(files, partition, line);
}

/* Add the nodes that have the feature. */
static int feature_add(struct slurm_files *files, struct node_spans *list, const char *feature)
{
	size_t length = strlen(feature), i;
	struct node_span *span;
	const char *at;

	for (i = 0; i < files->spans.n; i++) {
		for (at = files->kinds[files->spans.items[i].kind].features; *at;
		     at += strcspn(at, ","), at += *at == ',')
			if (strcspn(at, ",") == length && !strncmp(at, feature, length))
				break;
		if (!*at)
			continue;
		span = array_add(&list->items, &list->n, sizeof(*span));
		if (!span)
			return -ENOMEM;
		*span = files->spans.items[i];
		span->prefix = strdup(span->prefix);
		if (!span->prefix)
			return -ENOMEM;
	}
	return 0;
}

static int set_add(struct slurm_files *files, struct node_spans *list, const struct node_set *set)
{
	struct error error;
	int rc = 0;

	if (set->nodes)
		rc = hostlist_parse(list, set->nodes, 0, &error);
	if (rc == -EINVAL)
		slurm_report(files, FAULT, set->place, "error parsing value \"%.60s\" of Nodes: %s", set->nodes,
			     error.text);
	if (rc != -ENOMEM && set->feature)
		rc = feature_add(files, list, set->feature);
	return rc == -ENOMEM ? rc : 0;
}

/*
 * Check the limit on the ranges of all partitions. A few bytes may name very many ranges again and
 * again.
 */
static bool spans_are_too_many(struct slurm_files *files, const struct partition_line *line, size_t more)
{
	if (files->spans_named + more <= SLURM_NAMED_MOST)
		return false;
	if (files->spans_named <= SLURM_NAMED_MOST)
		slurm_report(files, FAULT, line->place,
			     "with \"%.60s\" the nodes of all partitions come to more than %d ranges", line->nodes,
			     SLURM_NAMED_MOST);
	files->spans_named = SLURM_NAMED_MOST + 1;
	return true;
}

/* Replace the names of sets in the list by their nodes. */
static int sets_add(struct slurm_files *files, const struct partition_line *line, struct node_spans *list)
{
	const struct node_set *set;
	size_t i, named = list->n;
	int rc = 0;

	for (i = 0; files->nsets > 0 && i < named && !rc && !spans_are_too_many(files, line, list->n); i++) {
		char name[2 * SLURM_NAME_MOST];
		struct node_span *span = &list->items[i];

		node_span_name(span, span->low, name);
		set = span->low == span->high ? array_find(files->sets, files->nsets, sizeof(*set), name) : NULL;
		if (!set)
			continue;
		rc = set_add(files, list, set);
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

static int nodes_list(struct slurm_files *files, const struct partition_line *line, struct node_spans *list)
{
	struct error error;
	int rc;

	if (spans_are_too_many(files, line, 0))
		return 0;
	rc = hostlist_parse(list, line->nodes, 0, &error);
	if (rc == -EINVAL)
		slurm_report(files, FAULT, line->place, "error parsing value \"%.60s\" of Nodes: %s", line->nodes,
			     error.text);
	if (rc != -ENOMEM)
		rc = sets_add(files, line, list);
	if (rc)
		return rc;
	if (spans_are_too_many(files, line, list->n)) {
		node_spans_free(list);
		return 0;
	}
	files->spans_named += list->n;
	if (list->n > 1)
		qsort(list->items, list->n, sizeof(*list->items), node_span_compare);
	node_spans_merge(list);
	return 0;
}

/* Report the first range with nodes that the cluster does not have. */
static void unknown_report(struct slurm_files *files, const struct slurm_partition *partition,
			   const struct partition_line *line, const struct node_spans *list)
{
	char low[2 * SLURM_NAME_MOST], high[2 * SLURM_NAME_MOST];
	double total[TRES_MOST];
	struct node_span *span = list->items;

	while (slurm_nodes_sum(files, &(struct node_spans){ span, 1 }, total) > span->high - span->low)
		span++;
	node_span_name(span, span->low, low);
	node_span_name(span, span->high, high);
	slurm_report(files, FAULT, line->place,
		     "partition \"%.60s\" has nodes that no NodeName line has: \"%.60s\"%s%.60s%s", partition->name,
		     low, span->low < span->high ? ", or one of those up to \"" : "",
		     span->low < span->high ? high : "", span->low < span->high ? "\"" : "");
}

/* Compute total[] over the nodes that the line names. */
static int nodes_sum(struct slurm_files *files, struct slurm_partition *partition, const struct partition_line *line)
{
	struct node_spans list = { 0 };
	uint64_t named = 0, known;
	int rc;
	size_t i;

	if (says_all(line->nodes)) {
		memcpy(partition->total, &files->before[files->spans.n * files->conf->ntres],
		       files->conf->ntres * sizeof(*partition->total));
		return 0;
	}
	rc = line->nodes ? nodes_list(files, line, &list) : 0;
	if (!rc) {
		known = slurm_nodes_sum(files, &list, partition->total);
		for (i = 0; i < list.n && named <= known; i++)
			named += list.items[i].high - list.items[i].low + 1;
		if (named > known && files->spans.n > 0)
			unknown_report(files, partition, line, &list);
	}
	node_spans_free(&list);
	return rc;
}

/*
 * Return the billing of the whole partition as Slurm computes it: its CPUs, or the result of the
 * weights truncated to a whole number.
 */
static double billing_sum(const struct slurm_conf *conf, const struct slurm_partition *partition)
{
	double sum = 0, most = 0, part;
	bool takes_most = conf->flags & (FLAG_MAX_TRES | FLAG_MAX_TRES_GRES), is_gres;
	size_t t;

	if (!partition->has_billing)
		return partition->total[TRES_CPU];
	for (t = 0; t < conf->ntres; t++) {
		part = t == TRES_BILLING ? 0 : partition->billing[t] * partition->total[t];
		is_gres = !strncmp(conf->tres[t], "gres/", 5) && !(conf->flags & FLAG_MAX_TRES_GRES);
		if (takes_most && (t == TRES_CPU || t == TRES_MEM || t == TRES_NODE || is_gres))
			most = fmax(most, part);
		else
			sum += part;
	}
	return floor(sum + most);
}

static int billing_finish(struct slurm_files *files, struct slurm_partition *partition,
			  const struct partition_line *line)
{
	struct error error;
	int rc = 0;
	size_t t;

	partition->has_billing = line->billing && *line->billing;
	if (partition->has_billing)
		rc = slurm_weights_parse(files->conf, line->billing, partition->billing, &error);
	for (t = 0; t < files->conf->ntres && !rc; t++)
		if (partition->billing[t] < 0)
			rc = error_set(&error, -EINVAL, "the weight %g of %.40s is negative: 0 or more is allowed",
				       partition->billing[t], files->conf->tres[t]);
	if (rc == -EINVAL)
		slurm_report(files, FAULT, line->place, "error parsing value \"%.60s\" of TRESBillingWeights: %s",
			     line->billing, error.text);
	return rc == -ENOMEM ? rc : 0;
}

static int licenses_add(struct slurm_files *files, double *counts)
{
	struct error error;
	int rc = files->licenses ? slurm_gres_add(files->conf, "license", files->licenses, counts, &error) : 0;

	if (rc == -EINVAL)
		slurm_report(files, FAULT, slurm_parameter_place(files, "Licenses"),
			     "error parsing value \"%.60s\" of Licenses: %s", files->licenses, error.text);
	return rc == -ENOMEM ? rc : 0;
}

static int partition_finish(struct slurm_files *files, size_t i, const double *licenses)
{
	struct slurm_partition *partition = &files->conf->partitions[i];
	size_t n = files->conf->ntres, t;
	int rc;

	partition->billing = calloc(n, sizeof(*partition->billing));
	partition->total = calloc(n, sizeof(*partition->total));
	if (!partition->billing || !partition->total)
		return -ENOMEM;
	rc = billing_finish(files, partition, &files->partition_lines[i]);
	if (!rc)
		rc = nodes_sum(files, partition, &files->partition_lines[i]);
	partition->nodes = (uint32_t)partition->total[TRES_NODE];
	for (t = 0; t < n; t++)
		partition->total[t] += licenses[t];
	partition->total[TRES_BILLING] = billing_sum(files->conf, partition);
	if (files->partition_lines[i].is_default) {
		if (files->conf->default_partition != UINT32_MAX)
			slurm_report(files, WARNING, files->partition_lines[i].place,
				     "partition \"%.60s\" has Default=YES like \"%.60s\": the last one counts",
				     partition->name, files->conf->partitions[files->conf->default_partition].name);
		files->conf->default_partition = (uint32_t)i;
	}
	return rc;
}

static int names_index(struct slurm_files *files)
{
	size_t n = files->conf->npartitions, i;
	struct slurm_name *names = calloc(n ? n : 1, sizeof(*names));
	uint32_t later;

	if (!names)
		return -ENOMEM;
	files->conf->partition_names = names;
	for (i = 0; i < n; i++)
		names[i] = (struct slurm_name){ files->conf->partitions[i].name, (uint32_t)i };
	array_sort(names, n, sizeof(*names));
	for (i = 1; i < n; i++) {
		if (strcmp(names[i - 1].name, names[i].name))
			continue;
		later = names[i].index > names[i - 1].index ? names[i].index : names[i - 1].index;
		slurm_report(files, FAULT, files->partition_lines[later].place,
			     "partition \"%.60s\" appears twice: once is allowed", names[i].name);
	}
	return 0;
}

int slurm_partitions_finish(struct slurm_files *files)
{
	double licenses[TRES_MOST] = { 0 };
	int rc = names_index(files);
	size_t i;

	array_sort(files->sets, files->nsets, sizeof(*files->sets));
	if (!rc)
		rc = licenses_add(files, licenses);
	for (i = 0; i < files->conf->npartitions && !rc; i++)
		rc = partition_finish(files, i, licenses);
	return rc;
}
