/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search for sge_share_mon, which is seldom in PATH. It must belong to the same Grid Engine as
 * qconf. It is searched next to qconf first, and nowhere else if the user named qconf.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/cli/cell/command.h"
#include "sched/cli/cell/import.h"

#define SHARE_MON "sge_share_mon"

/* Find the first directory of PATH that has the program. */
static bool path_find(const char *name, char path[PATH_MAX])
{
	const char *from = getenv("PATH");

	while (from && *from) {
		size_t n = strcspn(from, ":");

		if (n > 0 && snprintf(path, PATH_MAX, "%.*s/%s", (int)n, from, name) < PATH_MAX &&
		    access(path, X_OK) == 0)
			return true;
		from += n + (from[n] == ':');
	}
	return false;
}

/* Find the tool for a qconf in bin/ARCH of a Grid Engine: it is in utilbin/ARCH. */
static bool beside(const char *qconf, char path[PATH_MAX])
{
	const char *slash = strrchr(qconf, '/'), *arch = slash;
	int length = (int)(slash - qconf);

	while (arch > qconf && arch[-1] != '/')
		arch--;
	if (snprintf(path, PATH_MAX, "%.*s/" SHARE_MON, length, qconf) < PATH_MAX && access(path, X_OK) == 0)
		return true;
	return snprintf(path, PATH_MAX, "%.*s/../../utilbin/%.*s/" SHARE_MON, length, qconf, (int)(slash - arch),
			arch) < PATH_MAX &&
	       access(path, X_OK) == 0;
}

static bool share_mon_find(const struct import *import, char path[PATH_MAX])
{
	const char *named = import->qconf ? import->qconf : "qconf";
	char found[PATH_MAX];
	const char *qconf = strchr(named, '/') ? named : path_find(named, found) ? found : NULL;

	if (qconf && beside(qconf, path))
		return true;
	if (import->qconf)
		return false;
	/* Debian's package, where /usr/bin/qconf is a link */
	return path_find(SHARE_MON, path) ||
	       (snprintf(path, PATH_MAX, "/usr/lib/gridengine/" SHARE_MON) > 0 && access(path, X_OK) == 0);
}

static int not_taken(const char *why)
{
	return cli_fail(EXIT_OK, "import: the usage of users and projects is not imported: %s", why);
}

/*
 * Import usage. -u decays all values up to the time of the call. Otherwise it would not be known up
 * to when a project's values are decayed.
 */
int import_share_mon(struct import *import)
{
	char path[PATH_MAX], name[400];
	struct command command = { .argv = { import->share_mon, "-c", "1", "-n", "-u", "-f", IMPORT_USAGE_FIELDS } };
	int rc, code = EXIT_OK;

	if (!import->share_mon && !share_mon_find(import, path))
		return not_taken("there is no " SHARE_MON " in the directory of qconf; name it with --share-mon");
	if (!import->share_mon)
		command.argv[0] = path;
	rc = command_run(&command);
	if (rc || command.status)
		code = command_failed(&command, rc);
	else
		code = import_usage(import, command.output, command_name(&command, name, sizeof(name)));
	command_free(&command);
	/* the user did not name the tool */
	return code != EXIT_OK && !import->share_mon ? not_taken("see above") : code;
}
