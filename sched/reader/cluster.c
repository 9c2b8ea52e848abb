/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, queue instances, what is left of consumables, thresholds, quotas. */
#include "sched/reader/handle.h"

#include "conf/number.h"
#include "sched/dispatch/cluster/cluster.h"
#include "sched/run/records_state.h"

_Static_assert((int)FL_GLOBAL == (int)LEVEL_GLOBAL && (int)FL_QUEUE == (int)LEVEL_QUEUE, "levels are shown as they are");
_Static_assert((int)FL_NOTHING == (int)ORIGIN_NONE && (int)FL_CONSUMABLE == (int)ORIGIN_CONSUMABLE, "and so are origins");
_Static_assert((int)FL_QUOTA_PARTS == (int)QUOTA_PARTS, "and parts");

static size_t count_of(const struct fl_view *view, enum table_id id, size_t bytes)
{
	uint64_t n;

	view_table(&view->view, id, bytes, &n);
	return n;
}

/* Hosts */

/* What a host has reported; *n is 0 where nothing was told. */
static const struct load_record *loads_of(const struct fl_view *view, uint32_t told, size_t *n)
{
	struct host_record host;
	uint64_t hosts;
	const uint8_t *records = view_state_part(&view->view, STATE_HOSTS, sizeof(host), &hosts);

	*n = 0;
	if (told >= hosts)
		return NULL;
	view_copy(&host, records + told * sizeof(host), sizeof(host));
	return view_state_slice(&view->view, STATE_LOADS, sizeof(struct load_record), host.load, n);
}

/* The fields that load values fill. */
static void *value_field(struct fl_host *host, const char *name, bool *whole)
{
	const struct {
		const char *name;
		void *field;
		bool whole;
	} fields[] = {
		{ "num_proc", &host->processors, true }, { "m_socket", &host->sockets, true }, { "m_core", &host->cores, true },
		{ "m_thread", &host->threads, true }, { "mem_total", &host->mem_total, false }, { "mem_used", &host->mem_used, false },
		{ "swap_total", &host->swap_total, false }, { "swap_used", &host->swap_used, false },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strcmp(fields[i].name, name) == 0) {
			*whole = fields[i].whole;
			return fields[i].field;
		}
	return NULL;
}

static void host_report(struct fl_host *host, const char *name, const char *text)
{
	bool whole;
	double value;
	void *field;

	/* most values are none of these: their first letters say so */
	if (*name == 'a' && strcmp(name, "arch") == 0)
		host->arch = text;
	if (*name != 'n' && *name != 'm' && *name != 's')
		return;
	field = value_field(host, name, &whole);
	if (!field || number_parse(text, &value) || value < 0)
		return;
	if (whole)
		*(int32_t *)field = value < INT32_MAX ? (int32_t)value : INT32_MAX;
	else
		*(double *)field = value;
}

size_t fl_hosts(const struct fl_view *view)
{
	return count_of(view, TABLE_EXEC_HOSTS, sizeof(struct exec_host_record));
}

int fl_host(const struct fl_view *view, size_t k, struct fl_host *host)
{
	struct exec_host_record r;
	const struct load_record *loads;

	if (!RECORD_COPY(view, TABLE_EXEC_HOSTS, k, &r))
		return -ENOENT;
	*host = (struct fl_host){ .name = view_string(&view->view, r.name), .available = r.available, .arch = "", .processors = -1, .sockets = -1,
				  .cores = -1, .threads = -1, .load_avg = r.load_avg, .np_load_avg = r.np_load_avg, .mem_total = -1,
				  .mem_used = -1, .swap_total = -1, .swap_used = -1 };
	loads = loads_of(view, r.told, &host->loads);
	for (size_t i = 0; i < host->loads; i++)
		host_report(host, view_string(&view->view, LOAD_ONCE(loads[i].name)), view_string(&view->view, LOAD_ONCE(loads[i].value)));
	return 0;
}

int fl_load(const struct fl_view *view, size_t host, size_t k, const char **name, const char **value)
{
	struct exec_host_record r;
	const struct load_record *loads;
	size_t n;

	if (!RECORD_COPY(view, TABLE_EXEC_HOSTS, host, &r))
		return -ENOENT;
	loads = loads_of(view, r.told, &n);
	if (k >= n)
		return -ENOENT;
	*name = view_string(&view->view, LOAD_ONCE(loads[k].name));
	*value = view_string(&view->view, LOAD_ONCE(loads[k].value));
	return 0;
}

/* Queue instances */

size_t fl_instances(const struct fl_view *view)
{
	return count_of(view, TABLE_INSTANCES, sizeof(struct shown_instance_record));
}

int fl_instance(const struct fl_view *view, size_t k, struct fl_instance *instance)
{
	struct shown_instance_record r;
	char *letter = instance->type;

	if (!RECORD_COPY(view, TABLE_INSTANCES, k, &r))
		return -ENOENT;
	*instance = (struct fl_instance){ .name = view_string(&view->view, r.name), .queue = view_string(&view->view, r.queue),
					  .host = r.host < fl_hosts(view) ? r.host : 0, .seq_no = r.seq_no, .slots = r.slots, .used = r.used,
					  .reserved = r.reserved, .resources = r.resources.count, .alarms = r.alarms.count };
	for (size_t i = 0; i < 4; i++)
		if (r.flags & 1u << i)
			*letter++ = "BIPC"[i];
	memcpy(instance->state, r.state, sizeof(instance->state));
	instance->state[sizeof(instance->state) - 1] = '\0';
	return 0;
}

