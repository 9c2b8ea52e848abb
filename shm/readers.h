/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RCU across processes: find out which generations have readers.
 *
 * A reader's slot holds a pin: 0 outside a section, else generation << 1 | confirmed.
 *
 *     reader                                         writer
 *     g = header.current       (relaxed)             fill generation n in directory n % GENERATIONS
 *     slot = g << 1 | 1        (seq_cst)   R1        directory.gen = n          (release)
 *     if header.current != g   (seq_cst)   R2        header.current = n         (seq_cst)   W1
 *       slot = current << 1    (seq_cst)   R3        ... next one: may generation o < current be refilled?
 *       g = header.current     (seq_cst)   R4        s = slot                   (seq_cst)   W2
 *       slot = g << 1 | 1      (release)   R5        busy if s == o << 1 | 1, or s is not confirmed and s >> 1 <= o
 *     ... read generation g ...                      directory.gen = 0, (release fence), refill
 *     (acquire fence) ok = directory.gen == g
 *     slot = 0                 (release)
 *
 * The seq_cst accesses have one total order. Take a reader that finds g current at R2. If R1 comes
 * before W2, the writer sees the pin of the generation that the reader uses, or a later value of
 * the same slot. If R1 comes after W2, then R2 comes after the W1 that made a generation newer than
 * o current, and the reader does not use o. If a generation was published in between, the same
 * argument holds with R3 and R4 instead of R1 and R2. The unconfirmed pin names a generation that
 * is not newer than the one that the reader will use, and all generations from there on count as
 * busy. R5 confirms the generation in use, so that a slow reader holds no more than that one. A
 * generation that a first pin names and that R2 does not find current is not read.
 *
 * In both cases no reader reads a directory that is being refilled, unless the writer evicts. After
 * an eviction the writer sets gen = 0 and refills, and the check at the end of the section fails.
 * Generations are 64-bit and never wrap, so one phase is enough. A stopped process keeps its slot
 * for ever and pins one generation. An unconfirmed pin holds all generations from its own on, until
 * it is evicted. A dead owner's slot is cleared under its lock.
 *
 * An eviction costs one section. This is either the intended one, or the next one if that pins the
 * same generation while the stores of the section before are still on their way. A pin that
 * replaces an evicted one stays evicted as long as it may belong to the same section
 * (readers_stray()). tests/model/readers.pml is a model of all this for spin, with a death between
 * any two steps, and with each part left out in turn.
 *
 * W2 is a seq_cst fence and then a load of each slot.
 *
 * Every process that may read the state may also write the table. By default this includes
 * unauthenticated users of the machine. The table is therefore System V shared memory and not a
 * file: no process can open it, truncate it or remove it while others have it mapped, and its
 * memory exists from the start. The table is marked as removed when it is made. It is freed with
 * the last process that is attached, even after a crash, and Linux still lets other processes
 * attach. A successor makes another table. The only possible attack is to write pins. If pins of
 * other readers are erased or changed, the writer refills what they read, and the check at the end
 * of their section fails. Wrong pins therefore cost sections (-ESTALE), not correctness. Pins
 * without a reader, even in all slots, cost the writer evictions and spare buffers, as slow readers
 * do, and deny slots to later readers. A scan tries no more than REAPS locks, however many pins are
 * in the way. A reader without a table or slot works by validation alone. This is no error. The
 * table is missing if it could not be made or belongs to another IPC namespace.
 *
 * The lock of a slot is a read lock on a byte of the state file, which needs no write permission.
 * Two readers can hold it. A reader that has locked a slot therefore checks whether another one has
 * locked it too, and if so leaves that slot. If two readers do this at the same time, either both
 * leave, or one had checked before the other locked. The writer takes a write lock, which excludes
 * all others.
 *
 * Only the owner of a slot claims it, begins and ends sections with it and releases it, one call at
 * a time. Only the writer checks whether slots are busy and reaps them. It may do so at any time.
 */
#ifndef SHM_READERS_H
#define SHM_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shm/layout.h"

/* locks that one scan tries: the kernel searches through all locks of the file */
#define REAPS 16u

struct readers {		/* state of one handle; private to readers.c */
	/*
	 * descriptor of the state file. Reader: an open file description of its own, which owns the
	 * lock. Writer: borrowed
	 */
	int fd;
	struct reader_place place;	/* writer: value for the header */
	struct reader_table *table;	/* NULL: work without a table */
	struct reader_slot *slot;	/* reader; NULL: no slot */
	bool writer;
	/*
	 * reader: the process that claimed the slot; a forked child must not touch its parent's
	 * slot
	 */
	int32_t owner;
	unsigned reaps_left;	/* writer: locks that this scan may still try */
	/* writer: slot at which the next scan begins, so that all slots are tried in turn */
	unsigned first;
	/* writer: evicted pins, so that each one is waited for and counted only once */
	uint64_t evicted[READER_SLOTS];
	/* writer: counts since creation; `tried` counts locks */
	uint64_t evictions, reaped, tried;
};

/*
 * Make a table for the writer. Without a table place.shmid is -1. `fd` is the state file with the
 * locks and must stay open. `mode` has the permission bits, `group` is a gid or -1.
 */
void readers_create(struct readers *readers, int fd, unsigned mode, int64_t group);

/*
 * Attach to the table named in the header of the state file and claim a free slot for a reader.
 * Takes ownership of `fd`, which must be an open file description of the state file that nothing
 * else uses; -1 is none. `slot` stays NULL if there is no table, if the table is full, or if it has
 * another shape or does not belong to the owner of the file.
 */
void readers_claim(struct readers *readers, int fd, const struct reader_place *place);

/* Release the table and the slot, for readers and the writer. No-op if never opened. */
void readers_close(struct readers *readers);

/*
 * Writer: return true if a reader is in `generation`. Slots of dead owners are cleared on the way.
 * Evicted pins do not count.
 */
bool readers_busy(struct readers *readers, uint64_t generation);

/*
 * Writer: stop waiting for the readers in `generation`. Their sections will end with -ESTALE.
 * Returns their number.
 */
unsigned readers_evict(struct readers *readers, uint64_t generation);

/*
 * Writer: return true if an evicted reader is still in its section. It may read any memory that its
 * generation had.
 */
bool readers_stray(struct readers *readers);

#endif
