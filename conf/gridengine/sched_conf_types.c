/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/gridengine/sched_conf.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/formula.h"
#include "conf/lists.h"
#include "conf/base/number.h"

/* Values of `algorithm`. A value of another scheduler (is_here is false) is computed as default. */
static const struct algorithm {
	const char *name;
	bool is_prefix, is_here;
} algorithms[] = {
	{ .name = "default", .is_here = true },
	{ .name = "multifactor", .is_here = true },
	{ .name = "userprio", .is_here = true },
	{ .name = "simple_sched" },
	{ .name = "ext_", .is_prefix = true },
};

#define ALGORITHMS (sizeof(algorithms) / sizeof(*algorithms))

static const struct algorithm *algorithm_find(const char *name)
{
	for (const struct algorithm *algorithm = algorithms; algorithm < algorithms + ALGORITHMS; algorithm++)
		if (algorithm->is_prefix ? !strncmp(name, algorithm->name, strlen(algorithm->name))
					 : !strcmp(name, algorithm->name))
			return algorithm;
	return NULL;
}

bool algorithm_is_here(const char *name)
{
	const struct algorithm *algorithm = algorithm_find(name);

	return algorithm && algorithm->is_here;
}

int field_algorithm(const struct field *field, void *member, const char *text, struct error *error)
{
	char allowed[128] = "";

	if (algorithm_find(text))
		return field_string(field, member, text, error);
	for (size_t i = 0, n = 0; i < ALGORITHMS && n < sizeof(allowed); i++)
		n += (size_t)snprintf(allowed + n, sizeof(allowed) - n, "%s%s%s",
				      i == 0		   ? ""
				      : i + 1 < ALGORITHMS ? ", "
							   : " and ",
				      algorithms[i].name, algorithms[i].is_prefix ? "..." : "");
	return error_set(error, -EINVAL, "attribute \"%.30s\" is not a valid algorithm name. %s are allowed", text,
			 allowed);
}

int field_sort_method(const struct field *field, void *member, const char *text, struct error *error)
{
	/* spooled files have 0 and 1 */
	if (strcmp(text, "load") && strcmp(text, "seqno") && strcmp(text, "0") && strcmp(text, "1"))
		return error_set(error, -EINVAL, "error parsing value \"%.30s\" of %s: load or seqno is allowed", text,
				 field->name);
	*(bool *)member = !strcmp(text, "seqno") || !strcmp(text, "1");
	return 0;
}

/* Check a range: "7", "1-5" or "1-9:2". */
static bool range_ok(const char *word)
{
	const char *separators = "-:";
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*word))
			return false;
		(void)strtoull(word, &end, 10);
		if (!*end)
			return true;
		if (!*separators || *end != *separators++)
			return false;
		word = end + 1;
	}
}

static int ranges_check(const char *text, bool *ok, struct error *error)
{
	struct strlist words = { 0 };
	int rc = strlist_parse(&words, text, error);
	size_t i;

	*ok = words.n > 0;
	for (i = 0; i < words.n; i++)
		*ok &= range_ok(words.items[i]);
	strlist_free(&words);
	return rc;
}

/* Read schedd_job_info. The blank in the first message is Grid Engine's own. */
int field_job_info(const struct field *field, void *member, const char *text, struct error *error)
{
	bool ok = !strcmp(text, "true") || !strcmp(text, "false");
	int rc = 0;

	if (!strncmp(text, "job_list", 8) && strchr(" \t", text[8])) {
		rc = ranges_check(text + 8, &ok, error);
		if (!rc && !ok)
			return error_set(error, -EINVAL,
					 "attribute \"schedd_job_info\" is not a valid job_list: \"%.30s\" found, "
					 "numbers and ranges n-m are allowed",
					 text + 8);
	}
	if (!rc && !ok)
		return error_set(error, -EINVAL,
				 "attribute \"schedd_job_info \" is not a valid parameter: \"%.30s\" found, "
				 "true, false or job_list with ranges is allowed",
				 text);
	return rc ? rc : field_string(field, member, text, error);
}

static int param_profile(struct sched_params *with, const char *value)
{
	return number_bool(value, &with->profile);
}

static int param_monitor(struct sched_params *with, const char *value)
{
	return number_bool(value, &with->monitor);
}

static int param_jc_filter(struct sched_params *with, const char *value)
{
	return number_bool(value, &with->jc_filter);
}

static int param_duration_offset(struct sched_params *with, const char *value)
{
	int rc = number_time(value, &with->duration_offset);

	return !rc && with->duration_offset == UINT32_MAX ? -EINVAL : rc;
}

