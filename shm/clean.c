/* SPDX-License-Identifier: Apache-2.0 */
#include "shm/clean.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/layout.h"
#include "shm/place.h"

#define HASH_DIGITS 16
#define LOCK 0				/* index of the lock in `names`; it is removed last */
#define NAMES 4

static const char *const names[NAMES] = { "lock", "state", "state.new", "socket" };
static const mode_t types[NAMES] = { S_IFREG, S_IFREG, S_IFREG, S_IFSOCK };

struct sweep {
	int shm_fd;
	bool dry;
};

/*
 * Match fairlead-NAME-HASH, and fairlead-NAME-HASH.aside-NUMBER, which is the name of a directory
 * that a scheduler has moved aside.
 */
static bool name_is_a_cells(const char *name)
{
	size_t n = strlen(name);
	const char *digits = n > 9 + HASH_DIGITS + 1 ? name + n - HASH_DIGITS : NULL;

	return digits && !strncmp(name, "fairlead-", 9) && digits[-1] == '-' &&
	       strspn(digits, "0123456789abcdef") == HASH_DIGITS;
}

/*
 * Add up the memory of the entries. Returns false if one of them is not a file that a scheduler
 * makes.
 */
static bool entries_are_known(int dirfd, uint64_t *bytes)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool known = dir != NULL;
	struct dirent *entry;
	struct stat st;

	if (!dir && fd >= 0)
		close(fd);
	while (known && (entry = readdir(dir))) {
		size_t k = 0;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		while (k < NAMES && strcmp(names[k], entry->d_name))
			k++;
		known = k < NAMES && fstatat(dirfd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			(st.st_mode & S_IFMT) == types[k];
		*bytes += known ? (uint64_t)st.st_blocks * 512 : 0;
	}
	if (dir)
		closedir(dir);
	return known;
}

/*
 * Take the lock as a writer does. No scheduler can begin to publish there until the descriptor is
 * closed. Returns -EAGAIN if the scheduler is alive, and -ENOENT if there is no lock file, which
 * happens when a writer was killed at once.
 */
static int lock_take(int dirfd, bool make, uint32_t *pid)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = place_file(dirfd, names[LOCK], O_RDWR | (make ? O_CREAT : 0), 0600);
	char text[16] = "";

	if (fd < 0)
		return fd;
	if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		*pid = (uint32_t)strtoul(text, NULL, 10);
	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return fd;
	close(fd);
	return -EAGAIN;
}

/* Mark the state file as retired, so that readers that have it open search for a successor. */
static void state_retire(int dirfd, uid_t owner)
{
	const uint32_t retired = 1;
	struct segment_header header;
	struct stat st;
	int fd = place_file(dirfd, "state", O_RDWR, 0);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == owner &&
	    pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) && header.magic == SEGMENT_MAGIC &&
	    pwrite(fd, &retired, sizeof(retired), offsetof(struct segment_header, retired)) < 0)
		(void)fd;		/* readers then keep the file that they have */
	close(fd);
}

/*
 * Rename the directory before anything in it is removed. A scheduler that starts meanwhile then
 * makes a directory of its own.
 */
static int place_remove(const struct sweep *sweep, int dirfd, const char *name, uid_t owner)
{
	char aside[NAME_MAX + 1];
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) < 0 ||
	    snprintf(aside, sizeof(aside), "%.*s.aside-%016" PRIx64, NAME_MAX - 24, name, number) >= (int)sizeof(aside))
		return -ENAMETOOLONG;
	if (renameat2(sweep->shm_fd, name, sweep->shm_fd, aside, RENAME_NOREPLACE))
		return -errno;
	state_retire(dirfd, owner);
	for (size_t k = NAMES; k > 0; k--)
		if (unlinkat(dirfd, names[k - 1], 0) && errno != ENOENT)
			return -errno;
	return unlinkat(sweep->shm_fd, aside, AT_REMOVEDIR) ? -errno : 0;
}

static void place_sweep(const struct sweep *sweep, int dirfd, struct clean_place *place)
{
	int lock = lock_take(dirfd, !sweep->dry, &place->pid);

	if (lock == -EAGAIN) {
		place->state = CLEAN_LIVES;
		return;
	}
	place->state = lock >= 0 || (sweep->dry && lock == -ENOENT) ? CLEAN_ENDED : CLEAN_FAILED;
	place->error = place->state == CLEAN_FAILED ? lock
		       : sweep->dry		    ? 0
						    : place_remove(sweep, dirfd, place->name, place->owner);
	if (place->error)
		place->state = CLEAN_FAILED;
	if (lock >= 0)
		close(lock);
}

static void place_look_at(const struct sweep *sweep, struct clean_place *place)
{
	int fd = openat(sweep->shm_fd, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 ? fstat(fd, &st) : fstatat(sweep->shm_fd, place->name, &st, AT_SYMLINK_NOFOLLOW)) {
		place->state = CLEAN_FAILED;
		place->error = -errno;
		return;
	}
	place->owner = st.st_uid;
	if (geteuid() != 0 && st.st_uid != geteuid())
		place->state = CLEAN_OTHERS;
	else if (fd < 0 || !entries_are_known(fd, &place->bytes))
		place->state = CLEAN_STRANGE;
	else
		place_sweep(sweep, fd, place);
	if (fd >= 0)
		close(fd);
}

static int entry_is_wanted(const struct dirent *entry)
{
	return name_is_a_cells(entry->d_name);
}

static int entry_compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int clean_cells(const char *shm, const char *only, bool dry,
		void (*tell)(void *context, const struct clean_place *place), void *context)
{
	struct sweep sweep = { .shm_fd = open(shm, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .dry = dry };
	struct dirent **entries = NULL;
	int n = sweep.shm_fd < 0 ? -1 : scandirat(sweep.shm_fd, ".", &entries, entry_is_wanted, entry_compare),
	    rc = n < 0 ? -errno : 0;

	for (int k = 0; k < n; k++) {
		struct clean_place place = { .name = entries[k]->d_name };

		if (!only || !strcmp(only, place.name)) {
			place_look_at(&sweep, &place);
			tell(context, &place);
		}
		free(entries[k]);
	}
	free(entries);
	if (sweep.shm_fd >= 0)
		close(sweep.shm_fd);
	return rc;
}
