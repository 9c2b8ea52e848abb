/* SPDX-License-Identifier: Apache-2.0 */
/* Import from Grid Engine: each object as qconf prints it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sched/cli/cli.h"
#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"

/* Kinds with a single text. Optional ones may be empty. */
static const struct whole { const char *name, *show; bool optional; } wholes[] = {
	{ "sched_conf", "-ssconf", false }, { "complex", "-sc", false }, { "global_conf", "-sconf", false }, { "rqs", "-srqs", true },
	{ "share_tree", "-sstree", true },
};
static const struct folder { const char *name, *list, *show; } folders[] = {
	{ "usersets", "-sul", "-su" }, { "projects", "-sprjl", "-sprj" }, { "users", "-suserl", "-suser" }, { "calendar", "-scall", "-scal" },
	{ "ckpt", "-sckptl", "-sckpt" }, { "pe", "-spl", "-sp" }, { "hosts", "-sel", "-se" }, { "hgrp", "-shgrpl", "-shgrp" },
	{ "queue", "-sql", "-sq" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *qconf_of(const struct import *import)
{
	return import->qconf ? import->qconf : "qconf";
}

/*
 * Return whether the command reports that there are no objects, which is not a failure: "no
 * calendar defined", "no resource quota sets found".
 */
static bool says_none(const struct command *command)
{
	return command->status == 1 && !strncasecmp(command->complaint, "no ", 3);
}

/* Call a command. *none: it reports that there is nothing, which must be allowed by `optional`. */
static int call(struct command *command, bool optional, bool *none)
{
	int rc = command_run(command);

	*none = !rc && optional && says_none(command);
	return rc || (command->status && !*none) ? command_failed(command, rc) : EXIT_OK;
}

static int file_take(struct import *import, const char *name, const struct command *command)
{
	return new_cell_add(&import->new, name, command->output, command->output_bytes)
		       ? cli_fail(EXIT_NO_DATA, "no memory")
		       : EXIT_OK;
}

static int whole_take(struct import *import, const struct whole *whole)
{
	struct command command = { .argv = { qconf_of(import), whole->show } };
	bool none;
	int code = call(&command, whole->optional, &none);

	if (code == EXIT_OK && !none)
		code = file_take(import, whole->name, &command);
	command_free(&command);
	return code;
}

/* Return whether the name can be used as a file name and as an argument after an option. */
static bool name_is_safe(const char *name)
{
	for (const char *p = name; *p; p++)
		if (*p == '/' || (unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	return *name != '.' && *name != '-' && strlen(name) <= 255;
}

static int object_take(struct import *import, const struct folder *folder, const char *name)
{
	struct command command = { .argv = { qconf_of(import), folder->show, name } };
	char path[300];
	bool none;
	int code;

	if (!name_is_safe(name))
		return cli_fail(
			EXIT_NO_DATA,
			"import: %s %s prints \"%.80s\", which cannot be the name of a file; the object is left out",
			qconf_of(import), folder->list, name);
	snprintf(path, sizeof(path), "%s/%s", folder->name, name);
	code = call(&command, false, &none);
	if (code == EXIT_OK)
		code = file_take(import, path, &command);
	command_free(&command);
	return code;
}

static int folder_take(struct import *import, const struct folder *folder)
{
	struct command command = { .argv = { qconf_of(import), folder->list } };
	bool none;
	int code = call(&command, true, &none);
	char *rest = command.output, *name;

	while (code == EXIT_OK && !none && (name = strsep(&rest, " \t\n")))
		if (*name)
			code = object_take(import, folder, name);
	command_free(&command);
	return code;
}

static bool has_file(const struct import *import, const char *name)
{
	for (size_t k = 0; k < import->new.files.n; k++)
		if (!strcmp(import->new.files.items[k].name, name))
			return true;
	return false;
}

/* Import all objects. The first command shows whether the qmaster can be reached. */
int import_gridengine(struct import *import)
{
	static const struct folder hosts = { "hosts", "-sel", "-se" };
	int code = EXIT_OK;

	for (size_t k = 0; k < COUNT(wholes) && code == EXIT_OK; k++)
		code = whole_take(import, &wholes[k]);
	for (size_t k = 0; k < COUNT(folders) && code == EXIT_OK; k++)
		code = folder_take(import, &folders[k]);
	/* the host "global" is not in the list of hosts */
	if (code == EXIT_OK)
		code = object_take(import, &hosts, "global");
	if (code != EXIT_OK)
		return code;
	/* sge_share_mon fails without a share tree; no usage counts then, and the file is empty */
	if (has_file(import, "share_tree"))
		return import_share_mon(import);
	return new_cell_add(&import->new, IMPORT_USAGE, "", 0) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}
