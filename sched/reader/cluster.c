/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts, queue instances, free amounts of consumables, thresholds, quotas. */
#include "sched/reader/handle.h"

#include "conf/base/number.h"
#include "sched/dispatch/cluster/cluster.h"
#include "sched/run/records_state.h"

_Static_assert((int)FL_GLOBAL == (int)LEVEL_GLOBAL && (int)FL_QUEUE == (int)LEVEL_QUEUE,
	       "levels are shown as they are");
_Static_assert((int)FL_NOTHING == (int)ORIGIN_NONE && (int)FL_CONSUMABLE == (int)ORIGIN_CONSUMABLE,
	       "and so are origins");
_Static_assert((int)FL_QUOTA_PARTS == (int)QUOTA_PARTS, "and parts");

/*
 * Limit of records of an object. Larger than any real number, so that a damaged record costs
 * little.
 */
#define OBJECT_MOST 4096u

static size_t count_of(const struct fl_view *view, enum table_id id, size_t bytes)
{
	uint64_t n;

	view_table(&view->view, id, bytes, &n);
	return n;
}

/* Hosts */

/* Return the load values that a host has reported; *n is 0 if nothing was reported. */
static const struct load_record *loads_of(const struct fl_view *view, uint32_t reported, size_t *n)
{
	struct host_record host;
	uint64_t hosts;
	const uint8_t *records = view_state_part(&view->view, STATE_HOSTS, sizeof(host), &hosts);

	*n = 0;
	if (reported >= hosts)
		return NULL;
	view_copy(&host, records + reported * sizeof(host), sizeof(host));
	host.load.count = host.load.count < OBJECT_MOST ? host.load.count : OBJECT_MOST;
	return view_state_slice(&view->view, STATE_LOADS, sizeof(struct load_record), host.load, n);
}

enum load_field {
	FIELD_NONE,
	FIELD_ARCH,
	FIELD_PROCESSORS,
	FIELD_SOCKETS,
	FIELD_CORES,
	FIELD_THREADS,
	FIELD_MEM_TOTAL,
	FIELD_MEM_USED,
	FIELD_SWAP_TOTAL,
	FIELD_SWAP_USED,
	FIELD_LOAD,
	LOAD_FIELDS
};

static void memo_begin(const struct fl_view *view)
{
	struct load_memo *memo = view->memo;

	if (memo->generation == view->view.gen)
		return;
	memo->generation = view->view.gen;
	for (size_t i = 0; i < sizeof(memo->names) / sizeof(*memo->names); i++)
		memo->names[i].id = NONE;
	for (size_t i = 0; i < sizeof(memo->numbers) / sizeof(*memo->numbers); i++)
		memo->numbers[i].id = NONE;
}

/* Return the field of a host that a load value with this name sets. */
static uint32_t field_of(const struct fl_view *view, uint32_t id)
{
	static const char *const names[LOAD_FIELDS] = { "",	      "arch",	   "num_proc",	"m_socket",
							"m_core",     "m_thread",  "mem_total", "mem_used",
							"swap_total", "swap_used", "load_avg" };
	struct load_name *name = &view->memo->names[id % (sizeof(view->memo->names) / sizeof(*name))];

	if (name->id != id) {
		const char *text = view_string(&view->view, id);

		*name = (struct load_name){ id, FIELD_NONE };
		for (uint32_t f = 1; f < LOAD_FIELDS; f++)
			if (strcmp(names[f], text) == 0)
				name->field = f;
	}
	return name->field;
}

static bool number_of(const struct fl_view *view, uint32_t id, double *value)
{
	struct load_number *number = &view->memo->numbers[id % (sizeof(view->memo->numbers) / sizeof(*number))];

	if (number->id != id) {
		number->id = id;
		number->known = number_parse(view_string(&view->view, id), &number->value) == 0 && number->value >= 0;
	}
	*value = number->value;
	return number->known;
}

static void host_report(const struct fl_view *view, struct fl_host *host, const struct load_record *load)
{
	int32_t *const counts[LOAD_FIELDS] = { [FIELD_PROCESSORS] = &host->processors,
					       [FIELD_SOCKETS] = &host->sockets,
					       [FIELD_CORES] = &host->cores,
					       [FIELD_THREADS] = &host->threads };
	double *const sizes[LOAD_FIELDS] = { [FIELD_MEM_TOTAL] = &host->mem_total,
					     [FIELD_MEM_USED] = &host->mem_used,
					     [FIELD_SWAP_TOTAL] = &host->swap_total,
					     [FIELD_SWAP_USED] = &host->swap_used,
					     [FIELD_LOAD] = &host->load_reported };
	uint32_t field = field_of(view, LOAD_ONCE(load->name)), id = LOAD_ONCE(load->value);
	double value;

	if (field == FIELD_NONE)
		return;
	if (field == FIELD_ARCH)
		host->arch = view_string(&view->view, id);
	else if (number_of(view, id, &value) && counts[field])
		*counts[field] = value < INT32_MAX ? (int32_t)value : INT32_MAX;
	else if (number_of(view, id, &value))
		*sizes[field] = value;
}

size_t fl_hosts(const struct fl_view *view)
{
	return count_of(view, TABLE_EXEC_HOSTS, sizeof(struct exec_host_record));
}

