/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Import from HTCondor: the active configuration printed by condor_config_val -dump, the priorities
 * and usage of users printed by condor_userprio, and slots (import_slots.c). Names of further files
 * are left out, because a dump contains their settings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"
#include "sched/cli/verbs.h"

#define DUMP_BEGINS "# Configuration from "

static int file_add(struct import *import, const char *name, const char *text, size_t bytes)
{
	return new_cell_add(&import->new, name, text, bytes) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

int import_file(const char *path, char **text, size_t *bytes)
{
	FILE *in = fopen(path, "re");
	size_t size = 0;
	ssize_t n;

	if (!in)
		return cli_fail(errno == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "import: %s: %m", path);
	errno = 0;
	/* a text has no NUL, so this reads all of it */
	n = getdelim(text, &size, '\0', in);
	fclose(in);
	if (n < 0 && errno)
		return cli_fail(EXIT_NO_DATA, "import: %s: %m", path);
	if (n < 0)
		return cli_fail(EXIT_NO_DATA, "import: %s is empty", path);
	*bytes = (size_t)n;
	return EXIT_OK;
}

/* Return whether the line includes a file or sets a macro that names further files. */
static bool names_files(const char *line)
{
	static const char *const names[] = { "LOCAL_CONFIG_DIR", "LOCAL_CONFIG_FILE", "CONFIG_ROOT",
					     "LOCAL_ROOT_CONFIG_DIR" };
	const char *at = line + strspn(line, " \t@");
	size_t n = strcspn(at, " \t=:");

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (strlen(names[k]) == n && strncasecmp(at, names[k], n) == 0)
			return true;
	return n == 7 && strncasecmp(at, "include", n) == 0 && at[n + strcspn(at + n, "=:\n")] == ':';
}

/* Copy the lines. Lines that name further files become comments. */
static int config_add(struct import *import, const char *text, size_t bytes)
{
	bool is_dump = strncmp(text, DUMP_BEGINS, strlen(DUMP_BEGINS)) == 0, reported = is_dump;
	char *copy;
	size_t copied;
	FILE *out = open_memstream(&copy, &copied);
	int code = EXIT_OK;

	if (!out)
		return cli_fail(EXIT_NO_DATA, "no memory");
	for (const char *line = text, *end = text + bytes; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n = newline ? (size_t)(newline - line) + 1 : (size_t)(end - line);
		bool left_out = names_files(line);

		if (left_out && !reported)
			cli_fail(
				EXIT_OK,
				"import: %.*s names further files, which are not read: use the output of "
				"condor_config_val -dump",
				(int)strcspn(line, " \t=:\n"), line);
		reported |= left_out;
		fprintf(out, "%s%.*s", left_out ? "# " : "", (int)n, line);
		line += n;
	}
	if (fclose(out))
		return cli_fail(EXIT_NO_DATA, "no memory");
	code = file_add(import, "condor_config", copy, copied);
	free(copy);
	return code;
}

static int config_take(struct import *import)
{
	struct command dump = { .argv = { "condor_config_val", "-dump" } };
	char *text = NULL;
	size_t bytes = 0;
	int rc, code;

	if (import->conf) {
		code = import_file(import->conf, &text, &bytes);
		if (code == EXIT_OK)
			code = config_add(import, text, bytes);
		free(text);
		return code;
	}
	rc = command_run(&dump);
	code = rc || dump.status ? command_failed(&dump, rc) : config_add(import, dump.output, dump.output_bytes);
	command_free(&dump);
	return code;
}

/*
 * Import usage. Without the command, the cell is made all the same, and users begin without usage.
 */
static int userprio_take(struct import *import)
{
	struct command userprio = { .argv = { "condor_userprio", "-long", "-allusers" } };
	char *text = NULL;
	size_t bytes = 0;
	int rc, code;

	if (import->userprio) {
		code = import_file(import->userprio, &text, &bytes);
		if (code == EXIT_OK)
			code = file_add(import, "userprio", text, bytes);
		free(text);
		return code;
	}
	if (import->conf) {
		cli_fail(EXIT_OK, "import: no --userprio: the users' priorities and usage are not imported");
		return EXIT_OK;
	}
	rc = command_run(&userprio);
	code = rc || userprio.status ? EXIT_OK : file_add(import, "userprio", userprio.output, userprio.output_bytes);
	if (rc || userprio.status)
		cli_fail(EXIT_OK, "import: condor_userprio: %s: the users' priorities and usage are not imported",
			 rc ? strerror(-rc) : *userprio.complaint ? userprio.complaint : "it failed");
	command_free(&userprio);
	return code;
}

int import_condor(struct import *import)
{
	int code = config_take(import);

	code = code == EXIT_OK ? userprio_take(import) : code;
	return code == EXIT_OK ? import_slots(import) : code;
}
