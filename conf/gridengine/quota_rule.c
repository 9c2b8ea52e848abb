/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/gridengine/quota_rule.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf/formula.h"
#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/gridengine/sched_conf.h"

#define BLANKS " \t"

const char *const quota_words[QUOTA_KINDS] = { "users", "projects", "pes", "queues", "hosts" };

struct rule_line {
	struct reader *reader;
	const struct text *text;
	struct quota_rule *rule;
	char *rest;		/* part that has not been read yet */
	bool found[QUOTA_KINDS];
};

/* Report a fault and skip the rest of the line. Always returns 0. */
static int __attribute__((format(printf, 2, 3))) line_fault(struct rule_line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_add_arguments(line->text->report, FAULT, line->text->path, line->text->number, "limit: ", format,
			     arguments);
	va_end(arguments);
	line->rest = NULL;
	return 0;
}

/* Return the end of a list without braces. Blanks next to a comma do not end it. */
static char *list_end(char *at)
{
	do {
		at += strspn(at, BLANKS ",");
		at += strcspn(at, BLANKS ",");
	} while (at[strspn(at, BLANKS)] == ',');
	return at;
}

/* Cut off a list. Returns NULL after a fault. */
static char *list_take(struct rule_line *line, const char *word, bool *expanded)
{
	char *begin = line->rest + strspn(line->rest, BLANKS), *end;

	*expanded = *begin == '{';
	begin += *expanded;
	end = *expanded ? strchr(begin, '}') : list_end(begin);
	if (!end) {
		line_fault(line, "the list of %s begins with a \"{\": a \"}\" is needed after it", word);
		return NULL;
	}
	line->rest = end + (*end != '\0');
	if (*expanded && *line->rest && !strchr(BLANKS, *line->rest)) {
		line_fault(line, "\"%.60s\" found after the \"}\" of %s: a blank is needed there", line->rest, word);
		return NULL;
	}
	*end = '\0';
	return begin;
}

static int filter_add(struct rule_line *line, struct quota_filter *filter, const char *word, const char *name)
{
	struct strlist *list = *name == '!' ? &filter->not_in : &filter->in;
	char **item;

	name += *name == '!';
	if (!*name || strpbrk(name, "!{}=\"'"))
		return line_fault(
			line,
			"\"%.60s\" found in the list of %s: names, patterns and @lists, each after a \"!\" if it is "
			"excluded, "
			"are allowed, all of them in braces or none",
			name, word);
	item = array_add(&list->items, &list->n, sizeof(*item));
	return item && (*item = strdup(name)) ? 0 : -ENOMEM;
}

static int filter_read(struct rule_line *line, enum quota_kind kind)
{
	struct quota_filter *filter = &line->rule->filters[kind];
	const char *word = quota_words[kind];
	char *list, *name;
	int rc = 0;

	if (line->found[kind])
		return line_fault(line, "%s found twice: once is allowed", word);
	line->found[kind] = true;
	list = list_take(line, word, &filter->expanded);
	while (!rc && list && line->rest && (name = text_word(&list, LIST_SEPARATORS)))
		rc = filter_add(line, filter, word, name);
	if (!rc && line->rest && filter->in.n + filter->not_in.n == 0)
		return line_fault(line, "the list of %s is empty: at least one name is needed", word);
	return rc;
}

static int name_read(struct rule_line *line)
{
	char *name = text_word(&line->rest, BLANKS);
	struct error error;

	if (!name)
		return line_fault(line, "no name found after \"name\"");
	if (*line->rule->name)
		return line_fault(line, "name found twice: once is allowed");
	if (name_check(name, &error))
		return line_fault(line, "%s", error.text);
	free(line->rule->name);
	line->rule->name = strdup(name);
	return line->rule->name ? 0 : -ENOMEM;
}

/*
 * Read a dynamic limit. The host whose values it uses is defined only if each host has a limit of
 * its own.
 */
static int limit_read_formula(struct rule_line *line, struct quota_limit *limit, const char *text)
{
	const struct reader *reader = line->reader;
	struct error error;
	int rc;

	if (!line->rule->filters[QUOTA_HOSTS].expanded)
		return line_fault(line, "\"%.60s\" of %.60s found: $ is allowed only with hosts in braces", text,
				  limit->name);
	rc = load_formula_check(reader->complex_valid ? reader->cell : NULL, limit->name, text, &error);
	if (!rc)
		rc = formula_parse(&limit->formula, text, &error);
	return rc == -EINVAL ? line_fault(line, "%s", error.text) : rc;
}

