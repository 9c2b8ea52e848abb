/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that fails on request and can lose its power. It replaces the calls of the C library for
 * SQLite's files and ours below a directory. For one file of a program.
 *
 * A failing sync is the worst kind: the kernel marks pages as written that are not, and later syncs
 * write them only if they are written again. disk_crash() copies the files as the next process
 * would find them. disk_cut() copies them as the disk might have them: each sector written since
 * the last sync has the old or the new content, and a changed length is the old or the new one.
 */
#ifndef TESTS_STORE_FAULTY_DISK_H
#define TESTS_STORE_FAULTY_DISK_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SECTOR_BYTES 512
#define DISK_FILES 6
#define DISK_FDS 256

enum disk_call { CALL_OPEN, CALL_READ, CALL_WRITE, CALL_SYNC, CALL_TRUNCATE, CALL_UNLINK, DISK_CALLS };

struct disk_content {
	unsigned char *bytes;
	off_t size;
};

struct disk_file_model {
	char name[40];			/* without directory; "" unused */
	struct disk_content now, synced;
	unsigned char *dirty;		/* a flag per sector of `now` */
	bool was_synced;		/* the name is on the disk */
};

static struct {
	char directory[100];		/* watched directory; "": none */
	struct disk_file_model files[DISK_FILES];
	struct disk_file_model *of[DISK_FDS];
	unsigned seed;
	uint64_t calls[DISK_CALLS];	/* calls so far, by kind */
	enum disk_call call;		/* kind of the failing calls */
	uint64_t first, times;		/* first failing call, number of failures; 0: none */
	int error;			/* errno of the failure; 0: half of a write is made */
	bool failed;			/* one has */
	/* After the first failure nothing can be written or synced any more. */
	bool goes;
	bool keeps;			/* flaw: truncation is reported and not done */
	bool forgets;			/* flaw: syncs are reported and not done */
} disk;

static bool disk_chance(void)
{
	return rand_r(&disk.seed) & 64;
}

/* Return whether this call fails. Sets errno. */
static bool disk_fails(enum disk_call call)
{
	uint64_t n = ++disk.calls[call];

	bool gone = disk.goes && disk.failed && (call == CALL_WRITE || call == CALL_SYNC || call == CALL_TRUNCATE);

	if (!gone && (call != disk.call || n < disk.first || n - disk.first >= disk.times))
		return false;
	disk.failed = true;
	errno = disk.error;
	return true;
}

/* The model's own memory never fails. */
#ifdef CAN_FAIL
#define disk_realloc(OLD, SIZE) ((OLD) ? __libc_realloc(OLD, SIZE) : counted(__libc_malloc(SIZE)))
#else
#define disk_realloc realloc
#endif

/* Contents of the disk */

static void content_resize(struct disk_content *content, off_t size)
{
	content->bytes = disk_realloc(content->bytes, (size_t)size + 1);
	if (size > content->size)
		memset(content->bytes + content->size, 0, (size_t)(size - content->size));
	content->size = size;
}

static void now_resize(struct disk_file_model *model, off_t size)
{
	size_t had = (size_t)(model->now.size + SECTOR_BYTES - 1) / SECTOR_BYTES,
	       has = (size_t)(size + SECTOR_BYTES - 1) / SECTOR_BYTES;

	content_resize(&model->now, size);
	model->dirty = disk_realloc(model->dirty, has + 1);
	if (has > had)
		memset(model->dirty + had, 1, has - had);
	if (has > 0)
		model->dirty[has - 1] = 1;
}

static void sectors_write(struct disk_file_model *model, bool some)
{
	for (off_t at = 0; at < model->now.size && at < model->synced.size; at += SECTOR_BYTES) {
		off_t n = model->now.size - at < SECTOR_BYTES ? model->now.size - at : SECTOR_BYTES;

		n = model->synced.size - at < n ? model->synced.size - at : n;
		if (model->dirty[at / SECTOR_BYTES] && (!some || disk_chance()))
			memcpy(model->synced.bytes + at, model->now.bytes + at, (size_t)n);
	}
}

static void disk_sync(struct disk_file_model *model, bool fails)
{
	if (!fails || disk_chance())
		content_resize(&model->synced, model->now.size);
	sectors_write(model, fails);
	if (model->dirty)
		memset(model->dirty, 0, (size_t)(model->now.size + SECTOR_BYTES - 1) / SECTOR_BYTES);
	model->was_synced |= !fails || disk_chance();
}

static void disk_put(const char *directory, const struct disk_file_model *model, const struct disk_content *content)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, model->name);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || syscall(SYS_pwrite64, fd, content->bytes, (size_t)content->size, 0) != content->size)
		abort();
	syscall(SYS_close, fd);
}

static inline void disk_crash(const char *directory)
{
	for (size_t i = 0; i < DISK_FILES; i++)
		if (*disk.files[i].name)
			disk_put(directory, &disk.files[i], &disk.files[i].now);
}

static inline void disk_cut(const char *directory)
{
	for (size_t i = 0; i < DISK_FILES; i++) {
		struct disk_file_model *model = &disk.files[i], found = { .was_synced = false };

		if (!*model->name || (!model->was_synced && disk_chance()))
			continue;
		content_resize(&found.synced, model->synced.size);
		if (model->synced.size)
			memcpy(found.synced.bytes, model->synced.bytes, (size_t)model->synced.size);
		if (disk_chance())
			content_resize(&found.synced, model->now.size);
		found.now = model->now;
		found.dirty = model->dirty;
		sectors_write(&found, true);
		disk_put(directory, model, &found.synced);
		free(found.synced.bytes);
	}
}

