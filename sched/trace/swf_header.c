/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Header of an SWF file: comments "; Key: value", and the names for the numbers of queues and
 * partitions. Continuation lines and other keys are ignored.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/base/array.h"
#include "sched/trace/inside.h"

#define VALUE_MOST 1000			/* characters that are stored */

/* Cut blanks at both ends. */
static char *trimmed(char *text)
{
	size_t n;

	while (isspace((unsigned char)*text))
		text++;
	for (n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--)
		;
	text[n] = '\0';
	return text;
}

/* Return the number at the beginning of a value; 0: none, or -1. */
static uint64_t count_read(const char *value)
{
	uint64_t number = 0;

	for (size_t i = 0; isdigit((unsigned char)value[i]); i++) {
		if (i == 15)
			return 0;
		number = 10 * number + (uint64_t)(value[i] - '0');
	}
	return number;
}

/* Return whether a queue or a partition of a scheduler may have this name. */
static bool is_name(const char *text, size_t n)
{
	if (n == 0 || n > 64 || !isalpha((unsigned char)*text))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-' && text[i] != '.')
			return false;
	return true;
}

/* Make room for a number below SWF_NAMED. Memory grows with the numbers in use. */
static int names_reserve(struct numbered *names, uint32_t number)
{
	size_t n = names->n ? names->n : 64;

	if (number < names->n)
		return 0;
	while (n <= number)
		n *= 2;
	if (array_grow(&names->names, n, sizeof(*names->names)) ||
	    array_grow(&names->defined, n, sizeof(*names->defined)))
		return -ENOMEM;
	memset(names->names + names->n, 0, (n - names->n) * sizeof(*names->names));
	memset(names->defined + names->n, 0, (n - names->n) * sizeof(*names->defined));
	names->n = n;
	return 0;
}

/* Define a name: "3 batch (details)". */
static int name_define(struct trace *trace, struct numbered *names, char *value, struct error *error)
{
	uint64_t number = count_read(value);
	size_t n;

	if (!isdigit((unsigned char)*value) || number >= SWF_NAMED)
		return 0;
	value = trimmed(value + strspn(value, "0123456789"));
	n = strcspn(value, " \t");
	if (!is_name(value, n))
		return 0;
	value[n] = '\0';
	if (names_reserve(names, (uint32_t)number))
		return error_set(error, -ENOMEM, "out of memory");
	return trace_text(trace, TEXT_HEADER, value, &names->defined[number], error);
}

/*
 * Return the name of a number in the header. A name of several numbers is not used, so that they
 * stay distinct.
 */
static const char *defined_name(const struct numbered *names, uint32_t number)
{
	const char *name = names->defined[number];

	for (size_t i = 0; name && i < names->n; i++)
		if (i != number && names->defined[i] == name)
			return NULL;
	return name;
}

int numbered_name(struct trace *trace, struct numbered *names, enum text_kind kind, uint32_t number, const char **name,
		  struct error *error)
{
	static const char *const prefixes[TEXT_KINDS] = {
		[TEXT_QUEUE] = "queue", [TEXT_PARTITION] = "partition", [TEXT_NAME] = "app"
	};
	const char *prefix = kind == TEXT_USER	  ? trace->user_prefix
			     : kind == TEXT_GROUP ? trace->group_prefix
						  : prefixes[kind],
		   *defined = NULL;
	bool kept = number < SWF_NAMED;
	char text[PREFIX_MOST + 16];
	int rc;

	if (kept && number < names->n && names->names[number]) {
		*name = names->names[number];
		return 0;
	}
	if (kept && names_reserve(names, number))
		return error_set(error, -ENOMEM, "out of memory");
	if (kept)
		defined = defined_name(names, number);
	if (defined)
		snprintf(text, sizeof(text), "%s", defined);
	else
		snprintf(text, sizeof(text), "%s%" PRIu32, prefix, number);
	rc = trace_text(trace, kind, text, name, error);
	if (rc == 0 && kept)
		names->names[number] = *name;
	return rc;
}

/* Keys */

static int value_keep(struct trace *trace, const char **member, char *value, struct error *error)
{
	if (*member || !*value)		/* the first value counts */
		return 0;
	value[strnlen(value, VALUE_MOST)] = '\0';
	return trace_text(trace, TEXT_HEADER, value, member, error);
}

static int text_take(struct trace *trace, const char *key, char *value, struct error *error)
{
	struct trace_about *about = &trace->about;
	const struct {
		const char *key, **member;
	} texts[] = {
		{ "Version", &about->version },		  { "Computer", &about->computer },
		{ "Installation", &about->installation }, { "Acknowledge", &about->acknowledge },
		{ "Information", &about->information },	  { "Conversion", &about->conversion },
		{ "TimeZoneString", &about->time_zone },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcasecmp(key, texts[i].key) == 0)
			return value_keep(trace, texts[i].member, value, error);
	return 0;
}

static void count_take(struct trace *trace, const char *key, const char *value)
{
	struct trace_about *about = &trace->about;
	uint64_t start = 0;
	const struct {
		const char *key;
		uint64_t *member;
	} counts[] = {
		{ "MaxJobs", &about->max_jobs },   { "MaxRecords", &about->max_records },
		{ "MaxProcs", &about->max_procs }, { "MaxNodes", &about->max_nodes },
		{ "UnixStartTime", &start },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (strcasecmp(key, counts[i].key) == 0 && *counts[i].member == 0)
			*counts[i].member = count_read(value);
	if (start > 0 && start <= (uint64_t)TIME_MOST && about->unix_start == 0)
		about->unix_start = (int64_t)start;
}

int swf_comment(struct trace *trace, char *text, struct error *error)
{
	char *colon = strchr(text, ':'), *key, *value;

	if (!colon)
		return 0;
	*colon = '\0';
	key = trimmed(text);
	value = trimmed(colon + 1);
	if (strcasecmp(key, "Queue") == 0)
		return name_define(trace, &trace->swf.queues, value, error);
	if (strcasecmp(key, "Partition") == 0)
		return name_define(trace, &trace->swf.partitions, value, error);
	count_take(trace, key, value);
	return text_take(trace, key, value, error);
}

void swf_free(struct swf *swf)
{
	struct numbered *const all[] = { &swf->users, &swf->groups, &swf->queues, &swf->partitions,
					 &swf->applications };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		free(all[i]->names);
		free(all[i]->defined);
	}
}
