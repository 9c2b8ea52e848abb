/* SPDX-License-Identifier: Apache-2.0 */
/* Pins and slots of readers. The ordering argument is in readers.h. */
#include "shm/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

static struct flock slot_range(unsigned i, short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = READER_LOCKS + i, .l_len = 1 };
}

static bool slot_lock(int fd, unsigned i, short type)
{
	struct flock lock = slot_range(i, type);

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Return true if no other process has locked the slot. */
static bool slot_alone(int fd, unsigned i)
{
	struct flock lock = slot_range(i, F_WRLCK);

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

/* The table */

static int table_permit(int shmid, unsigned mode, int64_t group)
{
	struct shmid_ds ds;

	if (shmctl(shmid, IPC_STAT, &ds))
		return -errno;
	ds.shm_perm.mode = (unsigned short)mode;
	if (group >= 0)
		ds.shm_perm.gid = (gid_t)group;
	return shmctl(shmid, IPC_SET, &ds) ? -errno : 0;
}

/*
 * Make a table. No other process can attach to it before it is complete and its permissions are
 * set.
 */
static struct reader_table *table_make(struct reader_place *place, unsigned mode, int64_t group)
{
	int shmid = shmget(IPC_PRIVATE, sizeof(struct reader_table), IPC_CREAT | IPC_EXCL | 0600);
	struct reader_table *table = shmid < 0 ? (void *)-1 : shmat(shmid, NULL, 0);
	bool made = table != (void *)-1;

	if (made) {
		madvise(table, sizeof(*table), MADV_DONTFORK);
		made = getrandom(&place->nonce, sizeof(place->nonce), 0) == (ssize_t)sizeof(place->nonce);
		memset(table, 0, sizeof(*table));
		table->magic = READERS_MAGIC;
		table->version = SEGMENT_VERSION;
		table->slots = READER_SLOTS;
		table->nonce = place->nonce;
		made = made && table_permit(shmid, mode, group) == 0;
	}
	if (shmid >= 0 && shmctl(shmid, IPC_RMID, NULL))
		made = false;
	if (made) {
		place->shmid = shmid;
		return table;
	}
	if (table != (void *)-1)
		shmdt(table);
	return NULL;
}

void readers_create(struct readers *readers, int fd, unsigned mode, int64_t group)
{
	memset(readers, 0, sizeof(*readers));
	readers->writer = true;
	readers->fd = fd;
	readers->place.shmid = -1;
	readers->table = table_make(&readers->place, mode, group);
}

/*
 * Check that the attached table is the right one, because its id may have been reused or may belong
 * to another namespace. An attached table keeps its identity.
 */
static bool table_fits(const struct reader_table *table, const struct reader_place *place, uid_t owner)
{
	struct shmid_ds ds;

	return shmctl(place->shmid, IPC_STAT, &ds) == 0 && ds.shm_segsz == sizeof(*table) &&
	       ds.shm_perm.cuid == owner && table->magic == READERS_MAGIC && table->version == SEGMENT_VERSION &&
	       table->slots == READER_SLOTS && table->nonce == place->nonce;
}

static struct reader_table *table_attach(const struct reader_place *place, int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || place->shmid < 0)
		return NULL;
	struct reader_table *table = shmat(place->shmid, NULL, 0);

	if (table == (void *)-1)
		return NULL;
	if (table_fits(table, place, st.st_uid) && madvise(table, sizeof(*table), MADV_DONTFORK) == 0)
		return table;
	shmdt(table);
	return NULL;
}

/* A reader's slot */

/*
 * Claim a free slot. If two readers give up a slot to each other, a random choice keeps one of them
 * at the slot. Otherwise both would move to the next one together, again and again.
 */
static void slot_claim(struct readers *readers)
{
	unsigned seed = (unsigned)getpid() * 2654435761u ^ (unsigned)((uintptr_t)readers >> 4), conflicts = 0;

	for (unsigned i = 0; i < READER_SLOTS && !readers->slot; ) {
		if (!slot_alone(readers->fd, i) || !slot_lock(readers->fd, i, F_RDLCK)) {
			i++;
		} else if (slot_alone(readers->fd, i)) {
			readers->slot = &readers->table->slot[i];
		} else {
			slot_lock(readers->fd, i, F_UNLCK);
			i += conflicts++ > READER_SLOTS || rand_r(&seed) % 2;
		}
	}
	if (!readers->slot)
		return;
	/* value of a dead owner */
	atomic_store_explicit(&readers->slot->pin, 0, memory_order_release);
	readers->slot->pid = (uint32_t)getpid();
}

void readers_claim(struct readers *readers, int fd, const struct reader_place *place)
{
	memset(readers, 0, sizeof(*readers));
	readers->owner = getpid();
	readers->fd = fd;
	readers->table = table_attach(place, fd);
	if (readers->table)
		slot_claim(readers);
}

/*
 * Leave the slot. In a forked child the mapping does not exist and the slot belongs to the parent.
 */
static void slot_leave(struct readers *readers)
{
	if (readers->owner != getpid())
		return;
	if (readers->slot) {
		atomic_store_explicit(&readers->slot->pin, 0, memory_order_release);
		slot_lock(readers->fd, (unsigned)(readers->slot - readers->table->slot), F_UNLCK);
	}
	if (readers->table)
		shmdt(readers->table);
}

void readers_close(struct readers *readers)
{
	if (!readers->writer)
		slot_leave(readers);
	else if (readers->table)
		shmdt(readers->table);
	if (readers->fd >= 0 && readers->owner)
		close(readers->fd);
	memset(readers, 0, sizeof(*readers));
	readers->fd = -1;
}

/* The writer's scans */

/* Begin W2. Each pin is then loaded once. */
static void table_look(struct readers *readers)
{
	/* between W1, or another store of the caller, and the pins */
	atomic_thread_fence(memory_order_seq_cst);
	readers->reaps_left = REAPS;
	readers->first = (readers->first + 1) % READER_SLOTS;
}

static uint64_t pin_of(const struct readers *readers, unsigned i)
{
	/* pairs with the release of the pin: the reader has finished before the writer refills */
	return atomic_load_explicit(&readers->table->slot[i].pin, memory_order_acquire);
}

static bool pin_holds(uint64_t pin, uint64_t generation)
{
	return pin & 1 ? pin >> 1 == generation : pin && pin >> 1 <= generation;
}

/*
 * Clear the slot of a dead owner. The write lock proves that no process owns the slot. A new owner
 * cannot lock the slot before it is clear.
 */
static bool slot_reap(struct readers *readers, unsigned i)
{
	if (readers->reaps_left == 0)
		return false;
	readers->reaps_left--;
	readers->tried++;
	if (!slot_lock(readers->fd, i, F_WRLCK))
		return false;
	atomic_store_explicit(&readers->table->slot[i].pin, 0, memory_order_relaxed);
	slot_lock(readers->fd, i, F_UNLCK);
	readers->reaped++;
	return true;
}

bool readers_busy(struct readers *readers, uint64_t generation)
{
	if (!readers->table)
		return false;
	table_look(readers);
	for (unsigned k = 0; k < READER_SLOTS; k++) {
		unsigned i = (readers->first + k) % READER_SLOTS;
		uint64_t pin = pin_of(readers, i);

		if (pin_holds(pin, generation) && pin != readers->evicted[i] && !slot_reap(readers, i))
			return true;
	}
	return false;
}

unsigned readers_evict(struct readers *readers, uint64_t generation)
{
	unsigned n = 0;

	if (!readers->table)
		return 0;
	table_look(readers);
	for (unsigned k = 0; k < READER_SLOTS; k++) {
		unsigned i = (readers->first + k) % READER_SLOTS;
		uint64_t pin = pin_of(readers, i);

		if (pin_holds(pin, generation) && pin != readers->evicted[i] && !slot_reap(readers, i)) {
			readers->evicted[i] = pin;
			n++;
		}
	}
	readers->evictions += n;
	return n;
}

static bool evicted_any(const struct readers *readers)
{
	for (unsigned i = 0; i < READER_SLOTS; i++)
		if (readers->evicted[i])
			return true;
	return false;
}

/*
 * Return true if a pin was evicted unconfirmed and is confirmed now. It may belong to the same
 * section. The generation that it confirms may have been refilled since, and no other scan would
 * notice a reader there. If it is another section, that section is evicted now.
 */
static bool evicted_confirmed(uint64_t evicted, uint64_t pin)
{
	return !(evicted & 1) && pin & 1;
}

static bool evicted_still_in(struct readers *readers, unsigned i)
{
	uint64_t pin = pin_of(readers, i);

	if ((pin != readers->evicted[i] && !evicted_confirmed(readers->evicted[i], pin)) || slot_reap(readers, i))
		return false;
	readers->evictions += pin != readers->evicted[i];
	readers->evicted[i] = pin;
	return true;
}

bool readers_stray(struct readers *readers)
{
	bool stray = false;

	if (!readers->table || !evicted_any(readers))
		return false;
	table_look(readers);
	for (unsigned k = 0; k < READER_SLOTS; k++) {
		unsigned i = (readers->first + k) % READER_SLOTS;

		if (!readers->evicted[i])
			continue;
		if (evicted_still_in(readers, i))
			stray = true;
		else
			readers->evicted[i] = 0;
	}
	return stray;
}
