/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of qconf. It prints the files of the cell. Configuration is changed with an editor: for
 * options that change it, a message names the file.
 */
#include "conf/base/utf8.h"
#include "sched/compat/compat.h"
#include "sched/compat/qconf.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct shown_kind {
	const char *list, *show, *directory;
	/* message about a missing object, before and after its name */
	const char *before, *after;
	const char *none;		/* message if there are no objects */
	bool several;			/* a list of names is allowed */
	bool missing_is_no_failure;	/* a missing object does not change the exit code */
} kinds[] = {
	{ "-sql", NULL, "queue", NULL, NULL, "no cluster queue list defined", false, false },
	{ "-spl", "-sp", "pe", "", " is not a parallel environment", "no parallel environment defined", false, false },
	{ "-shgrpl", "-shgrp", "hgrp", "Host group \"", "\" does not exist", "no host group list defined", false,
		false },
	{ "-suserl", "-suser", "users", "", " is not known as a user", "no user list defined", true, true },
	{ "-sprjl", "-sprj", "projects", "", " is not known as a project", "no project list defined", false, false },
	{ "-sul", "-su", "usersets", "denied: access list \"", "\" does not exist", "no userset list defined", true,
		false },
	{ "-sckptl", "-sckpt", "ckpt", "", " is not a checkpointing interface definition",
		"no ckpt interface definition defined", false, false },
	{ "-scall", "-scal", "calendar", "", " is not a calendar", "no calendar defined", false, false },
};

static const struct { const char *option, *file, *none; } files[] = {
	{ "-ssconf", "sched_conf", "no scheduler configuration" }, { "-sstree", "share_tree", "no sharetree element" },
};

/* Queries with more than a file. `optional`: their only word may be missing. */
static const struct shown_query {
	const char *option, *words;
	int n;
	bool optional;
	show *run;
} queries[] = {
	{ "-ss", "", 0, false, show_hosts }, { "-sh", "", 0, false, show_hosts }, { "-sel", "", 0, false, show_hosts },
	{ "-sss", "", 0, false, show_scheduler_host }, { "-secl", "", 0, false, show_clients },
	{ "-sm", "", 0, false, show_managers }, { "-se", "HOST", 1, false, show_host },
	{ "-sq", "QUEUE[@HOST][,...]", 1, false, show_queues },
	{ "-shgrp_resolved", "GROUP", 1, false, show_group_resolved },
	{ "-shgrp_tree", "GROUP", 1, false, show_group_tree },
	{ "-sobjl", "KIND ATTRIBUTE VALUE", 3, false, show_objects }, { "-sc", "", 0, false, show_complexes },
	{ "-sconf", "[global]", 1, true, show_configuration }, { "-srqs", "[NAME[,...]]", 1, true, show_quotas },
	{ "-srqsl", "", 0, false, show_quota_list }, { "-sst", "", 0, false, show_tree },
	{ "-sstnode", "/NODE", 1, false, show_tree_node }, { "-rsstnode", "/NODE", 1, false, show_tree_nodes },
};

/* Lists that are always empty here, with Grid Engine's message and exit code. */
static const struct { const char *option, *text; int code; } empty[] = {
	{ "-so", "no operator defined", 1 }, { "-sconfl", "no config defined", 1 }, { "-sds", "", 0 },
	{ "-tsm", "starting scheduler monitoring requires manager privileges", 0 },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))
#define FILES (sizeof(files) / sizeof(*files))
#define QUERIES (sizeof(queries) / sizeof(*queries))
#define EMPTY (sizeof(empty) / sizeof(*empty))

int show_fail(const char *before, const char *name, const char *after)
{
	char text[300];

	snprintf(text, sizeof(text), "%s%.150s%s", before, name, after);
	utf8_clean(text);
	fflush(stdout);		/* keep the order of the requests */
	fprintf(stderr, "%s\n", text);
	return 1;
}

/*
 * Print a file without comments, which qconf does not print, except for the header of the complex.
 */
int show_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int rc;

	if (!file)
		return -errno;
	while (getline(&line, &size, file) > 0)
		if (*line != '\n' && (*line != '#' || !strncmp(line, "#name", 5) || !strncmp(line, "#---", 4)))
			fputs(line, stdout);
	rc = ferror(file) ? -EIO : 0;
	free(line);
	fclose(file);
	return rc;
}

/* Return whether a file is an object. Editors leave files that begin with a point or end with ~. */
static int is_object(const struct dirent *entry)
{
	return *entry->d_name != '.' && entry->d_name[strlen(entry->d_name) - 1] != '~';
}

