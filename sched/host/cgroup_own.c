/* SPDX-License-Identifier: Apache-2.0 */
/* The cgroup that contains this process, from /proc/self. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/host/cgroup.h"
#include "sched/host/proc.h"

#define FILE_BYTES 65536

/* Decode mountinfo, which writes blanks and similar characters as three octal digits. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' &&
		    p[3] <= '7') {
			*to = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/*
 * Find the first mount of cgroup v2 in a text of mountinfo: the shown directory of the hierarchy
 * and the mount point.
 */
static bool mount_find(char *text, const char **shown, const char **at)
{
	char *rest_lines = NULL;

	for (char *line = strtok_r(text, "\n", &rest_lines); line; line = strtok_r(NULL, "\n", &rest_lines)) {
		char *rest = NULL, *word = strtok_r(line, " ", &rest), *field[5] = { NULL };

		for (int k = 0; k < 5 && word; k++, word = strtok_r(NULL, " ", &rest))
			field[k] = word;
		while (word && strcmp(word, "-"))
			word = strtok_r(NULL, " ", &rest);
		word = word ? strtok_r(NULL, " ", &rest) : NULL;
		if (!word || strcmp(word, "cgroup2"))
			continue;
		unescape(field[3]);
		unescape(field[4]);
		*shown = field[3];
		*at = field[4];
		return true;
	}
	return false;
}

static char *file_text(const char *path)
{
	char *text = malloc(FILE_BYTES);

	if (text && proc_read(AT_FDCWD, path, text, FILE_BYTES) < 0)
		text[0] = '\0';
	return text;
}

/*
 * Return our path in one hierarchy: version 2, or the hierarchy of version 1 that has the cpu
 * controller. NULL: none.
 */
static char *own_path(char *text, bool version2)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL, *others = NULL;

		if (!path)
			continue;
		*path++ = '\0';
		if (version2 && !names[1])
			return path;
		for (char *name = strtok_r(names + 1, ",", &others); !version2 && name;
		     name = strtok_r(NULL, ",", &others))
			if (!strcmp(name, "cpu"))
				return path;
	}
	return NULL;
}

int cgroup_own(char *directory, size_t size, struct error *error)
{
	char *mounts = file_text("/proc/self/mountinfo"), *cgroups = file_text("/proc/self/cgroup");
	const char *shown = NULL, *at = NULL, *path = cgroups ? own_path(cgroups, true) : NULL;
	int rc = 0;

	if (!mounts || !cgroups)
		rc = error_set(error, -ENOMEM, "out of memory");
	else if (!path || !mount_find(mounts, &shown, &at))
		rc = error_set(error, -ENOTSUP, "cgroup v2 is not mounted");
	else if (!strcmp(shown, "/"))
		shown = "";
	if (!rc &&
	    (!strncmp(path, "/..", 3) || strncmp(path, shown, strlen(shown)) || strlen(at) + strlen(path) + 64 > size))
		rc = error_set(error, -ENOTSUP, "our cgroup %s is not below %s", path, at);
	if (!rc)
		snprintf(directory, size, "%s%s", at, strcmp(path + strlen(shown), "/") ? path + strlen(shown) : "");
	free(mounts);
	free(cgroups);
	return rc;
}

/*
 * Return whether a directory on the path has a weight. In version 2, the kernel schedules such
 * directories as a unit. The root has no weight.
 */
static bool weighs(char *directory, size_t root_bytes)
{
	char path[CGROUP_PATH_BYTES + 16];

	for (char *end = directory + strlen(directory); end && (size_t)(end - directory) > root_bytes;
	     end = strrchr(directory, '/')) {
		*end = '\0';
		snprintf(path, sizeof(path), "%s/cpu.weight", directory);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

bool cgroup_weighs_us(char *path, size_t size)
{
	char directory[CGROUP_PATH_BYTES], *text = file_text("/proc/self/cgroup");
	const char *own = text ? own_path(text, false) : NULL;
	bool found = own && strcmp(own, "/");

	if (found)
		snprintf(path, size, "%s", own);
	free(text);
	if (!found && cgroup_own(directory, sizeof(directory), NULL) == 0 && weighs(directory, 1)) {
		snprintf(path, size, "%s", directory);
		found = true;
	}
	return found;
}