int fl_host(const struct fl_view *view, size_t k, struct fl_host *host)
{
	struct exec_host_record record;
	const struct load_record *loads;

	if (!RECORD_COPY(view, TABLE_EXEC_HOSTS, k, &record))
		return -ENOENT;
	*host = (struct fl_host){ .name = view_string(&view->view, record.name),
				  .available = record.available,
				  .arch = "",
				  .processors = -1,
				  .sockets = -1,
				  .cores = -1,
				  .threads = -1,
				  .load_avg = record.load_avg,
				  .np_load_avg = record.np_load_avg,
				  .load_reported = record.load_avg,
				  .mem_total = -1,
				  .mem_used = -1,
				  .swap_total = -1,
				  .swap_used = -1 };
	loads = loads_of(view, record.reported, &host->loads);
	memo_begin(view);
	for (size_t i = 0; i < host->loads; i++)
		host_report(view, host, &loads[i]);
	return 0;
}

int fl_load(const struct fl_view *view, size_t host, size_t k, const char **name, const char **value)
{
	struct exec_host_record record;
	const struct load_record *loads;
	size_t n;

	if (!RECORD_COPY(view, TABLE_EXEC_HOSTS, host, &record))
		return -ENOENT;
	loads = loads_of(view, record.reported, &n);
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
	struct shown_instance_record record;
	struct exec_host_record host = { .np_load_avg = -1 };
	char *letter = instance->type;

	if (!RECORD_COPY(view, TABLE_INSTANCES, k, &record))
		return -ENOENT;
	*instance = (struct fl_instance){ .name = view_string(&view->view, record.name),
					  .queue = view_string(&view->view, record.queue),
					  .host = record.host < fl_hosts(view) ? record.host : 0,
					  .seq_no = record.seq_no,
					  .slots = record.slots,
					  .used = record.used,
					  .reserved = record.reserved,
					  .resources = record.resources.count,
					  .alarms = record.alarms.count };
	if (instance->host > 0)
		RECORD_COPY(view, TABLE_EXEC_HOSTS, instance->host, &host);
	instance->host_available = host.available;
	instance->np_load_avg = host.np_load_avg;
	for (size_t i = 0; i < 4; i++)
		if (record.flags & 1u << i)
			*letter++ = "BIPC"[i];
	memcpy(instance->state, record.state, sizeof(instance->state));
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
	if ((level != FL_HOST && level != FL_GLOBAL) ||
	    !RECORD_COPY(view, TABLE_EXEC_HOSTS, level == FL_GLOBAL ? 0 : object, &host))
		return false;
	*slice = host.resources;
	return true;
}

int fl_resource(const struct fl_view *view, enum fl_level level, size_t object, size_t k, struct fl_resource *resource)
{
	struct record_slice slice;
	struct resource_record record;

	if (!resources_of(view, level, object, &slice) || k >= slice.count || k >= OBJECT_MOST ||
	    !RECORD_COPY(view, TABLE_RESOURCES, slice.first + (uint64_t)k, &record))
		return -ENOENT;
	*resource = (struct fl_resource){ view_string(&view->view, record.name), record.total, record.used };
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
	struct shown_instance_record record;
	struct alarm_record alarm_record;

	if (!RECORD_COPY(view, TABLE_INSTANCES, instance, &record) || k >= record.alarms.count || k >= OBJECT_MOST ||
	    !RECORD_COPY(view, TABLE_ALARMS, record.alarms.first + (uint64_t)k, &alarm_record))
		return -ENOENT;
	*alarm = (struct fl_alarm){
		.suspends = alarm_record.kind == ALARM_SUSPEND,
		.name = view_string(&view->view, alarm_record.name),
		.limit = view_string(&view->view, alarm_record.limit),
		.value = alarm_record.value,
		.text = view_string(&view->view, alarm_record.text),
		.level = alarm_record.level <= FL_QUEUE ? (enum fl_level)alarm_record.level : FL_GLOBAL,
		.source = alarm_record.origin <= FL_CONSUMABLE ? (enum fl_origin)alarm_record.origin : FL_NOTHING
	};
	return 0;
}

int fl_granted_row(const struct fl_view *view, size_t row, size_t k, struct fl_granted *granted)
{
	struct task_state task;
	struct grant_record record;
	uint64_t tasks;
	size_t n;
	const uint8_t *records = view_state_part(&view->view, STATE_TASKS, sizeof(task), &tasks);
	const struct grant_record *grants;

	if (row >= tasks)
		return -ENOENT;
	view_copy(&task, records + row * sizeof(task), sizeof(task));
	grants = view_state_slice(&view->view, STATE_GRANTS, sizeof(record), task.grants, &n);
	if (k >= n)
		return -ENOENT;
	view_copy(&record, &grants[k], sizeof(record));
	*granted = (struct fl_granted){ view_string(&view->view, record.queue), record.slots };
	return 0;
}

size_t fl_quotas(const struct fl_view *view)
{
	return count_of(view, TABLE_QUOTAS, sizeof(struct quota_use_record));
}

int fl_quota(const struct fl_view *view, size_t k, struct fl_quota *quota)
{
	struct quota_use_record record;

	if (!RECORD_COPY(view, TABLE_QUOTAS, k, &record))
		return -ENOENT;
	*quota = (struct fl_quota){ .set = view_string(&view->view, record.set),
				    .rule = view_string(&view->view, record.rule),
				    .resource = view_string(&view->view, record.resource),
				    .limit = record.limit,
				    .used = record.used,
				    .text = view_string(&view->view, record.text),
				    .number = record.number };
	for (size_t i = 0; i < FL_QUOTA_PARTS; i++) {
		quota->parts[i] = view_string(&view->view, record.parts[i]);
		quota->counted[i] = record.counted >> i & 1;
	}
	return 0;
}