static int param_pe_range_alg(struct sched_params *with, const char *value)
{
	static const char *const words[] = {
		[PE_RANGE_AUTO] = "auto",
		[PE_RANGE_LEAST] = "least",
		[PE_RANGE_BIN] = "bin",
		[PE_RANGE_HIGHEST] = "highest",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcasecmp(value, words[i])) {
			with->pe_range_alg = (enum pe_range_alg)i;
			return 0;
		}
	}
	return -EINVAL;
}

/*
 * Read a parameter. Grid Engine compares only the first 7 characters, and some cells depend on
 * this.
 */
static int param_parse(struct sched_params *with, const char *token, struct error *error)
{
	static const struct {
		const char *name;
		int (*parse)(struct sched_params *with, const char *value);
	} known[] = {
		{ "PROFILE", param_profile },		{ "MONITOR", param_monitor },
		{ "JC_FILTER", param_jc_filter },	{ "DURATION_OFFSET", param_duration_offset },
		{ "PE_RANGE_ALG", param_pe_range_alg },
	};
	const char *equals = strchr(token, '=');
	size_t i;

	if (!strcasecmp(token, "none"))
		return 0;
	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strncasecmp(token, known[i].name, 7))
			continue;
		return equals && !known[i].parse(with, equals + 1)
			? 0 : error_set(error, -EINVAL, "Invalid scheduler param setting: \"%.40s\"", token);
	}
	return error_set(
		error, -EINVAL,
		"found unknown param: \"%.40s\": PROFILE, MONITOR, JC_FILTER, DURATION_OFFSET and PE_RANGE_ALG "
		"are allowed",
		token);
}

int field_params(const struct field *field, void *member, const char *text, struct error *error)
{
	char *copy = strdup(text), *rest = copy, *token;
	struct sched_conf *sched = member;
	int rc = 0;

	if (!copy)
		return -ENOMEM;
	sched->with = (struct sched_params){ .duration_offset = 60 };
	while (!rc && (token = text_word(&rest, ",; \t")))
		rc = param_parse(&sched->with, token, error);
	free(copy);
	return rc ? rc : field_string(field, &sched->params, text, error);
}

int field_hierarchy(const struct field *field, void *member, const char *text, struct error *error)
{
	char letters[4] = "";
	size_t n = 0;
	const char *at;

	for (at = text_is_none(text) ? "" : text; *at; at++) {
		if (!strchr("OFS", *at) || strchr(letters, *at))
			return error_set(
				error, -EINVAL,
				"invalid policy hierarchy \"%.20s\" found as %s: some of the letters O F S, each once, "
				"or NONE is allowed",
				text, field->name);
		letters[n++] = *at;
	}
	memcpy(member, letters, sizeof(letters));
	return 0;
}

/*
 * Read half-lives. Invalid items are dropped, as in Grid Engine. The caller notices them by the
 * number of items.
 */
int field_halflives(const struct field *field, void *member, const char *text, struct error *error)
{
	struct pairs *list = member;
	char *copy = strdup(text), *rest = copy, *word, *equals;
	double minutes;
	int rc = 0;

	if (!copy)
		return -ENOMEM;
	while (!rc && !text_is_none(text) && (word = text_word(&rest, ":"))) {
		equals = strchr(word, '=');
		if (!equals || equals == word || number_double(equals + 1, &minutes) || fabs(minutes) > FIELD_LIMIT)
			continue;
		*equals = '\0';
		rc = pairs_add(list, word, equals + 1);
		if (!rc)
			list->items[list->n - 1].value = minutes;
	}
	free(copy);
	if (!rc && list->n == 0 && !text_is_none(text))
		rc = error_set(error, -EINVAL,
			       "invalid list of half-lives \"%.30s\" found as %s: name=minutes with colons between, or "
			       "NONE, is allowed",
			       text, field->name);
	return rc;
}

int field_formula(const struct field *field, void *member, const char *text, struct error *error)
{
	char *copy = strdup(text), *out = copy, *at;
	struct sched_conf *sched = member;
	int rc;

	if (!copy)
		return -ENOMEM;
	for (at = copy; *at; at++)
		if (*at != ' ' && *at != '\t')
			*out++ = *at;
	*out = '\0';
	formula_free(&sched->formula);
	rc = load_formula_check(NULL, field->name, copy, error);
	if (!rc)
		rc = formula_parse(&sched->formula, copy, error);
	if (!rc)
		rc = field_string(field, &sched->load_formula, copy, error);
	free(copy);
	return rc;
}
