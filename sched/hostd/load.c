/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/hostd/load.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct memory {			/* KiB */
	unsigned long long total, available, swap_total, swap_free;
};

static void value_add(struct wire_load *values, size_t *n, const char *name, double value, const char *unit)
{
	struct wire_load *v = &values[(*n)++];

	snprintf(v->name, sizeof(v->name), "%s", name);
	snprintf(v->value, sizeof(v->value), *unit ? "%.3f%s" : "%.2f%s", value, unit);
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

static bool memory_read(struct memory *m)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[256];

	*m = (struct memory){ 0 };
	while (f && fgets(line, sizeof(line), f)) {
		(void)!sscanf(line, "MemTotal: %llu", &m->total);
		(void)!sscanf(line, "MemAvailable: %llu", &m->available);
		(void)!sscanf(line, "SwapTotal: %llu", &m->swap_total);
		(void)!sscanf(line, "SwapFree: %llu", &m->swap_free);
	}
	if (f)
		fclose(f);
	return m->total && m->available <= m->total && m->swap_free <= m->swap_total;
}

static void memory_values(struct wire_load *values, size_t *n)
{
	struct memory m;

	if (!memory_read(&m))
		return;
	value_add(values, n, "mem_total", (double)m.total / 1024, "M");
	value_add(values, n, "mem_free", (double)m.available / 1024, "M");
	value_add(values, n, "mem_used", (double)(m.total - m.available) / 1024, "M");
	value_add(values, n, "swap_total", (double)m.swap_total / 1024, "M");
	value_add(values, n, "swap_free", (double)m.swap_free / 1024, "M");
	value_add(values, n, "swap_used", (double)(m.swap_total - m.swap_free) / 1024, "M");
	value_add(values, n, "virtual_total", (double)(m.total + m.swap_total) / 1024, "M");
	value_add(values, n, "virtual_free", (double)(m.available + m.swap_free) / 1024, "M");
	value_add(values, n, "virtual_used", (double)(m.total - m.available + m.swap_total - m.swap_free) / 1024, "M");
}

size_t load_read(struct wire_load values[LOAD_VALUES])
{
	size_t n = 0;

	load_averages(values, &n);
	memory_values(values, &n);
	return n;
}
