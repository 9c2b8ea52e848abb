/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/members/named.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/entries.h"
#include "conf/base/number.h"

static bool is_number(const struct complex *complex, const char *value)
{
	double number;
	uint32_t seconds;
	bool flag;

	switch (complex->type) {
	case TYPE_BOOL:
		return number_bool(value, &flag) == 0;
	case TYPE_TIME:
		return number_time(value, &seconds) == 0;
	case TYPE_INT:
	case TYPE_RSMAP:
		return number_parse(value, &number) == 0 && (fabs(number) >= 0x1p53 || number == floor(number));
	default:
		return number_parse(value, &number) == 0;
	}
}

/*
 * Return whether a value is negative although it must not be. A negative request for a shared
 * resource would make more of it available to other jobs than there is.
 */
static bool is_too_little(const struct complex *complex, const char *value)
{
	double number;

	return (complex->consumable || complex->type == TYPE_MEMORY) && complex->type != TYPE_BOOL &&
	       number_parse(value, &number) == 0 && number < 0;
}

/* Set the kind of a fault: an object that the cell does not have. Return -EINVAL. */
static int unknown(struct named_fault *fault, enum reply_reason reason, const char *name)
{
	fault->reason = reason;
	snprintf(fault->object, sizeof(fault->object), "%s", name);
	return -EINVAL;
}

/* Check a value. NULL: no value, which is allowed for a flag. */
static int check_value(const struct complex *complex, const char *value, struct named_fault *fault)
{
	static const char *const due[] = {
		[TYPE_INT] = "a whole number",
		[TYPE_DOUBLE] = "a number",
		[TYPE_TIME] = "a duration, such as 1:30:00 or 5400 seconds,",
		[TYPE_MEMORY] = "a number of bytes, such as 512M or 2G,",
		[TYPE_BOOL] = "TRUE or FALSE",
		[TYPE_RSMAP] = "a whole number",
	};

	if (!value && complex->type == TYPE_BOOL)
		return 0;
	if (!value || !*value)
		return error_set(&fault->error, -EINVAL, "the resource \"%.80s\" is requested without a value",
				 complex->name);
	if (complex->type < TYPE_STRING && (!is_number(complex, value) || is_too_little(complex, value)))
		return error_set(&fault->error, -EINVAL,
				 "the value \"%.80s\" of the resource \"%.80s\": %s is expected%s", value,
				 complex->name, due[complex->type],
				 is_too_little(complex, value) ? ", not below 0" : "");
	return 0;
}

/* Check one NAME or NAME=VALUE. */
static int check_resource(const struct cell *cell, char *text, struct named_fault *fault)
{
	char *value = strchr(text, '=');
	const struct complex *complex;

	if (value)
		*value++ = '\0';
	complex = cell_complex(cell, text);
	if (!complex)
		return error_set(&fault->error, unknown(fault, REPLY_UNKNOWN_RESOURCE, text),
				 "unknown resource \"%.80s\"", text);
	if (complex->requestable == REQUESTABLE_NO)
		return error_set(&fault->error, -EINVAL, "the resource \"%.80s\" is not requestable", text);
	if (strcmp(complex->name, "slots") == 0)
		return error_set(&fault->error, -EINVAL,
				 "slots are requested with a parallel environment, not as a resource");
	return check_value(complex, value, fault);
}

static int check_resources(const struct cell *cell, const char *list, struct named_fault *fault)
{
	char *copy = strdup(list), *next = copy;
	int rc = copy ? 0 : error_set(&fault->error, -ENOMEM, "out of memory");

	while (rc == 0 && next) {
		size_t n = entry_length(next, ",");
		char *entry = next;

		next = entry[n] ? entry + n + 1 : NULL;
		entry_read(entry, n, ",");
		if (*entry)
			rc = check_resource(cell, entry, fault);
	}
	free(copy);
	return rc;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[]!&|()\\") != NULL;
}

