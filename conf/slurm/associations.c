/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/associations: what `sacctmgr dump` writes and `sacctmgr load` reads. "Parent - 'x'" begins
 * what is directly below account x: accounts and users, each a line of Name=value attributes with
 * colons between; values with other characters are in quotes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/slurm/files.h"

struct association_lines {
	struct reader *reader;
	struct text text;
	struct association_rows rows;	/* row 0: the root, which no line creates */
	char *parent;			/* account of the Parent line above; in the file's buffer */
	bool has_cluster;
};

#define dump_fault(d, ...) report_add((d)->text.report, FAULT, (d)->text.path, (d)->text.number, __VA_ARGS__)

/*
 * A quote ends a value where a value may end: sacctmgr writes one that is part of it as it is.
 * NULL: it doesn't end.
 */
static char *quote_end(char *value, char quote)
{
	char *end = strchr(value, quote);

	while (end && end[1] && end[1] != ':')
		end = strchr(end + 1, quote);
	return end;
}

/* Cuts off a value, in quotes or up to the next colon. NULL with a fault: it doesn't end. */
static char *value_take(struct association_lines *d, char **rest)
{
	char *value = *rest, *end;

	if (*value == '\'' || *value == '"') {
		end = quote_end(value + 1, *value);
		if (!end) {
			dump_fault(d, "\"%.60s\" found: the quote is not closed before a colon or the end of the line", value);
			return NULL;
		}
		value++;
		*end++ = '\0';
	} else {
		end = value + strcspn(value, ":");
	}
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return value;
}

static bool name_ok(struct association_lines *d, const char *name)
{
	if (*name && strlen(name) <= SLURM_NAME_MOST)
		return true;
	dump_fault(d, "the name \"%.60s\" found: 1 to 255 bytes are allowed", name);
	return false;
}

static void shares_parse(struct association_lines *d, const char *text, uint32_t *shares)
{
	struct error e;
	uint64_t v = SHARES_PARENT;

	if (strcasecmp(text, "parent") && slurm_number(text, SHARES_PARENT, &v, &e))
		dump_fault(d, "error parsing value \"%.60s\" of Fairshare: a whole number from 0 to 2147483646, or parent, is allowed", text);
	*shares = (uint32_t)v;
}

static void priority_parse(struct association_lines *d, const char *text, int64_t *priority)
{
	struct error e;
	uint64_t v = 0;

	if (slurm_number(text, UINT32_MAX - 1, &v, &e))
		dump_fault(d, "error parsing value \"%.60s\" of Priority: a whole number from 0 to 4294967294 is allowed", text);
	*priority = (int64_t)v;
}

static int group_minutes_parse(struct association_lines *d, const char *text, char **limits)
{
	int rc;

	free(*limits);
	rc = slurm_limits_parse(&d->reader->cell->slurm, text, limits);
	if (rc == -EINVAL)
		dump_fault(d, "error parsing value \"%.60s\" of GrpTRESMins: " SLURM_LIMITS_ALLOWED, text);
	return rc == -ENOMEM ? rc : 0;
}

/* Each of a user's lines says it again: users_finish() leaves one. */
static int default_account_add(struct association_lines *d, const char *user, const char *account)
{
	struct slurm_conf *conf = &d->reader->cell->slurm;
	struct slurm_user *u = array_add(&conf->users, &conf->nusers, sizeof(*u));

	if (!u)
		return -ENOMEM;
	*u = (struct slurm_user){ strdup(user), strdup(account) };
	if (!u->name || !u->default_account)
		return -ENOMEM;
	slurm_lower(u->default_account);
	return 0;
}

static int attribute_read(struct association_lines *d, struct association_row *row, const char *key, const char *value)
{
	if (!strcasecmp(key, "Fairshare") || !strcasecmp(key, "Shares"))
		shares_parse(d, value, &row->shares);
	else if (!strcasecmp(key, "Priority"))
		priority_parse(d, value, &row->priority);
	else if (!strcasecmp(key, "Partition"))
		return *row->user ? slurm_text(&row->partition, value) : 0;
	else if (!strcasecmp(key, "DefaultQOS") && *value)
		return name_ok(d, value) ? slurm_text(&row->said_qos, value) : 0;
	else if (!strcasecmp(key, "QOS") && *value)
		return slurm_text(&row->said_list, value);
	else if (!strcasecmp(key, "GrpTRESMins"))
		return group_minutes_parse(d, value, &row->group_minutes);
	else if (!strcasecmp(key, "DefaultAccount") && *row->user && *value)
		return default_account_add(d, row->user, value);
	return 0;
}

