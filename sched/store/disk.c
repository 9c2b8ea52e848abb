/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failed commit never becomes visible.
 *
 * SQLite commits by appending a transaction's frames to the log and waiting for the disk. Then it
 * shows the commit to other connections with the number of frames in the shared index (mxFrame). If
 * the write, the wait or a later step fails, it forgets the frames but leaves them in the log. The
 * next process would find a complete transaction there, and would accept a commit that was reported
 * as failed.
 *
 * SQLite takes the write lock before the first frame of a transaction and holds it until the
 * transaction is committed or undone. Each time this process releases the write lock, the log must
 * end where mxFrame says. If there is data after that point, the log is cut there, and the cut is
 * waited for, still under the lock:
 *
 *  - No connection reads the data that is cut: readers and checkpoints use mxFrame. No other
 *    connection writes, because this one has the lock.
 *  - The data before the cut is intact. Each earlier commit was on disk before mxFrame included
 *    it, and a write does not damage adjacent bytes. If the log was restarted with this
 *    transaction, mxFrame is 0 and the log is cut to nothing. A log is restarted only when all
 *    of it is in the file and the file was synced.
 *  - The cut is permanent. The second sync is about the length of the log, not about the data
 *    whose sync has failed. The failed sync is not repeated: after a failure the kernel regards
 *    pages as written that are not, and a second sync would find nothing to do. A failed cut is
 *    retried as a new change: the log is first extended by a byte, so that its length changes
 *    once more.
 *  - If the process dies before the cut, the transaction was not reported. It is in the log
 *    completely or not at all.
 *
 * If the cut fails too, the result depends on what may be in the log. A transaction without its
 * last frame, the commit, does not count. It has failed, and the cut is made before the next
 * transaction is written, or that one fails as well. But if the commit frame was written, or
 * possibly written, the content of the disk is unknown. Then the outcome is DISK_UNSURE, every
 * later write fails, and store_commit() does not report the transaction as failed but ends the
 * process. The next process takes the log as it finds it, and writes it once more (log_renew())
 * before it trusts it, since pages whose sync has failed count as written.
 *
 * A failed sync of the file itself (in a checkpoint) loses nothing: the log is kept, and the next
 * checkpoint writes the same pages again.
 *
 * Pages have checksums.
 *
 * Pages in the log have none of ours, since each frame has SQLite's own. SQLite checks it only when
 * it recovers a log. This layer checks it whenever a committed frame is read. In the file each page
 * has a checksum of ours (page.h). SQLite leaves space for it, and never sees it.
 */
#include "sched/store/disk.h"

#include <string.h>

#include "sched/store/log.h"

/* lock byte of the shared index: the right to write to the log */
#define LOCK_WRITE 0
#define INDEX_FRAMES 16			/* offset of mxFrame */
#define CUTS 3				/* maximum number of attempts to cut */

/* our file object for SQLite; it forwards to the real one */
struct disk_file {
	sqlite3_file base;
	sqlite3_file *real;
	/* for the store's file */
	bool has_sums, tolerates;
	uint32_t damaged;		/* last page that was found damaged */
	volatile unsigned char *index;	/* shared memory of SQLite; NULL: not mapped yet */
	struct disk_file *log;		/* NULL: not open */
	/* end of the data that this transaction has written to the log */
	int64_t written;
	/* offset of the page of its commit; 0: not known yet */
	int64_t commit;
	/* the commit may be in the log: its page was written, or the write was attempted */
	bool complete;
	bool uncut;			/* data after the last commit is still in the log */
	enum disk_outcome outcome;
	/* for the log */
	struct disk_file *file;		/* file to which this log belongs */
};

#define OURS(f) ((struct disk_file *)(f))
#define REAL(f) (OURS(f)->real)

static sqlite3_vfs vfs;			/* pAppData: SQLite's own */

static sqlite3_vfs *real_vfs(void)
{
	return vfs.pAppData;
}

/* The log */

static uint32_t index_frames(const struct disk_file *file)
{
	return file->index ? *(volatile const uint32_t *)(file->index + INDEX_FRAMES) : 0;
}

static int read_real(struct disk_file *file, void *to, int n, int64_t at)
{
	return REAL(file)->pMethods->xRead(REAL(file), to, n, at);
}

/*
 * Read a page and check it if its frame is committed. Other pages are this transaction's own, and
 * may not have a checksum yet.
 */
