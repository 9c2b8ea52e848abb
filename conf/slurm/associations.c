/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/associations: the format that `sacctmgr dump` writes and `sacctmgr load` reads. "Parent -
 * 'x'" begins the list of accounts and users directly below account x. Each line has Name=value
 * attributes separated by colons. Values with other characters are in quotes.
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
	char *parent;			/* account of the last Parent line; in the file's buffer */
	bool has_cluster;
};

#define dump_fault(d, ...) report_add((d)->text.report, FAULT, (d)->text.path, (d)->text.number, __VA_ARGS__)

/*
 * Find the quote that ends a value. It must be followed by a colon or the end of the line, because
 * sacctmgr does not escape quotes within a value. Returns NULL if there is none.
 */
static char *quote_end(char *value, char quote)
{
	char *end = strchr(value, quote);

	while (end && end[1] && end[1] != ':')
		end = strchr(end + 1, quote);
	return end;
}

/*
 * Cut off a value, in quotes or up to the next colon. Returns NULL after a fault if a quote is not
 * closed.
 */
static char *value_take(struct association_lines *lines, char **rest)
{
	char *value = *rest, *end;

	if (*value == '\'' || *value == '"') {
		end = quote_end(value + 1, *value);
		if (!end) {
			dump_fault(lines,
				   "\"%.60s\" found: the quote is not closed before a colon or the end of the line",
				   value);
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

static bool name_ok(struct association_lines *lines, const char *name)
{
	if (*name && strlen(name) <= SLURM_NAME_MOST)
		return true;
	dump_fault(lines, "the name \"%.60s\" found: 1 to 255 bytes are allowed", name);
	return false;
}

static void shares_parse(struct association_lines *lines, const char *text, uint32_t *shares)
{
	struct error error;
	uint64_t v = SHARES_PARENT;

	if (strcasecmp(text, "parent") && slurm_number(text, SHARES_PARENT, &v, &error))
		dump_fault(
			lines,
			"error parsing value \"%.60s\" of Fairshare: a whole number from 0 to 2147483646, or parent, "
			"is allowed",
			text);
	*shares = (uint32_t)v;
}

static void priority_parse(struct association_lines *lines, const char *text, int64_t *priority)
{
	struct error error;
	uint64_t v = 0;

	if (slurm_number(text, UINT32_MAX - 1, &v, &error))
		dump_fault(lines,
			   "error parsing value \"%.60s\" of Priority: a whole number from 0 to 4294967294 is allowed",
			   text);
	*priority = (int64_t)v;
}

static int group_minutes_parse(struct association_lines *lines, const char *text, char **limits)
{
	int rc;

	free(*limits);
	rc = slurm_limits_parse(&lines->reader->cell->slurm, text, limits);
	if (rc == -EINVAL)
		dump_fault(lines, "error parsing value \"%.60s\" of GrpTRESMins: " SLURM_LIMITS_ALLOWED, text);
	return rc == -ENOMEM ? rc : 0;
}

/* Store a default account. Each line of a user repeats it, and users_finish() keeps one. */
static int default_account_add(struct association_lines *lines, const char *user, const char *account)
{
	struct slurm_conf *conf = &lines->reader->cell->slurm;
	struct slurm_user *slurm_user = array_add(&conf->users, &conf->nusers, sizeof(*slurm_user));

	if (!slurm_user)
		return -ENOMEM;
	*slurm_user = (struct slurm_user){ strdup(user), strdup(account) };
	if (!slurm_user->name || !slurm_user->default_account)
		return -ENOMEM;
	slurm_lower(slurm_user->default_account);
	return 0;
}

static int attribute_read(struct association_lines *lines, struct association_row *row, const char *key,
			  const char *value)
{
	if (!strcasecmp(key, "Fairshare") || !strcasecmp(key, "Shares"))
		shares_parse(lines, value, &row->shares);
	else if (!strcasecmp(key, "Priority"))
		priority_parse(lines, value, &row->priority);
	else if (!strcasecmp(key, "Partition"))
		return *row->user ? slurm_text(&row->partition, value) : 0;
	else if (!strcasecmp(key, "DefaultQOS") && *value)
		return name_ok(lines, value) ? slurm_text(&row->said_qos, value) : 0;
	else if (!strcasecmp(key, "QOS") && *value)
		return slurm_text(&row->said_list, value);
	else if (!strcasecmp(key, "GrpTRESMins"))
		return group_minutes_parse(lines, value, &row->group_minutes);
	else if (!strcasecmp(key, "DefaultAccount") && *row->user && *value)
		return default_account_add(lines, row->user, value);
	return 0;
}

static int attributes_read(struct association_lines *lines, struct association_row *row, char *rest)
{
	char *equals, *key, *value;
	int rc = 0;

	while (*rest && !rc) {
		key = rest;
		equals = key + strcspn(key, "=:'");
		if (*equals != '=') {
			dump_fault(lines, "\"%.60s\" found where an attribute is expected: Name=value is allowed", key);
			return 0;
		}
		*equals = '\0';
		rest = equals + 1;
		value = value_take(lines, &rest);
		if (!value)
			return 0;
		rc = attribute_read(lines, row, key, value);
	}
	return rc;
}

/* Add a row for the account or user that this line creates below the current parent. */
static int row_read(struct association_lines *lines, char *name, char *rest, bool is_user)
{
	struct association_row *row;
	int rc;

	if (!lines->parent) {
		dump_fault(lines, "\"%.60s\" is before the first Parent line: it has no account above it", name);
		return 0;
	}
	if (!name_ok(lines, name))
		return 0;
	if (lines->rows.n >= SLURM_ASSOCIATIONS_MOST) {
		if (lines->rows.n == SLURM_ASSOCIATIONS_MOST)
			dump_fault(lines, "\"%.60s\" is one association too many: at most 1048576 are allowed", name);
		return 0;
	}
	row = association_rows_add(&lines->rows);
	if (!row)
		return -ENOMEM;
	row->line = lines->text.number;
	rc = slurm_text(&row->parent, lines->parent);
	if (!rc)
		rc = slurm_text(&row->account, is_user ? lines->parent : name);
	if (!rc && is_user)
		rc = slurm_text(&row->user, name);
	slurm_lower(row->account);
	return rc ? rc : attributes_read(lines, row, rest);
}

static int cluster_read(struct association_lines *lines, char *rest)
{
	if (lines->has_cluster)
		dump_fault(lines, "a second Cluster line found: one is allowed");
	lines->has_cluster = true;
	return attributes_read(lines, &lines->rows.items[0], rest);
}

/* Cut the first word and then the name off "Account - 'name'". */
static char *name_take(struct association_lines *lines, char **rest)
{
	char *end = *rest + strcspn(*rest, " \t-"), *dash = end + strspn(end, " \t");

	if (*dash != '-') {
		dump_fault(
			lines,
			"\"%.60s\" found: Cluster, Parent, Account or User, then - 'name', is allowed, as sacctmgr "
			"dump writes it",
			*rest);
		return NULL;
	}
	*end = '\0';
	*rest = dash + 1 + strspn(dash + 1, " \t");
	return value_take(lines, rest);
}

static int line_read(struct association_lines *lines, char *line)
{
	char *rest = line, *name = name_take(lines, &rest);

	if (!name)
		return 0;
	if (!strcasecmp(line, "Cluster"))
		return cluster_read(lines, rest);
	if (!strcasecmp(line, "User"))
		return row_read(lines, name, rest, true);
	if (!strcasecmp(line, "Account") && strcasecmp(name, "root"))
		return row_read(lines, name, rest, false);
	if (!strcasecmp(line, "Account"))
		return attributes_read(lines, &lines->rows.items[0], rest);
	if (strcasecmp(line, "Parent")) {
		report_add(lines->text.report, WARNING, lines->text.path, lines->text.number,
			   "\"%.60s\" found: only lines that begin with Cluster, Parent, Account or "
			   "User count",
			   line);
		return 0;
	}
	slurm_lower(name);
	lines->parent = name_ok(lines, name) ? name : lines->parent;
	return 0;
}

/*
 * Keep one default account per user. A user has only one in a cluster, so any of the entries will
 * do.
 */
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

static int dump_read(struct association_lines *lines)
{
	struct association_row *root = association_rows_add(&lines->rows);
	int rc = root ? slurm_text(&root->account, "root") : -ENOMEM;
	char *line;

	while (!rc && (line = text_line(&lines->text))) {
		line += strspn(line, " \t");
		if (*line && *line != '#')
			rc = line_read(lines, line);
	}
	if (!rc)
		rc = association_rows_plant(&lines->rows, &lines->reader->cell->slurm);
	if (!rc)
		users_finish(&lines->reader->cell->slurm);
	return rc;
}

int slurm_associations_read(struct reader *reader)
{
	char *path = path_join(reader->dir, NULL, "associations");
	struct association_lines lines = { .reader = reader, .rows = { .path = path, .report = reader->report } };
	int rc = path ? text_open(&lines.text, path, reader->report) : -ENOMEM;

	lines.text.as_it_is = true;
	if (!rc)
		rc = dump_read(&lines);
	text_close(&lines.text);
	association_rows_free(&lines.rows);
	free(path);
	return rc == -ENOMEM ? rc : 0;
}
