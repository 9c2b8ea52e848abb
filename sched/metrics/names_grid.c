/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the exporters for Grid Engine, for the quantities that exist here. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "conf/base/number.h"
#include "sched/metrics/names.h"

struct instance_values {
	const char *queue, *host;
	double total, used, reserved, load, memory, memory_used, memory_free, cpu, up;
};

#define INSTANCE(NAME, FIELD, HELP) \
	{ \
		{ NAME, FAMILY_GAUGE, NULL, HELP }, offsetof(struct instance_values, FIELD) \
	}

/* The first exporter calls the labels hostname and queue, the second one host and queue. */
static const struct family_column hostname_columns[] = {
	INSTANCE("total_slots_count", total, "Slots of a queue instance."),
	INSTANCE("used_slots_count", used, "Slots of a queue instance in use."),
	INSTANCE("reserved_slots_count", reserved, "Slots of a queue instance that advance reservations keep now."),
	INSTANCE("sge_load_average", load, "Load average of the host."),
	INSTANCE("free_memory_bytes", memory_free, "Free memory of the host."),
	INSTANCE("sge_used_memory_bytes", memory_used, "Used memory of the host."),
	INSTANCE("sge_total_memory_bytes", memory, "Memory of the host."),
	INSTANCE("sge_cpu_utilization_percent", cpu, "Load value cpu of the host."),
};

static const struct family_column host_columns[] = {
	INSTANCE("grid_queue_up", up, "1: jobs may start in the queue instance."),
	INSTANCE("grid_slots_total", total, "Slots of a queue instance."),
	INSTANCE("grid_slots_running", used, "Slots of a queue instance in use."),
};

static size_t hostname_labels(const void *row, struct label *labels)
{
	const struct instance_values *values = row;
	size_t n = label_put(labels, 0, "hostname", values->host);

	return label_put(labels, n, "queue", values->queue);
}

static size_t host_labels(const void *row, struct label *labels)
{
	const struct instance_values *values = row;
	size_t n = label_put(labels, 0, "host", values->host);

	return label_put(labels, n, "queue", values->queue);
}

/* Return a load value of a host by its name. NAN: not reported. */
static double load_value(const struct fl_view *view, size_t host, size_t loads, const char *wanted)
{
	const char *name, *text;
	double value;

	for (size_t k = 0; k < loads && fl_load(view, host, k, &name, &text) == 0; k++)
		if (strcmp(name, wanted) == 0)
			return number_parse(text, &value) == 0 ? value : NAN;
	return NAN;
}

static struct instance_values values_of(const struct run_reading *reading, const struct fl_instance *instance)
{
	const struct inventory_host *host = inventory_host_of(reading->inventory, instance);
	struct instance_values values = { .queue = instance->queue,
					  .host = host ? host->host.name : "",
					  .total = instance->slots,
					  .used = instance->used,
					  .reserved = instance->reserved,
					  .load = NAN,
					  .memory = NAN,
					  .memory_used = NAN,
					  .memory_free = NAN,
					  .cpu = NAN,
					  .up = instance->state[0] == '\0' && instance->host_available };

	if (!host)
		return values;
	values.load = host->host.load_reported >= 0 ? host->host.load_reported : NAN;
	values.memory = host->host.mem_total >= 0 ? host->host.mem_total : NAN;
	values.memory_used = host->host.mem_used >= 0 ? host->host.mem_used : NAN;
	values.memory_free = values.memory - values.memory_used;
	values.cpu = load_value(reading->view, instance->host, host->host.loads, "cpu");
	return values;
}

static void write_states(struct exposition *page, const struct inventory *inventory)
{
	alias_begin(page, "grid_queue_state", "", "", "1 for each state of a queue instance.");
	for (size_t k = 0; k < inventory->ninstances; k++) {
		const struct fl_instance *instance = &inventory->instances[k];
		const struct inventory_host *host = inventory_host_of(inventory, instance);

		for (size_t i = 0; i < INSTANCE_STATES; i++) {
			const struct label labels[] = { { "host", host ? host->host.name : "" },
							{ "queue", instance->queue },
							{ "state", instance_state_names[i] } };

			if (strchr(instance->state, INSTANCE_LETTERS[i]))
				exposition_value(page, labels, 3, 1);
		}
	}
}

static uint64_t sum(const uint64_t *counts, size_t begin, size_t end)
{
	uint64_t all = 0;

	for (size_t i = begin; i < end; i++)
		all += counts[i];
	return all;
}

/* Write pending or started tasks of each shown user, and of the others together. */
static void write_user_jobs(struct exposition *page, const struct run_reading *reading, const char *name, size_t begin,
			    size_t end)
{
	const struct tally *tally = reading->tally;
	uint64_t others = 0;

	alias_begin(page, name, "", "", "Tasks of a user.");
	for (size_t k = 0; k < tally->nby_user; k++) {
		uint64_t tasks = sum(tally->by_user[k].counts.tasks, begin, end);
		const struct label label = { "user", tally->users.texts[tally->by_user[k].number] };

		if (k < reading->nusers)
			exposition_value(page, &label, 1, (double)tasks);
		else
			others += tasks;
	}
	if (tally->nby_user > reading->nusers)
		exposition_value(page, &(struct label){ "user", OTHER_USERS }, 1, (double)others);
}

int write_grid_names(struct exposition *page, const struct run_reading *reading)
{
	const struct inventory *inventory = reading->inventory;
	struct instance_values *items = calloc(inventory->ninstances + 1, sizeof(*items));
	struct family_rows rows = { items, inventory->ninstances, sizeof(*items), hostname_labels };
	double pending = 0;

	if (!items)
		return -ENOMEM;
	for (size_t k = 0; k < inventory->ninstances; k++)
		items[k] = values_of(reading, &inventory->instances[k]);
	exposition_columns(page, hostname_columns, COUNT_OF(hostname_columns), &rows);
	rows.labels = host_labels;
	exposition_columns(page, host_columns, COUNT_OF(host_columns), &rows);
	free(items);
	write_states(page, inventory);
	write_user_jobs(page, reading, "grid_jobs_running", TALLY_RUNNING, TALLY_STATES);
	write_user_jobs(page, reading, "grid_jobs_pending", 0, TALLY_RUNNING);
	for (size_t k = 0; k < reading->tally->ncells; k++)
		pending += (double)sum(reading->tally->cells[k].counts.slots, 0, TALLY_RUNNING);
	alias_value(page, "grid_slots_pending", "Slots that pending tasks request.", pending);
	return 0;
}
