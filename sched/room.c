/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/room.h"

#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

/* granularity of proposed sizes, so that a proposed size is not too small again soon */
#define SIZE_STEP ((uint64_t)64 << 20)

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

/* Shorten `path` to the mount point of its file system. */
static void mount_point(char *path)
{
	struct stat here, above;
	char parent[PATH_MAX];

	while (strrchr(path, '/') && strcmp(path, "/") && stat(path, &here) == 0) {
		char *slash = strrchr(path, '/');

		snprintf(parent, sizeof(parent), "%.*s", slash == path ? 1 : (int)(slash - path), path);
		if (stat(parent, &above) || above.st_dev != here.st_dev)
			return;
		strcpy(path, parent);
	}
}

bool room_is_short(const char *cell, uint64_t bytes)
{
	struct segment_paths paths;
	struct statfs fs;

	return segment_paths(&paths, cell) == 0 && statfs(segment_shm(), &fs) == 0 &&
	       (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize < bytes;
}

/*
 * Write the text for a segment in files. `place` is the directory of the files, which may not exist
 * yet.
 */
static void text_of_files(char *text, size_t size, char *place, const struct statfs *fs, uint64_t missing)
{
	uint64_t left = (uint64_t)fs->f_bavail * (uint64_t)fs->f_bsize,
		 all = (uint64_t)fs->f_blocks * (uint64_t)fs->f_bsize;
	uint64_t wanted = (all + 2 * missing + SIZE_STEP) / SIZE_STEP * SIZE_STEP;
	char words[120];

	if (left > missing) {
		snprintf(
			text, size,
			"no room in shared memory: %.2f MiB more are needed; %.100s has enough space, but the machine "
			"or the cgroup of this process has no free memory",
			mib(missing), place);
		return;
	}
	mount_point(place);
	snprintf(words, sizeof(words), "no room in shared memory: %.2f of %.2f MiB left, %.2f more needed", mib(left),
		 mib(all), mib(missing));
	if (fs->f_type == TMPFS_MAGIC)
		snprintf(text, size, "%s: mount -o remount,size=%lluM %.60s, or set FAIRLEAD_SHM", words,
			 (unsigned long long)(wanted >> 20), place);
	else
		snprintf(text, size, "%s on %.60s: make room there, or set FAIRLEAD_SHM", words, place);
}

const char *room_text(char *text, size_t size, const char *directory, const struct segment_lack *lack)
{
	char place[SEGMENT_PATH_BYTES];
	struct statfs fs;

	snprintf(place, sizeof(place), "%s", directory);
	if (lack->address)
		snprintf(
			text, size,
			"no room in shared memory: the segment needs %.2f MiB more than its maximum size; use a larger "
			"--segment-bytes",
			mib(lack->bytes));
	else if (*place && (statfs(place, &fs) == 0 || (*strrchr(place, '/') = '\0', statfs(place, &fs) == 0)))
		text_of_files(text, size, place, &fs, lack->bytes ? lack->bytes : PAGE_BYTES);
	else
		snprintf(text, size, "no room in shared memory: %.2f MiB more are needed", mib(lack->bytes));
	return text;
}
