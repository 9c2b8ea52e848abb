/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "conf/amount.h"
#include "conf/base/utf8.h"
#include "sched/client/job.h"

#define JOB_NAME_BYTES 255u

/* Names */

const char *job_name_fault(const char *name)
{
	size_t length = strlen(name), bytes;

	if (length == 0 || length > JOB_NAME_BYTES)
		return "a name has 1 to 255 bytes";
	if (isdigit((unsigned char)*name))
		return "a name does not begin with a digit";
	if (strpbrk(name, "/:@\\*?,'\" \t"))
		return "a name has no blanks and none of / : @ \\ * ? , ' \"";
	for (; *name; name += bytes)
		if ((bytes = utf8_length(name)) == 0)
			return "a name is printable UTF-8";
	return NULL;
}

/* Resources */

/*
 * Limits of queues have types that no site can change. The types of the cell's own resources are
 * known only to the scheduler.
 */
static bool is_time(const char *name)
{
	return !strcmp(name, "h_rt") || !strcmp(name, "s_rt") || !strcmp(name, "h_cpu") || !strcmp(name, "s_cpu");
}

static bool is_memory(const char *name)
{
	static const char *const names[] = { "fsize", "data", "stack", "core", "rss", "vmem" };

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if ((name[0] == 'h' || name[0] == 's') && name[1] == '_' && !strcmp(name + 2, names[k]))
			return true;
	return false;
}

static const char *resource_fault(char *entry)
{
	char *value = strchr(entry, '='), *name = entry;
	uint32_t seconds;
	double number;

	if (value)
		*value++ = '\0';
	if (!*name)
		return "the name of a resource is missing";
	if (value && !*value)
		return "the value of a resource is missing";
	if (is_time(name) && (!value || amount_time(value, &seconds)))
		return AMOUNT_TIME_DUE;
	if (is_memory(name) && (!value || amount_size(value, &number)))
		return AMOUNT_SIZE_DUE;
	return NULL;
}

const char *job_resources_fault(const char *list)
{
	char *copy = strdup(list), *next = copy, *entry;
	const char *fault = copy ? NULL : "no memory";

	while (!fault && (entry = strsep(&next, ",")) != NULL)
		fault = resource_fault(entry);
	free(copy);
	return fault;
}