/* Consumables */

static bool resources_of(const struct fl_view *view, enum fl_level level, size_t object, struct record_slice *slice)
{
	struct exec_host_record host;
	struct shown_instance_record instance;

	if (level == FL_QUEUE) {
		if (!RECORD_COPY(view, TABLE_INSTANCES, object, &instance))
			return false;
		*slice = instance.resources;
		return true;
	}
	if ((level != FL_HOST && level != FL_GLOBAL) || !RECORD_COPY(view, TABLE_EXEC_HOSTS, level == FL_GLOBAL ? 0 : object, &host))
		return false;
	*slice = host.resources;
	return true;
}

int fl_resource(const struct fl_view *view, enum fl_level level, size_t object, size_t k, struct fl_resource *resource)
{
	struct record_slice slice;
	struct resource_record r;

	if (!resources_of(view, level, object, &slice) || k >= slice.count || !RECORD_COPY(view, TABLE_RESOURCES, slice.first + (uint64_t)k, &r))
		return -ENOENT;
	*resource = (struct fl_resource){ view_string(&view->view, r.name), r.total, r.used };
	return 0;
}

static void left_least(struct fl_left *left, bool *found, double value, enum fl_level level)
{
	if (!*found || value < left->value)
		*left = (struct fl_left){ value, level };
	*found = true;
}

int fl_left(const struct fl_view *view, size_t instance, const char *resource, struct fl_left *left)
{
	struct fl_instance i;
	struct fl_resource r;
	bool found = false;

	if (fl_instance(view, instance, &i))
		return -ENOENT;
	for (enum fl_level level = FL_GLOBAL; level <= FL_QUEUE; level++)
		for (size_t k = 0; fl_resource(view, level, level == FL_QUEUE ? instance : i.host, k, &r) == 0; k++)
			if ((level != FL_HOST || i.host > 0) && strcmp(r.name, resource) == 0)
				left_least(left, &found, r.total - r.used, level);
	if (strcmp(resource, "slots") == 0)
		left_least(left, &found, (double)i.slots - i.used, FL_QUEUE);
	return found ? 0 : -ENOENT;
}

/* Thresholds, grants, quotas */

int fl_alarm(const struct fl_view *view, size_t instance, size_t k, struct fl_alarm *alarm)
{
	struct shown_instance_record i;
	struct alarm_record r;

	if (!RECORD_COPY(view, TABLE_INSTANCES, instance, &i) || k >= i.alarms.count ||
	    !RECORD_COPY(view, TABLE_ALARMS, i.alarms.first + (uint64_t)k, &r))
		return -ENOENT;
	*alarm = (struct fl_alarm){ .suspends = r.kind == ALARM_SUSPEND, .name = view_string(&view->view, r.name),
				    .limit = view_string(&view->view, r.limit), .value = r.value, .text = view_string(&view->view, r.text),
				    .level = r.level <= FL_QUEUE ? (enum fl_level)r.level : FL_GLOBAL,
				    .source = r.origin <= FL_CONSUMABLE ? (enum fl_source)r.origin : FL_NOTHING };
	return 0;
}

int fl_grant(const struct fl_view *view, size_t k, size_t g, struct fl_grant *grant)
{
	struct task_state task;
	struct grant_record r;
	uint64_t tasks;
	size_t n;
	const uint8_t *records = view_state_part(&view->view, STATE_TASKS, sizeof(task), &tasks);
	const struct grant_record *grants;

	if (k >= tasks)
		return -ENOENT;
	view_copy(&task, records + k * sizeof(task), sizeof(task));
	grants = view_state_slice(&view->view, STATE_GRANTS, sizeof(r), task.grants, &n);
	if (g >= n)
		return -ENOENT;
	view_copy(&r, &grants[g], sizeof(r));
	*grant = (struct fl_grant){ view_string(&view->view, r.queue), r.slots };
	return 0;
}

size_t fl_quotas(const struct fl_view *view)
{
	return count_of(view, TABLE_QUOTAS, sizeof(struct quota_use_record));
}

int fl_quota(const struct fl_view *view, size_t k, struct fl_quota *quota)
{
	struct quota_use_record r;

	if (!RECORD_COPY(view, TABLE_QUOTAS, k, &r))
		return -ENOENT;
	*quota = (struct fl_quota){ .set = view_string(&view->view, r.set), .rule = view_string(&view->view, r.rule),
				    .resource = view_string(&view->view, r.resource), .limit = r.limit, .used = r.used,
				    .text = view_string(&view->view, r.text), .number = r.number };
	for (size_t i = 0; i < FL_QUOTA_PARTS; i++) {
		quota->parts[i] = view_string(&view->view, r.parts[i]);
		quota->counted[i] = r.counted >> i & 1;
	}
	return 0;
}
