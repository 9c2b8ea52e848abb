/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversion of lines with parents to a tree in pre-order. A file may have any depth and width, so
 * no function recurses, and no step costs more than n log n.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "conf/lists.h"
#include "conf/slurm/files.h"

#define NONE UINT32_MAX

struct account_row {
	const char *name;		/* first member, for array_sort() */
	uint32_t row;
};

struct plant {
	struct association_rows *rows;
	struct slurm_conf *conf;
	struct account_row *accounts;	/* sorted */
	size_t naccounts;
	uint32_t *parent, *first_child, *last_child, *next_sibling;	/* by row */
	uint32_t *place;		/* position of a row in the tree; NONE: not in the tree */
	int *lines;			/* by position */
};

struct association_row *association_rows_add(struct association_rows *rows)
{
	struct association_row *row = array_add(&rows->items, &rows->n, sizeof(*row));

	if (!row)
		return NULL;
	*row = (struct association_row){ .account = strdup(""),
					 .user = strdup(""),
					 .partition = strdup(""),
					 .parent = strdup(""),
					 .shares = 1,
					 .priority = -1 };
	return row->account && row->user && row->partition && row->parent ? row : NULL;
}

void association_rows_free(struct association_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		free(rows->items[i].account);
		free(rows->items[i].user);
		free(rows->items[i].partition);
		free(rows->items[i].parent);
		free(rows->items[i].said_qos);
		free(rows->items[i].said_list);
		free(rows->items[i].group_minutes);
	}
	free(rows->items);
	*rows = (struct association_rows){ 0 };
}

static int plant_allocate(struct plant *plant)
{
	size_t n = plant->rows->n;
	uint32_t **arrays[] = { &plant->parent, &plant->first_child, &plant->last_child, &plant->next_sibling,
				&plant->place };
	size_t i;

	for (i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		*arrays[i] = malloc(n * sizeof(**arrays[i]));
		if (!*arrays[i])
			return -ENOMEM;
		memset(*arrays[i], 0xff, n * sizeof(**arrays[i]));	/* NONE */
	}
	plant->accounts = calloc(n, sizeof(*plant->accounts));
	plant->lines = calloc(n, sizeof(*plant->lines));
	return plant->accounts && plant->lines ? 0 : -ENOMEM;
}

static void plant_free(struct plant *plant)
{
	free(plant->accounts);
	free(plant->parent);
	free(plant->first_child);
	free(plant->last_child);
	free(plant->next_sibling);
	free(plant->place);
	free(plant->lines);
}

