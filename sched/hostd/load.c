/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/hostd/load.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {			/* Sizes in KiB. */
	unsigned long long total, available, swap_total, swap_free;
};

static void value_add(struct wire_load *values, size_t *n, const char *name, double value, const char *unit)
{
	struct wire_load *load = &values[(*n)++];

	snprintf(load->name, sizeof(load->name), "%s", name);
	snprintf(load->value, sizeof(load->value), *unit ? "%.3f%s" : "%.2f%s", value, unit);
}

static void load_averages(struct wire_load *values, size_t *n)
{
	static const char *const names[] = { "load_short", "load_medium", "load_long" };
	static const char *const shared[] = { "np_load_short", "np_load_medium", "np_load_long" };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double averages[3];

	if (cpus < 1 || getloadavg(averages, 3) != 3)
		return;
	value_add(values, n, "num_proc", (double)cpus, "");
	for (int k = 0; k < 3; k++) {
		value_add(values, n, names[k], averages[k], "");
		value_add(values, n, shared[k], averages[k] / (double)cpus, "");
	}
	value_add(values, n, "load_avg", averages[1], "");
	value_add(values, n, "np_load_avg", averages[1] / (double)cpus, "");
}

static bool memory_read(struct memory *memory)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[256];

	*memory = (struct memory){ 0 };
	while (f && fgets(line, sizeof(line), f)) {
		(void)!sscanf(line, "MemTotal: %llu", &memory->total);
		(void)!sscanf(line, "MemAvailable: %llu", &memory->available);
		(void)!sscanf(line, "SwapTotal: %llu", &memory->swap_total);
		(void)!sscanf(line, "SwapFree: %llu", &memory->swap_free);
	}
	if (f)
		fclose(f);
	return memory->total && memory->available <= memory->total && memory->swap_free <= memory->swap_total;
}

static void memory_values(struct wire_load *values, size_t *n)
{
	struct memory memory;

	if (!memory_read(&memory))
		return;
	value_add(values, n, "mem_total", (double)memory.total / 1024, "M");
	value_add(values, n, "mem_free", (double)memory.available / 1024, "M");
	value_add(values, n, "mem_used", (double)(memory.total - memory.available) / 1024, "M");
	value_add(values, n, "swap_total", (double)memory.swap_total / 1024, "M");
	value_add(values, n, "swap_free", (double)memory.swap_free / 1024, "M");
	value_add(values, n, "swap_used", (double)(memory.swap_total - memory.swap_free) / 1024, "M");
	value_add(values, n, "virtual_total", (double)(memory.total + memory.swap_total) / 1024, "M");
	value_add(values, n, "virtual_free", (double)(memory.available + memory.swap_free) / 1024, "M");
	value_add(values, n, "virtual_used",
		  (double)(memory.total - memory.available + memory.swap_total - memory.swap_free) / 1024, "M");
}

size_t load_read(struct wire_load values[LOAD_VALUES])
{
	size_t n = 0;

	load_averages(values, &n);
	memory_values(values, &n);
	return n;
}
