/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/content.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sched/process/digits.h"

#define VALUE_MAX 1e30			/* limit of fairlead-events(5) */
#define TIME_MAX ((1ll << 53) - 1)
#define SESSION_MAX (1 << 30)
#define GROUP_LEAST 100			/* sge_conf(5), gid_range */
#define TASK_BYTES (6 * WIRE_CGROUP + 512 + DIGITS_BYTES)	/* longest JSON text of one task */

/* Writing JSON */

static double value_valid(double value)
{
	/* NaN: 0 */
	return value >= 0 && value <= VALUE_MAX ? value : value > VALUE_MAX ? VALUE_MAX : 0;
}

static int real_set(json_t *object, const char *name, double value)
{
	return json_object_set_new(object, name, json_real(value_valid(value)));
}

static json_t *task_head(uint32_t job_number, uint32_t task, int64_t start_time)
{
	return json_pack("{s:I,s:I,s:I}", "job_number", (json_int_t)job_number, "task", (json_int_t)task, "start_time",
			 (json_int_t)start_time);
}

/* Write the path of a cgroup as a JSON string. Returns 0 if it is not UTF-8. */
static size_t cgroup_write(char *p, const char *cgroup)
{
	json_t *text = json_string(cgroup);
	size_t length = text ? json_dumpb(text, p, 6 * WIRE_CGROUP, JSON_ENCODE_ANY) : 0;

	json_decref(text);
	return length;
}

static char *put(char *p, const char *text)
{
	size_t n = strlen(text);

	return (char *)memcpy(p, text, n) + n;
}

/* Write at most TASK_BYTES. Returns NULL if the path of the cgroup is not UTF-8. */
static char *task_write(char *p, const struct wire_task *task)
{
	size_t length;

	p = digits_u64(put(p, "{\"job_number\":"), task->job_number);
	p = digits_u64(put(p, ",\"task\":"), task->task);
	p = digits_i64(put(p, ",\"start_time\":"), task->start_time);
	p = digits_exact(put(p, ",\"tickets\":"), value_valid(task->tickets));
	if (task->session)
		p = digits_i64(put(p, ",\"session\":"), task->session);
	if (task->group)
		p = digits_u64(put(p, ",\"group\":"), task->group);
	if (*task->cgroup) {
		p = put(p, ",\"cgroup\":");
		length = cgroup_write(p, task->cgroup);
		if (!length)
			return NULL;
		p += length;
	}
	*p = '}';
	return p + 1;
}

ssize_t wire_tickets_write(char *to, size_t room, const struct wire_task *tasks, size_t n)
{
	char *p = to, *end;

	if (room < sizeof("[]"))
		return -EMSGSIZE;
	*p++ = '[';
	for (size_t i = 0; i < n; i++) {
		char text[TASK_BYTES];

		end = task_write(text, &tasks[i]);
		if (!end)
			return -EINVAL;
		if ((size_t)(end - text) + 2 > room - (size_t)(p - to))
			return -EMSGSIZE;
		if (i)
			*p++ = ',';
		memcpy(p, text, (size_t)(end - text));
		p += end - text;
	}
	*p++ = ']';
	return p - to;
}

static json_t *usage_pack(const struct wire_usage *usage)
{
	json_t *object = task_head(usage->job_number, usage->task, usage->start_time);

	if (object && real_set(object, "cpu", usage->cpu) == 0 && real_set(object, "mem", usage->mem) == 0 &&
	    real_set(object, "io", usage->io) == 0 && real_set(object, "vmem", usage->vmem) == 0 &&
	    real_set(object, "maxvmem", usage->maxvmem) == 0)
		return object;
	json_decref(object);
	return NULL;
}

