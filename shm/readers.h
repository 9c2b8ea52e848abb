/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RCU across processes: which generation is somebody in?
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
 * The seq_cst accesses have one order. Take a reader that finds g current at R2. If R1 comes before
 * W2, the writer sees the pin, which names what the reader uses, or a later value of the same slot.
 * If R1 comes after W2, then R2 comes after the W1 that made something newer than o current, and
 * the reader does not use o. It is the same with R3 and R4 in place of R1 and R2 when something was
 * published in between: unconfirmed, the pin names a generation not newer than the one the reader
 * will use, and everything from there on counts as busy; R5 confirms the one in use, so that a slow
 * reader holds no more than that. What a first pin names and R2 does not find current is not read.
 * Either way nobody reads what is refilled, unless the writer evicts: it refills all the same, gen
 * = 0 first, and the check at the section's end fails. Generations are 64-bit and never wrap, so
 * one phase is enough. A slot stuck for ever (a stopped process) pins one generation, an
 * unconfirmed one those from it on, until it is evicted; a dead owner's slot is cleared under its
 * lock.
 *
 * An eviction costs one section: the one it meant, or the next, if that pins the same and the
 * stores of the one before are still on their way. What an evicted pin turns into stays evicted as
 * long as it may be the same section (readers_stray()). tests/model/readers.pml is all this for
 * spin, with a death between any two steps, and with each part left out in turn.
 *
 * W2 is a seq_cst fence and then a load of each slot.
 *
 * Who may read the state may write the table, strangers too by default. So it is System V shared
 * memory and no file: nobody can open it, make it shorter or remove it under those who have it
 * mapped, and its memory is there from the start. It is marked as removed when it is made, so that
 * it goes with the last process that has it, however that ends; Linux lets others attach to it all
 * the same. A successor makes another. What a neighbour can do is to write pins. Those of others
 * erased or changed, the writer refills what they read, and the check at a section's end fails:
 * wrong pins cost sections (-ESTALE), not correctness. Pins that stand for nobody, or in all slots,
 * cost the writer evictions and spare buffers, as slow readers do, and late readers their slots; a
 * look tries no more than REAPS locks, however many pins are in the way. No table (none was to be
 * had, or it is not of this reader's IPC namespace), or no slot, is no error: validation alone
 * does.
 *
 * The lock of a slot is a read lock on a byte of the state file, which needs no right to write
 * there. Two can have it; so who has locked looks whether somebody else has, too, and if so leaves
 * that slot to him. Of two at the same time both leave, or one had looked before the other locked.
 * The writer's is a write lock: who gets that is alone.
 *
 *                     claim  begin/end  release  busy/reap
 *     same slot         X        X         X         -        X  the caller excludes (one owner: the lock)
 *     writer            -        -         -         X        -  nothing needed
 */
#ifndef SHM_READERS_H
#define SHM_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shm/layout.h"

/* locks that one look tries: the kernel searches through all that there are on the file */
#define REAPS 16u

struct readers {		/* one per handle; private to readers.c */
	/*
	 * of the state file. Reader: a description of its own, which is the lock's owner. Writer:
	 * borrowed
	 */
	int fd;
	struct reader_place place;	/* writer: for the header */
	struct reader_table *table;	/* NULL: work without */
	struct reader_slot *slot;	/* reader; NULL: no slot */
	bool writer;
	/* reader: the process that claimed; a forked child must not touch its parent's slot */
	int32_t owner;
	unsigned reaps_left;	/* writer: of this look */
	/* writer: the slot that the next look begins with, so that each has its turn */
	unsigned first;
	/* writer: pins given up on, so that each is waited for and counted once */
	uint64_t evicted[READER_SLOTS];
	uint64_t evictions, reaped, tried;	/* writer: counts since creation; locks tried */
};

/*
 * Writer: make a table; without one place.shmid is -1. `fd` is the state file's, where the locks
 * are; it must stay open. `mode`: permission bits, `group`: gid or -1.
 */
void readers_create(struct readers *readers, int fd, unsigned mode, int64_t group);

/*
 * Reader: attach the table that the header of the state file speaks of, and claim a free slot.
 * `fd`, of the state file and nobody else's, is taken; -1 is none. No table, one that is not the
 * file's owner's or has another shape, or a full one: slot stays NULL.
 */
void readers_claim(struct readers *readers, int fd, const struct reader_place *place);

/* Leaves the slot; both kinds. No-op if never opened. */
void readers_close(struct readers *readers);

/*
 * Writer: is a reader in `generation`? Dead owners are reaped on the way. Evicted pins do not
 * count.
 */
bool readers_busy(struct readers *readers, uint64_t generation);

/*
 * Writer: stop waiting for whoever is in `generation`; their sections will end with -ESTALE.
 * Returns how many.
 */
unsigned readers_evict(struct readers *readers, uint64_t generation);

/*
 * Writer: is an evicted reader still in its section? It may be looking at any memory that its
 * generation had.
 */
bool readers_stray(struct readers *readers);

#endif
