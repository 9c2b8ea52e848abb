/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sched/qmaster/local/inside.h"

/* Names */

static bool any_queue_is_on(const struct cell *cell, const char *host)
{
	for (size_t i = 0; i < cell->nqueues; i++)
		if (cell_queue_is_on(cell, &cell->queues[i], host))
			return true;
	return false;
}

/* Find the name that the queues use: the host name, its first part, or localhost. */
int machine_look(struct machine *machine, const struct cell *cell, struct error *error)
{
	char name[256] = "", first[256];
	const char *const names[] = { name, first, "localhost" };

	gethostname(name, sizeof(name) - 1);
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, "."), name);
	machine->processors = get_nprocs();
	machine_topology(&machine->topology);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (any_queue_is_on(cell, names[i])) {
			snprintf(machine->host, sizeof(machine->host), "%s", names[i]);
			return 0;
		}
	return error_set(
		error, -ENOENT,
		"no queue of this cell has an instance on this machine; add %.60s or localhost to the hostlist of a "
		"queue",
		name);
}

int machine_instances(const struct machine *machine, const struct cell *cell,
		      int (*each)(void *context, const char *queue), void *context)
{
	char instance[800];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < cell->nqueues; i++)
		if (cell_queue_is_on(cell, &cell->queues[i], machine->host)) {
			snprintf(instance, sizeof(instance), "%s@%s", cell->queues[i].name, machine->host);
			rc = each(context, instance);
		}
	return rc;
}

const char *machine_queue_value(const struct local *local, const char *instance, const char *attribute,
				const char *fallback)
{
	const struct cell *cell = sched_cell(local->sched);
	char name[600];
	const struct queue *queue;
	const char *value;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(instance, "@"), instance);
	queue = cell_queue(cell, name);
	value = queue ? cell_queue_value(cell, queue, local->machine.host, attribute) : NULL;
	return value ? value : fallback;
}

/* Load */

/* Return the bytes of a line "Name:   123 kB" of /proc/meminfo. */
static double memory_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtod(line + strlen(name), NULL) * 1024.0 : 0.0;
}

static void put_text(struct machine_load *load, const char *name, const char *text)
{
	char *value = load->texts[load->n];

	snprintf(value, sizeof(load->texts[0]), "%s", text);
	load->items[load->n++] = (struct load_report){ name, value };
}

/* Add the shortest of 15 to 17 digits that is read back as the same number. */
static void put(struct machine_load *load, const char *name, double value)
{
	char text[32];
	int digits = 15;

	do
		snprintf(text, sizeof(text), "%.*g", digits, value);
	while (digits++ < 17 && strtod(text, NULL) != value);
	put_text(load, name, text);
}

/* Add the load averages. load_avg is the average of five minutes. */
static void load_averages(struct machine_load *load, const char *const names[4], const double average[3],
			  int processors)
{
	static const int which[4] = { 1, 0, 1, 2 };

	for (int i = 0; i < 4; i++)
		put(load, names[i], average[which[i]] / processors);
}

#define MEMINFO_BYTES 8192

static bool meminfo_read(char text[MEMINFO_BYTES])
{
	FILE *file = fopen("/proc/meminfo", "re");

	if (!file)
		return false;
	text[fread(text, 1, MEMINFO_BYTES - 1, file)] = '\0';
	fclose(file);
	return true;
}

double machine_memory_bytes(void)
{
	char text[MEMINFO_BYTES];

	return meminfo_read(text) ? memory_of(text, "MemTotal:") + memory_of(text, "SwapTotal:") : 0.0;
}

static void load_memory(struct machine_load *load)
{
	char text[MEMINFO_BYTES];
	double total, available, swap_total, swap_free;

	if (!meminfo_read(text))
		return;
	total = memory_of(text, "MemTotal:");
	available = memory_of(text, "MemAvailable:");
	swap_total = memory_of(text, "SwapTotal:");
	swap_free = memory_of(text, "SwapFree:");
	put(load, "mem_free", available);
	put(load, "swap_free", swap_free);
	put(load, "virtual_free", available + swap_free);
	put(load, "mem_total", total);
	put(load, "swap_total", swap_total);
	put(load, "virtual_total", total + swap_total);
	put(load, "mem_used", total - available);
	put(load, "swap_used", swap_total - swap_free);
	put(load, "virtual_used", total + swap_total - available - swap_free);
}

static void load_topology(struct machine_load *load, const struct machine_topology *topology)
{
	if (topology->threads == 0)
		return;
	if (*topology->text)
		load->items[load->n++] = (struct load_report){ "m_topology", topology->text };
	if (*topology->text)
		load->items[load->n++] = (struct load_report){ "m_topology_inuse", topology->text };
	put(load, "m_socket", topology->sockets);
	put(load, "m_core", topology->cores);
	put(load, "m_thread", topology->threads);
}

const char *machine_arch(void)
{
	struct utsname name;

	if (uname(&name))
		return "lx-unknown";
	return strcmp(name.machine, "x86_64") == 0    ? "lx-amd64"
	       : strcmp(name.machine, "aarch64") == 0 ? "lx-arm64"
						      : "lx-unknown";
}

/* Get the load values in the order of Grid Engine's execution daemon. */
void machine_load(const struct machine *machine, struct machine_load *load)
{
	static const char *const all[4] = { "load_avg", "load_short", "load_medium", "load_long" };
	static const char *const by_processor[4] = { "np_load_avg", "np_load_short", "np_load_medium", "np_load_long" };
	double average[3];
	bool is_loaded = getloadavg(average, 3) == 3;

	load->n = 0;
	if (is_loaded)
		load_averages(load, all, average, 1);
	put_text(load, "arch", machine_arch());
	put(load, "num_proc", machine->processors);
	load_memory(load);
	load_topology(load, &machine->topology);
	if (is_loaded)
		load_averages(load, by_processor, average, machine->processors);
}
