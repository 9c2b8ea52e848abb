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
 *       slot = current << 1    (seq_cst)   R3        ... next run: may generation o < current be refilled?
 *       g = header.current     (seq_cst)   R4        s = slot                   (seq_cst)   W2
 *       slot = g << 1 | 1      (release)   R5        busy if s == o << 1 | 1, or s is not confirmed and s >> 1 <= o
 *     ... read generation g ...                      directory.gen = 0, (release fence), refill
 *     (acquire fence) ok = directory.gen == g
 *     slot = 0                 (release)
 *
 * The seq_cst accesses have one order. Take a reader that finds g current at R2. If R1 comes before W2, the writer sees the pin, which
 * names what the reader uses, or a later value of the same slot. If R1 comes after W2, then R2 comes after the W1 that made something
 * newer than o current, and the reader does not use o. It is the same with R3 and R4 in place of R1 and R2 when something was published
 * in between: unconfirmed, the pin names a generation not newer than the one the reader will use, and everything from there on counts
 * as busy; R5 confirms the one in use, so that a slow reader holds no more than that. What a first pin names and R2 does not find
 * current is not read. Either way nobody reads what is refilled, unless the writer evicts: it refills all the same, gen = 0 first, and
 * the check at the section's end fails. Generations are 64-bit and never wrap, so one phase is enough. A slot stuck for ever (a stopped
 * process) pins one generation, an unconfirmed one those from it on, until it is evicted; a dead owner's slot is cleared under its lock.
 *
 * An eviction costs one section: the one it meant, or the next, if that pins the same and the stores of the one before are still on
 * their way. What an evicted pin turns into stays evicted as long as it may be the same section (readers_stray()).
 * tests/model/readers.pml is all this for spin, with a death between any two steps, and with each part left out in turn.
 *
 * W2 is a pread(2) behind a seq_cst fence, because the table is a file that others may write: cut short by somebody it reads as
 * nobody, where a mapping would kill the scheduler. Whatever it says, wrong pins cost sections (-ESTALE), not correctness.
 * Readers do map the table, so whoever may write it can harm other readers: give write permission to a group that you trust.
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

#include "shm/layout.h"

struct readers {		/* one per handle; private to readers.c */
	int fd;			/* a description of its own: the lock's owner; -1 when the table can't be opened */
	struct reader_table *table;	/* reader: the mapping, NULL = work without a slot. Writer: a copy, renewed by each look */
	struct reader_slot *slot;	/* NULL: no slot */
	bool writer;
	int32_t owner;		/* reader: the process that claimed; a forked child must not touch its parent's slot */
	uint64_t evicted[READER_SLOTS];	/* writer: pins given up on, so that each is waited for and counted once */
	uint64_t evictions, reaped;	/* writer: counts since creation */
};

/*
 * Writer: create the table, or take over the one that is there (readers of a former scheduler keep their slots).
 * `mode`: permission bits, `group`: gid or -1. 0, or -errno.
 */
int readers_create(struct readers *r, const char *path, unsigned mode, int64_t group);

/*
 * Reader: open the table and claim a free slot: the first byte whose lock is free. A full table, a missing one, or one
 * that may not be written is not an error: slot stays NULL. -EPROTO: another version's table. The caller closes in each case.
 */
int readers_claim(struct readers *r, const char *path);

/* Leaves the slot and closes; both kinds. No-op if never opened. */
void readers_close(struct readers *r);

/*
 * Writer: is a reader in `generation`? Dead owners are reaped on the way. Evicted pins do not count.
 */
bool readers_busy(struct readers *r, uint64_t generation);

/* Writer: stop waiting for whoever is in `generation`; their sections will end with -ESTALE. Returns how many. */
unsigned readers_evict(struct readers *r, uint64_t generation);

/* Writer: is an evicted reader still in its section? It may be looking at any memory that its generation had. */
bool readers_stray(struct readers *r);

#endif
