/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct host_list, name)

static int attributes_take(void *hosts, struct words *w);
static int names_take(void *names, struct words *w);
static int users_take(void *hosts, struct words *w);
static int wanted_take(void *wanted, struct words *w);

const struct argument hosts_options[] = {
	{ "-q", ARGUMENT_FLAG, FIELD(queues), .sentence = "show the queue instances of each host" },
	{ "-j", ARGUMENT_FLAG, FIELD(jobs), .sentence = "show the jobs on each host; with -q, in each queue instance" },
	{ "-F", ARGUMENT_CALL, .call = attributes_take, .sentence = "show the resources of each host: all, or those that follow, as in -F mem,lic" },
	{ "-h", ARGUMENT_CALL, FIELD(names), .call = names_take, .value = "HOST[,...]", .sentence = "show only these hosts; patterns are allowed" },
	{ "-l", ARGUMENT_CALL, FIELD(wanted), .call = wanted_take, .value = "RESOURCE=VALUE[,...]", .sentence = "show only hosts that offer these resources" },
	{ "-u", ARGUMENT_CALL, .call = users_take, .value = "USER[,...]", .sentence = "show only jobs of these users; implies -j" },
	{ "-ncb", ARGUMENT_FLAG, FIELD(no_topology), .sentence = "omit sockets, cores and threads" },
	OPTION_FORMAT("-xml", offsetof(struct host_list, format), hosts_xml, "print XML, like qhost -xml"),
	OPTION_FORMAT("--json", offsetof(struct host_list, format), hosts_json, "print JSON"),
	{ .name = NULL },
};

static int attributes_take(void *hosts, struct words *w)
{
	struct host_list *h = hosts;

	h->attributes = true;
	if (w->next >= w->argc || *w->argv[w->next] == '-')
		return EXIT_OK;
	return names_add(&h->resources, "hosts: -F", w->argv[w->next++]);
}

static int names_take(void *names, struct words *w)
{
	return names_add(names, "hosts: -h", (char *)w->value);
}

static int users_take(void *hosts, struct words *w)
{
	struct host_list *h = hosts;

	h->jobs = true;
	return names_add(&h->users, "hosts: -u", (char *)w->value);
}

static int wanted_take(void *wanted, struct words *w)
{
	return wanted_add(wanted, "hosts", (char *)w->value);
}

/* The section */

static int instances_index(struct host_list *h, const struct fl_view *view)
{
	size_t hosts = fl_hosts(view), n = fl_instances(view);
	struct fl_instance i;

	free(h->first);
	free(h->next);
	h->first = malloc((hosts + 1) * sizeof(*h->first));
	h->next = malloc((n + 1) * sizeof(*h->next));
	if (!h->first || !h->next)
		return -ENOMEM;
	memset(h->first, 0xff, (hosts + 1) * sizeof(*h->first));
	for (size_t k = n; k-- > 0;)
		if (fl_instance(view, k, &i) == 0 && i.host < hosts) {
			h->next[k] = h->first[i.host];
			h->first[i.host] = k;
		}
	return 0;
}

/* A PE of a job says how many lines it has; loads may be in files alone. */
static bool needs_cell(const struct host_list *h, const struct fl_view *view)
{
	struct fl_job job;

	if (h->attributes || h->wanted.n > 0)
		return true;
	for (size_t k = 0; k < h->placed.n; k++)
		if (fl_get(view, FL_STARTED, h->placed.items[k].row, &job) == 0 && *job.granted_pe)
			return true;
	return false;
}

/* Each name of -h means some host; else they are told of. */
static bool names_known(struct host_list *h, const struct fl_view *view)
{
	size_t n = fl_hosts(view);
	struct fl_host host;

	for (size_t i = 0; i < h->names.n; i++) {
		size_t k = 1;

		while (k < n && fl_host(view, k, &host) == 0 && !wildcard_match(h->names.items[i], host.name, WILDCARD_IGNORE_CASE))
			k++;
		if (k < n)
			continue;
		h->unknown = h->names.items[i];
		for (k = 1; k < n && fl_host(view, k, &host) == 0; k++)
			cluster_know(&h->known, host.name);
		return false;
	}
	return true;
}

