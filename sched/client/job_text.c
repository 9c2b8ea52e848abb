/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/job_inside.h"

bool job_has_members(const struct job *job)
{
	return json_object_size(job->members) > 0;
}

bool job_has_execution(const struct job *job)
{
	return json_object_size(job->execution) > 0;
}

static void value_write(FILE *to, const json_t *value)
{
	char *text = json_is_string(value) ? strdup(json_string_value(value))
		     : json_is_boolean(value)
			     ? strdup(json_is_true(value) ? "y" : "n")
			     : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));

	fputs(text ? text : "", to);
	free(text);
}

static void member_write(FILE *to, json_t *value)
{
	const char *key, *between = "";
	json_t *item;
	size_t k;

	if (json_is_array(value)) {
		json_array_foreach(value, k, item)
		{
			fputs(between, to);
			value_write(to, item);
			between = ",";
		}
	} else if (json_is_object(value)) {
		json_object_foreach(value, key, item)
		{
			fprintf(to, "%s%s=", between, key);
			value_write(to, item);
			between = ",";
		}
	} else {
		value_write(to, value);
	}
}

char *job_member_text(const struct job *job, const char *member)
{
	json_t *value = json_object_get(job->members, member);
	char *text = NULL;
	size_t length;
	FILE *to;

	value = value ? value : json_object_get(job->execution, member);
	to = value ? open_memstream(&text, &length) : NULL;
	if (!to)
		return NULL;
	member_write(to, value);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

const char *job_command_word(const struct job *job, size_t k)
{
	return json_string_value(json_array_get(json_object_get(job->execution, "command"), k));
}

char *job_members_json(const struct job *job)
{
	return json_dumps(job->members, JSON_COMPACT);
}

bool job_waits_for_names(const struct job *job, const char *member)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(job->members, member), i, entry) if (!json_is_integer(entry)) return true;
	return false;
}

void job_clear_members(struct job *job)
{
	json_object_clear(job->members);
}
