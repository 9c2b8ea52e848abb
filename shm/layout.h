/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of the shared segment. Tables, rows and heads are filled by the user of shm. shm knows
 * only their sizes.
 *
 * A cell has a directory in /dev/shm (or $FAIRLEAD_SHM), in which only the writer can create names
 * (place.h). The directory contains the state file. The writer writes it, and all other processes
 * map it read-only. The reader table, in which each reader writes only its own slot, is not a file
 * (readers.h). The header says where it is. Both contain fixed-width numbers and offsets from the
 * start of the state file and never pointers, so each process can map them at any address.
 *
 * The state file begins with a header page, GENERATIONS generation directories and one byte per
 * extent. Extents of 2 MiB follow. The writer hands them out (extents.c) and populates them before
 * use. The file grows with the extents that are handed out and never shrinks. Freed extents stay in
 * reserve for a few generations (RESERVE_RUNS). Then their memory is given back to the kernel, and
 * a hole remains. A process that may read the file can fill these holes by reading them, so the
 * file costs at most as much memory as the writer has used at one time.
 *
 * A generation is the data that the writer publishes at once. Its directory has a head with data
 * about the whole generation, and the offsets of its tables and rows. A table is an array of
 * records of one type. A row is an index into columns. CHUNK_ROWS rows form a chunk, which starts
 * at the beginning of an extent and stores the values of each column next to each other. Each chunk
 * has two parts, facts and results.
 *
 * Generation g uses directory g % GENERATIONS, and header.current is the newest complete
 * generation. A complete generation does not change until its directory is refilled. The writer
 * refills a directory when no reader is in it (readers.h). Otherwise it first sets the directory's
 * `gen` to 0. Readers compare `gen` at the end of their section and notice the change.
 *
 * Ownership of the memory of a directory:
 *
 *   tables, results    the directory; they stay with it for the next generation that uses it
 *                      (generation.h)
 *   facts              all directories that show the chunk: a chunk is changed in place until
 *                      a generation shows it. Afterwards a copy is changed, and the last
 *                      generation that shows the old chunk frees it (facts.h). Unchanged data
 *                      is therefore not copied between generations
 *   strings            the arena of the texts, which only grows; it is freed when no
 *                      directory shows it any more (strings.h)
 *
 * On a machine with several NUMA nodes each extent is bound when it is handed out, before its first
 * page is made (numa.h). Both parts of chunk i are bound to node i % nodes, whose workers compute
 * the chunk (workers.h). All other data, which every process reads at random, is interleaved over
 * all nodes. The byte of an extent contains its home (enum extent_home).
 *
 * Readers do not trust any byte of the file. Every count and offset is checked against the size of
 * the file when a view is made, and every index when it is used (read.h). Beyond the end of the
 * file their mapping contains zeros (map.h). A crashed or hostile writer can show wrong numbers but
 * cannot crash a reader.
 *
 * The comments mark the process that writes: W is the writer, R a reader. Every process reads.
 */
#ifndef SHM_LAYOUT_H
#define SHM_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_MAGIC 0x6461656c72696166u	/* "fairlead", little endian */
/* change this with any change below; data that users store has a version of its own, `records` */
#define SEGMENT_VERSION 14u
#define READERS_MAGIC 0x7372656461657266u	/* "freaders" */

#define PAGE_BYTES 4096u
#define EXTENT_BYTES (2u << 20)
#define CACHELINE 64u
/* directories: one current, one being filled; two more have memory only while readers are slow */
#define GENERATIONS 4u
#define CHUNK_ROWS 65536u			/* rows of a chunk */
#define MAX_CHUNKS 2048u			/* 134 million rows */
#define MAX_TABLES 48u
#define USER_TABLES (MAX_TABLES - 2)		/* tables 0 .. USER_TABLES - 1 are the user's */
#define HEAD_BYTES 1024u			/* size of a generation's head */
#define READER_SLOTS 512u
#define MAX_NODES 64u				/* NUMA nodes among which the file can be divided */
/* offset of the extents' bytes: uint8_t, enum extent_home */
#define HOMES_OFFSET (PAGE_BYTES + GENERATIONS * sizeof(struct generation))
#define NONE UINT32_MAX				/* "no such index" for every u32 index below */

/* State file */

enum placement_state {
	PLACEMENT_ONE,				/* single node; nothing was bound */
	PLACEMENT_BOUND,
	PLACEMENT_FOREIGN,			/* planned for another machine, not bound */
	PLACEMENT_REFUSED,			/* the kernel refused to bind: see `error` */
};