/*
 * Return whether the place is a host group, or a host on which the queue has an instance. If
 * `queue` is a pattern, an instance of any queue counts.
 */
static bool place_exists(const struct cell *cell, const char *queue, const char *place)
{
	for (size_t i = 0; i < cell->nhostgroups; i++)
		if (strcasecmp(place, cell->hostgroups[i].name) == 0)
			return true;
	for (size_t i = 0; i < cell->nqueues; i++)
		if ((is_pattern(queue) || strcmp(queue, cell->queues[i].name) == 0) &&
		    cell_queue_is_on(cell, &cell->queues[i], place))
			return true;
	return false;
}

/*
 * Check one entry, QUEUE, QUEUE@HOST or QUEUE@@GROUP. A pattern may match a queue or a host that
 * comes later; a plain name must be there. Grid Engine refuses an entry without a queue, too.
 */
static int check_queue(const struct cell *cell, char *entry, struct named_fault *fault)
{
	char *place = strchr(entry, '@'), name[NAMED_OBJECT_BYTES];
	bool known;

	if (place)
		*place++ = '\0';
	known = *entry && (is_pattern(entry) || cell_queue(cell, entry));
	if (known && place)
		known = *place && (is_pattern(place) || place_exists(cell, entry, place));
	if (known)
		return 0;
	snprintf(name, sizeof(name), "%.80s%s%.80s", entry, place ? "@" : "", place ? place : "");
	return error_set(&fault->error, unknown(fault, REPLY_UNKNOWN_QUEUE, name),
			 "it requests the unknown queue \"%s\"", name);
}

static int check_queues(const struct cell *cell, const char *list, struct named_fault *fault)
{
	char *copy = strdup(list), *next = copy, *entry;
	int rc = copy ? 0 : error_set(&fault->error, -ENOMEM, "out of memory");

	while (rc == 0 && (entry = strsep(&next, ",")) != NULL)
		if (*entry)
			rc = check_queue(cell, entry, fault);
	free(copy);
	return rc;
}

static int check_pe(const struct cell *cell, const char *name, struct named_fault *fault)
{
	if (cell_pe_matching(cell, name))
		return 0;
	return error_set(&fault->error, unknown(fault, REPLY_UNKNOWN_PE, name),
			 "the requested parallel environment \"%.80s\" does not exist", name);
}

static int check_checkpoint(const struct cell *cell, const char *name, struct named_fault *fault)
{
	if (cell_checkpoint(cell, name))
		return 0;
	return error_set(&fault->error, unknown(fault, REPLY_UNKNOWN_CHECKPOINT, name),
			 "the checkpointing environment \"%.80s\" does not exist", name);
}

static int check_project(const struct cell *cell, const char *name, struct named_fault *fault)
{
	if (cell_project(cell, name))
		return 0;
	return error_set(&fault->error, unknown(fault, REPLY_UNKNOWN_PROJECT, name),
			 "the project \"%.80s\" does not exist", name);
}

static int (*const checks[])(const struct cell *cell, const char *text, struct named_fault *fault) = {
	check_resources, check_resources, check_queues, check_queues, check_queues, check_pe, check_checkpoint,
	check_project,
};

const char *const named_members[] = {
	"hard_resource_list", "soft_resource_list", "hard_queue_list", "soft_queue_list", "master_queue_list", "pe",
	"checkpoint",
	"project", NULL,
};

_Static_assert(sizeof(checks) / sizeof(*checks) + 1 == sizeof(named_members) / sizeof(*named_members),
	       "each named member needs a check");

int named_check(const struct cell *cell, const char *member, const char *text, struct named_fault *fault)
{
	fault->reason = REPLY_OTHER;
	*fault->object = '\0';
	for (size_t i = 0; named_members[i]; i++)
		if (strcmp(named_members[i], member) == 0)
			return checks[i](cell, text, fault);
	return 0;
}