static int account_compare(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/*
 * Index the accounts. If an account exists twice, the first one is used, so that the fault does not
 * cause more faults below it.
 */
static void accounts_index(struct plant *plant)
{
	const struct association_row *items = plant->rows->items;
	struct account_row *row;
	size_t n = 0, i;

	for (i = 0; i < plant->rows->n; i++)
		if (!*items[i].user)
			plant->accounts[plant->naccounts++] = (struct account_row){ items[i].account, (uint32_t)i };
	qsort(plant->accounts, plant->naccounts, sizeof(*plant->accounts), account_compare);
	for (row = plant->accounts; row != array_end(plant->accounts, plant->naccounts); row++) {
		if (n == 0 || strcmp(plant->accounts[n - 1].name, row->name))
			plant->accounts[n++] = *row;
		else
			report_add(plant->rows->report, FAULT, plant->rows->path, items[row->row].line,
				   "account \"%.60s\" is already in line %d: once is allowed", row->name,
				   items[plant->accounts[n - 1].row].line);
	}
	plant->naccounts = n;
}

static uint32_t account_row(const struct plant *plant, const char *name)
{
	const struct account_row *found = array_find(plant->accounts, plant->naccounts, sizeof(*found), name);

	return found ? found->row : NONE;
}

/* Link rows to their parents. A parent must come first, so there are no loops. */
static void rows_link(struct plant *plant)
{
	const struct association_row *row;
	uint32_t i, above;

	for (i = 1; i < plant->rows->n; i++) {
		row = &plant->rows->items[i];
		above = account_row(plant, row->parent);
		if (above == NONE || above >= i) {
			report_add(plant->rows->report, FAULT, plant->rows->path, row->line,
				   "\"%.60s\" is below account \"%.60s\", which does not exist yet: an account comes "
				   "before its members",
				   *row->user ? row->user : row->account, row->parent);
			continue;
		}
		plant->parent[i] = above;
		if (plant->last_child[above] == NONE)
			plant->first_child[above] = i;
		else
			plant->next_sibling[plant->last_child[above]] = i;
		plant->last_child[above] = i;
	}
}

/* Return the row after this one in pre-order. */
static uint32_t row_next(const struct plant *plant, uint32_t row)
{
	if (plant->first_child[row] != NONE)
		return plant->first_child[row];
	while (row != NONE && plant->next_sibling[row] == NONE)
		row = plant->parent[row];
	return row == NONE ? NONE : plant->next_sibling[row];
}

static int rows_place(struct plant *plant)
{
	struct slurm_conf *conf = plant->conf;
	struct slurm_association *association;
	struct association_row *row;
	uint32_t i;

	conf->associations = calloc(plant->rows->n, sizeof(*conf->associations));
	if (!conf->associations)
		return -ENOMEM;
	for (i = 0; i != NONE; i = row_next(plant, i)) {
		row = &plant->rows->items[i];
		association = &conf->associations[conf->nassociations];
		*association = (struct slurm_association){ .parent = i ? plant->place[plant->parent[i]] : NONE,
							   .account = row->account,
							   .user = row->user,
							   .partition = row->partition,
							   .shares = row->shares,
							   .usage = row->usage,
							   .said_qos = row->said_qos,
							   .said_list = row->said_list,
							   .group_minutes = row->group_minutes };
		if (row->priority >= 0)
			association->priority = (uint32_t)row->priority;
		else if (i)
			association->priority = conf->associations[association->parent].priority;
		if (slurm_qos_inherit(conf, association))
			return -ENOMEM;
		plant->place[i] = (uint32_t)conf->nassociations;
		plant->lines[conf->nassociations++] = row->line;
	}
	return 0;
}

/* Give the texts to the tree, except the names that are needed for sorting and linking. */
static void rows_give(struct plant *plant)
{
	struct association_row *row;
	uint32_t i;

	for (i = 0; i < plant->rows->n; i++) {
		row = &plant->rows->items[i];
		if (plant->place[i] != NONE)
			row->account = row->user = row->partition = row->said_qos = row->said_list =
				row->group_minutes = NULL;
	}
}

/* Check for duplicate users. Accounts have been checked before. */
static void twice_check(struct plant *plant)
{
	const struct slurm_conf *conf = plant->conf;
	const struct slurm_association *a, *b;
	uint32_t i, x, y;

	for (i = 1; i < conf->nassociations; i++) {
		x = conf->association_index[i - 1];
		y = conf->association_index[i];
		a = &conf->associations[x];
		b = &conf->associations[y];
		if (!*a->user || strcmp(a->account, b->account) || strcmp(a->user, b->user) ||
		    strcasecmp(a->partition, b->partition))
			continue;
		report_add(plant->rows->report, FAULT, plant->rows->path,
			   plant->lines[x] > plant->lines[y] ? plant->lines[x] : plant->lines[y],
			   "user \"%.60s\" of account \"%.60s\" appears twice: once for each partition is allowed",
			   a->user, a->account);
	}
}

/* Warn about siblings that all have 0 shares, which leave nothing to divide. */
static void shares_check(struct plant *plant)
{
	const struct slurm_conf *conf = plant->conf;
	const char *first = NULL;
	int line = 0;
	size_t levels = 0;
	uint32_t i, child;
	uint64_t sum;

	for (i = 0; i < plant->rows->n; i++) {
		if (plant->place[i] == NONE || plant->first_child[i] == NONE)
			continue;
		for (sum = 0, child = plant->first_child[i]; child != NONE; child = plant->next_sibling[child])
			sum += plant->rows->items[child].shares;
		if (sum > 0)
			continue;
		if (levels++ == 0) {
			first = conf->associations[plant->place[i]].account;
			line = plant->rows->items[i].line;
		}
	}
	if (levels > 0)
		report_add(plant->rows->report, WARNING, plant->rows->path, line,
			   "everything below account \"%.60s\" has 0 shares (%zu account%s like that in all): "
			   "their fair-share factor is 0",
			   first, levels, levels > 1 ? "s" : "");
}

/*
 * Warn about a default QOS that may not be used. Slurm writes this to its controller's log at each
 * start and continues without it.
 */
static void default_qos_check(struct plant *plant)
{
	const struct slurm_conf *conf = plant->conf;
	const struct slurm_association *association, *first = NULL;
	size_t users = 0;
	int line = 0;

	for (association = conf->associations; association != array_end(conf->associations, conf->nassociations);
	     association++) {
		if (!*association->user || slurm_default_qos_allowed(association))
			continue;
		if (users++ == 0) {
			first = association;
			line = plant->lines[association - conf->associations];
		}
	}
	if (users > 0)
		report_add(plant->rows->report, WARNING, plant->rows->path, line,
			   "DefaultQOS \"%.60s\" of user \"%.60s\" of account \"%.60s\" is not among "
			   "the QOS \"%.60s\" that may be used (%zu user%s like that in all): it has no effect",
			   first->default_qos, first->user, first->account, first->qos_list, users,
			   users > 1 ? "s" : "");
}

int association_rows_plant(struct association_rows *rows, struct slurm_conf *conf)
{
	struct plant plant = { .rows = rows, .conf = conf };
	int rc = rows->n > 0 ? plant_allocate(&plant) : 0;

	if (!rc && rows->n > 0) {
		accounts_index(&plant);
		rows_link(&plant);
		rc = rows_place(&plant);
		if (!rc)
			shares_check(&plant);
		if (!rc)
			default_qos_check(&plant);
		if (!rc)
			rc = slurm_associations_index(conf);
		if (!rc)
			twice_check(&plant);
		if (conf->associations)
			rows_give(&plant);
	}
	plant_free(&plant);
	return rc;
}