static int attributes_read(struct association_lines *d, struct association_row *row, char *rest)
{
	char *equals, *key, *value;
	int rc = 0;

	while (*rest && !rc) {
		key = rest;
		equals = key + strcspn(key, "=:'");
		if (*equals != '=') {
			dump_fault(d, "\"%.60s\" found where an attribute is meant: Name=value is allowed", key);
			return 0;
		}
		*equals = '\0';
		rest = equals + 1;
		value = value_take(d, &rest);
		if (!value)
			return 0;
		rc = attribute_read(d, row, key, value);
	}
	return rc;
}

/* A row for what this line creates below the current parent. */
static int row_read(struct association_lines *d, char *name, char *rest, bool is_user)
{
	struct association_row *row;
	int rc;

	if (!d->parent) {
		dump_fault(d, "\"%.60s\" stands before the first Parent line: it is below no account", name);
		return 0;
	}
	if (!name_ok(d, name))
		return 0;
	if (d->rows.n >= SLURM_ASSOCIATIONS_MOST) {
		if (d->rows.n == SLURM_ASSOCIATIONS_MOST)
			dump_fault(d, "\"%.60s\" is one association too many: at most 1048576 are allowed", name);
		return 0;
	}
	row = association_rows_add(&d->rows);
	if (!row)
		return -ENOMEM;
	row->line = d->text.number;
	rc = slurm_text(&row->parent, d->parent);
	if (!rc)
		rc = slurm_text(&row->account, is_user ? d->parent : name);
	if (!rc && is_user)
		rc = slurm_text(&row->user, name);
	slurm_lower(row->account);
	return rc ? rc : attributes_read(d, row, rest);
}

static int cluster_read(struct association_lines *d, char *rest)
{
	if (d->has_cluster)
		dump_fault(d, "a second Cluster line found: one is allowed");
	d->has_cluster = true;
	return attributes_read(d, &d->rows.items[0], rest);
}

/* "Account - 'name'": cuts the first word off, and then the name. */
static char *name_take(struct association_lines *d, char **rest)
{
	char *end = *rest + strcspn(*rest, " \t-"), *dash = end + strspn(end, " \t");

	if (*dash != '-') {
		dump_fault(d, "\"%.60s\" found: Cluster, Parent, Account or User, then - 'name', is allowed, as sacctmgr dump writes it", *rest);
		return NULL;
	}
	*end = '\0';
	*rest = dash + 1 + strspn(dash + 1, " \t");
	return value_take(d, rest);
}

static int line_read(struct association_lines *d, char *line)
{
	char *rest = line, *name = name_take(d, &rest);

	if (!name)
		return 0;
	if (!strcasecmp(line, "Cluster"))
		return cluster_read(d, rest);
	if (!strcasecmp(line, "User"))
		return row_read(d, name, rest, true);
	if (!strcasecmp(line, "Account") && strcasecmp(name, "root"))
		return row_read(d, name, rest, false);
	if (!strcasecmp(line, "Account"))
		return attributes_read(d, &d->rows.items[0], rest);
	if (strcasecmp(line, "Parent")) {
		report_add(d->text.report, WARNING, d->text.path, d->text.number, "\"%.60s\" found: only lines that begin with Cluster, Parent, Account or "
			   "User count", line);
		return 0;
	}
	slurm_lower(name);
	d->parent = name_ok(d, name) ? name : d->parent;
	return 0;
}

/* A user has one default account in a cluster, so that any of his entries will do. */
static void users_finish(struct slurm_conf *conf)
{
	size_t n = 0, i;

	array_sort(conf->users, conf->nusers, sizeof(*conf->users));
	for (i = 0; i < conf->nusers; i++) {
		if (n > 0 && !strcmp(conf->users[n - 1].name, conf->users[i].name)) {
			free(conf->users[i].name);
			free(conf->users[i].default_account);
		} else {
			conf->users[n++] = conf->users[i];
		}
	}
	conf->nusers = n;
}

static int dump_read(struct association_lines *d)
{
	struct association_row *root = association_rows_add(&d->rows);
	int rc = root ? slurm_text(&root->account, "root") : -ENOMEM;
	char *line;

	while (!rc && (line = text_line(&d->text))) {
		line += strspn(line, " \t");
		if (*line && *line != '#')
			rc = line_read(d, line);
	}
	if (!rc)
		rc = association_rows_plant(&d->rows, &d->reader->cell->slurm);
	if (!rc)
		users_finish(&d->reader->cell->slurm);
	return rc;
}

int slurm_associations_read(struct reader *r)
{
	char *path = path_join(r->dir, NULL, "associations");
	struct association_lines d = { .reader = r, .rows = { .path = path, .report = r->report } };
	int rc = path ? text_open(&d.text, path, r->report) : -ENOMEM;

	d.text.as_it_is = true;
	if (!rc)
		rc = dump_read(&d);
	text_close(&d.text);
	association_rows_free(&d.rows);
	free(path);
	return rc == -ENOMEM ? rc : 0;
}
