/* SPDX-License-Identifier: Apache-2.0 */
/* Import from Slurm: slurm.conf with all included files, and the output of sacctmgr and sshare. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sched/cli/cli.h"
#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"

enum { INCLUDE_DEPTH = 16, INCLUDE_FILES = 1000, DUMP_FD = 9 };

struct conf_copy {
	FILE *out;
	unsigned depth, files;
};

static int file_add(struct import *import, const char *name, const char *text, size_t bytes)
{
	return new_cell_add(&import->new, name, text, bytes) ? cli_fail(EXIT_NO_DATA, "no memory") : EXIT_OK;
}

/*
 * Copy the value of "Key = value" or "Key=value" at the start of a line, cut to `size`. "": not
 * found.
 */
static void value_find(const char *text, const char *key, char *value, size_t size)
{
	size_t n = strlen(key);

	value[0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *at = line + strspn(line, " \t");

		if (strncasecmp(at, key, n))
			continue;
		at += n + strspn(at + n, " \t");
		if (*at != '=')
			continue;
		at += 1 + strspn(at + 1, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(at, " \t\r\n#"), at);
	}
}

/* slurm.conf */

static int conf_path_find(char *path, size_t size)
{
	struct command command = { .argv = { "scontrol", "show", "config" } };
	int rc = command_run(&command), code = rc || command.status ? command_failed(&command, rc) : EXIT_OK;

	if (code == EXIT_OK)
		value_find(command.output, "SLURM_CONF", path, size);
	if (code == EXIT_OK && *path != '/')
		code = cli_fail(EXIT_NO_DATA, "import: scontrol show config names no slurm.conf; give -f FILE");
	command_free(&command);
	return code;
}

/* Return the file of an "Include FILE" line. NULL: it is another line. */
static char *include_of(char *line)
{
	char *at = line + strspn(line, " \t");

	if (strncasecmp(at, "include", 7) || !strchr(" \t", at[7]) || !at[7])
		return NULL;
	at += 7 + strspn(at + 7, " \t");
	at[strcspn(at, " \t\r\n#")] = '\0';
	return *at && *at != '=' ? at : NULL;
}

static int conf_copy(struct conf_copy *copy, const char *path);

/* Copy a line. `from` is its file, to which names are relative. */
static int line_copy(struct conf_copy *copy, char *line, const char *from)
{
	char path[PATH_MAX], *name;
	const char *slash = strrchr(from, '/');
	int folder = slash ? (int)(slash - from) + 1 : 0;

	/* no computation needs it, and a cell may have more readers than a site's slurm.conf */
	if (strcasestr(line, "pass=")) {
		fputs("# a line with a password was left out\n", copy->out);
		return EXIT_OK;
	}
	name = include_of(line);
	if (!name) {
		fputs(line, copy->out);
		return EXIT_OK;
	}
	if (snprintf(path, sizeof(path), "%.*s%s", *name == '/' ? 0 : folder, from, name) >= (int)sizeof(path))
		return cli_fail(EXIT_NO_DATA, "import: %s: the name of a file that it includes is too long", from);
	return conf_copy(copy, path);
}

/* Copy a file. Included files replace the line that includes them. */
static int conf_copy(struct conf_copy *copy, const char *path)
{
	FILE *in;
	char *line = NULL;
	size_t size = 0;
	int code = EXIT_OK;

	if (copy->depth == INCLUDE_DEPTH || copy->files++ == INCLUDE_FILES)
		return cli_fail(EXIT_NO_DATA,
				"import: %s: it is included more than %d files deep, or as one of more than %d", path,
				INCLUDE_DEPTH, INCLUDE_FILES);
	in = fopen(path, "re");
	if (!in)
		return cli_fail(errno == EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "import: %s: %m", path);
	copy->depth++;
	fprintf(copy->out, "# %s\n", path);
	while (code == EXIT_OK && getline(&line, &size, in) >= 0)
		code = line_copy(copy, line, path);
	if (code == EXIT_OK && ferror(in))
		code = cli_fail(EXIT_NO_DATA, "import: %s: %m", path);
	fprintf(copy->out, "\n# end of %s\n", path);
	copy->depth--;
	free(line);
	fclose(in);
	return code;
}

/* Read slurm.conf. The caller frees *text. */
static int conf_take(struct import *import, char **text)
{
	struct conf_copy copy = { .depth = 0 };
	char path[PATH_MAX];
	size_t bytes;
	int code = EXIT_OK;

	*text = NULL;
	if (import->conf)
		snprintf(path, sizeof(path), "%s", import->conf);
	else
		code = conf_path_find(path, sizeof(path));
	if (code)
		return code;
	copy.out = open_memstream(text, &bytes);
	if (!copy.out)
		return cli_fail(EXIT_NO_DATA, "no memory");
	code = conf_copy(&copy, path);
	if (fclose(copy.out) && code == EXIT_OK)
		code = cli_fail(EXIT_NO_DATA, "no memory");
	return code == EXIT_OK ? file_add(import, "slurm.conf", *text, bytes) : code;
}

/* Output of the accounting database's commands */

static int command_take(struct import *import, const char *name, struct command *command)
{
	int rc = command_run(command), code = rc || command->status ? command_failed(command, rc) : EXIT_OK;

	if (code == EXIT_OK)
		code = file_add(import, name, command->file_fd ? command->file : command->output,
				command->file_fd ? command->file_bytes : command->output_bytes);
	command_free(command);
	return code;
}

static int database_take(struct import *import, const char *cluster)
{
	char file[40];
	struct command associations = { .argv = { "sacctmgr", "-i", "dump", cluster, file }, .file_fd = DUMP_FD };
	struct command qos = { .argv = { "sacctmgr", "-P", "show", "qos" } };
	struct command usage = { .argv = { "sshare", "-a", "-m", "-P" } };
	int code;

	snprintf(file, sizeof(file), "file=/proc/self/fd/%d", DUMP_FD);
	code = command_take(import, "associations", &associations);
	if (code == EXIT_OK)
		code = command_take(import, "qos", &qos);
	return code == EXIT_OK ? command_take(import, "sshare", &usage) : code;
}

/* Return whether the name can be an argument of a command: no option and no assignment. */
static bool cluster_is_safe(const char *name)
{
	return *name && *name != '-' && !name[strcspn(name, "= \t\n/")];
}

int import_slurm(struct import *import)
{
	char *text = NULL, cluster[256], storage[256];
	int code = conf_take(import, &text);

	if (code == EXIT_OK) {
		value_find(text, "AccountingStorageType", storage, sizeof(storage));
		value_find(text, "ClusterName", cluster, sizeof(cluster));
		if (import->cluster)
			snprintf(cluster, sizeof(cluster), "%s", import->cluster);
		if (!strcasestr(storage, "slurmdbd"))
			cli_fail(
				EXIT_OK,
				"import: slurm.conf has no AccountingStorageType=accounting_storage/slurmdbd: "
				"there are no associations, "
				"no QOS and no usage");
		else if (!cluster_is_safe(cluster))
			code = cli_fail(
				EXIT_NO_DATA,
				"import: slurm.conf says ClusterName=%s, which cannot be an argument of "
				"sacctmgr; set --cluster NAME",
				cluster);
		else
			code = database_take(import, cluster);
	}
	free(text);
	return code == EXIT_OK ? import_squeue(import) : code;
}