/*
 * Check the files in `image` as a crash leaves them, then as a power failure does. `check` empties
 * the directory.
 */
static inline void disk_images_check(const char *image, void (*check)(const char *what))
{
	disk_crash(image);
	check("after a crash the store");
	disk_cut(image);
	check("after a power failure the store");
}

/* Watch all files below `directory`, which is empty, from now on. */
static inline void disk_watch(const char *directory, unsigned seed)
{
	snprintf(disk.directory, sizeof(disk.directory), "%s/", directory);
	disk.seed = seed;
	memset(disk.calls, 0, sizeof(disk.calls));
	disk.times = 0;
	disk.failed = false;
}

static void file_forget(struct disk_file_model *model)
{
	free(model->now.bytes);
	free(model->synced.bytes);
	free(model->dirty);
	*model = (struct disk_file_model){ .was_synced = false };
}

static inline void disk_forget(void)
{
	disk.directory[0] = '\0';
	for (size_t i = 0; i < DISK_FILES; i++)
		file_forget(&disk.files[i]);
	memset(disk.of, 0, sizeof(disk.of));
}

/* Calls */

/*
 * Return the name of a watched file. The index in shared memory is ignored, because no data depends
 * on it. A failure to create it is a fault of its own.
 */
static const char *disk_name(const char *path)
{
	size_t n = strlen(disk.directory);

	return n && strncmp(path, disk.directory, n) == 0 ? path + n : NULL;
}

static struct disk_file_model *disk_file_named(const char *name, bool make)
{
	for (size_t i = 0; i < DISK_FILES; i++)
		if (strcmp(disk.files[i].name, name) == 0)
			return &disk.files[i];
	for (size_t i = 0; make && i < DISK_FILES; i++)
		if (!*disk.files[i].name) {
			snprintf(disk.files[i].name, sizeof(disk.files[i].name), "%s", name);
			return &disk.files[i];
		}
	return NULL;
}

static struct disk_file_model *disk_of(int fd)
{
	return fd >= 0 && fd < DISK_FDS ? disk.of[fd] : NULL;
}

#pragma GCC visibility push(default)	/* for SQLite, too */
int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int close(int fd);
ssize_t pread(int fd, void *to, size_t n, off_t at);
ssize_t pread64(int fd, void *to, size_t n, off_t at);
ssize_t pwrite(int fd, const void *from, size_t n, off_t at);
ssize_t pwrite64(int fd, const void *from, size_t n, off_t at);
int fsync(int fd);
int fdatasync(int fd);
int ftruncate(int fd, off_t size);
int ftruncate64(int fd, off_t size);
int unlink(const char *path);
#pragma GCC visibility pop

static int disk_open_file(const char *path, int flags, int mode)
{
	const char *name = disk_name(path);
	bool modelled = name && *name && !strstr(name, "-shm");
	int fd;

	if (name && *name && disk_fails(CALL_OPEN))
		return -1;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	if (fd >= DISK_FDS)
		abort();
	if (fd >= 0)
		disk.of[fd] = modelled ? disk_file_named(name, true) : NULL;
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
	va_end(arguments);
	return disk_open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
	va_end(arguments);
	return disk_open_file(path, flags, mode);
}

int close(int fd)
{
	if (fd >= 0 && fd < DISK_FDS)
		disk.of[fd] = NULL;
	return (int)syscall(SYS_close, fd);
}

ssize_t pread64(int fd, void *to, size_t n, off_t at)
{
	if (disk_of(fd) && disk_fails(CALL_READ))
		return -1;
	return syscall(SYS_pread64, fd, to, n, at);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	return pread64(fd, to, n, at);
}

ssize_t pwrite64(int fd, const void *from, size_t n, off_t at)
{
	struct disk_file_model *model = disk_of(fd);
	bool fails = model && disk_fails(CALL_WRITE);
	ssize_t put;

	if (fails && disk.error)
		return -1;
	put = syscall(SYS_pwrite64, fd, from, fails ? n / 2 : n, at);
	if (model && put > 0) {
		if (at + put > model->now.size)
			now_resize(model, at + put);
		memcpy(model->now.bytes + at, from, (size_t)put);
		memset(model->dirty + at / SECTOR_BYTES, 1,
		       (size_t)((at + put - 1) / SECTOR_BYTES - at / SECTOR_BYTES + 1));
	}
	return put;
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
	return pwrite64(fd, from, n, at);
}

int fsync(int fd)
{
	struct disk_file_model *model = disk_of(fd);
	bool fails = model && disk_fails(CALL_SYNC);

	if (model && !disk.forgets)
		disk_sync(model, fails);
	return fails ? -1 : 0;
}

int fdatasync(int fd)
{
	return fsync(fd);
}

int ftruncate64(int fd, off_t size)
{
	struct disk_file_model *model = disk_of(fd);

	if (model && disk_fails(CALL_TRUNCATE))
		return -1;
	if (model && disk.keeps && size < model->now.size)
		return 0;
	if (model)
		now_resize(model, size);
	return (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

int unlink(const char *path)
{
	const char *name = disk_name(path);
	struct disk_file_model *model = name ? disk_file_named(name, false) : NULL;
	int rc;

	if (name && disk_fails(CALL_UNLINK))
		return -1;
	rc = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	if (rc == 0 && model)
		file_forget(model);
	return rc;
}

#endif
