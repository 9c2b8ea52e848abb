/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that can lose its power: SQLite's own access to files, with a record of data that was
 * written and not yet synced. power_cut() copies the files as the disk might have them: each sector
 * written since the last sync has the old or the new content, and a changed length is the old or
 * the new one. Only files below a directory are watched. Other files are passed through.
 */
#ifndef TESTS_STORE_POWER_VFS_H
#define TESTS_STORE_POWER_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512
#define POWER_FILES 4

struct power_bytes {
	unsigned char *bytes;
	sqlite3_int64 size;
};

struct power_disk {			/* one file */
	char name[64];			/* without directory; "" unused */
	struct power_bytes now, synced;
	bool was_synced;		/* once: its name is on the disk */
};

struct power_file {			/* SQLite's handle: our file, followed by the real one */
	sqlite3_file base;
	struct power_disk *disk;
	sqlite3_file *real;
};

static struct {
	sqlite3_vfs vfs, *real;
	char directory[100];		/* watched directory */
	struct power_disk disks[POWER_FILES];
	unsigned seed;
	/* called after each write to a watched file; may be NULL */
	void (*written)(void);
	uint64_t syncs;
} power;

/* Contents of the disk */

static void power_resize(struct power_bytes *bytes, sqlite3_int64 size)
{
	bytes->bytes = realloc(bytes->bytes, (size_t)size + 1);
	if (size > bytes->size)
		memset(bytes->bytes + bytes->size, 0, (size_t)(size - bytes->size));
	bytes->size = size;
}

static bool power_chance(void)
{
	return rand_r(&power.seed) & 64;
}

static struct power_bytes power_remains(const struct power_disk *disk)
{
	struct power_bytes left = { 0 };
	sqlite3_int64 size = power_chance() ? disk->now.size : disk->synced.size;

	power_resize(&left, size);
	for (sqlite3_int64 at = 0; at < size; at += SECTOR_BYTES) {
		const struct power_bytes *from = power_chance() ? &disk->now : &disk->synced;
		sqlite3_int64 n = size - at < SECTOR_BYTES ? size - at : SECTOR_BYTES;

		if (from->size > at)
			memcpy(left.bytes + at, from->bytes + at, (size_t)(from->size - at < n ? from->size - at : n));
	}
	return left;
}

/* Write the files as they might be found into an empty directory. */
static inline void power_cut(const char *directory)
{
	for (size_t i = 0; i < POWER_FILES; i++) {
		struct power_disk *disk = &power.disks[i];
		struct power_bytes left;
		char path[300];
		FILE *out;

		if (!*disk->name || (!disk->was_synced && power_chance()))
			continue;
		left = power_remains(disk);
		snprintf(path, sizeof(path), "%s/%s", directory, disk->name);
		out = fopen(path, "w");
		if (!out || fwrite(left.bytes, 1, (size_t)left.size, out) != (size_t)left.size || fclose(out))
			abort();
		free(left.bytes);
	}
}

/* Files */

#define REAL(file) (((struct power_file *)(file))->real)

static int power_close(sqlite3_file *file)
{
	return REAL(file)->pMethods->xClose(REAL(file));
}

static int power_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	return REAL(file)->pMethods->xRead(REAL(file), to, n, at);
}

static int power_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	struct power_disk *disk = ((struct power_file *)file)->disk;
	int rc = REAL(file)->pMethods->xWrite(REAL(file), from, n, at);

	if (rc != SQLITE_OK)
		return rc;
	if (at + n > disk->now.size)
		power_resize(&disk->now, at + n);
	memcpy(disk->now.bytes + at, from, (size_t)n);
	if (power.written)
		power.written();
	return rc;
}

static int power_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	int rc = REAL(file)->pMethods->xTruncate(REAL(file), size);

	if (rc == SQLITE_OK)
		power_resize(&((struct power_file *)file)->disk->now, size);
	return rc;
}

static int power_sync(sqlite3_file *file, int flags)
{
	struct power_disk *disk = ((struct power_file *)file)->disk;
	int rc = REAL(file)->pMethods->xSync(REAL(file), flags);

	if (rc != SQLITE_OK)
		return rc;
	power_resize(&disk->synced, disk->now.size);
	memcpy(disk->synced.bytes, disk->now.bytes, (size_t)disk->now.size);
	disk->was_synced = true;
	power.syncs++;
	return rc;
}

