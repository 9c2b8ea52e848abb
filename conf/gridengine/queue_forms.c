/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/gridengine/queue_forms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/lists.h"
#include "conf/base/number.h"
#include "conf/subordinates.h"
#include "conf/text.h"

enum value_form {
	FORM_ANY,
	FORM_SLOTS,
	FORM_U32,
	FORM_PRIORITY,
	FORM_TIME,
	FORM_MEMORY,
	FORM_BOOL,
	FORM_PAIRS,
	FORM_QTYPE,
	FORM_STATE,
	FORM_SUBORDINATES
};

static const struct {
	const char *name;
	enum value_form form;
} attributes[] = {
	{ "qname", FORM_ANY }, { "hostlist", FORM_ANY }, { "seq_no", FORM_U32 }, { "load_thresholds", FORM_PAIRS },
	{ "suspend_thresholds", FORM_PAIRS }, { "nsuspend", FORM_U32 }, { "suspend_interval", FORM_TIME },
	{ "priority", FORM_PRIORITY }, { "min_cpu_interval", FORM_TIME }, { "processors", FORM_ANY },
	{ "qtype", FORM_QTYPE },
	{ "ckpt_list", FORM_ANY }, { "pe_list", FORM_ANY }, { "rerun", FORM_BOOL }, { "slots", FORM_SLOTS },
	{ "tmpdir", FORM_ANY },
	{ "shell", FORM_ANY }, { "prolog", FORM_ANY }, { "epilog", FORM_ANY }, { "shell_start_mode", FORM_ANY },
	{ "starter_method", FORM_ANY }, { "suspend_method", FORM_ANY }, { "resume_method", FORM_ANY },
	{ "terminate_method", FORM_ANY }, { "notify", FORM_TIME }, { "owner_list", FORM_ANY },
	{ "user_lists", FORM_ANY },
	{ "xuser_lists", FORM_ANY }, { "subordinate_list", FORM_SUBORDINATES }, { "complex_values", FORM_PAIRS },
	{ "projects", FORM_ANY },
	{ "xprojects", FORM_ANY }, { "calendar", FORM_ANY }, { "initial_state", FORM_STATE }, { "s_rt", FORM_TIME },
	{ "h_rt", FORM_TIME }, { "d_rt", FORM_TIME }, { "s_cpu", FORM_TIME }, { "h_cpu", FORM_TIME },
	{ "s_fsize", FORM_MEMORY },
	{ "h_fsize", FORM_MEMORY }, { "s_data", FORM_MEMORY }, { "h_data", FORM_MEMORY }, { "s_stack", FORM_MEMORY },
	{ "h_stack", FORM_MEMORY }, { "s_core", FORM_MEMORY }, { "h_core", FORM_MEMORY }, { "s_rss", FORM_MEMORY },
	{ "h_rss", FORM_MEMORY }, { "s_vmem", FORM_MEMORY }, { "h_vmem", FORM_MEMORY }, { "version", FORM_ANY },
};
_Static_assert(sizeof(attributes) / sizeof(*attributes) <= QUEUE_ATTRIBUTES,
	       "queue_attribute() gives too large a number");

int queue_attribute(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (!strcmp(attributes[i].name, name))
			return (int)i;
	return -1;
}

static bool priority_ok(const char *value)
{
	const char *digits = value + (*value == '-' || *value == '+');
	char *end;
	long n = strtol(value, &end, 10);

	return *digits >= '0' && *digits <= '9' && !*end && n >= -20 && n <= 20;
}

/* Return true if each word of the value is in `words`, which begins and ends with a blank. */
static bool words_ok(const char *value, const char *words)
{
	char word[32];
	size_t n;

	while (*(value += strspn(value, LIST_SEPARATORS))) {
		n = strcspn(value, LIST_SEPARATORS);
		if (n + 3 > sizeof(word))
			return false;
		word[0] = word[n + 1] = ' ';
		memcpy(word + 1, value, n);
		word[n + 2] = '\0';
		if (!strcasestr(words, word))
			return false;
		value += n;
	}
	return true;
}

/*
 * Allowed values in messages, for the forms that form_ok() checks. Lists of pairs and of
 * subordinates have messages of their own.
 */
static const char *const allowed[] = {
	[FORM_SLOTS] = "a whole number from 0 to 9999999 is allowed",
	[FORM_U32] = "a whole number from 0 to 4294967295 is allowed",
	[FORM_PRIORITY] = "Priority not in range -20 to +20",
	[FORM_TIME] = "seconds, h:m:s or INFINITY are allowed",
	[FORM_MEMORY] = "bytes with an optional suffix k K m M g G t T, or INFINITY, are allowed",
	[FORM_BOOL] = "TRUE or FALSE is allowed",
	[FORM_QTYPE] = "BATCH, INTERACTIVE, both or NONE are allowed",
	[FORM_STATE] = "default, enabled or disabled is allowed",
};

static bool form_ok(enum value_form form, const char *value)
{
	uint32_t whole = 0;
	double number;
	bool flag;

	switch (form) {
	case FORM_SLOTS:
		return *value && !number_u32(value, &whole) && whole <= 9999999;
	case FORM_U32:
		return !number_u32(value, &whole);
	case FORM_PRIORITY:
		return priority_ok(value);
	case FORM_TIME:
		return !number_time(value, &whole);
	case FORM_MEMORY:
		return !number_parse(value, &number) && number >= 0;
	case FORM_BOOL:
		return !number_bool(value, &flag);
	case FORM_QTYPE:
		return words_ok(value, " BATCH INTERACTIVE NONE ");
	case FORM_STATE:
		return words_ok(value, " default enabled disabled ");
	default:
		return true;
	}
}

static int pairs_check(const char *value, struct error *error)
{
	struct pairs pairs = { 0 };
	int rc = pairs_parse(&pairs, value, LIST_SEPARATORS, error);

	pairs_free(&pairs);
	return rc;
}

static int subordinates_form(const char *value, struct error *error)
{
	struct subordinates list = { 0 };
	int rc = subordinates_parse(&list, value, error);

	subordinates_free(&list);
	return rc;
}

int queue_form_check(const char *attribute, const char *value, struct error *error)
{
	int at = queue_attribute(attribute);
	enum value_form form = at < 0 ? FORM_ANY : attributes[at].form;

	if (form == FORM_PAIRS)
		return pairs_check(value, error);
	if (form == FORM_SUBORDINATES)
		return subordinates_form(value, error);
	return form_ok(form, value) ? 0 : error_set(error, -EINVAL, "%s", allowed[form]);
}
