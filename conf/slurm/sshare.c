/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/sshare: output of `sshare -a -P`. It has the usage of the associations in DIR/associations.
 * If that file does not exist, the tree is read from here too. An account is below the last account
 * before it that is indented by one blank less. Users are below the account that their lines name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/slurm/files.h"

enum { ACCOUNT, USER, RAW_SHARES, RAW_USAGE, PARTITION, GROUP_MINUTES, COLUMNS };
static const char *const names[COLUMNS] = { "Account", "User", "RawShares", "RawUsage", "Partition", "GrpTRESMins" };

struct sshare {
	struct slurm_conf *conf;
	struct columns c;
	struct association_rows rows;	/* tree that is being built */
	/* rows of the accounts that may be above the current line, by indentation */
	uint32_t *open;
	size_t nopen;
	bool *seen;			/* associations that have got their usage */
};

static void value_fault(struct sshare *sshare, size_t column, const char *allowed)
{
	report_add(sshare->c.text.report, FAULT, sshare->c.text.path, sshare->c.text.number,
		   "error parsing value \"%.60s\" of %s: %s", sshare->c.cells[column], names[column], allowed);
}

static double usage_parse(struct sshare *sshare)
{
	const char *text = sshare->c.cells[RAW_USAGE];
	double usage = 0;

	if (*text && (number_double(text, &usage) || usage < 0 || usage > FIELD_LIMIT)) {
		value_fault(sshare, RAW_USAGE, "a number from 0 to 1e100 is allowed");
		usage = 0;
	}
	return usage;
}

static uint32_t shares_parse(struct sshare *sshare)
{
	const char *text = sshare->c.cells[RAW_SHARES];
	struct error error;
	uint64_t v = 1;

	if (!strcasecmp(text, "parent"))
		return SHARES_PARENT;
	if (*text && slurm_number(text, SHARES_PARENT, &v, &error))
		value_fault(sshare, RAW_SHARES, "a whole number from 0 to 2147483646, or parent, is allowed");
	return (uint32_t)v;
}

static int group_minutes_parse(struct sshare *sshare, char **limits)
{
	int rc = slurm_limits_parse(sshare->conf, sshare->c.cells[GROUP_MINUTES], limits);

	if (rc == -EINVAL)
		value_fault(sshare, GROUP_MINUTES, SLURM_LIMITS_ALLOWED);
	return rc == -ENOMEM ? rc : 0;
}

static bool name_ok(struct sshare *sshare, size_t column, const char *name)
{
	if (strlen(name) <= SLURM_NAME_MOST && (*name || column != ACCOUNT))
		return true;
	value_fault(sshare, column, "at most 255 bytes are allowed, and of accounts at least one");
	return false;
}

/* Usage only */

static void usage_take(struct sshare *sshare, const char *account)
{
	const char *user = sshare->c.cells[USER], *partition = sshare->c.cells[PARTITION];
	uint32_t i = slurm_association_exact(sshare->conf, account, user, partition);
	double usage = usage_parse(sshare);

	if (i == UINT32_MAX) {
		report_add(sshare->c.text.report, WARNING, sshare->c.text.path, sshare->c.text.number,
			   "%s \"%.60s\" of account \"%.60s\" is not in associations: "
			   "the line is ignored",
			   *user ? "user" : "account", *user ? user : account, account);
	} else if (sshare->seen[i]) {
		report_add(sshare->c.text.report, FAULT, sshare->c.text.path, sshare->c.text.number,
			   "a second line of \"%.60s\" in account \"%.60s\": one for each "
			   "partition is allowed, with sshare's option -m",
			   user, account);
	} else {
		sshare->seen[i] = true;
		if (*user)
			sshare->conf->associations[i].usage = usage;
	}
}

/* Usage and tree */

/* Return the parent of an account with this indentation, or NULL after a fault. */
static const char *parent_find(struct sshare *sshare, size_t indent)
{
	if (sshare->rows.n == 0 && indent == 0)
		return "";
	if (indent > 0 && indent <= sshare->nopen)
		return sshare->rows.items[sshare->open[indent - 1]].account;
	report_add(sshare->c.text.report, FAULT, sshare->c.text.path, sshare->c.text.number,
		   "\"%.60s\" found: the first account is not indented, and each other one by "
		   "at most a blank more than that above it",
		   sshare->c.cells[ACCOUNT]);
	return NULL;
}

