/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From lines that say what they are directly below to a tree in pre-order. A file decides how deep
 * and how wide it is: nothing recurses, and everything costs n log n at most.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/array.h"
#include "conf/lists.h"
#include "conf/slurm/files.h"

#define NONE UINT32_MAX

struct account_row {
	const char *name;		/* first, for array_sort() */
	uint32_t row;
};

struct plant {
	struct association_rows *rows;
	struct slurm_conf *conf;
	struct account_row *accounts;	/* sorted */
	size_t naccounts;
	uint32_t *parent, *first_child, *last_child, *next_sibling;	/* by row */
	uint32_t *place;		/* of a row in the tree; NONE: in none */
	int *lines;			/* by place */
};

struct association_row *association_rows_add(struct association_rows *rows)
{
	struct association_row *row = array_add(&rows->items, &rows->n, sizeof(*row));

	if (!row)
		return NULL;
	*row = (struct association_row){ .account = strdup(""), .user = strdup(""), .partition = strdup(""), .parent = strdup(""), .shares = 1,
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

static int plant_allocate(struct plant *p)
{
	size_t n = p->rows->n;
	uint32_t **arrays[] = { &p->parent, &p->first_child, &p->last_child, &p->next_sibling, &p->place };
	size_t i;

	for (i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		*arrays[i] = malloc(n * sizeof(**arrays[i]));
		if (!*arrays[i])
			return -ENOMEM;
		memset(*arrays[i], 0xff, n * sizeof(**arrays[i]));	/* NONE */
	}
	p->accounts = calloc(n, sizeof(*p->accounts));
	p->lines = calloc(n, sizeof(*p->lines));
	return p->accounts && p->lines ? 0 : -ENOMEM;
}

static void plant_free(struct plant *p)
{
	free(p->accounts);
	free(p->parent);
	free(p->first_child);
	free(p->last_child);
	free(p->next_sibling);
	free(p->place);
	free(p->lines);
}

static int account_compare(const void *a, const void *b)
{
	const struct account_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/*
 * Of an account that is there twice the first one counts, so that it is not followed by faults of
 * those below it.
 */
static void accounts_index(struct plant *p)
{
	const struct association_row *items = p->rows->items;
	struct account_row *a;
	size_t n = 0, i;

	for (i = 0; i < p->rows->n; i++)
		if (!*items[i].user)
			p->accounts[p->naccounts++] = (struct account_row){ items[i].account, (uint32_t)i };
	qsort(p->accounts, p->naccounts, sizeof(*p->accounts), account_compare);
	for (a = p->accounts; a != array_end(p->accounts, p->naccounts); a++) {
		if (n == 0 || strcmp(p->accounts[n - 1].name, a->name))
			p->accounts[n++] = *a;
		else
			report_add(p->rows->report, FAULT, p->rows->path, items[a->row].line, "account \"%.60s\" is in line %d already: once is allowed",
				   a->name, items[p->accounts[n - 1].row].line);
	}
	p->naccounts = n;
}

static uint32_t account_row(const struct plant *p, const char *name)
{
	const struct account_row *found = array_find(p->accounts, p->naccounts, sizeof(*found), name);

	return found ? found->row : NONE;
}

/* That what is above comes first leaves no loops. */
static void rows_link(struct plant *p)
{
	const struct association_row *row;
	uint32_t i, above;

	for (i = 1; i < p->rows->n; i++) {
		row = &p->rows->items[i];
		above = account_row(p, row->parent);
		if (above == NONE || above >= i) {
			report_add(p->rows->report, FAULT, p->rows->path, row->line, "\"%.60s\" is below account \"%.60s\", which is not there yet: "
				   "accounts come before what is below them", *row->user ? row->user : row->account, row->parent);
			continue;
		}
		p->parent[i] = above;
		if (p->last_child[above] == NONE)
			p->first_child[above] = i;
		else
			p->next_sibling[p->last_child[above]] = i;
		p->last_child[above] = i;
	}
}

/* The row behind this one in pre-order. */
static uint32_t row_next(const struct plant *p, uint32_t row)
{
	if (p->first_child[row] != NONE)
		return p->first_child[row];
	while (row != NONE && p->next_sibling[row] == NONE)
		row = p->parent[row];
	return row == NONE ? NONE : p->next_sibling[row];
}

static int rows_place(struct plant *p)
{
	struct slurm_conf *conf = p->conf;
	struct slurm_association *a;
	struct association_row *row;
	uint32_t i;

	conf->associations = calloc(p->rows->n, sizeof(*conf->associations));
	if (!conf->associations)
		return -ENOMEM;
	for (i = 0; i != NONE; i = row_next(p, i)) {
		row = &p->rows->items[i];
		a = &conf->associations[conf->nassociations];
		*a = (struct slurm_association){ .parent = i ? p->place[p->parent[i]] : NONE, .account = row->account, .user = row->user,
						 .partition = row->partition, .shares = row->shares, .usage = row->usage,
						 .said_qos = row->said_qos, .said_list = row->said_list, .group_minutes = row->group_minutes };
		if (row->priority >= 0)
			a->priority = (uint32_t)row->priority;
		else if (i)
			a->priority = conf->associations[a->parent].priority;
		if (slurm_qos_inherit(conf, a))
			return -ENOMEM;
		p->place[i] = (uint32_t)conf->nassociations;
		p->lines[conf->nassociations++] = row->line;
	}
	return 0;
}

/* Their texts are the tree's now, but for the names that sort and link them. */
static void rows_give(struct plant *p)
{
	struct association_row *row;
	uint32_t i;

	for (i = 0; i < p->rows->n; i++) {
		row = &p->rows->items[i];
		if (p->place[i] != NONE)
			row->account = row->user = row->partition = row->said_qos = row->said_list = row->group_minutes = NULL;
	}
}

/* Users; accounts have been looked at. */
static void twice_check(struct plant *p)
{
	const struct slurm_conf *conf = p->conf;
	const struct slurm_association *a, *b;
	uint32_t i, x, y;

	for (i = 1; i < conf->nassociations; i++) {
		x = conf->association_index[i - 1];
		y = conf->association_index[i];
		a = &conf->associations[x];
		b = &conf->associations[y];
		if (!*a->user || strcmp(a->account, b->account) || strcmp(a->user, b->user) || strcasecmp(a->partition, b->partition))
			continue;
		report_add(p->rows->report, FAULT, p->rows->path, p->lines[x] > p->lines[y] ? p->lines[x] : p->lines[y],
			   "user \"%.60s\" of account \"%.60s\" is there twice: once for each partition is allowed", a->user, a->account);
	}
}

/* Shares of 0 side by side leave nothing to divide. */
static void shares_check(struct plant *p)
{
	const struct slurm_conf *conf = p->conf;
	const char *first = NULL;
	int line = 0;
	size_t levels = 0;
	uint32_t i, child;
	uint64_t sum;

	for (i = 0; i < p->rows->n; i++) {
		if (p->place[i] == NONE || p->first_child[i] == NONE)
			continue;
		for (sum = 0, child = p->first_child[i]; child != NONE; child = p->next_sibling[child])
			sum += p->rows->items[child].shares;
		if (sum > 0)
			continue;
		if (levels++ == 0) {
			first = conf->associations[p->place[i]].account;
			line = p->rows->items[i].line;
		}
	}
	if (levels > 0)
		report_add(p->rows->report, WARNING, p->rows->path, line, "everything below account \"%.60s\" has 0 shares (%zu account%s like that in all): "
			   "their fair-share factor is 0", first, levels, levels > 1 ? "s" : "");
}

/* Slurm says so in its controller's log at each start, and goes on without. */
static void default_qos_check(struct plant *p)
{
	const struct slurm_conf *conf = p->conf;
	const struct slurm_association *a, *first = NULL;
	size_t users = 0;
	int line = 0;

	for (a = conf->associations; a != array_end(conf->associations, conf->nassociations); a++) {
		if (!*a->user || slurm_default_qos_allowed(a))
			continue;
		if (users++ == 0) {
			first = a;
			line = p->lines[a - conf->associations];
		}
	}
	if (users > 0)
		report_add(p->rows->report, WARNING, p->rows->path, line, "DefaultQOS \"%.60s\" of user \"%.60s\" of account \"%.60s\" is not among "
			   "the QOS \"%.60s\" that may be used (%zu user%s like that in all): it has no effect",
			   first->default_qos, first->user, first->account, first->qos_list, users, users > 1 ? "s" : "");
}

int association_rows_plant(struct association_rows *rows, struct slurm_conf *conf)
{
	struct plant p = { .rows = rows, .conf = conf };
	int rc = rows->n > 0 ? plant_allocate(&p) : 0;

	if (!rc && rows->n > 0) {
		accounts_index(&p);
		rows_link(&p);
		rc = rows_place(&p);
		if (!rc)
			shares_check(&p);
		if (!rc)
			default_qos_check(&p);
		if (!rc)
			rc = slurm_associations_index(conf);
		if (!rc)
			twice_check(&p);
		if (conf->associations)
			rows_give(&p);
	}
	plant_free(&p);
	return rc;
}
