/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the displays. With one dash, a name may be abbreviated down to condor_userprio's
 * minimum length. Two dashes need the whole name.
 */
#include "sched/cli/userprio/show.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum word_kind {
	WORD_COLUMNS, WORD_NESTING, WORD_FLAG, WORD_TEXT, WORD_NOWHERE, WORD_NOWHERE_VALUE, WORD_EVER, WORD_ACTIVE,
	WORD_AUTOFORMAT, WORD_DEBUG,
};

#define FIELD(NAME) offsetof(struct userprio_query, NAME)

static const struct userprio_word {
	const char *name;
	size_t least;			/* minimum letters, without the dash */
	enum word_kind kind;
	unsigned value;			/* columns or nesting */
	/* offset of the member to set, 0: only the effect of `kind` */
	size_t field;
} words[] = {
	{ "all", 3, WORD_COLUMNS, USERPRIO_ALL, 0 },
	{ "most", 2, WORD_COLUMNS, USERPRIO_MOST_COLUMNS, 0 },
	{ "quotas", 1, WORD_COLUMNS, USERPRIO_QUOTAS, FIELD(asks_quotas) },
	{ "priority", 4, WORD_COLUMNS, USERPRIO_PRIORITY, 0 },
	{ "usage", 2, WORD_COLUMNS, USERPRIO_USAGE, 0 },
	{ "surplus", 2, WORD_COLUMNS, USERPRIO_SURPLUS, FIELD(asks_quotas) },
	{ "sortkey", 2, WORD_COLUMNS, USERPRIO_SORT_KEY, 0 },
	{ "order", 1, WORD_COLUMNS, USERPRIO_GROUP_ORDER, 0 },
	{ "groupid", 6, WORD_COLUMNS, USERPRIO_GROUP_ID, 0 },
	{ "grouporder", 6, WORD_NESTING, NESTING_OFF, FIELD(groups_first) },
	{ "grouprollup", 6, WORD_FLAG, 0, FIELD(group_rollup) },
	{ "flat", 2, WORD_NESTING, NESTING_OFF, 0 },
	{ "hierarchical", 2, WORD_NESTING, NESTING_ON, 0 },
	{ "heir", 4, WORD_NESTING, NESTING_ON, 0 },
	{ "allusers", 4, WORD_EVER, 0, 0 },
	{ "activefrom", 2, WORD_ACTIVE, 0, 0 },
	{ "long", 1, WORD_FLAG, 0, FIELD(is_long) },
	{ "legacy", 3, WORD_FLAG, 0, FIELD(is_legacy) },
	{ "modular", 3, WORD_FLAG, 0, FIELD(is_modular) },
	{ "constraint", 1, WORD_TEXT, 0, FIELD(constraint) },
	{ "autoformat", 2, WORD_AUTOFORMAT, 0, 0 },
	{ "af", 2, WORD_AUTOFORMAT, 0, 0 },
	{ "getreslist", 6, WORD_TEXT, 0, FIELD(resources_of) },
	{ "inputfile", 2, WORD_TEXT, 0, FIELD(input) },
	{ "collector", 3, WORD_NOWHERE, 0, 0 },
	{ "negotiator", 3, WORD_NOWHERE, 0, 0 },
	{ "pool", 1, WORD_NOWHERE_VALUE, 0, 0 },
	{ "name", 1, WORD_NOWHERE_VALUE, 0, 0 },
	/* ignored without an edit, as in condor_userprio */
	{ "duration", 8, WORD_NOWHERE_VALUE, 0, 0 },
	{ "debug", 1, WORD_DEBUG, 0, 0 },
	{ "help", 1, WORD_FLAG, 0, FIELD(is_help) },
};

static const struct userprio_word *word_find(const char *word)
{
	bool whole = word[1] == '-';
	const char *name = word + 1 + whole;
	size_t n = strcspn(name, ":");

	for (size_t i = 0; *word == '-' && i < sizeof(words) / sizeof(*words); i++) {
		const struct userprio_word *userprio_word = &words[i];
		size_t letters = strlen(userprio_word->name);

		if (n >= (whole ? letters : userprio_word->least) && n <= letters &&
		    strncmp(name, userprio_word->name, n) == 0 &&
		    (!name[n] || userprio_word->kind == WORD_AUTOFORMAT || userprio_word->kind == WORD_DEBUG))
			return userprio_word;
	}
	return NULL;
}

void userprio_usage(FILE *to)
{
	fputs("usage: fairlead [-c CELL] userprio [DISPLAY OPTIONS [SUBMITTER...]] | [EDIT OPTION]\n\n"
	      "  columns: -all -most -quotas -priority -usage -surplus -sortkey -order -groupid\n"
	      "  rows: -allusers -activefrom MONTH DAY YEAR -flat -hierarchical -grouporder -grouprollup SUBMITTER...\n"
	      "  records: -long [-legacy|-modular] -autoformat[:jlhVr,tng] ATTRIBUTE... -constraint EXPRESSION --json\n"
	      "  sources: -inputfile FILE -getreslist SUBMITTER\n\n"
	      "fairlead userprio --help describes these options and the edits.\n", to);
}

static int wrong(const char *problem, const char *word)
{
	cli_fail(EXIT_DIFFERENCE, "userprio: %s%s%s", word, *word ? ": " : "", problem);
	userprio_usage(stderr);
	return EXIT_DIFFERENCE;
}

