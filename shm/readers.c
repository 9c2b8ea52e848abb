/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a section; who owns a slot. The ordering argument stands in readers.h. */
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

/* Does nobody but ourselves have it? */
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

/* Nobody else can attach until it is complete and permitted. */
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

void readers_create(struct readers *r, int fd, unsigned mode, int64_t group)
{
	memset(r, 0, sizeof(*r));
	r->writer = true;
	r->fd = fd;
	r->place.shmid = -1;
	r->table = table_make(&r->place, mode, group);
}

/*
 * The number may be another's by now, or another namespace's. While it is attached it stays what it
 * is.
 */
static bool table_fits(const struct reader_table *table, const struct reader_place *place, uid_t owner)
{
	struct shmid_ds ds;

	return shmctl(place->shmid, IPC_STAT, &ds) == 0 && ds.shm_segsz == sizeof(*table) && ds.shm_perm.cuid == owner &&
	       table->magic == READERS_MAGIC && table->version == SEGMENT_VERSION && table->slots == READER_SLOTS &&
	       table->nonce == place->nonce;
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

/* Two that leave each other a slot do not go on side by side to the next: by a coin one stays. */
static void slot_claim(struct readers *r)
{
	unsigned seed = (unsigned)getpid() * 2654435761u ^ (unsigned)((uintptr_t)r >> 4), conflicts = 0;

	for (unsigned i = 0; i < READER_SLOTS && !r->slot; ) {
		if (!slot_alone(r->fd, i) || !slot_lock(r->fd, i, F_RDLCK)) {
			i++;
		} else if (slot_alone(r->fd, i)) {
			r->slot = &r->table->slot[i];
		} else {
			slot_lock(r->fd, i, F_UNLCK);
			i += conflicts++ > READER_SLOTS || rand_r(&seed) % 2;
		}
	}
	if (!r->slot)
		return;
	atomic_store_explicit(&r->slot->pin, 0, memory_order_release);	/* a dead owner's */
	r->slot->pid = (uint32_t)getpid();
}

void readers_claim(struct readers *r, int fd, const struct reader_place *place)
{
	memset(r, 0, sizeof(*r));
	r->owner = getpid();
	r->fd = fd;
	r->table = table_attach(place, fd);
	if (r->table)
		slot_claim(r);
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
		shmdt(r->table);
}

void readers_close(struct readers *r)
{
	if (!r->writer)
		slot_leave(r);
	else if (r->table)
		shmdt(r->table);
	if (r->fd >= 0 && r->owner)
		close(r->fd);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

/* The writer's looks */

/* W2 begins. Each pin is then loaded once. */
static void table_look(struct readers *r)
{
	/* between W1, or whatever the caller stored, and the pins */
	atomic_thread_fence(memory_order_seq_cst);
	r->reaps_left = REAPS;
	r->first = (r->first + 1) % READER_SLOTS;
}

static uint64_t pin_of(const struct readers *r, unsigned i)
{
	/* with a release of the pin: it has read before we refill */
	return atomic_load_explicit(&r->table->slot[i].pin, memory_order_acquire);
}

static bool pin_holds(uint64_t pin, uint64_t generation)
{
	return pin & 1 ? pin >> 1 == generation : pin && pin >> 1 <= generation;
}

/*
 * Whoever gets the lock is alone with the slot: the owner is dead, and no new one comes before it
 * is clear.
 */
static bool slot_reap(struct readers *r, unsigned i)
{
	if (r->reaps_left == 0)
		return false;
	r->reaps_left--;
	r->tried++;
	if (!slot_lock(r->fd, i, F_WRLCK))
		return false;
	atomic_store_explicit(&r->table->slot[i].pin, 0, memory_order_relaxed);
	slot_lock(r->fd, i, F_UNLCK);
	r->reaped++;
	return true;
}

bool readers_busy(struct readers *r, uint64_t generation)
{
	if (!r->table)
		return false;
	table_look(r);
	for (unsigned k = 0; k < READER_SLOTS; k++) {
		unsigned i = (r->first + k) % READER_SLOTS;
		uint64_t pin = pin_of(r, i);

		if (pin_holds(pin, generation) && pin != r->evicted[i] && !slot_reap(r, i))
			return true;
	}
	return false;
}

unsigned readers_evict(struct readers *r, uint64_t generation)
{
	unsigned n = 0;

	if (!r->table)
		return 0;
	table_look(r);
	for (unsigned k = 0; k < READER_SLOTS; k++) {
		unsigned i = (r->first + k) % READER_SLOTS;
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
 * An unconfirmed pin that was evicted and is confirmed now may be the same section: what it
 * confirms can have been refilled since, and no other look would notice that somebody is in there.
 * If it was another section, it is evicted here and now.
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

	if (!r->table || !evicted_any(r))
		return false;
	table_look(r);
	for (unsigned k = 0; k < READER_SLOTS; k++) {
		unsigned i = (r->first + k) % READER_SLOTS;

		if (!r->evicted[i])
			continue;
		if (evicted_still_in(r, i))
			stray = true;
		else
			r->evicted[i] = 0;
	}
	return stray;
}
