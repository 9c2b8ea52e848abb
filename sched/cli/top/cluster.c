/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and queue instances with load and free slots. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/top/top.h"

#define GIB (1024.0 * 1024 * 1024)

struct host_row {
	size_t host;
	uint64_t slots, used;		/* of all its queue instances */
	double load, key;
};

static int rows_compare(const void *a, const void *b)
{
	const struct host_row *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key ? 1 : (x->host > y->host) - (x->host < y->host);
}

/* Read the hosts, without "global", and sum the slots. NULL: memory is exhausted. */
static struct host_row *hosts_read(const struct fl_view *view, enum top_sort sort, size_t *n)
{
	size_t all = fl_hosts(view), ninstances = fl_instances(view);
	struct host_row *rows = calloc(all + 1, sizeof(*rows));

	*n = 0;
	for (size_t k = 0; rows && k < ninstances; k++) {
		struct fl_instance instance;

		if (fl_instance(view, k, &instance) == 0 && instance.host < all) {
			rows[instance.host].slots += instance.slots;
			rows[instance.host].used += instance.used;
		}
	}
	for (size_t k = 0; rows && k < all; k++) {
		struct fl_host host;

		if (fl_host(view, k, &host) || strcmp(host.name, "global") == 0)
			continue;
		struct host_row row = {
			.host = k, .slots = rows[k].slots, .used = rows[k].used, .load = host.np_load_avg
		};

		row.key = sort == TOP_SORT_LOAD	   ? -row.load
			  : sort == TOP_SORT_SLOTS ? (double)row.used - (double)row.slots
						   : 0;
		rows[(*n)++] = row;	/* *n <= k, so that no row is lost */
	}
	if (rows)
		qsort(rows, *n, sizeof(*rows), rows_compare);
	return rows;
}

static const char *number_text(char text[16], double value, const char *format)
{
	if (value < 0)
		snprintf(text, 16, "-");
	else
		snprintf(text, 16, format, value);
	return text;
}

/* Draw the used part of the slots. */
static const char *slots_bar(char bar[11], uint64_t used, uint64_t slots)
{
	uint64_t n = slots > 0 ? (10 * used + slots / 2) / slots : 0;

	memset(bar, '.', 10);
	memset(bar, '#', n < 10 ? n : 10);
	bar[10] = '\0';
	return bar;
}

static void host_show(const struct fl_view *view, struct top_page *page, enum page_style style,
		      const struct host_row *row)
{
	char name[NAME_BYTES], load[16], used[16], total[16], bar[11];
	struct fl_host host;

	if (fl_host(view, row->host, &host))
		return;
	page_add(page, host.available ? style : PAGE_WARNING, "%s %5d %6s %7s %7s %s %5llu %5llu%s",
		 page_label(name, host.name, 24), host.processors > 0 ? host.processors : 0,
		 number_text(load, host.np_load_avg, "%.2f"),
		 number_text(used, host.mem_used < 0 ? -1 : host.mem_used / GIB, "%.1fG"),
		 number_text(total, host.mem_total < 0 ? -1 : host.mem_total / GIB, "%.1fG"),
		 slots_bar(bar, row->used, row->slots),
		 (unsigned long long)(row->slots > row->used ? row->slots - row->used : 0),
		 (unsigned long long)row->slots, host.available ? "" : "  no contact");
}

size_t top_hosts(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
		 size_t selected)
{
	size_t n;
	struct host_row *hosts = hosts_read(view, top->sort, &n);

	page_add(page, PAGE_HEAD, "%-24s  CPUs   load    used     mem %-10s  free slots", "host", "slots");
	for (size_t k = first; hosts && k < n && k - first + 1 < rows; k++)
		host_show(view, page, k == selected ? PAGE_SELECTED : PAGE_PLAIN, &hosts[k]);
	free(hosts);
	return n;
}

size_t top_queues(struct top *top, const struct fl_view *view, struct top_page *page, unsigned rows, size_t first,
		  size_t selected)
{
	size_t n = fl_instances(view);

	(void)top;
	page_add(page, PAGE_HEAD, "%-24s type   load %-10s  used reserved slots state", "queue instance", "slots");
	for (size_t k = first; k < n && k - first + 1 < rows; k++) {
		char name[NAME_BYTES], load[16], bar[11];
		struct fl_instance instance;
		enum page_style style = k == selected ? PAGE_SELECTED : PAGE_PLAIN;

		if (fl_instance(view, k, &instance))
			break;
		page_add(page, style, "%s %-4s %6s %s %5u %8u %5u %s", page_label(name, instance.name, 24),
			 instance.type, number_text(load, instance.np_load_avg, "%.2f"),
			 slots_bar(bar, instance.used, instance.slots), instance.used, instance.reserved,
			 instance.slots, instance.state);
	}
	return n;
}
