/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of qconf that are answered from the parsed cell. */
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/report.h"
#include "conf/base/wildcard.h"
#include "sched/compat/qconf.h"
#include "sched/reader/fairlead.h"

/* nesting of groups; a cell with more, or with a loop, is invalid */
#define GROUPS_DEEP 32

bool showing_read(struct showing *showing)
{
	struct report report = { 0 };

	if (showing->is_read)
		return true;
	showing->is_read = cell_load(&showing->cell, showing->directory, &report) == 0 && report.faults == 0;
	if (!showing->is_read) {
		show_fail("", showing->directory, ": the cell has faults, or cannot be read; fairlead lint names them");
		cell_free(&showing->cell);
	}
	report_free(&report);
	return showing->is_read;
}

static const char *machine(void)
{
	static char name[256];

	return gethostname(name, sizeof(name) - 1) ? "localhost" : name;
}

/* Managers */

int show_managers(struct showing *showing, char **words)
{
	const struct passwd *owner;
	struct stat st;

	(void)words;
	owner = stat(showing->directory, &st) ? NULL : getpwuid(st.st_uid);
	printf(owner && st.st_uid && strcmp(owner->pw_name, "root") < 0 ? "%s\nroot\n"
	       : owner && st.st_uid					? "root\n%s\n"
									: "root\n",
	       owner ? owner->pw_name : "");
	return 0;
}

/* Hosts */

typedef void host_print(void *context, const char *name);

static const struct hostgroup *group_find(const struct cell *cell, const char *name)
{
	for (size_t i = 0; i < cell->nhostgroups; i++)
		if (strcasecmp(cell->hostgroups[i].name, name) == 0)
			return &cell->hostgroups[i];
	return NULL;
}

static void hosts_each(const struct cell *cell, const struct strlist *list, unsigned depth, host_print *print,
		       void *context)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct hostgroup *group = *list->items[i] == '@' ? group_find(cell, list->items[i]) : NULL;

		if (*list->items[i] != '@')
			print(context, list->items[i]);
		else if (group && depth < GROUPS_DEEP)
			hosts_each(cell, &group->hostlist, depth + 1, print, context);
	}
}

struct named_once {
	const char *names[1000];
	size_t n;
};

static void name_keep(void *context, const char *name)
{
	struct named_once *once = context;

	for (size_t i = 0; i < once->n; i++)
		if (strcasecmp(once->names[i], name) == 0)
			return;
	if (once->n < sizeof(once->names) / sizeof(*once->names))
		once->names[once->n++] = name;
}

/* Find the hosts with a file, and those in host lists of queues. */
static void hosts_find(const struct cell *cell, struct named_once *once)
{
	once->n = 0;
	for (size_t i = 0; i < cell->nhosts; i++)
		if (strcasecmp(cell->hosts[i].name, "global") != 0 && strcasecmp(cell->hosts[i].name, "template") != 0)
			name_keep(once, cell->hosts[i].name);
	for (size_t i = 0; i < cell->nqueues; i++)
		hosts_each(cell, &cell->queues[i].hostlist, 0, name_keep, once);
}

int show_hosts(struct showing *showing, char **words)
{
	struct named_once once;

	(void)words;
	if (!showing_read(showing))
		return 1;
	hosts_find(&showing->cell, &once);
	for (size_t i = 0; i < once.n; i++)
		printf("%s\n", once.names[i]);
	return once.n ? 0 : show_fail("no execution host defined", "", "");
}

int show_scheduler_host(struct showing *showing, char **words)
{
	(void)showing, (void)words;
	printf("%s\n", machine());
	return 0;
}

/* List event clients. The scheduler is the only one. */
int show_clients(struct showing *showing, char **words)
{
	struct fl_cell *reader = NULL;

	(void)words;
	if (fl_attach(&reader, showing->directory))
		return show_fail("no event clients registered", "", "");
	fl_detach(reader);
	printf("      ID NAME            HOST                     \n"
	       "--------------------------------------------------\n%8d %-15s %-25s\n",
	       1, "scheduler", machine());
	return 0;
}

static int group_missing(const char *name)
{
	return show_fail("Host group \"", name, "\" does not exist");
}

int show_group_resolved(struct showing *showing, char **words)
{
	struct named_once once = { .n = 0 };
	const struct hostgroup *group;

	if (!showing_read(showing))
		return 1;
	group = group_find(&showing->cell, words[1]);
	if (!group)
		return group_missing(words[1]);
	hosts_each(&showing->cell, &group->hostlist, 0, name_keep, &once);
	for (size_t i = 0; i < once.n; i++)
		printf("%s%s", i ? " " : "", once.names[i]);
	putchar('\n');
	return 0;
}

static void tree_print(const struct cell *cell, const char *name, unsigned depth)
{
	const struct hostgroup *group = *name == '@' ? group_find(cell, name) : NULL;

	printf("%*s%s\n", (int)(3 * depth), "", name);
	for (size_t i = 0; group && i < group->hostlist.n && depth < GROUPS_DEEP; i++)
		tree_print(cell, group->hostlist.items[i], depth + 1);
}

int show_group_tree(struct showing *showing, char **words)
{
	if (!showing_read(showing))
		return 1;
	if (!group_find(&showing->cell, words[1]))
		return group_missing(words[1]);
	tree_print(&showing->cell, words[1], 0);
	return 0;
}

