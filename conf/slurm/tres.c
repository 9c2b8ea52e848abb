/* SPDX-License-Identifier: Apache-2.0 */
/* Trackable resources: their kinds, weights and counts. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/fields.h"
#include "conf/lists.h"
#include "conf/slurm/files.h"

#define LIMIT_MOST 9007199254740992.0	/* 2^53: whole numbers are exact up to there */
#define TRES_FAMILIES \
	"cpu, mem, energy, node, billing, vmem, pages, gres/NAME, license/NAME, fs/NAME, bb/NAME and ic/NAME are " \
	"allowed"

static const char *const standard[TRES_STANDARD] = {
	[TRES_CPU] = "cpu", [TRES_MEM] = "mem", [TRES_ENERGY] = "energy", [TRES_NODE] = "node",
	[TRES_BILLING] = "billing",
	[TRES_FS_DISK] = "fs/disk", [TRES_VMEM] = "vmem", [TRES_PAGES] = "pages",
};

uint32_t slurm_tres(const struct slurm_conf *conf, const char *name)
{
	uint32_t i;

	for (i = 0; i < conf->ntres; i++)
		if (!strcasecmp(conf->tres[i], name))
			return i;
	return UINT32_MAX;
}

static bool family_is_known(const char *name)
{
	static const char *const families[] = { "gres/", "license/", "fs/", "bb/", "ic/" };
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strncasecmp(name, families[i], strlen(families[i])))
			return name[strlen(families[i])] != '\0';
	return false;
}

static int tres_add(struct slurm_conf *conf, const char *name)
{
	char **item = array_add(&conf->tres, &conf->ntres, sizeof(*item));

	if (!item)
		return -ENOMEM;
	*item = strdup(name);
	if (!*item) {
		conf->ntres--;
		return -ENOMEM;
	}
	slurm_lower(*item);
	return 0;
}

/* Add one name of a list of kinds, or of weights (`tracked` false). */
static int tres_name_add(struct slurm_files *files, struct slurm_place place, const char *name, bool tracked)
{
	if (slurm_tres(files->conf, name) != UINT32_MAX)
		return 0;
	if (!family_is_known(name)) {
		slurm_report(files, FAULT, place, "\"%.60s\" is not a kind of TRES: " TRES_FAMILIES, name);
		return 0;
	}
	if (files->conf->ntres == TRES_MOST) {
		slurm_report(files, FAULT, place, "\"%.60s\" is one kind of TRES too many: at most %u are allowed",
			     name, TRES_MOST);
		return 0;
	}
	if (!tracked)
		slurm_report(
			files, WARNING, place,
			"\"%.60s\" has a weight, but is not in AccountingStorageTRES: Slurm itself would not start",
			name);
	return tres_add(files->conf, name);
}

/* Add the names of "a=1,b=2" or "a,b". */
static int tres_names_add(struct slurm_files *files, struct slurm_place place, const char *text, bool tracked)
{
	char *copy = strdup(text ? text : ""), *rest = copy, *word;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (word = text_word(&rest, LIST_SEPARATORS))) {
		word[strcspn(word, "=")] = '\0';
		rc = tres_name_add(files, place, word, tracked);
	}
	free(copy);
	return rc;
}

/*
 * Return the factor of a unit: 1024 for each step of K M G T P above the unit in which the kind is
 * counted. mem is counted in M. Returns -1 for an unknown letter.
 */
static double unit_factor(const char *tres, char letter)
{
	static const char letters[] = "KMGTP";
	const char *at = strchr(letters, toupper((unsigned char)letter));
	int steps = at && letter ? (int)(at - letters) + 1 : -1;

	if (steps < 0)
		return -1;
	return ldexp(1, 10 * (strcasecmp(tres, "mem") ? steps : steps - 2));
}