int wire_report_pack(json_t *message, const struct wire_report *report)
{
	json_t *usage = json_array(), *load = json_object();
	int failed = !usage || !load;

	for (size_t i = 0; !failed && i < report->nusage; i++)
		failed = json_array_append_new(usage, usage_pack(&report->usage[i]));
	for (size_t i = 0; !failed && i < report->nload; i++)
		failed = json_object_set_new(load, report->load[i].name, json_string(report->load[i].value));
	if (!failed && *report->lever)
		failed = json_object_set_new(message, "lever", json_string(report->lever));
	if (!failed && *report->reason)
		failed = json_object_set_new(message, "reason", json_string(report->reason));
	if (!failed)
		failed = json_object_set(message, "usage", usage) ||
			 (report->nload && json_object_set(message, "load", load));
	json_decref(usage);
	json_decref(load);
	return failed ? -ENOMEM : 0;
}

/* Reading JSON */

/*
 * Read an integer member in its range. A missing member has the value `absent`. If `absent` is
 * negative, the member is required.
 */
static int integer_get(const json_t *object, const char *name, int64_t absent, int64_t least, int64_t most,
		       int64_t *value, struct error *error)
{
	const json_t *member = json_object_get(object, name);

	if (member && !json_is_integer(member))
		return error_set(error, -EINVAL, "%s: an integer is expected", name);
	*value = member ? json_integer_value(member) : absent;
	if (*value == absent || (*value >= least && *value <= most))
		return absent < 0 && !member ? error_set(error, -EINVAL, "%s: missing", name) : 0;
	return error_set(error, -EINVAL, "%s: it is not in %lld..%lld", name, (long long)least, (long long)most);
}

static int value_get(const json_t *object, const char *name, double *value, struct error *error)
{
	const json_t *member = json_object_get(object, name);

	*value = json_number_value(member);
	if (member && !json_is_number(member))
		return error_set(error, -EINVAL, "%s: a number is expected", name);
	if (!isfinite(*value) || *value < 0 || *value > VALUE_MAX)
		return error_set(error, -EINVAL, "%s: it is not in 0..1e30", name);
	return 0;
}

static int text_get(const json_t *object, const char *name, char *text, size_t size, struct error *error)
{
	const json_t *member = json_object_get(object, name);
	const char *value = json_string_value(member);

	if (member && !value)
		return error_set(error, -EINVAL, "%s: a string is expected", name);
	if (value && strlen(value) >= size)
		return error_set(error, -EINVAL, "%s: longer than %zu bytes", name, size - 1);
	strcpy(text, value ? value : "");
	return 0;
}

static int head_get(const json_t *object, uint32_t *job_number, uint32_t *task, int64_t *start_time,
		    struct error *error)
{
	int64_t number, id;
	int rc = json_is_object(object) ? 0 : error_set(error, -EINVAL, "an array of objects is expected");

	if (rc == 0)
		rc = integer_get(object, "job_number", -1, 1, UINT32_MAX, &number, error);
	if (rc == 0)
		rc = integer_get(object, "task", -1, 1, UINT32_MAX, &id, error);
	if (rc == 0)
		rc = integer_get(object, "start_time", 0, 0, TIME_MAX, start_time, error);
	if (rc)
		return rc;
	if (number < 1 || id < 1)
		return error_set(error, -EINVAL, "job_number, task: they are not in 1..4294967295");
	*job_number = (uint32_t)number;
	*task = (uint32_t)id;
	return 0;
}

/*
 * Return whether the path is absolute and has no ".." and no empty part. The host checks that it is
 * in the cgroup tree.
 */
static bool cgroup_is_valid(const char *path)
{
	return !*path || (*path == '/' && !strstr(path, "/../") && !strstr(path, "//") &&
			  (strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0));
}

static int task_unpack(const json_t *object, struct wire_task *task, struct error *error)
{
	int64_t session, group;
	int rc = head_get(object, &task->job_number, &task->task, &task->start_time, error);

	if (rc == 0)
		rc = value_get(object, "tickets", &task->tickets, error);
	if (rc == 0)
		rc = integer_get(object, "session", 0, 2, SESSION_MAX, &session, error);
	if (rc == 0)
		rc = integer_get(object, "group", 0, GROUP_LEAST, UINT32_MAX - 1, &group, error);
	if (rc == 0)
		rc = text_get(object, "cgroup", task->cgroup, sizeof(task->cgroup), error);
	if (rc == 0 && !cgroup_is_valid(task->cgroup))
		rc = error_set(error, -EINVAL, "cgroup: a plain absolute path is expected");
	if (rc)
		return rc;
	task->session = (pid_t)session;
	task->group = (gid_t)group;
	return 0;
}