/* Make this account the parent of lines that are indented by one blank more. */
static int account_open(struct sshare *sshare, size_t indent)
{
	uint32_t *open;

	if (indent >= sshare->nopen) {
		open = array_add(&sshare->open, &sshare->nopen, sizeof(*open));
		if (!open)
			return -ENOMEM;
	}
	sshare->open[indent] = (uint32_t)(sshare->rows.n - 1);
	return 0;
}

static int row_add(struct sshare *sshare, const char *account, size_t indent, const char *parent)
{
	const char *user = sshare->c.cells[USER];
	struct association_row *row = association_rows_add(&sshare->rows);
	int rc;

	if (!row)
		return -ENOMEM;
	row->line = sshare->c.text.number;
	row->shares = sshare->rows.n == 1 ? 1 : shares_parse(sshare);
	row->usage = *user ? usage_parse(sshare) : 0;
	rc = group_minutes_parse(sshare, &row->group_minutes);
	if (!rc)
		rc = slurm_text(&row->account, account);
	if (!rc)
		rc = slurm_text(&row->user, user);
	if (!rc)
		rc = slurm_text(&row->partition, sshare->c.cells[PARTITION]);
	if (!rc)
		rc = slurm_text(&row->parent, parent);
	slurm_lower(row->account);
	slurm_lower(row->parent);
	return rc || *user ? rc : account_open(sshare, indent);
}

static int tree_row_read(struct sshare *sshare, const char *account, size_t indent)
{
	const char *parent = *sshare->c.cells[USER] ? account : parent_find(sshare, indent);

	if (!parent)
		return 0;
	if (sshare->rows.n == 0 && *sshare->c.cells[USER]) {
		value_fault(sshare, USER, "the first line is that of account root");
		return 0;
	}
	if (sshare->rows.n >= SLURM_ASSOCIATIONS_MOST) {
		value_fault(sshare, ACCOUNT, "at most 1048576 associations are allowed");
		return 0;
	}
	if (sshare->nopen > indent + 1 && !*sshare->c.cells[USER])
		sshare->nopen = indent + 1;
	return row_add(sshare, account, indent, parent);
}

static int rows_read(struct sshare *sshare)
{
	bool usage_alone = sshare->conf->nassociations > 0;
	const char *account;
	size_t indent;
	int rc = 0;

	while (!rc && columns_next(&sshare->c)) {
		indent = strspn(sshare->c.cells[ACCOUNT], " ");
		account = sshare->c.cells[ACCOUNT] + indent;
		if (!name_ok(sshare, ACCOUNT, account) || !name_ok(sshare, USER, sshare->c.cells[USER]) ||
		    !name_ok(sshare, PARTITION, sshare->c.cells[PARTITION]))
			continue;
		if (usage_alone)
			usage_take(sshare, account);
		else
			rc = tree_row_read(sshare, account, indent);
	}
	if (!rc && !usage_alone)
		rc = association_rows_plant(&sshare->rows, sshare->conf);
	return rc;
}

int slurm_sshare_read(struct reader *reader)
{
	char *path = path_join(reader->dir, NULL, "sshare");
	struct sshare sshare = { .conf = &reader->cell->slurm, .rows = { .path = path, .report = reader->report } };
	int rc = path ? columns_open(&sshare.c, path, names, COLUMNS, RAW_USAGE + 1, reader->report) : -ENOMEM;

	if (!rc) {
		sshare.seen = calloc(sshare.conf->nassociations + 1, sizeof(*sshare.seen));
		rc = sshare.seen ? rows_read(&sshare) : -ENOMEM;
	}
	columns_close(&sshare.c);
	association_rows_free(&sshare.rows);
	free(sshare.open);
	free(sshare.seen);
	free(path);
	return rc == -ENOMEM ? rc : 0;
}
