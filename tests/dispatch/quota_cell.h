/* SPDX-License-Identifier: Apache-2.0 */
/* A cell with resource quota sets, built from the texts of its files. For one file of a program. */
#ifndef TESTS_DISPATCH_QUOTA_CELL_H
#define TESTS_DISPATCH_QUOTA_CELL_H

#include <stdlib.h>
#include <string.h>

#include "conf/formula.h"
#include "conf/lists.h"
#include "conf/gridengine/readers.h"

#define CELL_MANY 64
#define CELL_RULES 256

static struct complex complexes[] = {
	{ .name = "lic", .shortcut = "lic" }, { .name = "mem", .shortcut = "mem" }, { .name = "slots", .shortcut = "s" },
};
static struct userset usersets[CELL_MANY];
static struct userset_member members[CELL_MANY * 16];
static struct hostgroup hostgroups[CELL_MANY];
static struct quota_set sets[CELL_MANY];
static struct quota_rule rules[CELL_RULES];
static struct quota_limit limits[2 * CELL_RULES];
static size_t nrules, nlimits;
static char *texts[64 * 1024], pool[1024 * 1024];	/* lists and names */
static size_t ntexts, npool;
static struct cell cell;

static void cell_begin(void)
{
	cell = (struct cell){ .complexes = complexes,
			      .ncomplexes = 3,
			      .usersets = usersets,
			      .members = members,
			      .hostgroups = hostgroups,
			      .quotas = sets };
	nrules = nlimits = ntexts = npool = 0;
}

static void cell_end(void)
{
	for (size_t i = 0; i < nlimits; i++)
		formula_free(&limits[i].formula);
	nlimits = 0;
}

static char *text_keep(const char *text, size_t n)
{
	char *kept = pool + npool;

	npool += n + 1;
	if (npool > sizeof(pool))
		abort();
	memcpy(kept, text, n);
	kept[n] = '\0';
	return kept;
}

/*
 * Return the entries between commas, those with the mark or those without it. The mark is removed.
 */
static struct strlist list_of(const char *text, size_t length, bool marked)
{
	struct strlist list = { .items = texts + ntexts };
	const char *end = text + length;
	size_t n;

	for (; text < end; text += n + 1) {
		n = strcspn(text, ",} ");
		if (ntexts == sizeof(texts) / sizeof(*texts))
			abort();
		if ((*text == '!') == marked)
			texts[ntexts++] = text_keep(text + marked, n - marked);
	}
	list.n = (size_t)(texts + ntexts - list.items);
	return list;
}

static void add_userset(const char *name, const char *entries)
{
	struct userset *set = &usersets[cell.nusersets++];

	*set = (struct userset){ .name = text_keep(name, strlen(name)),
				 .is_acl = true,
				 .entries = list_of(entries, strlen(entries), false) };
	array_sort(usersets, cell.nusersets, sizeof(*usersets));
	cell.nmembers = 0;
	for (set = usersets; set < usersets + cell.nusersets; set++)
		for (size_t i = 0; i < set->entries.n; i++)
			members[cell.nmembers++] = (struct userset_member){ set->entries.items[i], set };
	qsort(members, cell.nmembers, sizeof(*members), member_compare);
}

static void add_hostgroup(const char *name, const char *hosts)
{
	hostgroups[cell.nhostgroups++] = (struct hostgroup){ .name = text_keep(name, strlen(name)),
							     .hostlist = list_of(hosts, strlen(hosts), false) };
	array_sort(hostgroups, cell.nhostgroups, sizeof(*hostgroups));
}

static void add_set(const char *name, bool enabled)
{
	sets[cell.nquotas++] = (struct quota_set){ .name = text_keep(name, strlen(name)),
						   .enabled = enabled,
						   .rules = rules + nrules };
}

static void filter_fill(struct quota_rule *rule, const char *kind, const char *text)
{
	static const char *const kinds[] = { "users", "projects", "pes", "queues", "hosts" };
	struct quota_filter *filter;
	size_t k = 0, n = strcspn(text, " ");

	while (strncmp(kinds[k], kind, strlen(kinds[k])))
		k++;
	filter = &rule->filters[k];
	filter->expanded = *text == '{';
	text += filter->expanded;
	n -= 2 * filter->expanded;
	filter->in = list_of(text, n, false);
	filter->not_in = list_of(text, n, true);
}

static void limit_fill(struct quota_limit *limit, const char *text, size_t n)
{
	const char *value = strchr(text, '=') + 1;
	char *formula = text_keep(value, n - (size_t)(value - text));

	*limit = (struct quota_limit){ .name = text_keep(text, (size_t)(value - 1 - text)), .value = atof(formula) };
	if (strchr(formula, '$') && formula_parse(&limit->formula, formula, &(struct error){ 0 }))
		abort();
}

/* Add a rule to the last quota set: "users {ann,!bob} hosts @big", "slots=4,mem=$num_proc*2". */
static struct quota_rule *add_rule(const char *filters, const char *to)
{
	struct quota_set *set = &sets[cell.nquotas - 1];
	struct quota_rule *rule = &rules[nrules++];
	const char *value;
	size_t n;

	*rule = (struct quota_rule){ .name = pool + npool, .number = (int)++set->nrules, .limits = limits + nlimits };
	text_keep("", 0);
	while (*filters) {
		value = strchr(filters, ' ') + 1;
		filter_fill(rule, filters, value);
		filters = value + strcspn(value, " ");
		filters += *filters == ' ';
	}
	for (; *to; to += n + (to[n] == ',')) {
		n = strcspn(to, ",");
		limit_fill(&limits[nlimits++], to, n);
		rule->nlimits++;
	}
	return rule;
}

#endif