static int labels_take(struct userprio_query *query, const char *word)
{
	static const char letters[] = "lhVr,tng";
	const char *letter = strchr(word, ':');

	for (letter = letter ? letter + 1 : ""; *letter; letter++) {
		const char *at = strchr(letters, *letter);

		if (at)
			query->labels |= 1u << (at - letters);
		else if (*letter != 'j')	/* j is the id of a job, which no record has */
			return wrong("the letters jlhVr,tng are allowed after the colon", word);
	}
	return EXIT_OK;
}

/* Parse -autoformat and the attributes up to the next option. */
static int autoformat_take(struct userprio_query *query, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	int code = labels_take(query, word);

	query->attributes = argv + *i + 1;
	for (query->nattributes = 0; *i + 1 < argc && *argv[*i + 1] != '-'; ++*i)
		query->nattributes++;
	return !code && query->nattributes == 0 ? wrong("attributes or expressions are expected after it", word) : code;
}

/* Parse month, day and year. Years have two digits, for 1950 to 2049, or four. */
static int active_take(struct userprio_query *query, int argc, char **argv, int *i)
{
	static const int low[3] = { 1, 1, 0 }, high[3] = { 12, 31, 9999 };
	struct tm tm = { .tm_isdst = -1 };
	int *const fields[3] = { &tm.tm_mon, &tm.tm_mday, &tm.tm_year };

	for (int k = 0; k < 3; k++) {
		char *end;
		long number = ++*i < argc ? strtol(argv[*i], &end, 10) : LONG_MIN;

		if (number < low[k] || number > high[k] || *end || (k == 2 && number > 99 && number < 1970))
			return wrong("month, day and year are expected, as in -activefrom 7 31 2026", "-activefrom");
		*fields[k] = (int)number;
	}
	tm.tm_mon -= 1;
	tm.tm_year -= tm.tm_year > 99 ? 1900 : tm.tm_year < 50 ? -100 : 0;
	query->active_from = mktime(&tm);
	return EXIT_OK;
}

static int word_take(struct userprio_query *query, const struct userprio_word *userprio_word, int argc, char **argv,
		     int *i)
{
	const char *word = argv[*i];

	switch (userprio_word->kind) {
	case WORD_COLUMNS:
		query->columns |= userprio_word->value;
		break;
	case WORD_NESTING:
		query->nesting = userprio_word->value;
		break;
	case WORD_EVER:
		query->active_from = USERPRIO_EVER;
		break;
	case WORD_TEXT:
	case WORD_NOWHERE_VALUE:
		if (++*i == argc)
			return wrong("a value is expected after it", word);
		if (userprio_word->kind == WORD_TEXT)
			*(const char **)((char *)query + userprio_word->field) = argv[*i];
		return EXIT_OK;
	case WORD_ACTIVE:
		return active_take(query, argc, argv, i);
	case WORD_AUTOFORMAT:
		return autoformat_take(query, argc, argv, i);
	case WORD_FLAG:
	case WORD_NOWHERE:
	case WORD_DEBUG:
		break;
	}
	if (userprio_word->field)
		*(bool *)((char *)query + userprio_word->field) = true;
	return EXIT_OK;
}

static int check(struct userprio_query *query)
{
	struct error error;

	if (query->is_legacy && query->is_modular)
		return wrong("-legacy or -modular", "");
	if ((query->is_legacy || query->is_modular) && !query->is_long)
		return wrong("it belongs to -long", query->is_legacy ? "-legacy" : "-modular");
	if (query->resources_of && (query->input || !strchr(query->resources_of, '@')))
		return wrong(query->input ? "a file has no slots"
					  : "a submitter's full name is expected, as in ann@pool.example.org",
			     "-getreslist");
	for (size_t i = 0; i < query->nattributes; i++) {
		struct classad_expression *expression;

		if (classad_parse(&expression, query->attributes[i], &error))
			return cli_fail(EXIT_DIFFERENCE, "userprio: -autoformat %s: %s", query->attributes[i],
					error.text);
		classad_expression_free(expression);
	}
	if (!query->constraint)
		return EXIT_OK;
	if (!query->nattributes && !(query->is_long && query->is_modular))
		return wrong("it belongs to -long -modular or -autoformat", "-constraint");
	if (classad_parse(&query->condition, query->constraint, &error))
		return cli_fail(EXIT_DIFFERENCE, "userprio: -constraint: %s", error.text);
	return EXIT_OK;
}

int userprio_words(struct userprio_query *query, int argc, char **argv)
{
	int code = EXIT_OK;

	query->active_from = query->now - 24 * 60 * 60;
	query->names = calloc((size_t)argc + 1, sizeof(*query->names));
	if (!query->names)
		return cli_fail(EXIT_NO_DATA, "userprio: no memory");
	for (int i = 1; i < argc && !code; i++) {
		const struct userprio_word *word = word_find(argv[i]);

		if (strcmp(argv[i], "--json") == 0)
			query->is_json = true;
		else if (word)
			code = word_take(query, word, argc, argv, &i);
		else if (argv[i][0] == '-')
			code = wrong("no such option", argv[i]);
		else
			query->names[query->nnames++].text = argv[i];
	}
	if (query->nnames > 0)		/* named submitters are shown, active or not */
		query->active_from = USERPRIO_EVER;
	return code ? code : check(query);
}

void userprio_words_free(struct userprio_query *query)
{
	classad_expression_free(query->condition);
	free(query->names);
}
