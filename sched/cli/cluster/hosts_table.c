/* SPDX-License-Identifier: Apache-2.0 */
/* Table of hosts, byte for byte like qhost(1). */
#include <stdio.h>
#include <string.h>

#include "sched/cli/cluster/hosts.h"

#define RULE "----------------------------------------------------------------------------------------------"

/* Write a number, '-' if it is not known. */
static void number_text(char *text, double value, unsigned decimals, bool known)
{
	if (!known || value < 0 || value >= 1e9)
		strcpy(text, "-");
	else
		*(decimals > 0 ? digits_fixed(text, value, decimals) : digits_u64(text, (uint64_t)value)) = '\0';
}

static void memory_text(char *text, double bytes, bool known)
{
	static const char units[] = "KMGTPE";
	int unit = -1;

	if (!known || bytes < 0) {
		number_text(text, -1, 1, false);
		return;
	}
	/* up to GB, like qhost; one unit more if the column would overflow */
	while (unit < 5 && bytes >= (unit < 2 ? 1024 : 100000)) {
		bytes /= 1024;
		unit++;
	}
	number_text(text, bytes < 1e8 ? bytes : 1e8, 1, true);
	if (unit >= 0)
		strcat(text, (char[2]){ units[unit], '\0' });
}

void hosts_columns(const struct fl_host *host, char values[HOST_COLUMNS][HOST_COLUMN_BYTES])
{
	const int32_t counts[] = { host->processors, host->sockets, host->cores, host->threads };
	const double memory[] = { host->mem_total, host->mem_used, host->swap_total, host->swap_used };
	bool known = host->available;

	snprintf(values[0], HOST_COLUMN_BYTES, "%s", known && *host->arch ? host->arch : "-");
	for (size_t k = 0; k < 4; k++)
		number_text(values[1 + k], counts[k], 0, known);
	number_text(values[5], host->load_reported, 2, known);
	for (size_t k = 0; k < 4; k++)
		memory_text(values[6 + k], memory[k], known);
}

static void host_put(const struct host_list *hosts, struct out *out, const struct fl_host *host)
{
	static const int widths[HOST_COLUMNS] = { 12, 4, 4, 4, 4, 5, 7, 7, 7, 7 };
	char values[HOST_COLUMNS][HOST_COLUMN_BYTES];
	char *p = out_room(out, 512);

	hosts_columns(host, values);
	p = text_column(p, host->name, 23);
	*p++ = ' ';
	out_take(out, text_column(p, values[0], 12));
	for (size_t k = 1; k < HOST_COLUMNS; k++)
		if (!hosts->no_topology || k < 2 || k > 4)
			out_put(out, " %*s", widths[k], values[k]);
	out_text(out, "\n");
}

static void attributes_put(const struct host_list *hosts, struct out *out)
{
	bool first = hosts->resources.n > 0;

	for (size_t i = 0; i < hosts->found.n; i++) {
		if (!hosts_shows(hosts, &hosts->found.items[i]))
			continue;
		out_text(out, first ? "    Host Resource(s):      " : "   ");
		first = false;
		attribute_put(out, &hosts->found.items[i], false);
		out_text(out, "\n");
	}
}

static void jobs_put(struct host_list *hosts, struct out *out, const struct fl_view *view, size_t instance,
		     const struct fl_instance *fl_instance)
{
	size_t n;
	const struct placed *placed = placed_of(&hosts->placed, instance, &n);

	for (size_t k = 0; k < n && !out->error; k++)
		job_lines_host(&hosts->lines, out, view, &placed[k], fl_instance->name, !hosts->queues,
			       hosts_extra_slave(hosts, view, &placed[k]));
}

static void queue_put(struct out *out, const struct fl_instance *instance)
{
	char *p = out_room(out, 256);

	p = text_column(text_blanks(p, 3), *instance->queue ? instance->queue : instance->name, 20);
	*p++ = ' ';
	p = text_column(p, instance->type, 5);
	*p++ = ' ';
	p = slots_put(p, instance);
	p = stpcpy(p, instance->state);
	*p++ = '\n';
	out_take(out, p);
}

/* Print the instances of a host. The heading of jobs is printed once, above the first job. */
static void instances_put(struct host_list *hosts, struct out *out, const struct fl_view *view, size_t host,
			  bool *heading)
{
	struct fl_instance instance;
	size_t n;

	for (size_t k = hosts->first[host]; k != SIZE_MAX && !out->error; k = hosts->next[k]) {
		if (fl_instance(view, k, &instance))
			break;
		if (hosts->queues)
			queue_put(out, &instance);
		placed_of(&hosts->placed, k, &n);
		if (!hosts->queues && n > 0 && !*heading) {
			out_text(
				out,
				"   job-ID  prior   name       user         state submit/start at     queue      "
				"master ja-task-ID \n   ");
			out_put(out, "%s\n", RULE);
			*heading = true;
		}
		if (hosts->jobs)
			jobs_put(hosts, out, view, k, &instance);
	}
}

int hosts_table(const struct fl_view *view, struct out *out, void *context)
{
	struct host_list *hosts = context;
	bool any, titles = false, heading = false;
	int code = hosts_begin(hosts, view, &any);
	size_t n = any ? fl_hosts(view) : 0;
	struct fl_host host;

	for (size_t k = 0; k < n && hosts->error == 0 && !out->error; k++) {
		if (!hosts_means(hosts, view, k, &host))
			continue;
		if (!titles)
			out_put(out,
				"HOSTNAME                ARCH         NCPU%s  LOAD  MEMTOT  MEMUSE  SWAPTO  "
				"SWAPUS\n%.*s\n",
				hosts->no_topology ? "" : " NSOC NCOR NTHR",
				hosts->no_topology ? 79 : (int)strlen(RULE), RULE);
		titles = true;
		if (k == 0)
			/* values common to all hosts have no load report */
			host.available = false;
		host_put(hosts, out, &host);
		if (hosts->attributes)
			attributes_put(hosts, out);
		if (hosts->first && k > 0)
			instances_put(hosts, out, view, k, &heading);
	}
	return code;
}
