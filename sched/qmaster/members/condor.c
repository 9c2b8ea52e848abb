/* SPDX-License-Identifier: Apache-2.0 */
/* Members of events about HTCondor's slots, claims, jobs and submitters. */
#include <errno.h>
#include <string.h>

#include "sched/mirror/event.h"
#include "sched/qmaster/members/members.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* Expressions */

/*
 * Quote a text as an expression. Only double quotes are escaped; any other backslash stands for
 * itself.
 */
static const char *quoted(struct taking *taking, const char *text)
{
	char *quotes = taking_array(taking, 2 * strlen(text) + 3, 1), *to = quotes;

	if (!quotes)
		return NULL;
	*to++ = '"';
	for (; *text; text++) {
		if (*text == '"')
			*to++ = '\\';
		*to++ = *text;
	}
	*to = '"';
	return quotes;
}

/* Write a number so that it cannot be read as an integer. */
static const char *real(struct taking *taking, const struct value *value)
{
	char *number = taking_number(taking, value), *text;

	if (!number || strpbrk(number, ".e"))
		return number;
	text = taking_array(taking, strlen(number) + sizeof(".0"), 1);
	if (text)
		stpcpy(stpcpy(text, number), ".0");
	return text;
}

/* Read {"expr": "..."}. */
static int expression_inside(struct taking *taking, const struct value *value, const char **expression)
{
	static const struct event_member table[] = { { "expr", take_text, 0, REQUIRED, 0, 0, 0 } };

	return members_take(taking, table, LENGTH(table), REQUIRED, value, (void *)expression);
}

static int attribute_take(struct taking *taking, const struct value *value, void *item)
{
	struct ad_attribute *attribute = item;
	const char **expression = &attribute->expression;
	int rc;

	attribute->name = value->name;
	switch (value->type) {
	case VALUE_OBJECT:
		return expression_inside(taking, value, expression);
	case VALUE_TRUE:
	case VALUE_FALSE:
		*expression = value->type == VALUE_TRUE ? "true" : "false";
		return 0;
	case VALUE_INTEGER:
		*expression = taking_number(taking, value);
		return *expression ? 0 : -ENOMEM;
	case VALUE_REAL:
		*expression = real(taking, value);
		return *expression ? 0 : -ENOMEM;
	case VALUE_STRING:
		rc = take_text(taking, NULL, value, (void *)expression);
		*expression = rc ? NULL : quoted(taking, value->text);
		return rc == 0 && !*expression ? -ENOMEM : rc;
	default:
		return taking_wrong_type(taking, "a value or {\"expr\": \"...\"}", value);
	}
}

int take_ad(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	struct ad_attributes *ad = to;
	void *items;
	size_t n;
	int rc = take_named(taking, value, attribute_take, sizeof(*ad->items), &items, &n);

	(void)member;
	if (rc == 0)
		*ad = (struct ad_attributes){ items, n };
	return rc;
}

int take_expression(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	if (value->type == VALUE_STRING)
		return take_text(taking, member, value, to);
	if (value->type != VALUE_INTEGER)
		return taking_wrong_type(taking, "an integer or an expression", value);
	*(const char **)to = taking_number(taking, value);
	return *(const char **)to ? 0 : -ENOMEM;
}

/* Words */

static const char *const hows[] = {
	[VACATED_UNSAID] = "", [VACATED_RETIRED] = "retired", [VACATED_SOFT] = "soft", [VACATED_HARD] = "hard"
};

/* names as in condor_userprio(1) */
static const char *const edits[] = {
	[EDIT_FACTOR] = "setfactor", [EDIT_PRIORITY] = "setprio", [EDIT_CEILING] = "setceiling",
	[EDIT_FLOOR] = "setfloor", [EDIT_ACCUMULATED] = "setaccum", [EDIT_BEGIN] = "setbegin",
	[EDIT_LAST] = "setlast", [EDIT_CANCEL_FACTOR_LEASE] = "cancelfactorlease",
	[EDIT_CANCEL_CEILING_LEASE] = "cancelceilinglease", [EDIT_CANCEL_FLOOR_LEASE] = "cancelfloorlease",
	[EDIT_RESET_USAGE] = "resetusage", [EDIT_RESET_ALL] = "resetall", [EDIT_DELETE] = "delete",
};

static int word_find(const char *const *words, size_t n, const char *text)
{
	size_t i = 0;

	while (i < n && strcmp(words[i], text) != 0)
		i++;
	return i < n ? (int)i : -1;
}

int take_how(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	const char *text = NULL;
	int rc = take_text(taking, member, value, &text), how = rc ? 0 : word_find(hows, LENGTH(hows), text);

	if (rc)
		return rc;
	if (how < 0)
		return error_set(&taking->error, -EINVAL,
				 "\"%.40s\" is not one of \"retired\", \"soft\", \"hard\" and \"\"", text);
	*(enum vacated_how *)to = (enum vacated_how)how;
	return 0;
}

int take_edit(struct taking *taking, const struct event_member *member, const struct value *value, void *to)
{
	const char *text = NULL;
	int rc = take_text(taking, member, value, &text), kind = rc ? 0 : word_find(edits, LENGTH(edits), text);

	if (rc)
		return rc;
	if (kind < 0)
		return error_set(&taking->error, -EINVAL,
				 "\"%.40s\" is not an edit; see fairlead-events(5)",
				 text);
	*(enum customer_edit_kind *)to = (enum customer_edit_kind)kind;
	return 0;
}

const char *vacated_how_name(uint32_t how)
{
	return how < LENGTH(hows) ? hows[how] : NULL;
}

const char *customer_edit_name(uint32_t kind)
{
	return kind < LENGTH(edits) ? edits[kind] : NULL;
}