/* NUMA nodes among which extents are divided (numa.h) */
struct placement {
	uint32_t nodes;				/* 1..MAX_NODES */
	uint32_t state;				/* enum placement_state */
	uint32_t error;				/* errno */
	uint32_t os[MAX_NODES];			/* number of each node in the kernel */
};

enum extent_home {				/* intended node of an extent's memory */
	/* no memory: a hole, or beyond the end of the file */
	HOME_NONE,
	/* interleaved over all nodes; never used with one node */
	HOME_ALL,
	HOME_NODE,				/* on the first node; HOME_NODE + k: on node k */
};

struct reader_place {				/* location of the reader table (readers.h) */
	int32_t shmid;				/* System V shared memory; -1: no table */
	uint32_t pad;
	/* also stored in the table, so that another table is not mistaken for it */
	uint64_t nonce;
};

struct segment_header {				/* W; first page */
	uint64_t magic;
	uint32_t version;
	uint32_t directory_bytes;		/* sizeof(struct generation), checked at open */
	/* maximum size of the file; readers reserve as much address space */
	uint64_t file_bytes;
	/* shown to people; the writer's lock says whether it is alive */
	uint32_t writer_pid;
	uint32_t records;			/* user's version of tables, rows and heads */
	int64_t created;			/* epoch seconds */
	struct reader_place readers;
	/* newest complete generation, 0 before the first */
	_Alignas(CACHELINE) _Atomic uint64_t current;
	/* 1: a successor has published under the same name; open the file again */
	_Atomic uint32_t retired;
	/* size of the file; set before data in the new part is published */
	_Atomic uint64_t grown;
	struct placement placement;		/* never changes */
};

/* `count` records, starting at byte `offset`; the offset is 0 if count is 0 */
struct table {
	uint64_t offset;
	uint64_t count;
};

enum {						/* tables of shm itself, after the user's tables */
	TABLE_STRINGS = MAX_TABLES - 2,		/* u32: string id -> offset in TABLE_TEXT */
	/* char: NUL-terminated strings; the last byte is 0 */
	TABLE_TEXT,
};

struct generation {				/* W; directory of one generation */
	/* number of the generation; 0 while the directory is being refilled */
	_Alignas(PAGE_BYTES) _Atomic uint64_t gen;
	uint64_t rows;				/* rows in use or free, in all chunks */
	uint64_t bytes;				/* shared memory that the generation shows */
	/* user's data about the whole generation, in a struct of the user; initially zero */
	_Alignas(CACHELINE) unsigned char head[HEAD_BYTES];
	struct table tables[MAX_TABLES];
	/* byte offsets of chunks; generations share chunks that did not change */
	uint64_t facts[MAX_CHUNKS];
	/* byte offsets of chunks of this generation only */
	uint64_t results[MAX_CHUNKS];
};

/* Reader table */

/*
 * A slot belongs to the process that alone holds an open-file-description read lock on the slot's
 * byte of the state file, READER_LOCKS + slot number. The kernel drops the lock when the owner
 * dies, whatever the cause. These bytes do not exist in the file, because locks do not need them.
 */
#define READER_LOCKS ((int64_t)1 << 62)

/* R, only the owner; W clears it after the owner's death */
struct reader_slot {
	_Alignas(CACHELINE) _Atomic uint64_t pin;	/* see readers.h */
	uint32_t pid;				/* shown to people */
};

struct reader_table {
	uint64_t magic;				/* W */
	uint32_t version;			/* W: SEGMENT_VERSION */
	uint32_t slots;				/* W: READER_SLOTS */
	uint64_t nonce;				/* W: struct reader_place */
	struct reader_slot slot[READER_SLOTS];
};

_Static_assert(sizeof(struct segment_header) <= PAGE_BYTES, "header fits its page");
_Static_assert(sizeof(struct reader_slot) == CACHELINE, "a reader slot must fill one cache line");
_Static_assert(offsetof(struct segment_header, current) == 64, "current has a line of its own");
_Static_assert(sizeof(struct generation) % PAGE_BYTES == 0, "directories are pages");
_Static_assert(offsetof(struct generation, head) % CACHELINE == 0, "a head is aligned for any struct");
_Static_assert(sizeof(_Atomic uint64_t) == 8, "atomics are plain words");

#endif
