/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a section; who owns a slot. The ordering argument stands in readers.h. */
#include "shm/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/segment.h"

static off_t slot_offset(unsigned i)
{
	return (off_t)(offsetof(struct reader_table, slot) + i * sizeof(struct reader_slot));
}

static bool slot_lock(int fd, unsigned i, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = slot_offset(i), .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool table_fits(int fd)
{
	struct stat st;
	uint64_t head[2];
	const uint32_t version_slots[2] = { SEGMENT_VERSION, READER_SLOTS };

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == (off_t)sizeof(struct reader_table) &&
	       pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) && head[0] == READERS_MAGIC &&
	       memcmp(&head[1], version_slots, sizeof(version_slots)) == 0;
}

static int table_open(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static int table_fill(int fd, unsigned mode, int64_t group)
{
	static const struct reader_table empty = { .magic = READERS_MAGIC, .version = SEGMENT_VERSION, .slots = READER_SLOTS };

	if (group >= 0 && fchown(fd, (uid_t)-1, (gid_t)group))
		return -errno;
	if (fchmod(fd, mode))
		return -errno;
	ssize_t n = pwrite(fd, &empty, sizeof(empty), 0);

	return n == (ssize_t)sizeof(empty) ? 0 : n < 0 ? -errno : -ENOSPC;
}

/* Complete before it gets its name, so that no reader and no successor ever meets half a table. */
static int table_make(const char *path, unsigned mode, int64_t group)
{
	char name[SEGMENT_PATH_BYTES];

	if (snprintf(name, sizeof(name), "%s.new", path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	if (unlink(name) && errno != ENOENT)
		return -errno;
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -errno;
	int err = table_fill(fd, mode, group);

	if (!err && rename(name, path))
		err = -errno;
	if (!err)
		return fd;
	unlink(name);
	close(fd);
	return err;
}

/* Somebody else's keeps its permissions: not ours to change. Its pages must be there, for readers store to them. */
static int table_adopt(int fd, unsigned mode, int64_t group)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (st.st_mode & 0777) != mode && fchmod(fd, mode) && errno != EPERM)
		return -errno;
	if (group >= 0 && fchown(fd, (uid_t)-1, (gid_t)group) && errno != EPERM)
		return -errno;
	return fallocate(fd, 0, 0, sizeof(struct reader_table)) && errno != EOPNOTSUPP ? -errno : 0;
}

int readers_create(struct readers *r, const char *path, unsigned mode, int64_t group)
{
	memset(r, 0, sizeof(*r));
	r->writer = true;
	r->fd = table_open(path);
	if (r->fd >= 0 && table_fits(r->fd)) {
		int err = table_adopt(r->fd, mode, group);

		if (err)
			return err;
	} else {
		if (r->fd >= 0)
			close(r->fd);
		r->fd = table_make(path, mode, group);
		if (r->fd < 0)
			return r->fd;
	}
	r->table = aligned_alloc(CACHELINE, sizeof(*r->table));
	return r->table ? 0 : -ENOMEM;
}

static void slot_claim(struct readers *r)
{
	for (unsigned i = 0; i < READER_SLOTS && !r->slot; i++)
		if (slot_lock(r->fd, i, F_WRLCK))
			r->slot = &r->table->slot[i];
	if (!r->slot)
		return;
	atomic_store_explicit(&r->slot->pin, 0, memory_order_release);	/* a dead owner's */
	r->slot->pid = (uint32_t)getpid();
}

int readers_claim(struct readers *r, const char *path)
{
	memset(r, 0, sizeof(*r));
	r->owner = getpid();
	r->fd = table_open(path);
	if (r->fd < 0)
		return 0;
	if (!table_fits(r->fd))
		return -EPROTO;
	void *table = mmap(NULL, sizeof(*r->table), PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);

	if (table == MAP_FAILED)
		return 0;
	/* a mapping keeps the lock alive: a child must not have one */
	if (madvise(table, sizeof(*r->table), MADV_DONTFORK)) {
		munmap(table, sizeof(*r->table));
		return 0;
	}
	r->table = table;
	slot_claim(r);
	return 0;
}

/* In a forked child the mapping does not exist, and the slot is its parent's. */
static void slot_leave(struct readers *r)
{
	if (r->owner != getpid())
		return;
	if (r->slot) {
		atomic_store_explicit(&r->slot->pin, 0, memory_order_release);
		slot_lock(r->fd, (unsigned)(r->slot - r->table->slot), F_UNLCK);
	}
	if (r->table)
		munmap(r->table, sizeof(*r->table));
}

void readers_close(struct readers *r)
{
	if (r->writer)
		free(r->table);
	else
		slot_leave(r);
	if (r->fd >= 0 && (r->writer || r->owner))
		close(r->fd);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

/* W2. What is not there reads as nobody. */
static void table_look(struct readers *r)
{
	atomic_thread_fence(memory_order_seq_cst);	/* between W1, or whatever the caller stored, and the pins */
	ssize_t n = pread(r->fd, r->table, sizeof(*r->table), 0);
	size_t got = n > 0 ? (size_t)n : 0;

	memset((char *)r->table + got, 0, sizeof(*r->table) - got);
	atomic_thread_fence(memory_order_acquire);	/* with a reader's release of its pin: it has read before we refill */
}

static uint64_t pin_of(const struct readers *r, unsigned i)
{
	return atomic_load_explicit(&r->table->slot[i].pin, memory_order_relaxed);
}

static bool pin_holds(uint64_t pin, uint64_t generation)
{
	return pin & 1 ? pin >> 1 == generation : pin && pin >> 1 <= generation;
}

/* Whoever gets the lock is alone with the slot: the owner is dead, and no new one comes before it is clear. */
static bool slot_reap(struct readers *r, unsigned i)
{
	const uint64_t nothing = 0;

	if (!slot_lock(r->fd, i, F_WRLCK))
		return false;
	bool cleared = pwrite(r->fd, &nothing, sizeof(nothing), slot_offset(i)) == (ssize_t)sizeof(nothing);

	slot_lock(r->fd, i, F_UNLCK);
	r->reaped++;
	return cleared;
}

bool readers_busy(struct readers *r, uint64_t generation)
{
	table_look(r);
	for (unsigned i = 0; i < READER_SLOTS; i++) {
		uint64_t pin = pin_of(r, i);

		if (pin_holds(pin, generation) && pin != r->evicted[i] && !slot_reap(r, i))
			return true;
	}
	return false;
}

unsigned readers_evict(struct readers *r, uint64_t generation)
{
	unsigned n = 0;

	table_look(r);
	for (unsigned i = 0; i < READER_SLOTS; i++) {
		uint64_t pin = pin_of(r, i);

		if (pin_holds(pin, generation) && pin != r->evicted[i] && !slot_reap(r, i)) {
			r->evicted[i] = pin;
			n++;
		}
	}
	r->evictions += n;
	return n;
}

static bool evicted_any(const struct readers *r)
{
	for (unsigned i = 0; i < READER_SLOTS; i++)
		if (r->evicted[i])
			return true;
	return false;
}

/*
 * An unconfirmed pin that was evicted and is confirmed now may be the same section: what it confirms can have been refilled since,
 * and no other look would notice that somebody is in there. If it was another section, it is evicted here and now.
 */
static bool evicted_confirmed(uint64_t evicted, uint64_t pin)
{
	return !(evicted & 1) && pin & 1;
}

static bool evicted_still_in(struct readers *r, unsigned i)
{
	uint64_t pin = pin_of(r, i);

	if ((pin != r->evicted[i] && !evicted_confirmed(r->evicted[i], pin)) || slot_reap(r, i))
		return false;
	r->evictions += pin != r->evicted[i];
	r->evicted[i] = pin;
	return true;
}

bool readers_stray(struct readers *r)
{
	bool stray = false;

	if (!evicted_any(r))
		return false;
	table_look(r);
	for (unsigned i = 0; i < READER_SLOTS; i++) {
		if (!r->evicted[i])
			continue;
		if (evicted_still_in(r, i))
			stray = true;
		else
			r->evicted[i] = 0;
	}
	return stray;
}