static int names_print(const char *cell, const struct shown_kind *kind)
{
	char path[PATH_MAX];
	struct dirent **names;
	int n;

	snprintf(path, sizeof(path), "%s/%s", cell, kind->directory);
	n = scandir(path, &names, is_object, alphasort);
	if (n <= 0)
		return show_fail(kind->none, "", "");
	for (int k = 0; k < n; k++) {
		printf("%s\n", names[k]->d_name);
		free(names[k]);
	}
	free(names);
	return 0;
}

/* Print an object. A name that is a path is refused. */
static int object_print(const char *cell, const struct shown_kind *kind, const char *name)
{
	char path[PATH_MAX];
	bool fits = snprintf(path, sizeof(path), "%s/%s/%s", cell, kind->directory, name) < (int)sizeof(path);

	if (*name && *name != '.' && !strchr(name, '/') && fits && show_file(path) == 0)
		return 0;
	show_fail(kind->before, name, kind->after);
	return kind->missing_is_no_failure ? 0 : 1;
}

static int objects_print(const char *cell, const struct shown_kind *kind, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	int code = copy ? 0 : show_fail("no memory", "", "");

	while ((name = strsep(&rest, kind->several ? "," : "")) != NULL)
		code |= object_print(cell, kind, name);
	free(copy);
	return code;
}

static int word_missing(const char *option)
{
	return show_fail("error: no option argument provided to \"", option, "\"");
}

static int query_run(struct showing *showing, const struct shown_query *query, char **words, int n, int *used)
{
	char *given[5] = { words[0] };

	for (int k = 1; k <= query->n; k++) {
		if (k >= n || (query->optional && *words[k] == '-'))
			break;
		given[k] = words[k];
		*used = k + 1;
	}
	return *used > query->n || query->optional ? query->run(showing, given) : word_missing(words[*used - 1]);
}

/* Answer a query. -1: no such option. */
static int table_run(struct showing *s, char **words, int n, int *used)
{
	char path[PATH_MAX];

	for (size_t k = 0; k < EMPTY; k++)
		if (!strcmp(empty[k].option, *words)) {
			fflush(stdout);
			fprintf(stderr, *empty[k].text ? "%s\n" : "%s", empty[k].text);
			return empty[k].code;
		}
	for (size_t k = 0; k < QUERIES; k++)
		if (!strcmp(queries[k].option, *words))
			return query_run(s, &queries[k], words, n, used);
	for (size_t k = 0; k < FILES; k++)
		if (!strcmp(files[k].option, *words)) {
			snprintf(path, sizeof(path), "%s/%s", s->directory, files[k].file);
			return show_file(path) ? show_fail(files[k].none, "", "") : 0;
		}
	for (size_t k = 0; k < KINDS; k++) {
		if (!strcmp(kinds[k].list, *words))
			return names_print(s->directory, &kinds[k]);
		if (!kinds[k].show || strcmp(kinds[k].show, *words))
			continue;
		if (n < 2)
			return word_missing(*words);
		*used = 2;
		return objects_print(s->directory, &kinds[k], words[1]);
	}
	return -1;
}

static int help(void)
{
	printf("SGE 8.1.9 (Fairlead %s)\nusage: qconf [options]\n", FAIRLEAD_VERSION);
	for (size_t k = 0; k < KINDS; k++)
		printf(kinds[k].show ? "   [%s]\n   [%s NAME%s]\n" : "   [%s]\n", kinds[k].list, kinds[k].show,
		       kinds[k].several ? "[,...]" : "");
	for (size_t k = 0; k < QUERIES; k++)
		printf("   [%s%s%s]\n", queries[k].option, *queries[k].words ? " " : "", queries[k].words);
	for (size_t k = 0; k < FILES; k++)
		printf("   [%s]\n", files[k].option);
	for (size_t k = 0; k < EMPTY; k++)
		printf("   [%s]\n", empty[k].option);
	printf("Options that change the configuration are refused. The message names the file to edit instead.\n");
	return 0;
}

/* Run qconf. It continues after a query that fails, and ends at an unknown option. */
int qconf_run(const struct client_program *program, const char *cell, int argc, char **argv)
{
	struct showing showing = { .directory = cell };
	int code = 0, used = 1;

	if (argc == 1)
		return program_fail(program->name, "nothing to show; see qconf -help", NULL);
	if (!strcmp(argv[1], "-help"))
		return help();
	for (int k = 1; k < argc; k += used) {
		int one;

		used = 1;
		one = table_run(&showing, argv + k, argc - k, &used);
		if (one < 0) {
			code = 1;
			if (!edit_refused(cell, argv + k, argc - k)) {
				show_fail("error: invalid option argument \"", argv[k], "\"");
				fprintf(stderr, "Usage: qconf -help\n");
			}
			break;
		}
		code |= one;
	}
	if (showing.is_read)
		cell_free(&showing.cell);
	return code;
}
