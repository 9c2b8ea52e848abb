/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions: if, elif, else, endif with "defined NAME", "version >= 8.9", true, false, a number,
 * or an expression.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/classad/classad.h"
#include "conf/condor/macros.h"
#include "conf/base/number.h"

/* value of "version": the release whose decisions Fairlead makes */
#define VERSION { 25, 14, 0 }

#define CONDITION_ALLOWED \
	"defined NAME, version >= x.y.z, true, false, a number or an expression of these is allowed, with an " \
	"optional ! before it"

/* Cut off a keyword if the text begins with it. Returns the rest, or NULL. */
static char *keyword_cut(char *text, const char *keyword)
{
	size_t n = strlen(keyword);

	if (strncasecmp(text, keyword, n) || !strchr(" \t!", text[n]))
		return NULL;
	return text + n + strspn(text + n, " \t");
}

/* Compare a version with ours. Missing parts are not compared: 8.2.3 equals 8.2. */
static int version_compare(const char *text, int *order)
{
	static const int version[3] = VERSION;
	char *end;
	long part;

	*order = 0;
	for (size_t i = 0; i < 3; i++) {
		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		part = strtol(text, &end, 10);
		if (*order == 0)
			*order = (version[i] > part) - (version[i] < part);
		if (!*end)
			return 0;
		if (*end != '.')
			return -EINVAL;
		text = end + 1;
	}
	return -EINVAL;
}

static int version_decide(char *text, bool *truth)
{
	size_t n = strspn(text, "<>=!");
	int order, rc = version_compare(text + n + strspn(text + n, " \t"), &order);

	if (rc)
		return rc;
	if (n == 2 && strncmp(text, ">=", n) == 0)
		*truth = order >= 0;
	else if (n == 2 && strncmp(text, "<=", n) == 0)
		*truth = order <= 0;
	else if (n == 2 && strncmp(text, "==", n) == 0)
		*truth = order == 0;
	else if (n == 2 && strncmp(text, "!=", n) == 0)
		*truth = order != 0;
	else if (n == 1 && *text != '=' && *text != '!')
		*truth = *text == '>' ? order > 0 : order < 0;
	else
		return -EINVAL;
	return 0;
}

static int expression_decide(const char *text, bool *truth)
{
	struct classad_room room = { 0 };
	struct classad_expression *expression;
	struct classad_value value;
	struct error error;
	double number;
	int rc = classad_parse(&expression, text, &error);

	if (rc)
		return rc;
	classad_evaluate(expression, &(struct classad_pair){ 0 }, &room, &value);
	if (!classad_number(&value, &number))
		rc = -EINVAL;
	else
		*truth = number != 0;
	classad_room_free(&room);
	classad_expression_free(expression);
	return rc;
}

/* Decide an expanded condition. Blank text is false. */
static int condition_decide(const struct macros *macros, char *text, bool *truth)
{
	char *rest;
	bool negated = false;
	int rc = 0;

	for (; *text == '!'; text += 1 + strspn(text + 1, " \t"))
		negated = !negated;
	if ((rest = keyword_cut(text, "defined"))) {
		const struct macro *macro = macro_find(macros, "NEGOTIATOR", rest);

		*truth = *(macro ? macro->text : macro_compiled_in("NEGOTIATOR", rest));
	} else if ((rest = keyword_cut(text, "version"))) {
		rc = version_decide(rest, truth);
	} else if (!*text) {
		*truth = false;
	} else if (number_bool(text, truth)) {
		rc = expression_decide(text, truth);
	}
	*truth ^= negated;
	return rc;
}

/* Expand and decide a condition. A condition that cannot be decided is false and a fault. */
static int condition_evaluate(const struct macros *macros, const char *text, bool *truth)
{
	struct error error = { "" };
	char *expanded;
	int rc = macro_expand(macros, "NEGOTIATOR", text, &expanded, &error);

	*truth = false;
	if (!rc) {
		rc = condition_decide(macros, expanded, truth);
		free(expanded);
		error_set(&error, 0, "%s", CONDITION_ALLOWED);
	}
	if (rc == -EINVAL) {
		macros_report(macros, FAULT, macros->at, "\"%.60s\" found: %s", text, error.text);
		*truth = false;
	}
	return rc == -ENOMEM ? rc : 0;
}

bool conditions_count(const struct macros *macros)
{
	return macros->nconditions == 0 || macros->conditions[macros->nconditions - 1].counts;
}

static int condition_begin(struct macros *macros, const char *text)
{
	bool around = conditions_count(macros), truth = false;
	int rc;

	if (macros->nconditions == MACRO_IF_DEPTH) {
		macros_report(macros, FAULT, macros->at, "\"if\" found: at most %d in each other are allowed",
			      MACRO_IF_DEPTH);
		return 0;
	}
	rc = around ? condition_evaluate(macros, text, &truth) : 0;
	macros->conditions[macros->nconditions++] =
		(struct macro_condition){ macros->at, .counts = truth, .has_counted = truth, .around = around };
	return rc;
}

/* Read elif, or else if `text` is NULL. */
static int condition_go_on(struct macros *macros, struct macro_condition *condition, const char *text)
{
	bool truth = true;
	int rc = 0;

	if (condition->is_last) {
		macros_report(macros, FAULT, macros->at, "\"%s\" found after the else of the if in line %d",
			      text ? "elif" : "else", condition->place.line);
		return 0;
	}
	if (text && condition->around && !condition->has_counted)
		rc = condition_evaluate(macros, text, &truth);
	condition->counts = condition->around && !condition->has_counted && truth;
	condition->has_counted |= condition->counts;
	condition->is_last = !text;
	return rc;
}

int condition_read(struct macros *macros, char *line, bool *is_one)
{
	struct macro_condition *inner = macros->nconditions > 0 ? &macros->conditions[macros->nconditions - 1] : NULL;
	char *rest;

	*is_one = true;
	if ((rest = keyword_cut(line, "if")) && *rest != '=')
		return condition_begin(macros, rest);
	if (keyword_cut(line, "elif") || keyword_cut(line, "else") || keyword_cut(line, "endif")) {
		/* an if of another file does not belong to this line */
		if (!inner || inner->place.file != macros->at.file) {
			macros_report(macros, FAULT, macros->at, "\"%.60s\" found, and no if before it", line);
			return 0;
		}
		if ((rest = keyword_cut(line, "elif")))
			return condition_go_on(macros, inner, rest);
		if (keyword_cut(line, "else"))
			return condition_go_on(macros, inner, NULL);
		macros->nconditions--;
		return 0;
	}
	*is_one = false;
	return 0;
}
