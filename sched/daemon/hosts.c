/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/search.h"
#include "sched/daemon/bounds.h"
#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/wire/keys.h"

#define SECOND_NS 1000000000ull
#define COUNTS_EVERY_NS (60 * SECOND_NS)	/* between two lines about dropped messages */
#define ODD_EVERY_NS (10 * SECOND_NS)		/* between two lines about reports of a host */

struct sent_task {		/* a task that was sent to a host */
	uint32_t job_number, task;
	int64_t start_time;
	double tickets;
	bool spread;			/* task on several hosts */
	struct wire_usage usage;	/* usage reported by this host */
};

struct node {
	char name[HOST_NAME_CHARS + 1];
	struct sent_task *tasks;	/* sorted by job and task */
	size_t n;
	uint64_t round;			/* round of tickets that has named the host last */
	bool keyless;			/* no host may connect with this name; logged once */
};

struct hosts {
	struct hub *hub;
	struct sched *sched;
	struct intake *intake;
	bool usage, load;
	struct node **items;		/* sorted by name */
	size_t n;
	uint64_t round;
	uint64_t dropped, counts_ns;	/* values at the last log line */
	uint64_t odd_ns, odd_left_out;
};

/* Tables */

/* Return the index of the host, or the index at which to insert it. */
static size_t host_place(const struct hosts *hosts, const char *name)
{
	size_t at;

	lower_bound(at, hosts->n, strcmp(hosts->items[at]->name, name) < 0);
	return at;
}

static struct node *host_find(const struct hosts *hosts, const char *name)
{
	size_t place = host_place(hosts, name);

	return place < hosts->n && strcmp(hosts->items[place]->name, name) == 0 ? hosts->items[place] : NULL;
}

/*
 * Return the host; create it if it does not exist. NULL: memory is exhausted, or no key can have
 * this name.
 */
static struct node *host_get(struct hosts *hosts, const char *name)
{
	struct node *host = host_find(hosts, name), **items;
	size_t place = host_place(hosts, name);

	if (host || !host_name_is_valid(name))
		return host;
	items = realloc(hosts->items, (hosts->n + 1) * sizeof(*items));
	if (!items)
		return NULL;
	hosts->items = items;
	host = calloc(1, sizeof(*host));
	if (!host)
		return NULL;
	strcpy(host->name, name);
	memmove(items + place + 1, items + place, (hosts->n - place) * sizeof(*items));
	items[place] = host;
	hosts->n++;
	return host;
}

static int by_task(const void *a, const void *b)
{
	const struct sent_task *x = a, *y = b;

	if (x->job_number != y->job_number)
		return x->job_number < y->job_number ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static struct sent_task *sent_task_find(const struct node *host, uint32_t job_number, uint32_t task,
					int64_t start_time)
{
	const struct sent_task wanted = { .job_number = job_number, .task = task };
	struct sent_task *found = host->n ? bsearch(&wanted, host->tasks, host->n, sizeof(wanted), by_task) : NULL;

	return found && found->start_time == start_time ? found : NULL;
}

/* Tickets for hosts */

/* Send the tasks of a host. -ENOMEM: the host keeps its old tickets. */
static int host_send(struct hosts *hosts, struct node *host)
{
	struct wire_task *tasks = calloc(host->n + 1, sizeof(*tasks));
	int rc;

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < host->n; i++) {
		const struct sent_task *reported = &host->tasks[i];

		tasks[i] = (struct wire_task){ .job_number = reported->job_number,
					       .task = reported->task,
					       .start_time = reported->start_time,
					       .tickets = reported->tickets };
	}
	rc = hub_tickets(hosts->hub, host->name, tasks, host->n);
	free(tasks);
	if (rc == -ENOENT && !host->keyless)
		log_event(LOG_DETAIL, LOG_HOST(host->name), "tasks are running on %s, which has no key", host->name);
	else if (rc == -E2BIG)
		log_event(LOG_ODD, LOG_HOST(host->name), "%zu tasks on %s: only %u of them can be sent", host->n,
			  host->name, WIRE_TASKS);
	host->keyless = rc == -ENOENT;
	return rc == -ENOMEM ? rc : 0;
}

/* Replace the tasks of a host. Usage reported before is kept for tasks that are still the same. */
static int host_renew(struct node *host, const struct order_ticket *tickets, size_t n)
{
	struct sent_task *new = calloc(n + 1, sizeof(*new)), *old;

	if (!new)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct order_ticket *ticket = &tickets[i];

		new[i] = (struct sent_task){ .job_number = ticket->job_number,
					.task = ticket->task,
					.start_time = ticket->start_time,
					.tickets = ticket->tickets,
					.spread = ticket->spread };
		old = sent_task_find(host, ticket->job_number, ticket->task, ticket->start_time);
		if (old)
			new[i].usage = old->usage;
	}
	if (n > 1)
		qsort(new, n, sizeof(*new), by_task);
	free(host->tasks);
	host->tasks = new;
	host->n = n;
	return 0;
}

