/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts as qhost(1) prints them, to the byte. */
#include <string.h>

#include "sched/cli/hosts.h"

#define RULE "----------------------------------------------------------------------------------------------"

/* To the right of so many columns, behind a blank; '-' where it is not known. */
static char *number_put(char *p, double value, unsigned decimals, size_t width, bool known)
{
	char *begin = ++p;

	p[-1] = ' ';
	if (known && value >= 0 && value < 1e9)
		p = decimals > 0 ? digits_fixed(p, value, decimals) : digits_u64(p, (uint64_t)value);
	else
		*p++ = '-';
	return text_pad_left(begin, p, width);
}

static char *memory_put(char *p, double bytes, bool known)
{
	static const char units[] = "KMGTPE";
	int unit = -1;
	char *begin = p;

	if (!known || bytes < 0)
		return number_put(p, -1, 1, 7, false);
	/* up to GB, as qhost has it; beyond what its columns hold one more */
	while (unit < 5 && bytes >= (unit < 2 ? 1024 : 100000)) {
		bytes /= 1024;
		unit++;
	}
	p = number_put(p, bytes < 1e8 ? bytes : 1e8, 1, unit < 0 ? 7 : 6, true);
	if (unit >= 0)
		*p++ = units[unit];
	return text_pad_left(begin, p, 8);
}

static void host_put(const struct host_list *h, struct out *o, const struct fl_host *host)
{
	const int32_t counts[] = { host->processors, host->sockets, host->cores, host->threads };
	bool known = host->available;
	char *p = out_room(o, 512);

	p = text_column(p, host->name, 23);
	*p++ = ' ';
	p = text_column(p, known && *host->arch ? host->arch : "-", 12);
	for (size_t i = 0; i < (h->no_topology ? 1 : sizeof(counts) / sizeof(*counts)); i++)
		p = number_put(p, counts[i], 0, 4, known);
	p = number_put(p, host->load_reported, 2, 5, known);
	p = memory_put(p, host->mem_total, known);
	p = memory_put(p, host->mem_used, known);
	p = memory_put(p, host->swap_total, known);
	p = memory_put(p, host->swap_used, known);
	*p++ = '\n';
	out_take(o, p);
}

static bool is_shown(const struct host_list *h, const struct found_value *a)
{
	for (size_t i = 0; i < h->resources.n; i++) {
		const struct complex *complex = cell_complex(&h->cell.cell, h->resources.items[i]);

		if (complex && strcmp(complex->name, a->name) == 0)
			return true;
	}
	return h->resources.n == 0;
}

static void attributes_put(const struct host_list *h, struct out *o)
{
	bool first = h->resources.n > 0;

	for (size_t i = 0; i < h->found.n; i++) {
		if (!is_shown(h, &h->found.items[i]))
			continue;
		out_text(o, first ? "    Host Resource(s):      " : "   ");
		first = false;
		attribute_put(o, &h->found.items[i], false);
		out_text(o, "\n");
	}
}

static void jobs_put(struct host_list *h, struct out *o, const struct fl_view *view, size_t instance, const struct fl_instance *i)
{
	size_t n;
	const struct placed *placed = placed_of(&h->placed, instance, &n);

	for (size_t k = 0; k < n && !o->error; k++)
		job_lines_host(&h->lines, o, view, &placed[k], i->name, !h->queues, hosts_extra_slave(h, view, &placed[k]));
}

static void queue_put(struct out *o, const struct fl_instance *i)
{
	char *p = out_room(o, 256);

	p = text_column(text_blanks(p, 3), *i->queue ? i->queue : i->name, 20);
	*p++ = ' ';
	p = text_column(p, i->type, 5);
	*p++ = ' ';
	p = slots_put(p, i);
	p = stpcpy(p, i->state);
	*p++ = '\n';
	out_take(o, p);
}

/* The heading of jobs stands once, above the first of them. */
static void instances_put(struct host_list *h, struct out *o, const struct fl_view *view, size_t host, bool *heading)
{
	struct fl_instance i;
	size_t n;

	for (size_t k = h->first[host]; k != SIZE_MAX && !o->error; k = h->next[k]) {
		if (fl_instance(view, k, &i))
			break;
		if (h->queues)
			queue_put(o, &i);
		placed_of(&h->placed, k, &n);
		if (!h->queues && n > 0 && !*heading) {
			out_text(o, "   job-ID  prior   name       user         state submit/start at     queue      master ja-task-ID \n   ");
			out_put(o, "%s\n", RULE);
			*heading = true;
		}
		if (h->jobs)
			jobs_put(h, o, view, k, &i);
	}
}

int hosts_table(const struct fl_view *view, struct out *out, void *context)
{
	struct host_list *h = context;
	bool any, heading = false;
	int code = hosts_begin(h, view, &any);
	size_t n = any ? fl_hosts(view) : 0;
	struct fl_host host;

	if (n > 0)
		out_put(out, "HOSTNAME                ARCH         NCPU%s  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS\n%.*s\n",
			h->no_topology ? "" : " NSOC NCOR NTHR", h->no_topology ? 79 : (int)strlen(RULE), RULE);
	for (size_t k = 0; k < n && h->error == 0 && !out->error; k++) {
		if (!hosts_means(h, view, k, &host))
			continue;
		if (k == 0)
			host.available = false;		/* of what all share nothing is told here */
		host_put(h, out, &host);
		if (h->attributes)
			attributes_put(h, out);
		if (h->first && k > 0)
			instances_put(h, out, view, k, &heading);
	}
	return code;
}