static int power_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int power_lock(sqlite3_file *file, int level)
{
	return REAL(file)->pMethods->xLock(REAL(file), level);
}

static int power_unlock(sqlite3_file *file, int level)
{
	return REAL(file)->pMethods->xUnlock(REAL(file), level);
}

static int power_reserved(sqlite3_file *file, int *result)
{
	return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}

static int power_control(sqlite3_file *file, int op, void *argument)
{
	return REAL(file)->pMethods->xFileControl(REAL(file), op, argument);
}

static int power_sector(sqlite3_file *file)
{
	(void)file;
	return SECTOR_BYTES;
}

static int power_device(sqlite3_file *file)
{
	(void)file;
	return 0;			/* no promises */
}

static int power_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory)
{
	return REAL(file)->pMethods->xShmMap(REAL(file), region, size, extend, memory);
}

static int power_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	return REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);
}

static void power_shm_barrier(sqlite3_file *file)
{
	REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static int power_shm_unmap(sqlite3_file *file, int delete)
{
	return REAL(file)->pMethods->xShmUnmap(REAL(file), delete);
}

static const sqlite3_io_methods power_methods = {
	2, power_close, power_read, power_write, power_truncate, power_sync, power_size, power_lock, power_unlock, power_reserved,
	power_control, power_sector, power_device, power_shm_map, power_shm_lock, power_shm_barrier, power_shm_unmap, NULL, NULL,
};

/* The file system */

static const char *power_name(const char *path)
{
	size_t n = strlen(power.directory);

	return path && n && strncmp(path, power.directory, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static struct power_disk *power_disk_of(const char *name)
{
	for (size_t i = 0; i < POWER_FILES; i++)
		if (strcmp(power.disks[i].name, name) == 0)
			return &power.disks[i];
	for (size_t i = 0; i < POWER_FILES; i++)
		if (!*power.disks[i].name) {
			snprintf(power.disks[i].name, sizeof(power.disks[i].name), "%s", name);
			return &power.disks[i];
		}
	abort();
}

static int power_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out)
{
	struct power_file *power_file = (struct power_file *)file;
	const char *name = power_name(path);
	int rc;

	(void)vfs;
	if (!name)
		return power.real->xOpen(power.real, path, file, flags, out);
	power_file->real = (sqlite3_file *)(power_file + 1);
	power_file->disk = power_disk_of(name);
	rc = power.real->xOpen(power.real, path, power_file->real, flags, out);
	power_file->base.pMethods = rc == SQLITE_OK ? &power_methods : NULL;
	return rc;
}

static int power_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
	const char *name = power_name(path);

	(void)vfs;
	if (name) {
		struct power_disk *disk = power_disk_of(name);

		free(disk->now.bytes);
		free(disk->synced.bytes);
		*disk = (struct power_disk){ .was_synced = false };
	}
	return power.real->xDelete(power.real, path, sync);
}

/*
 * Watch all files that SQLite opens from now on. Existing files in `directory` must have been
 * synced.
 */
static inline void power_watch(const char *directory, unsigned seed)
{
	snprintf(power.directory, sizeof(power.directory), "%s", directory);
	power.seed = seed;
	power.real = sqlite3_vfs_find("unix");
	power.vfs = *power.real;
	power.vfs.zName = "power";
	power.vfs.pNext = NULL;
	power.vfs.szOsFile = (int)sizeof(struct power_file) + power.real->szOsFile;
	power.vfs.xOpen = power_open;
	power.vfs.xDelete = power_delete;
	sqlite3_vfs_register(&power.vfs, 1);
}

static inline void power_forget(void)
{
	for (size_t i = 0; i < POWER_FILES; i++) {
		free(power.disks[i].now.bytes);
		free(power.disks[i].synced.bytes);
		power.disks[i] = (struct power_disk){ .was_synced = false };
	}
	sqlite3_vfs_unregister(&power.vfs);
	sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
	power.written = NULL;
	power.syncs = 0;
}

#endif
