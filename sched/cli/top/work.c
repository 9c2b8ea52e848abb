/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of the run, and the health of the scheduler. */
#include <stdio.h>
#include <string.h>

#include "sched/cli/top/top.h"

#define BAR 30

static void phase_row(struct top_page *page, const struct fl_phase *phase, uint64_t all)
{
	char bar[BAR + 1], name[NAME_BYTES];
	unsigned n = all > 0 ? (unsigned)((double)phase->ns / (double)all * BAR + 0.5) : 0;

	n = n < BAR ? n : BAR;
	memset(bar, ' ', BAR);
	memset(bar, '#', n);
	bar[BAR] = '\0';
	page_add(page, PAGE_PLAIN, "%s %12.3f ms %s", page_label(name, phase->name, 16), (double)phase->ns / 1e6, bar);
}

static size_t phases_show(const struct fl_view *view, struct top_page *page)
{
	struct fl_phase phase;
	uint64_t all = 0;
	size_t n = 0;

	page_add(page, PAGE_HEAD, "%-16s %15s of the run", "phase", "time");
	while (fl_phase(view, n, &phase) == 0) {
		all += phase.ns;
		n++;
	}
	for (size_t k = 0; k < n && fl_phase(view, k, &phase) == 0; k++)
		phase_row(page, &phase, all);
	return n;
}

static void number_row(struct top_page *page, const char *name, uint64_t value, bool is_bad)
{
	page_add(page, is_bad && value > 0 ? PAGE_WARNING : PAGE_PLAIN, "%-40s %12llu", name,
		 (unsigned long long)value);
}

size_t top_scheduler(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
		     size_t selected)
{
	struct fl_health health;
	struct fl_run run;
	size_t n = phases_show(view, page);

	(void)top, (void)rows, (void)first, (void)selected;
	fl_run(view, &run);
	page_add(page, PAGE_HEAD, "%-40s %12s", "scheduler", "value");
	page_add(page, run.scheduler_alive ? PAGE_PLAIN : PAGE_WARNING, "%-40s %12u",
		 run.scheduler_alive ? "process" : "process, has ended", run.scheduler_pid);
	number_row(page, "shared memory of the run, KiB", run.bytes / 1024, false);
	if (fl_health(view, &health) == 0) {
		number_row(page, "job starts of the run", health.starts, false);
		number_row(page, "reservations of the run", health.reservations, false);
		number_row(page, "connected execution hosts", health.hosts_up, false);
		number_row(page, "orders that are not accepted yet", health.orders_kept, false);
		number_row(page, "orders refused since the start", health.refused, true);
		number_row(page, "job starts withheld since the start", health.withheld, true);
		number_row(page, "usage not booked yet", health.unbooked, true);
		number_row(page, "failures of the store since the start", health.store_failures, true);
	}
	return n;
}
