/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/hostd/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/trust.h"

#define FILE_NAME "addgrpid"
#define PE_TASKS_MAX 65536
#define ENTRIES_MAX 65536

/*
 * Read a number of decimal digits in 1..UINT32_MAX and set `end` after it. Returns 0 if there is
 * none.
 */
static uint32_t number_read(const char *text, const char **end)
{
	uint64_t n = 0;

	for (*end = text; **end >= '0' && **end <= '9' && n <= UINT32_MAX; (*end)++)
		n = n * 10 + (uint64_t)(**end - '0');
	return *text != '0' && n <= UINT32_MAX ? (uint32_t)n : 0;
}

static bool task_name(const char *name, struct spool_entry *entry)
{
	const char *end;

	entry->job_number = number_read(name, &end);
	if (!entry->job_number || *end != '.')
		return false;
	entry->task = number_read(end + 1, &end);
	return entry->task && !*end;
}

static int entry_add(struct spool_scan *scan, const struct spool_entry *entry)
{
	struct spool_entry *entries;

	if (scan->n == ENTRIES_MAX)
		return -E2BIG;
	if ((scan->n & (scan->n + 1)) == 0) {	/* double the capacity */
		entries = realloc(scan->entries, 2 * (scan->n + 1) * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		scan->entries = entries;
	}
	scan->entries[scan->n++] = *entry;
	return 0;
}

static gid_t group_parse(char *text)
{
	const char *end;
	uint32_t group;

	text[strcspn(text, " \t\r\n")] = '\0';
	group = number_read(text, &end);
	return *end || group < SPOOL_GROUP_MIN || group == UINT32_MAX ? 0 : group;
}

/* Return whether an entry could not be opened because descriptors or memory are missing. */
static bool is_short(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Read the group from directory/addgrpid. It is 1 if there is none yet, and 0 if the content is not
 * a valid group. Returns -errno if descriptors or memory are missing.
 */
static int group_read(int directory, uid_t owner, struct spool_entry *entry)
{
	int fd = openat(directory, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	char text[64];
	struct stat st;
	ssize_t n;

	entry->group = fd < 0 && errno == ENOENT;
	if (fd < 0)
		return is_short(errno) ? -errno : 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == owner) &&
	    !(st.st_mode & 022)) {
		n = read(fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		entry->group = n == 0 ? 1 : group_parse(text);	/* an empty file is being written */
		entry->identity = (uint64_t)st.st_ino ^ (uint64_t)st.st_ctim.tv_sec << 20 ^
				  (uint64_t)st.st_ctim.tv_nsec;
	}
	close(fd);
	return 0;
}

static int group_take(struct spool_scan *scan, int directory, uid_t owner, struct spool_entry *entry)
{
	int rc = group_read(directory, owner, entry);

	if (rc == 0 && entry->group == 0)
		scan->odd++;
	return rc == 0 && entry->group > 1 ? entry_add(scan, entry) : rc;
}

/* Return the next entry. At the end, or after an error in *rc, return NULL. */
static struct dirent *entry_next(DIR *directory, int *rc)
{
	struct dirent *entry;

	errno = 0;
	entry = readdir(directory);
	if (!entry && errno != ENOENT)		/* ENOENT: the directory was removed */
		*rc = -errno;
	return entry;
}

static int directory_open(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW);
}

/* Read the group of a task, and the groups of the tasks of a parallel job below it. */
static int task_scan(struct spool_scan *scan, int fd, uid_t owner, struct spool_entry *spool_entry)
{
	int rc = group_take(scan, fd, owner, spool_entry), again = dup(fd);
	DIR *directory = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *entry;

	if (!directory) {
		rc = rc ? rc : -errno;
		if (again >= 0)
			close(again);
		return rc;
	}
	for (int k = 0; rc == 0 && k < PE_TASKS_MAX && (entry = entry_next(directory, &rc)); k++) {
		int below;

		if (*entry->d_name == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		below = directory_open(fd, entry->d_name);
		if (below < 0) {
			rc = is_short(errno) ? -errno : 0;
			continue;
		}
		rc = group_take(scan, below, owner, spool_entry);
		close(below);
	}
	closedir(directory);
	return rc;
}

static int active_scan(struct spool_scan *scan, DIR *active, uid_t owner)
{
	struct spool_entry spool_entry = { 0 };
	struct dirent *entry;
	int rc = 0;

	while (rc == 0 && (entry = entry_next(active, &rc))) {
		int fd;

		if (*entry->d_name == '.')
			continue;
		errno = 0;
		fd = task_name(entry->d_name, &spool_entry) ? directory_open(dirfd(active), entry->d_name) : -1;
		if (fd < 0) {
			rc = is_short(errno) ? -errno : 0;
			scan->odd += errno != ENOENT;		/* ENOENT: the task has just ended */
			continue;
		}
		rc = task_scan(scan, fd, owner, &spool_entry);
		close(fd);
	}
	return rc;
}

int spool_scan(struct spool_scan *scan, const char *dir, struct error *error)
{
	char path[4096];
	struct stat st;
	DIR *active;
	int fd, rc;

	*scan = (struct spool_scan){ 0 };
	if (snprintf(path, sizeof(path), "%s/active_jobs", dir) >= (int)sizeof(path))
		return error_set(error, -ENAMETOOLONG, "%.80s...: too long", dir);
	fd = trust_open(path, O_RDONLY | O_DIRECTORY, 0, TRUST_WRITE | TRUST_DELEGATED, error);
	if (fd < 0)
		return fd;
	active = fdopendir(fd);
	if (!active) {
		close(fd);
		return error_set(error, -ENOMEM, "out of memory");
	}
	rc = fstat(fd, &st) ? -errno : active_scan(scan, active, st.st_uid);
	if (rc)
		error_set(error, rc, "%.90s: %s", path, strerror(-rc));
	closedir(active);
	if (rc)
		spool_free(scan);
	return rc;
}

void spool_free(struct spool_scan *scan)
{
	free(scan->entries);
	*scan = (struct spool_scan){ 0 };
}
