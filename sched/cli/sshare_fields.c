/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/sshare.h"

static const struct {
	const char *title;
	int width;
} fields[] = {		/* sshare(1) of Slurm 22.05; its ID and GrpTRESRaw are not known here */
	[FIELD_ACCOUNT] = { "Account", -20 },
	[FIELD_CLUSTER] = { "Cluster", 10 },
	[FIELD_EFFECTV_USAGE] = { "EffectvUsage", 13 },
	[FIELD_FAIRSHARE] = { "FairShare", 10 },
	[FIELD_GRP_TRES_MINS] = { "GrpTRESMins", 30 },
	[FIELD_LEVEL_FS] = { "LevelFS", 10 },
	[FIELD_NORM_SHARES] = { "NormShares", 11 },
	[FIELD_NORM_USAGE] = { "NormUsage", 11 },
	[FIELD_PARTITION] = { "Partition", 12 },
	[FIELD_RAW_SHARES] = { "RawShares", 10 },
	[FIELD_RAW_USAGE] = { "RawUsage", 11 },
	[FIELD_TRES_RUN_MINS] = { "TRESRunMins", 30 },
	[FIELD_USER] = { "User", 10 },
};

const char *sshare_title(enum sshare_field field)
{
	return fields[field].title;
}

static void add(struct sshare_columns *c, enum sshare_field field)
{
	c->items[c->n++] = (struct sshare_column){ .field = field, .width = fields[field].width };
}

void sshare_columns_choose(const struct sshare *s, bool has_fair_tree, struct sshare_columns *c)
{
	c->n = 0;
	add(c, FIELD_ACCOUNT);
	add(c, FIELD_USER);
	if (s->partitions)
		add(c, FIELD_PARTITION);
	add(c, FIELD_RAW_SHARES);
	add(c, FIELD_NORM_SHARES);
	add(c, FIELD_RAW_USAGE);
	if (s->is_long)
		add(c, FIELD_NORM_USAGE);
	add(c, FIELD_EFFECTV_USAGE);
	add(c, FIELD_FAIRSHARE);
	if (s->is_long && has_fair_tree)
		add(c, FIELD_LEVEL_FS);
	if (s->is_long) {
		add(c, FIELD_GRP_TRES_MINS);
		add(c, FIELD_TRES_RUN_MINS);
	}
}

static int unknown(const char *word, size_t length)
{
	char known[FIELDS * 16] = "", *p = known;

	for (int k = 0; k < FIELDS; k++)
		p += sprintf(p, " %s", fields[k].title);
	return cli_fail(EXIT_USAGE, "share: -o: no column \"%.*s\"; columns are%s, each with %%WIDTH behind it if wanted", (int)length, word, known);
}

static int set_width(struct sshare_column *column, const char *text, size_t length)
{
	char *end;
	long width = strtol(text, &end, 10);

	if (end == text + length && length && width && labs(width) <= SSHARE_WIDTH) {
		column->width = (int)width;
		return EXIT_OK;
	}
	return cli_fail(EXIT_USAGE, "share: -o: \"%.*s\" is no width from 1 to %d, or from -1 to -%d for blanks behind the value", (int)length, text,
			SSHARE_WIDTH, SSHARE_WIDTH);
}

/* One word of `length` bytes. */
static int add_word(struct sshare_columns *c, const char *word, size_t length)
{
	size_t name = strcspn(word, "%,");
	int field = 0;

	while (field < FIELDS && strncasecmp(fields[field].title, word, name))
		field++;
	if (field == FIELDS || !name)
		return unknown(word, length);
	if (c->n == SSHARE_COLUMNS)
		return cli_fail(EXIT_USAGE, "share: -o has more than %u columns", SSHARE_COLUMNS);
	add(c, (enum sshare_field)field);
	return name < length ? set_width(&c->items[c->n - 1], word + name + 1, length - name - 1) : EXIT_OK;
}

int sshare_columns_parse(struct sshare_columns *c, const char *text)
{
	int bad = EXIT_OK;

	c->n = 0;
	for (const char *p = text; !bad && *p; p += *p == ',') {
		size_t length = strcspn(p, ",");

		bad = length ? add_word(c, p, length) : EXIT_OK;
		p += length;
	}
	return bad || c->n ? bad : cli_fail(EXIT_USAGE, "share: -o needs names of columns with commas between them");
}
