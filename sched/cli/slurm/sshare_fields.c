/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/slurm/sshare.h"

#define OF(member) .offset = offsetof(struct fl_association, member)
#define COLUMN(titled, wide) .title = (titled), .width = (wide)
#define LINES(place, bits) .at = (place), .when = (bits)
#define KEY(member) .key = ",\"" member "\":"

/*
 * Fields in the order of JSON. Columns are those of sshare(1) of Slurm 22.05, except its ID and
 * GrpTRESRaw, which are not known here.
 */
const struct sshare_field sshare_fields[] = {
	{ SHARE_INDEX, KEY("index") },
	{ SHARE_PARENT, OF(parent), KEY("parent") },
	{ SHARE_NUMBER, OF(depth), KEY("depth") },
	{ SHARE_ACCOUNT, OF(account), COLUMN("Account", -20), LINES(10, SHARE_ALWAYS), KEY("account") },
	{ SHARE_CLUSTER, COLUMN("Cluster", 10) },
	{ SHARE_TEXT, OF(user), COLUMN("User", 10), LINES(20, SHARE_ALWAYS), KEY("user") },
	{ SHARE_TEXT, OF(partition), COLUMN("Partition", 12), LINES(30, SHARE_PARTITIONS), KEY("partition") },
	{ SHARE_SHARES, OF(shares), COLUMN("RawShares", 10), LINES(40, SHARE_ALWAYS), KEY("raw_shares") },
	{ SHARE_NUMBER, OF(priority), KEY("priority") },
	{ SHARE_REAL, OF(norm_shares), COLUMN("NormShares", 11), LINES(50, SHARE_ALWAYS), KEY("norm_shares") },
	{ SHARE_USAGE, OF(raw_usage), COLUMN("RawUsage", 11), LINES(60, SHARE_ALWAYS), KEY("raw_usage") },
	{ SHARE_NORM_USAGE, OF(norm_usage), COLUMN("NormUsage", 11), LINES(70, SHARE_LONG), KEY("norm_usage") },
	{ SHARE_REAL, OF(effective_usage), COLUMN("EffectvUsage", 13), LINES(80, SHARE_ALWAYS), KEY("effective_usage") },
	{ SHARE_FAIRSHARE, OF(fairshare), COLUMN("FairShare", 10), LINES(90, SHARE_ALWAYS), KEY("fairshare") },
	{ SHARE_LEVEL_FS, OF(level_fs), COLUMN("LevelFS", 10), LINES(100, SHARE_FAIR_TREE), KEY("level_fs") },
	{ SHARE_LEVEL_INFINITE, OF(level_fs), KEY("level_fs_infinite") },
	{ SHARE_RANK, OF(rank), KEY("rank") },
	{ SHARE_NUMBER, OF(running_tasks), KEY("running_tasks") },
	{ SHARE_LIMITS, OF(group_tres_minutes), COLUMN("GrpTRESMins", 30), LINES(110, SHARE_LONG), KEY("grp_tres_mins") },
	{ SHARE_RUN_MINUTES, COLUMN("TRESRunMins", 30), LINES(120, SHARE_LONG), KEY("tres_run_mins") },
};

const size_t sshare_nfields = sizeof(sshare_fields) / sizeof(*sshare_fields);

static void add(struct sshare_columns *columns, const struct sshare_field *field)
{
	columns->items[columns->n++] = (struct sshare_column){ .field = field, .width = field->width };
}

void sshare_columns_choose(const struct sshare_query *query, bool has_fair_tree, struct sshare_columns *columns)
{
	unsigned when = SHARE_ALWAYS | (query->partitions ? SHARE_PARTITIONS : 0u) |
			(query->is_long ? SHARE_LONG : 0u) | (query->is_long && has_fair_tree ? SHARE_FAIR_TREE : 0u);

	columns->n = 0;
	for (unsigned at = 1; at <= UINT8_MAX; at++)
		for (size_t k = 0; k < sshare_nfields; k++)
			if (sshare_fields[k].at == at && (sshare_fields[k].when & when))
				add(columns, &sshare_fields[k]);
}

/*
 * Return the field with the first title, in alphabetical order after `last`, that begins with the
 * word. NULL: none.
 */
static const struct sshare_field *field_find(const char *word, size_t length, const char *last)
{
	const struct sshare_field *found = NULL;

	for (size_t k = 0; k < sshare_nfields; k++) {
		const struct sshare_field *field = &sshare_fields[k];

		if (field->title && !strncasecmp(field->title, word, length) && strcasecmp(field->title, last) > 0 &&
		    (!found || strcasecmp(field->title, found->title) < 0))
			found = field;
	}
	return found;
}

static int unknown(const char *word, size_t length)
{
	char known[SSHARE_COLUMNS * 16] = "", *p = known;

	for (const struct sshare_field *field = NULL; (field = field_find("", 0, field ? field->title : "")) != NULL;)
		p += sprintf(p, " %s", field->title);
	return cli_fail(EXIT_USAGE,
			"share: -o: no column \"%.*s\"; columns are%s, each optionally followed by %%WIDTH",
			(int)length, word, known);
}

static int set_width(struct sshare_column *column, const char *text, size_t length)
{
	char *end;
	long width = strtol(text, &end, 10);

	if (end == text + length && length && width && labs(width) <= SSHARE_WIDTH) {
		column->width = (int)width;
		return EXIT_OK;
	}
	return cli_fail(EXIT_USAGE,
			"share: -o: \"%.*s\" is not a width from 1 to %d, or from -1 to -%d for blanks after the value",
			(int)length, text, SSHARE_WIDTH, SSHARE_WIDTH);
}

/* Add the column of one word of `length` bytes. */
static int add_word(struct sshare_columns *columns, const char *word, size_t length)
{
	size_t name = strcspn(word, "%,");
	const struct sshare_field *field = field_find(word, name, "");

	if (!field || !name)
		return unknown(word, length);
	if (columns->n == SSHARE_COLUMNS)
		return cli_fail(EXIT_USAGE, "share: -o has more than %u columns", SSHARE_COLUMNS);
	add(columns, field);
	return name < length ? set_width(&columns->items[columns->n - 1], word + name + 1, length - name - 1) : EXIT_OK;
}

int sshare_columns_parse(struct sshare_columns *columns, const char *text)
{
	int bad = EXIT_OK;

	columns->n = 0;
	for (const char *p = text; !bad && *p; p += *p == ',') {
		size_t length = strcspn(p, ",");

		bad = length ? add_word(columns, p, length) : EXIT_OK;
		p += length;
	}
	return bad || columns->n ? bad
				 : cli_fail(EXIT_USAGE, "share: -o needs names of columns with commas between them");
}
