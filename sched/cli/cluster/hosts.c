/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cluster/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cli/verbs.h"

#define FIELD(name) .field = offsetof(struct host_list, name)

static int attributes_take(void *hosts, struct words *words);
static int names_take(void *names, struct words *words);
static int users_take(void *hosts, struct words *words);
static int wanted_take(void *wanted, struct words *words);

const struct argument hosts_options[] = {
	{ "-q", ARGUMENT_FLAG, FIELD(queues), .sentence = "show the queue instances of each host" },
	{ "-j", ARGUMENT_FLAG, FIELD(jobs), .sentence = "show the jobs on each host; with -q, in each queue instance" },
	{ "-F", ARGUMENT_CALL, .call = attributes_take,
	  .sentence = "show the resources of each host: all, or those that follow, as in -F mem,lic" },
	{ "-h", ARGUMENT_CALL, FIELD(names), .call = names_take, .value = "HOST[,...]",
	  .sentence = "show only these hosts; patterns are allowed" },
	{ "-l", ARGUMENT_CALL, FIELD(wanted), .call = wanted_take, .value = "RESOURCE=VALUE[,...]",
	  .sentence = "show only hosts that offer these resources" },
	{ "-u", ARGUMENT_CALL, .call = users_take, .value = "USER[,...]",
	  .sentence = "show only jobs of these users; implies -j" },
	{ "-ncb", ARGUMENT_FLAG, FIELD(no_topology), .sentence = "omit sockets, cores and threads" },
	OPTION_FORMAT("-xml", offsetof(struct host_list, format), hosts_xml, "print XML, like qhost -xml"),
	OPTION_FORMAT("--json", offsetof(struct host_list, format), hosts_json, "print JSON"),
	{ .name = NULL },
};

static int attributes_take(void *hosts, struct words *words)
{
	struct host_list *host_list = hosts;

	host_list->attributes = true;
	if (words->next >= words->argc || *words->argv[words->next] == '-')
		return EXIT_OK;
	return names_add(words->messages, &host_list->resources, "hosts", "-F", words->argv[words->next++]);
}

static int names_take(void *names, struct words *words)
{
	return names_add(words->messages, names, "hosts", "-h", (char *)words->value);
}

static int users_take(void *hosts, struct words *words)
{
	struct host_list *host_list = hosts;

	host_list->jobs = true;
	return names_add(words->messages, &host_list->users, "hosts", "-u", (char *)words->value);
}

static int wanted_take(void *wanted, struct words *words)
{
	return wanted_add(words->messages, wanted, "hosts", (char *)words->value);
}

/* Section */

static int instances_index(struct host_list *host_list, const struct fl_view *view)
{
	size_t hosts = fl_hosts(view), n = fl_instances(view);
	struct fl_instance instance;

	free(host_list->first);
	free(host_list->next);
	host_list->first = malloc((hosts + 1) * sizeof(*host_list->first));
	host_list->next = malloc((n + 1) * sizeof(*host_list->next));
	if (!host_list->first || !host_list->next)
		return -ENOMEM;
	memset(host_list->first, 0xff, (hosts + 1) * sizeof(*host_list->first));
	for (size_t k = n; k-- > 0;)
		if (fl_instance(view, k, &instance) == 0 && instance.host < hosts) {
			host_list->next[k] = host_list->first[instance.host];
			host_list->first[instance.host] = k;
		}
	return 0;
}

/*
 * Return whether the cell's files are needed. The parallel environment of a job determines its
 * lines, and loads may only be in files.
 */
static bool needs_cell(const struct host_list *hosts, const struct fl_view *view)
{
	struct fl_job job;

	if (hosts->attributes || hosts->wanted.n > 0)
		return true;
	for (size_t k = 0; k < hosts->placed.n; k++)
		if (fl_get(view, FL_STARTED, hosts->placed.items[k].row, &job) == 0 && *job.granted_pe)
			return true;
	return false;
}

/* Check that each name of -h matches a host. If not, store the known hosts for the message. */
static bool names_known(struct host_list *hosts, const struct fl_view *view)
{
	size_t n = fl_hosts(view);
	struct fl_host host;

	for (size_t i = 0; i < hosts->names.n; i++) {
		size_t k = 1;

		while (k < n && fl_host(view, k, &host) == 0 &&
		       !wildcard_match(hosts->names.items[i], host.name, WILDCARD_IGNORE_CASE))
			k++;
		if (k < n)
			continue;
		hosts->unknown = hosts->names.items[i];
		for (k = 1; k < n && fl_host(view, k, &host) == 0; k++)
			cluster_know(&hosts->known, host.name);
		return false;
	}
	return true;
}