static int limit_read_text(struct rule_line *line, struct quota_limit *limit, const char *text)
{
	if (!*text || strchr(text, '$'))
		return line_fault(line, "\"%.60s\" of %.60s found: a text without $ is needed", text, limit->name);
	limit->text = strdup(text);
	return limit->text ? 0 : -ENOMEM;
}

static bool limit_found(const struct quota_rule *rule, const char *name)
{
	size_t i;

	for (i = 0; i < rule->nlimits && strcmp(rule->limits[i].name, name); i++)
		;
	return i < rule->nlimits;
}

static int limit_read(struct rule_line *line, const struct pair *pair)
{
	const struct complex *complex = cell_complex(line->reader->cell, pair->name);
	const char *name = complex ? complex->name : pair->name;
	struct quota_limit *limit;

	if (!complex && line->reader->complex_valid)
		return line_fault(line, "\"%.60s\" found: there is no such complex attribute", name);
	if (complex && limit_found(line->rule, name))
		return line_fault(line, "\"%.60s\" is limited twice: once is allowed", name);
	limit = array_add(&line->rule->limits, &line->rule->nlimits, sizeof(*limit));
	if (!limit)
		return -ENOMEM;
	limit->name = strdup(name);
	if (!limit->name)
		return -ENOMEM;
	if (complex && complex_is_text(complex))
		return limit_read_text(line, limit, pair->text);
	if (strchr(pair->text, '$'))
		return limit_read_formula(line, limit, pair->text);
	if (!complex)
		return 0;		/* the complex is unknown, so its type is unknown too */
	if (number_parse(pair->text, &limit->value))
		return line_fault(
			line,
			"\"%.60s\" of %.60s found: a number is allowed, or with hosts in braces $attribute or "
			"$attribute*number, more of them with + or - between",
			pair->text, name);
	return 0;
}

/* Read the limits after "to" up to the end of the line. */
static int limits_read(struct rule_line *line)
{
	struct pairs pairs = { 0 };
	struct error error;
	int rc = pairs_parse(&pairs, line->rest, LIST_SEPARATORS, &error);
	size_t i;

	if (rc == -EINVAL)
		rc = line_fault(line, "%s", error.text);
	else if (!rc && pairs.n == 0)
		line_fault(line,
			   "nothing found after \"to\": attribute=value is needed, several separated by commas");
	for (i = 0; i < pairs.n && line->rest && !rc; i++)
		rc = limit_read(line, &pairs.items[i]);
	pairs_free(&pairs);
	line->rest = NULL;
	return rc;
}

static int word_read(struct rule_line *line, const char *word)
{
	enum quota_kind kind = 0;

	if (!strcmp(word, "to"))
		return limits_read(line);
	if (!strcmp(word, "name"))
		return name_read(line);
	while (kind < QUOTA_KINDS && strcmp(word, quota_words[kind]))
		kind++;
	if (kind == QUOTA_KINDS)
		return line_fault(
			line,
			"\"%.60s\" found: name, users, projects, pes, queues, hosts, each followed by a list, and to "
			"are allowed",
			word);
	return filter_read(line, kind);
}

int quota_rule_read(struct reader *reader, const struct text *t, struct quota_set *set, char *text)
{
	struct rule_line line = { .reader = reader, .text = t, .rest = text };
	const char *word;
	int rc = 0;

	line.rule = array_add(&set->rules, &set->nrules, sizeof(*line.rule));
	if (!line.rule)
		return -ENOMEM;
	*line.rule = (struct quota_rule){ .name = strdup(""), .number = (int)set->nrules, .line = t->number };
	if (!line.rule->name)
		return -ENOMEM;
	while (!rc && line.rest) {
		word = text_word(&line.rest, BLANKS);
		if (word)
			rc = word_read(&line, word);
		else
			line_fault(&line, "\"to\" is missing: to attribute=value is needed at the end");
	}
	return rc;
}

void quota_rule_clear(struct quota_rule *rule)
{
	size_t i;

	free(rule->name);
	for (i = 0; i < QUOTA_KINDS; i++) {
		strlist_free(&rule->filters[i].in);
		strlist_free(&rule->filters[i].not_in);
	}
	for (i = 0; i < rule->nlimits; i++) {
		free(rule->limits[i].name);
		free(rule->limits[i].text);
		formula_free(&rule->limits[i].formula);
	}
	free(rule->limits);
}
