/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/sshare: what `sshare -a -P` prints. Usage of the associations that DIR/associations has; or,
 * where that is not there, the tree too: an account is below the one above it that is indented by a
 * blank less, and users are below the account that their lines name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/number.h"
#include "conf/slurm/files.h"

enum { ACCOUNT, USER, RAW_SHARES, RAW_USAGE, PARTITION, GROUP_MINUTES, COLUMNS };
static const char *const names[COLUMNS] = { "Account", "User", "RawShares", "RawUsage", "Partition", "GrpTRESMins" };

struct sshare {
	struct slurm_conf *conf;
	struct columns c;
	struct association_rows rows;	/* the tree in the making */
	/* rows of the accounts that the current line may be below, by indent */
	uint32_t *open;
	size_t nopen;
	bool *seen;			/* associations that have their usage */
};

static void value_fault(struct sshare *s, size_t column, const char *allowed)
{
	report_add(s->c.text.report, FAULT, s->c.text.path, s->c.text.number, "error parsing value \"%.60s\" of %s: %s", s->c.cells[column],
		   names[column], allowed);
}

static double usage_parse(struct sshare *s)
{
	const char *text = s->c.cells[RAW_USAGE];
	double usage = 0;

	if (*text && (number_double(text, &usage) || usage < 0 || usage > FIELD_LIMIT)) {
		value_fault(s, RAW_USAGE, "a number from 0 to 1e100 is allowed");
		usage = 0;
	}
	return usage;
}

static uint32_t shares_parse(struct sshare *s)
{
	const char *text = s->c.cells[RAW_SHARES];
	struct error e;
	uint64_t v = 1;

	if (!strcasecmp(text, "parent"))
		return SHARES_PARENT;
	if (*text && slurm_number(text, SHARES_PARENT, &v, &e))
		value_fault(s, RAW_SHARES, "a whole number from 0 to 2147483646, or parent, is allowed");
	return (uint32_t)v;
}

static int group_minutes_parse(struct sshare *s, char **limits)
{
	int rc = slurm_limits_parse(s->conf, s->c.cells[GROUP_MINUTES], limits);

	if (rc == -EINVAL)
		value_fault(s, GROUP_MINUTES, SLURM_LIMITS_ALLOWED);
	return rc == -ENOMEM ? rc : 0;
}

static bool name_ok(struct sshare *s, size_t column, const char *name)
{
	if (strlen(name) <= SLURM_NAME_MOST && (*name || column != ACCOUNT))
		return true;
	value_fault(s, column, "at most 255 bytes are allowed, and of accounts at least one");
	return false;
}

/* Usage alone */

static void usage_take(struct sshare *s, const char *account)
{
	const char *user = s->c.cells[USER], *partition = s->c.cells[PARTITION];
	uint32_t i = slurm_association_exact(s->conf, account, user, partition);
	double usage = usage_parse(s);

	if (i == UINT32_MAX) {
		report_add(s->c.text.report, WARNING, s->c.text.path, s->c.text.number, "%s \"%.60s\" of account \"%.60s\" is not in associations: "
			   "the line is ignored", *user ? "user" : "account", *user ? user : account, account);
	} else if (s->seen[i]) {
		report_add(s->c.text.report, FAULT, s->c.text.path, s->c.text.number, "a second line of \"%.60s\" in account \"%.60s\": one for each "
			   "partition is allowed, with sshare's option -m", user, account);
	} else {
		s->seen[i] = true;
		if (*user)
			s->conf->associations[i].usage = usage;
	}
}

/* The tree too */

/* Where an account of this indent hangs; NULL with a fault. */
static const char *parent_find(struct sshare *s, size_t indent)
{
	if (s->rows.n == 0 && indent == 0)
		return "";
	if (indent > 0 && indent <= s->nopen)
		return s->rows.items[s->open[indent - 1]].account;
	report_add(s->c.text.report, FAULT, s->c.text.path, s->c.text.number, "\"%.60s\" found: the first account is not indented, and each other one by "
		   "at most a blank more than that above it", s->c.cells[ACCOUNT]);
	return NULL;
}

/* From now on what is indented by more is below this account. */
static int account_open(struct sshare *s, size_t indent)
{
	uint32_t *open;

	if (indent >= s->nopen) {
		open = array_add(&s->open, &s->nopen, sizeof(*open));
		if (!open)
			return -ENOMEM;
	}
	s->open[indent] = (uint32_t)(s->rows.n - 1);
	return 0;
}

static int row_add(struct sshare *s, const char *account, size_t indent, const char *parent)
{
	const char *user = s->c.cells[USER];
	struct association_row *row = association_rows_add(&s->rows);
	int rc;

	if (!row)
		return -ENOMEM;
	row->line = s->c.text.number;
	row->shares = s->rows.n == 1 ? 1 : shares_parse(s);
	row->usage = *user ? usage_parse(s) : 0;
	rc = group_minutes_parse(s, &row->group_minutes);
	if (!rc)
		rc = slurm_text(&row->account, account);
	if (!rc)
		rc = slurm_text(&row->user, user);
	if (!rc)
		rc = slurm_text(&row->partition, s->c.cells[PARTITION]);
	if (!rc)
		rc = slurm_text(&row->parent, parent);
	slurm_lower(row->account);
	slurm_lower(row->parent);
	return rc || *user ? rc : account_open(s, indent);
}

static int tree_row_read(struct sshare *s, const char *account, size_t indent)
{
	const char *parent = *s->c.cells[USER] ? account : parent_find(s, indent);

	if (!parent)
		return 0;
	if (s->rows.n == 0 && *s->c.cells[USER]) {
		value_fault(s, USER, "the first line is that of account root");
		return 0;
	}
	if (s->rows.n >= SLURM_ASSOCIATIONS_MOST) {
		value_fault(s, ACCOUNT, "at most 1048576 associations are allowed");
		return 0;
	}
	if (s->nopen > indent + 1 && !*s->c.cells[USER])
		s->nopen = indent + 1;
	return row_add(s, account, indent, parent);
}

static int rows_read(struct sshare *s)
{
	bool usage_alone = s->conf->nassociations > 0;
	const char *account;
	size_t indent;
	int rc = 0;

	while (!rc && columns_next(&s->c)) {
		indent = strspn(s->c.cells[ACCOUNT], " ");
		account = s->c.cells[ACCOUNT] + indent;
		if (!name_ok(s, ACCOUNT, account) || !name_ok(s, USER, s->c.cells[USER]) || !name_ok(s, PARTITION, s->c.cells[PARTITION]))
			continue;
		if (usage_alone)
			usage_take(s, account);
		else
			rc = tree_row_read(s, account, indent);
	}
	if (!rc && !usage_alone)
		rc = association_rows_plant(&s->rows, s->conf);
	return rc;
}

int slurm_sshare_read(struct reader *r)
{
	char *path = path_join(r->dir, NULL, "sshare");
	struct sshare s = { .conf = &r->cell->slurm, .rows = { .path = path, .report = r->report } };
	int rc = path ? columns_open(&s.c, path, names, COLUMNS, RAW_USAGE + 1, r->report) : -ENOMEM;

	if (!rc) {
		s.seen = calloc(s.conf->nassociations + 1, sizeof(*s.seen));
		rc = s.seen ? rows_read(&s) : -ENOMEM;
	}
	columns_close(&s.c);
	association_rows_free(&s.rows);
	free(s.open);
	free(s.seen);
	free(path);
	return rc == -ENOMEM ? rc : 0;
}