static int log_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	struct disk_file *f = OURS(file);
	unsigned char log_header[LOG_HEADER_BYTES], header[LOG_FRAME_HEADER_BYTES], before[8];
	int64_t frame = (at - LOG_HEADER_BYTES) / LOG_FRAME_BYTES + 1,
		begin = log_end((uint64_t)frame) - LOG_FRAME_BYTES;
	int rc = read_real(f, to, n, at);

	if (rc != SQLITE_OK || n != PAGE_SIZE || at != begin + LOG_FRAME_HEADER_BYTES || frame > index_frames(f->file))
		return rc;
	rc = read_real(f, log_header, sizeof(log_header), 0);
	if (rc == SQLITE_OK)
		rc = read_real(f, header, sizeof(header), begin);
	if (rc == SQLITE_OK)
		rc = read_real(f, before, sizeof(before), frame == 1 ? 24 : begin - LOG_FRAME_BYTES + 16);
	if (rc != SQLITE_OK || f->file->tolerates || log_frame_fits(before, header, to, log_is_big_endian(log_header)))
		return rc;
	f->file->damaged = bytes_number(header);
	return SQLITE_IOERR_DATA;
}

/* Cut the log at `end` and wait for the disk. */
static bool log_cut(struct disk_file *file, int64_t end)
{
	const sqlite3_io_methods *log = REAL(file->log)->pMethods;

	for (int i = 0; i < CUTS; i++) {
		if (i > 0)
			log->xWrite(REAL(file->log), "", 1, end);
		if (log->xTruncate(REAL(file->log), end) == SQLITE_OK &&
		    log->xSync(REAL(file->log), SQLITE_SYNC_NORMAL) == SQLITE_OK)
			return true;
	}
	return false;
}

static int log_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	struct disk_file *f = OURS(file)->file;

	if (f->outcome == DISK_UNSURE || (f->uncut && f->written == 0 && !log_cut(f, log_end(index_frames(f)))))
		return SQLITE_IOERR_WRITE;
	f->uncut = false;
	if (at + n > f->written)
		f->written = at + n;
	if (n == LOG_FRAME_HEADER_BYTES && bytes_number((const unsigned char *)from + 4) > 0)
		f->commit = at + n;
	f->complete |= f->commit && at == f->commit;
	return REAL(file)->pMethods->xWrite(REAL(file), from, n, at);
}

static int log_close(sqlite3_file *file)
{
	OURS(file)->file->log = NULL;
	return REAL(file)->pMethods->xClose(REAL(file));
}

/* Settle the transaction before this connection releases the write lock. */
static void transaction_settle(struct disk_file *file)
{
	int64_t end = log_end(index_frames(file));

	if (!file->log || file->written == 0 || file->outcome == DISK_UNSURE)
		return;
	if (file->written <= end) {
		file->outcome = DISK_STANDS;
		return;
	}
	file->uncut = !log_cut(file, end);
	file->outcome = file->uncut && file->complete ? DISK_UNSURE : DISK_CUT;
}

/* The file */

static int file_close(sqlite3_file *file)
{
	return REAL(file)->pMethods->xClose(REAL(file));
}

static bool is_page(int n, int64_t at)
{
	return n == PAGE_SIZE && at % PAGE_SIZE == 0;
}

static int file_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	struct disk_file *f = OURS(file);
	int rc = read_real(f, to, n, at);

	if (rc != SQLITE_OK || !f->has_sums || !is_page(n, at))
		return rc;
	if (!page_fits(to, (uint32_t)(at / PAGE_SIZE + 1))) {
		f->damaged = (uint32_t)(at / PAGE_SIZE + 1);
		rc = f->tolerates ? SQLITE_OK : SQLITE_IOERR_DATA;
	}
	page_stamp_put(to, 0);
	return rc;
}

static int file_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	struct disk_file *f = OURS(file);
	unsigned char page[PAGE_SIZE];

	if (f->outcome == DISK_UNSURE)
		return SQLITE_IOERR_WRITE;
	if (at == 0 && n >= DATABASE_HEADER_BYTES)
		f->has_sums = header_has_sums(from);
	if (f->has_sums && is_page(n, at)) {
		memcpy(page, from, PAGE_SIZE);
		page_stamp_put(page, page_sum(page, (uint32_t)(at / PAGE_SIZE + 1)));
		from = page;
	}
	return REAL(file)->pMethods->xWrite(REAL(file), from, n, at);
}

static int shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory)
{
	int rc = REAL(file)->pMethods->xShmMap(REAL(file), region, size, extend, memory);

	if (region == 0 && rc == SQLITE_OK)
		OURS(file)->index = *memory;
	return rc;
}

