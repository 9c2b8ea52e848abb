/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shm/place.h"

#define LONGEST_SUFFIX 40		/* "/state", "/socket", or ".aside-" and 16 digits */

/* FNV-1a. Any well-distributed function would do, but the function must never change. */
static uint64_t path_hash(const char *path)
{
	uint64_t hash = 14695981039346656037u;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 1099511628211u;
	return hash;
}

const char *segment_shm(void)
{
	const char *place = secure_getenv("FAIRLEAD_SHM");

	return place && *place ? place : SEGMENT_SHM;
}

static int paths_format(struct segment_paths *paths, const char *real)
{
	const char *place = segment_shm(), *slash = strrchr(real, '/');
	const char *name = slash && slash[1] ? slash + 1 : "root";
	char stem[SEGMENT_PATH_BYTES];

	int n = snprintf(stem, sizeof(stem), "%s/fairlead-%s-%016" PRIx64, place, name, path_hash(real));

	if (n < 0 || (size_t)n + LONGEST_SUFFIX > sizeof(stem) || strlen(name) + 56 > NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(paths->directory, sizeof(paths->directory), "%s", stem);
	snprintf(paths->state, sizeof(paths->state), "%.*s/state", SEGMENT_PATH_BYTES - LONGEST_SUFFIX, stem);
	snprintf(paths->lock, sizeof(paths->lock), "%.*s/lock", SEGMENT_PATH_BYTES - LONGEST_SUFFIX, stem);
	return 0;
}

int segment_paths(struct segment_paths *paths, const char *directory)
{
	struct stat st;
	char *real = realpath(directory, NULL);

	if (!real)
		return -errno;
	int rc = stat(real, &st) ? -errno : S_ISDIR(st.st_mode) ? paths_format(paths, real) : -ENOTDIR;

	paths->cell_owner = rc ? (uid_t)-1 : st.st_uid;
	free(real);
	return rc;
}
