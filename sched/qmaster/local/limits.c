/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of a task: the smaller one of the queue's limit and the job's request.
 *
 * Both are for one slot. As in Grid Engine, processor time, data, stack and address space are
 * multiplied by the slots of the task; core and file sizes are not. See queue_conf(5) and
 * complex(5).
 */
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/base/number.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"

#define UNLIMITED -1
#define LIMIT_MOST (INT64_C(1) << 62)

static const struct {
	const char *limit;	/* the shepherd's name */
	const char *soft, *hard;
	bool of_slot;
} limits[] = {
	{ "cpu", "s_cpu", "h_cpu", true }, { "fsize", "s_fsize", "h_fsize", false },
	{ "data", "s_data", "h_data", true },
	{ "stack", "s_stack", "h_stack", true }, { "core", "s_core", "h_core", false },
	{ "as", "s_vmem", "h_vmem", true },
};

static int64_t value_parse(const char *text)
{
	double value;

	if (strcasecmp(text, "INFINITY") == 0 || number_parse(text, &value) || value >= 0x1p62 || value < 0)
		return UNLIMITED;
	return (int64_t)value;
}

/* Return the value of name=value in a -l list. */
static int64_t value_asked(const struct local_job *job, const char *name)
{
	const char *list = job_text(job->request.spec.hard, "");
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

int64_t limit_of(const struct local *local, const char *queue, const struct local_job *job, const char *name,
		 bool *of_queue)
{
	int64_t asked = value_asked(job, name),
		limit = smaller(value_parse(machine_queue_value(local, queue, name, "INFINITY")), asked);

	*of_queue = limit != asked;
	return limit;
}

/* Return the limit of all slots of a task together. A consumable of the job is not multiplied. */
static int64_t limit_of_slots(const struct local *local, const struct local_task *task, const struct local_job *job,
			      const char *name, bool of_slot)
{
	const struct complex *complex = cell_complex(sched_cell(local->sched), name);
	bool of_queue;
	int64_t limit = limit_of(local, local_task_queue(task), job, name, &of_queue), slots = local_task_slots(task);

	if (limit == UNLIMITED || !of_slot || slots == 0 || (complex && !complex_is_per_slot(complex)))
		return limit;
	return limit > LIMIT_MOST / slots ? LIMIT_MOST : limit * slots;
}

static void limit_write(struct out *out, const char *name, int64_t soft, int64_t hard)
{
	json_write_plain(out, "", name);
	json_write_number(out, ":[", soft);
	json_write_number(out, ",", hard);
	json_write_literal(out, "]");
}

void limits_write(struct out *out, const struct local *local, const struct local_task *task,
		  const struct local_job *job)
{
	json_write_literal(out, "{");
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		int64_t hard = limit_of_slots(local, task, job, limits[i].hard, limits[i].of_slot);
		int64_t soft = smaller(limit_of_slots(local, task, job, limits[i].soft, limits[i].of_slot), hard);

		if (soft == UNLIMITED && hard == UNLIMITED)
			continue;
		limit_write(out, limits[i].limit, soft, hard);
		json_write_literal(out, ",");
	}
	limit_write(out, "nofile", (int64_t)local->descriptors.rlim_cur, (int64_t)local->descriptors.rlim_max);
	json_write_literal(out, "}");
}