static int shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	struct disk_file *f = OURS(file);
	bool writes = offset == LOCK_WRITE && flags & SQLITE_SHM_EXCLUSIVE;
	int rc;

	if (writes && flags & SQLITE_SHM_UNLOCK)
		transaction_settle(f);
	rc = REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);
	if (writes && flags & SQLITE_SHM_LOCK && rc == SQLITE_OK && f->outcome != DISK_UNSURE) {
		f->written = f->commit = 0;
		f->complete = false;
		f->outcome = DISK_NOTHING;
	}
	return rc;
}

static int shm_unmap(sqlite3_file *file, int delete)
{
	OURS(file)->index = NULL;
	return REAL(file)->pMethods->xShmUnmap(REAL(file), delete);
}

/* Functions that only forward to SQLite */

static int any_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	return REAL(file)->pMethods->xTruncate(REAL(file), size);
}

static int any_sync(sqlite3_file *file, int flags)
{
	return REAL(file)->pMethods->xSync(REAL(file), flags);
}

static int any_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int any_lock(sqlite3_file *file, int level)
{
	return REAL(file)->pMethods->xLock(REAL(file), level);
}

static int any_unlock(sqlite3_file *file, int level)
{
	return REAL(file)->pMethods->xUnlock(REAL(file), level);
}

static int any_reserved(sqlite3_file *file, int *result)
{
	return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}

static int any_control(sqlite3_file *file, int op, void *argument)
{
	return REAL(file)->pMethods->xFileControl(REAL(file), op, argument);
}

static int any_sector(sqlite3_file *file)
{
	return REAL(file)->pMethods->xSectorSize(REAL(file));
}

static int any_device(sqlite3_file *file)
{
	return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static void shm_barrier(sqlite3_file *file)
{
	REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static const sqlite3_io_methods file_methods = {
	2, file_close, file_read, file_write, any_truncate, any_sync, any_size, any_lock, any_unlock, any_reserved,
	any_control, any_sector, any_device, shm_map, shm_lock, shm_barrier, shm_unmap, NULL, NULL,
};

static const sqlite3_io_methods log_methods = {
	1, log_close, log_read, log_write, any_truncate, any_sync, any_size, any_lock, any_unlock, any_reserved,
	any_control, any_sector, any_device, NULL, NULL, NULL, NULL, NULL, NULL,
};

static bool reads_sums(sqlite3_file *real)
{
	unsigned char header[DATABASE_HEADER_BYTES];

	return real->pMethods->xRead(real, header, sizeof(header), 0) == SQLITE_OK && header_has_sums(header);
}

static int disk_open(sqlite3_vfs *self, const char *path, sqlite3_file *file, int flags, int *out)
{
	struct disk_file *f = OURS(file);
	int rc;

	(void)self;
	if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)))
		return real_vfs()->xOpen(real_vfs(), path, file, flags, out);
	*f = (struct disk_file){ .real = (sqlite3_file *)(f + 1) };
	rc = real_vfs()->xOpen(real_vfs(), path, REAL(f), flags, out);
	if (rc != SQLITE_OK)
		return rc;
	if (flags & SQLITE_OPEN_WAL) {
		f->base.pMethods = &log_methods;
		f->file = OURS(sqlite3_database_file_object(path));
		f->file->log = f;
	} else {
		f->base.pMethods = &file_methods;
		f->has_sums = reads_sums(REAL(f));
	}
	return SQLITE_OK;
}

int disk_register(void)
{
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);

	if (!real)
		return SQLITE_NOMEM;
	if (vfs.pAppData)
		sqlite3_vfs_unregister(&vfs);
	vfs = *real;
	vfs.zName = DISK_VFS;
	vfs.pNext = NULL;
	vfs.pAppData = real;
	vfs.szOsFile = (int)sizeof(struct disk_file) + real->szOsFile;
	vfs.xOpen = disk_open;
	return sqlite3_vfs_register(&vfs, 0);
}

static struct disk_file *disk_file_of(sqlite3 *db)
{
	sqlite3_file *file = NULL;

	sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	return OURS(file);
}

enum disk_outcome disk_outcome(sqlite3 *db)
{
	return disk_file_of(db)->outcome;
}

bool disk_has_sums(sqlite3 *db)
{
	return disk_file_of(db)->has_sums;
}

uint32_t disk_damaged_page(sqlite3 *db)
{
	return disk_file_of(db)->damaged;
}

void disk_tolerate(sqlite3 *db)
{
	disk_file_of(db)->tolerates = true;
}