static void hosts_end(struct host_list *hosts)
{
	cluster_cell_free(&hosts->cell);
	attributes_free(&hosts->found);
	placed_free(&hosts->placed);
	free(hosts->first);
	free(hosts->next);
	hosts->first = hosts->next = NULL;
}

int hosts_begin(struct host_list *hosts, const struct fl_view *view, bool *any)
{
	int code;

	hosts_end(hosts);
	*any = false;
	hosts->error = 0;
	hosts->unknown = NULL;
	hosts->known = (struct cluster_known){ 0 };
	hosts->nothing = fl_hosts(view) == 0;
	if (hosts->nothing || !names_known(hosts, view))
		return EXIT_OK;
	if (hosts->queues || hosts->jobs || hosts->format.print == hosts_json)
		hosts->error = instances_index(hosts, view);
	if (hosts->error == 0 && hosts->jobs)
		hosts->error = placed_find(&hosts->placed, view, &hosts->users);
	if (hosts->error == 0 && needs_cell(hosts, view))
		hosts->error = cluster_cell_load(&hosts->cell, view);
	if (hosts->error == -EACCES && !hosts->attributes && hosts->wanted.n == 0)
		hosts->error = 0;
	code = hosts->error == 0 && hosts->cell.loaded
		       ? wanted_check(hosts->messages, &hosts->wanted, "hosts", &hosts->cell.cell)
		       : EXIT_OK;
	*any = hosts->error == 0 && !code;
	return code;
}

static bool name_is(const struct host_list *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->names.n; i++)
		if (wildcard_match(hosts->names.items[i], name, WILDCARD_IGNORE_CASE))
			return true;
	return hosts->names.n == 0;
}

bool hosts_means(struct host_list *hosts, const struct fl_view *view, size_t k, struct fl_host *host)
{
	if (fl_host(view, k, host))
		return false;
	/* values common to all hosts are not a host that could offer resources */
	if (k == 0 ? hosts->wanted.n > 0 : !name_is(hosts, host->name))
		return false;
	if (!hosts->cell.loaded || (!hosts->attributes && hosts->wanted.n == 0))
		return true;
	if (attributes_of(&hosts->found, view, &hosts->cell.cell, k, NULL))
		hosts->error = -ENOMEM;
	return wanted_fits(&hosts->wanted, &hosts->found, &hosts->cell.cell);
}

bool hosts_shows(const struct host_list *hosts, const struct found_value *value)
{
	for (size_t i = 0; i < hosts->resources.n; i++) {
		const struct complex *complex = cell_complex(&hosts->cell.cell, hosts->resources.items[i]);

		if (complex && strcmp(complex->name, value->name) == 0)
			return true;
	}
	return hosts->resources.n == 0;
}

bool hosts_extra_slave(const struct host_list *hosts, const struct fl_view *view, const struct placed *placed)
{
	struct fl_job job;

	return fl_get(view, FL_STARTED, placed->row, &job) == 0 && cluster_extra_slave(&hosts->cell, job.granted_pe);
}

/* Verb */

static int check_names(struct messages *messages, const char *cell, const struct host_list *hosts)
{
	if (!hosts->unknown)
		return EXIT_OK;
	return message_add(messages, EXIT_NO_DATA, NULL, "%s: there is no host \"%s\"; there %s %s", cell,
			   hosts->unknown, hosts->known.n == 1 ? "is" : "are",
			   hosts->known.n ? hosts->known.text : "none");
}

int hosts_show(struct messages *messages, const char *cell, int argc, char **argv)
{
	static struct host_list hosts = { .format.print = hosts_table };
	struct words words = { .table = hosts_options, .argc = argc, .argv = argv, .next = 1, .messages = messages };
	int code = options_read(&words, &hosts);

	hosts.messages = messages;
	if (!code && words.next < argc)
		code = message_add(messages, EXIT_USAGE, "hosts", "a host is named by -h %s", argv[words.next]);
	if (!code)
		code = section_show(messages, cell, hosts.format.print, &hosts);
	if (!code && hosts.nothing)
		code = cluster_nothing(messages, cell);
	if (!code && hosts.error)
		code = cluster_failed(messages, cell, hosts.error);
	if (!code)
		code = check_names(messages, cell, &hosts);
	hosts_end(&hosts);
	names_free(&hosts.names);
	names_free(&hosts.users);
	names_free(&hosts.resources);
	free(hosts.wanted.items);
	return code;
}

int hosts_run(const char *cell, int argc, char **argv)
{
	return verb_print(hosts_show, cell, argc, argv);
}