int show_host(struct showing *showing, char **words)
{
	struct named_once once;
	char path[PATH_MAX];
	bool known;

	if (!strchr(words[1], '/') &&
	    snprintf(path, sizeof(path), "%s/hosts/%s", showing->directory, words[1]) < (int)sizeof(path) &&
	    show_file(path) == 0)
		return 0;
	if (!showing_read(showing))
		return 1;
	hosts_find(&showing->cell, &once);
	known = strcasecmp(words[1], "global") == 0;
	for (size_t i = 0; i < once.n && !known; i++)
		known = strcasecmp(once.names[i], words[1]) == 0;
	if (!known)
		return show_fail("can't resolve hostname \"", words[1], "\"");
	printf("hostname              %s\nload_scaling          NONE\ncomplex_values        NONE\n"
	       "load_values           NONE\nprocessors            0\nuser_lists            NONE\n"
	       "xuser_lists           NONE\nprojects              NONE\nxprojects             NONE\n"
	       "usage_scaling         NONE\nreport_variables      NONE\n",
	       words[1]);
	return 0;
}

/* Queues */

static void instance_print(const struct cell *cell, const struct queue *queue, const char *host)
{
	printf("%-21s %s\n%-21s %s\n", "qname", queue->name, "hostname", host);
	for (size_t i = 0; i < queue->nvalues; i++) {
		const char *value = cell_queue_value(cell, queue, host, queue->values[i].name);

		printf("%-21s %s\n", queue->values[i].name, value ? value : "NONE");
	}
}

/* Print "QUEUE@HOST", "QUEUE@@GROUP", and patterns of both. False: there is no such instance. */
static bool instances_print(const struct cell *cell, char *phrase)
{
	struct named_once once;
	char *host = strchr(phrase, '@');
	bool any = false;

	*host++ = '\0';
	for (size_t k = 0; k < cell->nqueues; k++) {
		if (!wildcard_match(phrase, cell->queues[k].name, 0))
			continue;
		once.n = 0;
		hosts_each(cell, &cell->queues[k].hostlist, 0, name_keep, &once);
		for (size_t i = 0; i < once.n; i++)
			if (*host == '@' ? cell_hostgroup_has(cell, host, once.names[i])
					 : wildcard_match(host, once.names[i], WILDCARD_IGNORE_CASE)) {
				instance_print(cell, &cell->queues[k], once.names[i]);
				any = true;
			}
	}
	return any;
}

static bool queue_files_print(const struct showing *showing, const char *pattern)
{
	char path[PATH_MAX];
	bool any = false;

	for (size_t k = 0; k < showing->cell.nqueues; k++)
		if (wildcard_match(pattern, showing->cell.queues[k].name, 0) &&
		    snprintf(path, sizeof(path), "%s/queue/%s", showing->directory, showing->cell.queues[k].name) <
			    (int)sizeof(path))
			any |= show_file(path) == 0;
	return any;
}

int show_queues(struct showing *showing, char **words)
{
	char *copy = strdup(words[1]), *rest = copy, *phrase;
	int code = copy && showing_read(showing) ? 0 : 1;

	while (code == 0 && (phrase = strsep(&rest, ",")) != NULL) {
		char whole[300];

		snprintf(whole, sizeof(whole), "%.*s", (int)sizeof(whole) - 1, phrase);
		if (*phrase == '@')
			code = show_fail("The queue name \"", whole,
					 "\" is not correct.  Queue names may not begin with @.");
		else if (!(strchr(phrase, '@') ? instances_print(&showing->cell, phrase)
					       : queue_files_print(showing, phrase)))
			code = show_fail("No cluster queue or queue instance matches the phrase \"", whole, "\"");
	}
	free(copy);
	return code;
}

/* List objects by the value of an attribute. Nothing is printed for unknown kinds of objects. */
int show_objects(struct showing *showing, char **words)
{
	const char *kind = words[1], *attribute = words[2], *value = words[3];
	struct named_once once;

	if (!showing_read(showing))
		return 1;
	for (size_t k = 0; strcmp(kind, "queue") == 0 && k < showing->cell.nqueues; k++) {
		const struct queue *queue = &showing->cell.queues[k];
		bool is = wildcard_match(attribute, "qname", 0) && wildcard_match(value, queue->name, 0);

		for (size_t i = 0; i < queue->nvalues && !is; i++)
			is = wildcard_match(attribute, queue->values[i].name, 0) &&
			     wildcard_match(value, queue->values[i].value, 0);
		for (size_t i = 0; i < queue->hostlist.n && !is; i++)
			is = wildcard_match(attribute, "hostlist", 0) &&
			     wildcard_match(value, queue->hostlist.items[i], 0);
		if (is)
			printf("%s\n", queue->name);
	}
	if (strcmp(kind, "exechost") != 0 || !wildcard_match(attribute, "hostname", 0))
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (wildcard_match(value, i ? "global" : "template", 0))
			puts(i ? "global" : "template");
	hosts_find(&showing->cell, &once);
	for (size_t i = 0; i < once.n; i++)
		if (wildcard_match(value, once.names[i], 0))
			printf("%s\n", once.names[i]);
	return 0;
}
