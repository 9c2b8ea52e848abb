/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qconf as far as it shows: a cell's files are what it prints, so they are printed. They are
 * changed in an editor.
 */
#include "conf/utf8.h"
#include "sched/compat/compat.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct shown_kind {
	const char *list, *show, *directory;
	const char *before, *behind;	/* an object's name, when there is no such */
	const char *none;		/* when there is none at all */
} kinds[] = {
	{ "-sql", "-sq", "queue", "No cluster queue or queue instance matches the phrase \"", "\"", "no cluster queue list defined" },
	{ "-spl", "-sp", "pe", "", " is not a parallel environment", "no parallel environment defined" },
	{ "-shgrpl", "-shgrp", "hgrp", "Host group \"", "\" does not exist", "no host group list defined" },
	{ "-suserl", "-suser", "users", "", " is not known as a user", "no user list defined" },
	{ "-sprjl", "-sprj", "projects", "", " is not known as a project", "no project list defined" },
	{ "-sul", "-su", "usersets", "denied: access list \"", "\" does not exist", "no userset list defined" },
	{ "-sckptl", "-sckpt", "ckpt", "", " is not a checkpointing interface definition", "no ckpt interface definition defined" },
	{ "-scall", "-scal", "calendar", "", " is not a calendar", "no calendar defined" },
	{ "-sel", "-se", "hosts", "", " is not an execution host of the cell's files", "no execution host defined" },
};

static const struct { const char *option, *file, *none; } files[] = {
	{ "-ssconf", "sched_conf", "no scheduler configuration" }, { "-sstree", "share_tree", "no sharetree element" },
	{ "-sc", "complex", "the complex is the installed one" }, { "-sconf", "global_conf", "the configuration is the installed one" },
	{ "-srqs", "rqs", "no resource quota set list defined" },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))
#define FILES (sizeof(files) / sizeof(*files))

static int fail(const char *before, const char *name, const char *behind)
{
	char text[300];

	snprintf(text, sizeof(text), "%s%.150s%s", before, name, behind);
	utf8_clean(text);
	fprintf(stderr, "%s\n", text);
	return 1;
}

/* 0, or -errno. Remarks are not what qconf prints, but for the header of the complex. */
static int file_print(const char *path)
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

/* Editors leave files that begin with a point, or end with a ~. */
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
		return fail(kind->none, "", "");
	for (int k = 0; k < n; k++) {
		printf("%s\n", names[k]->d_name);
		free(names[k]);
	}
	free(names);
	return 0;
}

/* Of a name that is a path no file is looked for. */
static int objects_print(const char *cell, const struct shown_kind *kind, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name, path[PATH_MAX];
	int code = copy ? 0 : fail("no memory", "", "");

	while ((name = strsep(&rest, ",")) != NULL) {
		bool fits = snprintf(path, sizeof(path), "%s/%s/%s", cell, kind->directory, name) < (int)sizeof(path);

		if (!*name || *name == '.' || strchr(name, '/') || !fits || file_print(path))
			code = fail(kind->before, name, kind->behind);
	}
	free(copy);
	return code;
}

static int option_run(const char *cell, char **words, int n, int *used)
{
	char path[PATH_MAX];

	*used = 1;
	for (size_t k = 0; k < FILES; k++)
		if (!strcmp(files[k].option, *words)) {
			snprintf(path, sizeof(path), "%s/%s", cell, files[k].file);
			return file_print(path) ? fail(files[k].none, "", "") : 0;
		}
	for (size_t k = 0; k < KINDS; k++) {
		if (!strcmp(kinds[k].list, *words))
			return names_print(cell, &kinds[k]);
		if (!strcmp(kinds[k].show, *words) && n > 1) {
			*used = 2;
			return objects_print(cell, &kinds[k], words[1]);
		}
		if (!strcmp(kinds[k].show, *words))
			return fail("error: no option argument provided to \"", *words, "\"");
	}
	return fail("error: \"", *words, "\": of qconf only what shows is here (-help); what it changes is changed in the cell's files");
}

static int help(void)
{
	printf("SGE 8.1.9 (Fairlead %s)\nusage: qconf [options]\n", FAIRLEAD_VERSION);
	for (size_t k = 0; k < KINDS; k++)
		printf("   [%s]\n   [%s NAME[,...]]\n", kinds[k].list, kinds[k].show);
	for (size_t k = 0; k < FILES; k++)
		printf("   [%s]\n", files[k].option);
	return 0;
}

int qconf_run(const struct client_program *p, const char *cell, int argc, char **argv)
{
	int code = 0, used = 1;

	if (argc == 1)
		return program_fail(p->name, "what is to be shown? -help tells", NULL);
	if (!strcmp(argv[1], "-help"))
		return help();
	for (int k = 1; !code && k < argc; k += used)
		code = option_run(cell, argv + k, argc - k, &used);
	return code;
}