static void take_tickets(void *context, const char *name, const struct order_ticket *tickets, size_t n)
{
	struct hosts *hosts = context;
	struct node *host = host_get(hosts, name);

	if (!host)
		return;
	host->round = hosts->round;
	if (host_renew(host, tickets, n) || host_send(hosts, host))
		log_event(LOG_ODD, LOG_HOST(name), "out of memory: %s keeps its old tickets", name);
}

static void take_end(void *context)
{
	struct hosts *hosts = context;

	for (size_t i = 0; i < hosts->n; i++) {
		struct node *host = hosts->items[i];

		if (host->round != hosts->round && host->n) {
			host->n = 0;
			(void)host_send(hosts, host);
		}
	}
	hosts->round++;
}

/* Usage and load from hosts */

/* Log a line about a report of a host, but limit their number. */
static void odd_log(struct hosts *hosts, const char *name, const char *text)
{
	uint64_t now = clock_monotonic_ns();

	if (hosts->odd_ns && now - hosts->odd_ns < ODD_EVERY_NS) {
		hosts->odd_left_out++;
		return;
	}
	log_event(LOG_ODD, LOG_HOST(name), "host %s: %s (%llu similar lines were not logged)", name, text,
		  (unsigned long long)hosts->odd_left_out);
	hosts->odd_ns = now;
	hosts->odd_left_out = 0;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static void usage_merge(struct wire_usage *to, const struct wire_usage *from)
{
	to->cpu = greater(to->cpu, from->cpu);
	to->mem = greater(to->mem, from->mem);
	to->io = greater(to->io, from->io);
	to->maxvmem = greater(to->maxvmem, from->maxvmem);
	to->vmem = from->vmem;
}

static void usage_add(struct wire_usage *sum, const struct wire_usage *one)
{
	sum->cpu += one->cpu;
	sum->mem += one->mem;
	sum->io += one->io;
	sum->vmem += one->vmem;
	sum->maxvmem += one->maxvmem;
}

static struct wire_usage usage_of_all_hosts(const struct hosts *hosts, const struct sent_task *task)
{
	struct wire_usage sum = { 0 };

	for (size_t i = 0; i < hosts->n; i++) {
		const struct sent_task *here = sent_task_find(hosts->items[i], task->job_number, task->task,
							      task->start_time);

		if (here)
			usage_add(&sum, &here->usage);
	}
	return sum;
}

/* Pass on the usage of a task. It is no error if the task has ended meanwhile. */
static void usage_send(struct hosts *hosts, const struct sent_task *task)
{
	struct wire_usage usage = task->spread ? usage_of_all_hosts(hosts, task) : task->usage;
	const struct usage_value values[] = {
		{ "cpu", usage.cpu },	{ "mem", usage.mem },	      { "io", usage.io },
		{ "vmem", usage.vmem }, { "maxvmem", usage.maxvmem },
	};
	struct event event;
	struct error error;

	event_init(&event, EVENT_USAGE);
	event.task.job_number = task->job_number;
	event.task.task = task->task;
	event.task.usage = (struct usage_values){ values, sizeof(values) / sizeof(*values) };
	(void)intake_event(hosts->intake, &event, &error);
}

static void usage_take(struct hosts *hosts, const struct node *host, const struct wire_report *report)
{
	const struct mirror *mirror = sched_mirror(hosts->sched);
	struct bounds_of of = { .now = clock_date(), .processors = mirror_load_number(mirror, host->name, "num_proc"),
				.memory_gb = mirror_load_number(mirror, host->name, "mem_total") / (1u << 30) };
	char text[200];

	for (size_t i = 0; i < report->nusage; i++) {
		struct wire_usage usage = report->usage[i];
		struct sent_task *task = sent_task_find(host, usage.job_number, usage.task, usage.start_time);

		if (!task)
			continue;
		of.start_time = task->start_time;
		if (!bounds_keep(&usage, &of, text, sizeof(text)))
			odd_log(hosts, host->name, text);
		usage_merge(&task->usage, &usage);
		usage_send(hosts, task);
	}
}

static void load_take(struct hosts *hosts, const char *name, const struct wire_report *report)
{
	struct load_report values[WIRE_LOADS];
	struct event event;
	struct error error;

	for (size_t i = 0; i < report->nload; i++)
		values[i] = (struct load_report){ report->load[i].name, report->load[i].value };
	event_init(&event, EVENT_HOST_LOAD);
	event.host.host = name;
	event.host.load = (struct load_reports){ values, report->nload };
	if (intake_event(hosts->intake, &event, &error))
		log_event(LOG_DETAIL, LOG_HOST(name), "load of %s: %s", name, error.text);
}

/*
 * Handle a report. While a snapshot is received, tasks may be missing. The next report has the same
 * values.
 */
static void take_report(void *context, const char *name, const struct wire_report *report)
{
	struct hosts *hosts = context;
	const struct node *host = host_find(hosts, name);

	if (*report->lever)
		log_event(LOG_DETAIL, LOG_HOST(name), "%s uses the CPU control mechanism %s: %s", name, report->lever,
			  report->reason);
	if (mirror_in_snapshot(sched_mirror(hosts->sched)))
		return;
	if (hosts->usage && host)
		usage_take(hosts, host, report);
	if (hosts->load && report->nload)
		load_take(hosts, name, report);
}

/* Connections */

static void take_up(void *context, const char *name)
{
	(void)context;
	log_event(LOG_NOTE, LOG_HOST(name), "host %s is connected", name);
}

static void take_down(void *context, const char *name)
{
	(void)context;
	log_event(LOG_ODD, LOG_HOST(name), "host %s is down: its fairlead-hostd has sent nothing for too long", name);
}

static void take_odd(void *context, const char *name, const char *text)
{
	odd_log(context, name, text);
}

static void counts_log(struct hosts *hosts)
{
	struct hub_counts counts = hub_counts(hosts->hub);
	uint64_t dropped = counts.unknown_keys + counts.no_curve + counts.no_credential + counts.replayed +
			   counts.malformed + counts.oversized + counts.pushed_out;
	uint64_t now = clock_monotonic_ns();
	char text[640];

	if (dropped == hosts->dropped || (hosts->counts_ns && now - hosts->counts_ns < COUNTS_EVERY_NS))
		return;
	hub_counts_text(&counts, text, sizeof(text));
	log_line(LOG_ODD, "refused from hosts so far: %s", text);
	hosts->dropped = dropped;
	hosts->counts_ns = now;
}

/* Functions for the loop */

size_t hosts_up(const struct hosts *hosts)
{
	return hosts ? hub_up(hosts->hub) : 0;
}

int hosts_open(struct hosts **hosts, const struct hosts_options *options, struct sched *sched, struct intake *intake,
	       struct error *error)
{
	struct hosts *h = NULL;
	int rc;

	*hosts = NULL;
	if (!options->hub.endpoint)
		return 0;
	h = calloc(1, sizeof(*h));
	if (!h)
		return error_set(error, -ENOMEM, "no memory");
	h->sched = sched;
	h->intake = intake;
	h->usage = options->usage;
	h->load = options->load;
	h->round = 1;
	rc = hub_open(&h->hub, &options->hub, &(struct hub_calls){ h, take_up, take_down, take_report, take_odd },
		      error);
	if (rc) {
		free(h);
		return rc;
	}
	sched_orders(sched)->watch = (struct orders_watch){ h, take_tickets, take_end };
	log_line(LOG_NOTE, "waiting for %llu execution hosts at %s", (unsigned long long)hub_counts(h->hub).hosts,
		 hub_endpoint(h->hub));
	*hosts = h;
	return 0;
}

void hosts_close(struct hosts *hosts)
{
	if (!hosts)
		return;
	sched_orders(hosts->sched)->watch = (struct orders_watch){ 0 };
	hub_close(hosts->hub);
	for (size_t i = 0; i < hosts->n; i++) {
		free(hosts->items[i]->tasks);
		free(hosts->items[i]);
	}
	free(hosts->items);
	free(hosts);
}

int hosts_fd(const struct hosts *hosts)
{
	return hosts ? hub_fd(hosts->hub) : -1;
}

void hosts_handle(struct hosts *hosts)
{
	if (!hosts)
		return;
	hub_handle(hosts->hub);
	counts_log(hosts);
}

void hosts_reload(struct hosts *hosts)
{
	struct error error = { "" };

	if (!hosts)
		return;
	if (hub_keys(hosts->hub, &error))
		log_line(LOG_FAILURE, "the old keys of hosts stay in use: %s", error.text);
	else
		log_line(LOG_NOTE, "keys of %llu execution hosts", (unsigned long long)hub_counts(hosts->hub).hosts);
}