static int array_check(const json_t *array, const char *name, struct error *error)
{
	if (!json_is_array(array))
		return error_set(error, -EINVAL, "%s: an array is expected", name);
	if (json_array_size(array) > WIRE_TASKS)
		return error_set(error, -E2BIG, "%s: more than %u tasks", name, WIRE_TASKS);
	return 0;
}

int wire_tickets_unpack(const json_t *array, struct wire_task **tasks, size_t *n, struct error *error)
{
	int rc = array_check(array, "tickets", error);
	struct wire_task *items;

	if (rc)
		return rc;
	items = calloc(json_array_size(array) + 1, sizeof(*items));
	if (!items)
		return error_set(error, -ENOMEM, "out of memory");
	for (size_t i = 0; rc == 0 && i < json_array_size(array); i++)
		rc = task_unpack(json_array_get(array, i), &items[i], error);
	if (rc) {
		free(items);
		return rc;
	}
	*tasks = items;
	*n = json_array_size(array);
	return 0;
}

static int usage_get(const json_t *object, struct wire_usage *usage, struct error *error)
{
	int rc = head_get(object, &usage->job_number, &usage->task, &usage->start_time, error);

	if (rc == 0)
		rc = value_get(object, "cpu", &usage->cpu, error);
	if (rc == 0)
		rc = value_get(object, "mem", &usage->mem, error);
	if (rc == 0)
		rc = value_get(object, "io", &usage->io, error);
	if (rc == 0)
		rc = value_get(object, "vmem", &usage->vmem, error);
	return rc ? rc : value_get(object, "maxvmem", &usage->maxvmem, error);
}

static int usage_unpack(const json_t *array, struct wire_report *report, struct error *error)
{
	int rc = array ? array_check(array, "usage", error) : 0;

	if (rc || !array)
		return rc;
	report->usage = calloc(json_array_size(array) + 1, sizeof(*report->usage));
	if (!report->usage)
		return error_set(error, -ENOMEM, "out of memory");
	report->nusage = json_array_size(array);
	for (size_t i = 0; rc == 0 && i < report->nusage; i++)
		rc = usage_get(json_array_get(array, i), &report->usage[i], error);
	return rc;
}

static int load_unpack(json_t *object, struct wire_report *report, struct error *error)
{
	const char *name;
	json_t *value;
	int rc = 0;

	if (!object)
		return 0;
	if (!json_is_object(object) || json_object_size(object) > WIRE_LOADS)
		return error_set(error, -EINVAL, "load: an object of at most %u members is expected", WIRE_LOADS);
	report->load = calloc(json_object_size(object) + 1, sizeof(*report->load));
	if (!report->load)
		return error_set(error, -ENOMEM, "out of memory");
	json_object_foreach(object, name, value) {
		struct wire_load *load = &report->load[report->nload++];

		if (rc == 0 && (!*name || strlen(name) >= sizeof(load->name) || !json_is_string(value)))
			rc = error_set(error, -EINVAL, "load: members with names and strings are expected");
		if (rc == 0)
			rc = text_get(object, name, load->value, sizeof(load->value), error);
		if (rc == 0)
			strcpy(load->name, name);
	}
	return rc;
}

int wire_report_unpack(const json_t *message, struct wire_report *report, struct error *error)
{
	int rc;

	*report = (struct wire_report){ 0 };
	rc = usage_unpack(json_object_get(message, "usage"), report, error);
	if (rc == 0)
		rc = load_unpack(json_object_get(message, "load"), report, error);
	if (rc == 0)
		rc = text_get(message, "lever", report->lever, sizeof(report->lever), error);
	if (rc == 0)
		rc = text_get(message, "reason", report->reason, sizeof(report->reason), error);
	if (rc)
		wire_report_free(report);
	return rc;
}

void wire_report_free(struct wire_report *report)
{
	free(report->usage);
	free(report->load);
	*report = (struct wire_report){ 0 };
}