int hosts_begin(struct host_list *h, const struct fl_view *view, bool *any)
{
	int code;

	hosts_end(h);
	*any = false;
	h->error = 0;
	h->unknown = NULL;
	h->known = (struct cluster_known){ 0 };
	h->nothing = fl_hosts(view) == 0;
	if (h->nothing || !names_known(h, view))
		return EXIT_OK;
	if (h->queues || h->jobs || h->format.print == hosts_json)
		h->error = instances_index(h, view);
	if (h->error == 0 && h->jobs)
		h->error = placed_find(&h->placed, view, &h->users);
	if (h->error == 0 && needs_cell(h, view))
		h->error = cluster_cell_load(&h->cell, view);
	if (h->error == -EACCES && !h->attributes && h->wanted.n == 0)
		h->error = 0;
	code = h->error == 0 && h->cell.loaded ? wanted_check(&h->wanted, "hosts", &h->cell.cell) : EXIT_OK;
	*any = h->error == 0 && !code;
	return code;
}

void hosts_end(struct host_list *h)
{
	cluster_cell_free(&h->cell);
	attributes_free(&h->found);
	placed_free(&h->placed);
	free(h->first);
	free(h->next);
	h->first = h->next = NULL;
}

static bool name_is(const struct host_list *h, const char *name)
{
	for (size_t i = 0; i < h->names.n; i++)
		if (wildcard_match(h->names.items[i], name, WILDCARD_IGNORE_CASE))
			return true;
	return h->names.n == 0;
}

bool hosts_means(struct host_list *h, const struct fl_view *view, size_t k, struct fl_host *host)
{
	if (fl_host(view, k, host))
		return false;
	/* what all share is not a host that offers something */
	if (k == 0 ? h->wanted.n > 0 : !name_is(h, host->name))
		return false;
	if (!h->cell.loaded || (!h->attributes && h->wanted.n == 0))
		return true;
	if (attributes_of(&h->found, view, &h->cell.cell, k, NULL))
		h->error = -ENOMEM;
	return wanted_fits(&h->wanted, &h->found, &h->cell.cell);
}

bool hosts_shows(const struct host_list *h, const struct found_value *a)
{
	for (size_t i = 0; i < h->resources.n; i++) {
		const struct complex *complex = cell_complex(&h->cell.cell, h->resources.items[i]);

		if (complex && strcmp(complex->name, a->name) == 0)
			return true;
	}
	return h->resources.n == 0;
}

bool hosts_extra_slave(const struct host_list *h, const struct fl_view *view, const struct placed *placed)
{
	struct fl_job job;

	return fl_get(view, FL_STARTED, placed->row, &job) == 0 && cluster_extra_slave(&h->cell, job.granted_pe);
}

/* The verb */

static int check_names(const char *cell, const struct host_list *h)
{
	if (!h->unknown)
		return EXIT_OK;
	return cli_fail(EXIT_NO_DATA, "%s: there is no host \"%s\"; there %s %s", cell, h->unknown, h->known.n == 1 ? "is" : "are",
			h->known.n ? h->known.text : "none");
}

int hosts_run(const char *cell, int argc, char **argv)
{
	static struct host_list h = { .format.print = hosts_table };
	struct words words = { .table = hosts_options, .argc = argc, .argv = argv, .next = 1 };
	int code = options_take(&words, &h);

	if (!code && words.next < argc)
		code = cli_fail(EXIT_USAGE, "hosts: a host is named by -h %s", argv[words.next]);
	if (!code)
		code = section_run(cell, h.format.print, &h);
	if (!code && h.nothing)
		code = cluster_nothing(cell);
	if (!code && h.error)
		code = cluster_failed(cell, h.error);
	if (!code)
		code = check_names(cell, &h);
	hosts_end(&h);
	names_free(&h.names);
	names_free(&h.users);
	names_free(&h.resources);
	free(h.wanted.items);
	return code;
}