/* Read a number with an optional unit. The count is `*value` times `*factor`. */
static int count_parse(const char *tres, const char *text, double *value, double *factor)
{
	const char *digits = text + (*text == '-' || *text == '+');
	char *end;

	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return -EINVAL;
	if ((digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x'))
		return -EINVAL;
	*value = strtod(text, &end);
	*factor = *end ? unit_factor(tres, *end) : 1;
	if (end == text || *factor < 0 || (*end && end[1]) || !isfinite(*value) || fabs(*value) > FIELD_LIMIT)
		return -EINVAL;
	return 0;
}

/*
 * Read a weight. A weight per larger unit is divided by the unit's factor. Smaller units have no
 * effect in Slurm.
 */
static int weight_parse(const char *tres, const char *text, double *weight)
{
	double factor;
	int rc = count_parse(tres, text, weight, &factor);

	if (!rc && factor > 1)
		*weight /= factor;
	return rc;
}

int slurm_weights_parse(const struct slurm_conf *conf, const char *text, double *weights, struct error *error)
{
	char *copy = strdup(text), *rest = copy, *word, *equals;
	uint32_t tres;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (word = text_word(&rest, LIST_SEPARATORS))) {
		equals = strchr(word, '=');
		if (!equals) {
			rc = error_set(error, -EINVAL, "\"%.40s\" found: KIND=number, with commas between, is allowed",
				       word);
			break;
		}
		*equals = '\0';
		tres = slurm_tres(conf, word);
		if (tres != UINT32_MAX && weight_parse(word, equals + 1, &weights[tres]))
			rc = error_set(error, -EINVAL,
				       "\"%.40s\" of %.40s is not a number with an optional K, M, G, T or P",
				       equals + 1, word);
	}
	free(copy);
	return rc;
}

static int weights_finish(struct slurm_files *files)
{
	struct slurm_conf *conf = files->conf;
	struct error error;
	int rc;

	conf->weight_tres = calloc(conf->ntres, sizeof(*conf->weight_tres));
	conf->weight_tres_typed = strdup(files->weight_tres ? files->weight_tres : "");
	if (!conf->weight_tres || !conf->weight_tres_typed)
		return -ENOMEM;
	rc = slurm_weights_parse(conf, conf->weight_tres_typed, conf->weight_tres, &error);
	if (rc == -EINVAL)
		slurm_report(files, FAULT, slurm_parameter_place(files, "PriorityWeightTRES"),
			     "error parsing value \"%.60s\" of PriorityWeightTRES: %s", conf->weight_tres_typed,
			     error.text);
	return rc == -ENOMEM ? rc : 0;
}

int slurm_tres_finish(struct slurm_files *files)
{
	int rc = 0;
	size_t i;

	for (i = 0; i < TRES_STANDARD && !rc; i++)
		rc = tres_add(files->conf, standard[i]);
	if (!rc)
		rc = tres_names_add(files, slurm_parameter_place(files, "AccountingStorageTRES"),
				    files->accounting_tres, true);
	if (!rc)
		rc = tres_names_add(files, slurm_parameter_place(files, "PriorityWeightTRES"), files->weight_tres,
				    false);
	for (i = 0; i < files->conf->npartitions && !rc; i++)
		rc = tres_names_add(files, files->partition_lines[i].place, files->partition_lines[i].billing, false);
	return rc ? rc : weights_finish(files);
}

static void gres_count(const struct slurm_conf *conf, const char *family, const char *name, const char *type,
		       double count, double *counts)
{
	char full[2 * SLURM_NAME_MOST];
	uint32_t tres;

	snprintf(full, sizeof(full), "%s/%.200s", family, name);
	tres = slurm_tres(conf, full);
	if (tres != UINT32_MAX)
		counts[tres] += count;
	if (!type)
		return;
	snprintf(full, sizeof(full), "%s/%.200s:%.200s", family, name, type);
	tres = slurm_tres(conf, full);
	if (tres != UINT32_MAX)
		counts[tres] += count;
}

/* Add "name", "name:count", "name:type:count" or "name:type". */
static int gres_item_add(const struct slurm_conf *conf, const char *family, char *item, double *counts,
			 struct error *error)
{
	char *parts[4] = { NULL }, *rest = item, *word;
	double count = 1, factor = 1;
	size_t n = 0;

	while (n < 4 && (word = text_word(&rest, ":")))
		if (strcasecmp(word, "no_consume"))
			parts[n++] = word;
	if (n == 0 || *rest)
		return error_set(error, -EINVAL, "a name with :type and :count is allowed");
	if (n > 1 && isdigit((unsigned char)*parts[n - 1])) {
		if (count_parse("", parts[--n], &count, &factor) || count * factor > UINT32_MAX)
			return error_set(error, -EINVAL, "the count \"%.40s\" of %.40s is not a number from 0 to %u",
					 parts[n], parts[0], UINT32_MAX);
	} else if (n == 3) {
		return error_set(error, -EINVAL, "the count \"%.40s\" of %.40s is not a number", parts[2], parts[0]);
	}
	gres_count(conf, family, parts[0], n > 1 ? parts[1] : NULL, floor(count * factor), counts);
	return 0;
}

int slurm_gres_add(const struct slurm_conf *conf, const char *family, const char *text, double *counts,
		   struct error *error)
{
	char *copy = strdup(text), *rest = copy, *item, *in, *out;
	int rc = copy ? 0 : -ENOMEM, depth = 0;

	if (!copy)
		return rc;
	/* remove the sockets "(S:0,1)", which have no effect */
	for (in = out = copy; *in; in++) {
		depth += *in == '(';
		if (depth == 0)
			*out++ = *in;
		depth -= *in == ')' && depth > 0;
	}
	*out = '\0';
	while (!rc && (item = text_word(&rest, ",; \t")))
		rc = gres_item_add(conf, family, item, counts, error);
	free(copy);
	return rc;
}

/* Set a count from "cpu=2". */
static int tres_count_set(const struct slurm_conf *conf, char *word, double *counts)
{
	char *equals = strchr(word, '=');
	double count, factor;
	uint32_t tres;

	if (!equals || equals == word)
		return -EINVAL;
	*equals = '\0';
	if (count_parse(word, equals + 1, &count, &factor) || count < 0)
		return -EINVAL;
	tres = slurm_tres(conf, word);
	if (tres != UINT32_MAX)
		counts[tres] = count * factor;
	return 0;
}

/*
 * Set counts word by word in a local buffer. This runs for each running task in each pass and must
 * not fail for lack of memory.
 */
static int tres_counts_set(const struct slurm_conf *conf, const char *text, double *counts)
{
	char word[2 * SLURM_NAME_MOST];
	int rc = 0;
	size_t length;

	for (text += strspn(text, ","); *text && !rc; text += strspn(text, ",")) {
		length = strcspn(text, ",");
		if (length >= sizeof(word))
			return -EINVAL;
		memcpy(word, text, length);
		word[length] = '\0';
		rc = tres_count_set(conf, word, counts);
		text += length;
	}
	return rc;
}

int slurm_tres_parse(const struct slurm_conf *conf, const char *text, double *counts)
{
	memset(counts, 0, conf->ntres * sizeof(*counts));
	if (strcmp(text, "(null)") == 0)	/* empty list of scontrol */
		return 0;
	return tres_counts_set(conf, text, counts);
}

/* Print the counts that are set. 0 is a limit too. */
static int limits_print(const struct slurm_conf *conf, const double *counts, char **limits)
{
	size_t size = 1;
	uint32_t i;
	char *p;

	for (i = 0; i < conf->ntres; i++)
		size += strlen(conf->tres[i]) + sizeof(",=9007199254740992");
	p = *limits = malloc(size);
	if (!p)
		return -ENOMEM;
	for (i = 0; i < conf->ntres; i++)
		if (counts[i] >= 0.0)
			p += sprintf(p, "%s%s=%.0f", p > *limits ? "," : "", conf->tres[i], counts[i]);
	return 0;
}

int slurm_limits_parse(const struct slurm_conf *conf, const char *text, char **limits)
{
	double counts[TRES_MOST];
	bool any = false;
	uint32_t i;

	*limits = NULL;
	for (i = 0; i < conf->ntres; i++)
		counts[i] = -1.0;
	if (tres_counts_set(conf, text, counts))
		return -EINVAL;
	for (i = 0; i < conf->ntres; i++) {
		if (counts[i] > LIMIT_MOST || counts[i] != floor(counts[i]))
			return -EINVAL;
		any |= counts[i] >= 0.0;
	}
	return any ? limits_print(conf, counts, limits) : 0;
}
