/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a task may take: the smaller one of what its queue allows and what its job has asked
 * for. queue_conf(5), complex(5).
 */
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/number.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"

#define UNLIMITED -1

static const struct {
	const char *limit;	/* as the shepherd calls it */
	const char *soft, *hard;
} limits[] = {
	{ "cpu", "s_cpu", "h_cpu" }, { "fsize", "s_fsize", "h_fsize" }, { "data", "s_data", "h_data" }, { "stack", "s_stack", "h_stack" },
	{ "core", "s_core", "h_core" }, { "as", "s_vmem", "h_vmem" },
};

static int64_t value_parse(const char *text)
{
	double value;

	if (strcasecmp(text, "INFINITY") == 0 || number_parse(text, &value) || value >= 0x1p62 || value < 0)
		return UNLIMITED;
	return (int64_t)value;
}

/* name=value of a -l list. */
static int64_t value_asked(const struct local_job *job, const char *name)
{
	const char *list = job_text(job, "hard_resource_list", "");
	size_t length = strlen(name);
	char text[64];

	while (*list) {
		size_t entry = strcspn(list, ",");

		if (strncmp(list, name, length) == 0 && list[length] == '=') {
			snprintf(text, sizeof(text), "%.*s", (int)(entry - length - 1), list + length + 1);
			return value_parse(text);
		}
		list += entry + (list[entry] == ',');
	}
	return UNLIMITED;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a == UNLIMITED || (b != UNLIMITED && b < a) ? b : a;
}

int64_t limit_of(const struct local *l, const struct local_task *t, const struct local_job *job, const char *name)
{
	return smaller(value_parse(machine_queue_value(l, local_task_queue(t), name, "INFINITY")), value_asked(job, name));
}

json_t *limits_of(const struct local *l, const struct local_task *t, const struct local_job *job)
{
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		int64_t hard = limit_of(l, t, job, limits[i].hard), soft = smaller(limit_of(l, t, job, limits[i].soft), hard);

		if (soft != UNLIMITED || hard != UNLIMITED)
			json_object_set_new(object, limits[i].limit, json_pack("[I I]", (json_int_t)soft, (json_int_t)hard));
	}
	json_object_set_new(object, "nofile", json_pack("[I I]", (json_int_t)l->descriptors.rlim_cur, (json_int_t)l->descriptors.rlim_max));
	return object;
}
