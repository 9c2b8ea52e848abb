/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every byte of the shared segment, but for what the user puts into tables, rows and heads: of that
 * shm knows how many bytes it is, and nothing else.
 *
 * A cell has a directory in /dev/shm (or $FAIRLEAD_SHM), in which nobody but the writer can make
 * names (place.h). In it lies the state file, which the writer writes and everybody else maps
 * read-only. The reader table, in which each reader writes its own slot and nothing else, is no
 * file (readers.h); the header says where it is. Both hold fixed-width numbers and offsets from the
 * start of the state file, never pointers: each process maps them where it likes.
 *
 * The state file begins with a header page, GENERATIONS generation directories and a byte for each
 * extent; behind them lie extents of 2 MiB, handed out by the writer (extents.c) and populated
 * before they are used. The file grows with the extents that are handed out and never shrinks; what
 * is given back stays in reserve for a few generations (RESERVE_RUNS), then the kernel gets its
 * memory, and a hole remains. Whoever may read the file can fill these holes by reading them, so
 * the file costs at most what the writer once used.
 *
 * A generation is what the writer shows at once: its directory has a head, which is what holds for
 * all of it, and says where its tables and its rows lie. A table is records of one type, a row is a
 * place in columns: CHUNK_ROWS of them make a chunk, which begins at an extent's beginning, and in
 * which all rows of one column lie next to each other. Each chunk has two parts, facts and results.
 *
 * Generation g stands in directory g % GENERATIONS; header.current is the newest complete one. A
 * generation that is complete never changes until its directory is refilled, and the writer refills
 * it only when no reader is in it (readers.h) or after warning those who are, by setting its `gen`
 * to 0 first: a reader compares `gen` at the end of its section.
 *
 * Who owns the memory behind a directory:
 *   tables, results    the directory; they stay with it from one generation to the next that stands
 *                      there (generation.h)
 *   facts              all that show it: a chunk is changed in place until a generation shows it,
 *                      then a copy is, and the last one that shows the old chunk gives it back
 *                      (facts.h); so what did not change between two generations is not copied
 *   strings            the arena they lie in, which only grows; it goes when no directory shows it
 *                      any more (strings.h)
 *
 * On a machine with several NUMA nodes each extent is bound when it is handed out, before its first
 * page is made (numa.h): chunk i, both parts, to node i % nodes, whose workers compute it
 * (workers.h); all else, which everybody reads at random, is interleaved over all nodes. The byte
 * of an extent says where it belongs (enum extent_home).
 *
 * Readers do not trust a byte of this: every count and offset is checked against the file's size
 * when a view is made, every index when it is used (read.h), and behind the file's end their
 * mapping has zeros (map.h). A crashed or hostile writer can show wrong numbers, not crash a
 * reader.
 *
 * Who writes: W the writer, R a reader. Who reads is everybody.
 */
#ifndef SHM_LAYOUT_H
#define SHM_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SEGMENT_MAGIC 0x6461656c72696166u	/* "fairlead", little endian */
/* any change below changes this; what users put into it has a version of its own, `records` */
#define SEGMENT_VERSION 14u
#define READERS_MAGIC 0x7372656461657266u	/* "freaders" */

#define PAGE_BYTES 4096u
#define EXTENT_BYTES (2u << 20)
#define CACHELINE 64u
/* directories: one current, one being filled; two more hold memory only while readers are slow */
#define GENERATIONS 4u
#define CHUNK_ROWS 65536u			/* rows of a chunk */
#define MAX_CHUNKS 2048u			/* 134 million rows */
#define MAX_TABLES 48u
#define USER_TABLES (MAX_TABLES - 2)		/* tables 0 .. USER_TABLES - 1 are the user's */
#define HEAD_BYTES 1024u			/* of a generation's head */
#define READER_SLOTS 512u
#define MAX_NODES 64u				/* NUMA nodes that the file is divided among */
/* of the extents' bytes: uint8_t, enum extent_home */
#define HOMES_OFFSET (PAGE_BYTES + GENERATIONS * sizeof(struct generation))
#define NONE UINT32_MAX				/* "no such index" in any u32 index below */

/* State file */

enum placement_state {
	PLACEMENT_ONE,				/* there is one node: nothing was bound */
	PLACEMENT_BOUND,
	PLACEMENT_FOREIGN,			/* planned for another machine, not bound */
	PLACEMENT_REFUSED,			/* the kernel did not let us bind: `error` */
};

/* the NUMA nodes among which extents are divided (numa.h) */
struct placement {
	uint32_t nodes;				/* 1..MAX_NODES */
	uint32_t state;				/* enum placement_state */
	uint32_t error;				/* errno */
	uint32_t os[MAX_NODES];			/* the kernel's number of each */
};

enum extent_home {				/* where the memory of an extent is meant to lie */
	HOME_NONE,				/* it has none: a hole, or behind the file's end */
	/* interleaved over all nodes; never with one node */
	HOME_ALL,
	HOME_NODE,				/* on the first node; HOME_NODE + k: on node k */
};

struct reader_place {				/* where the reader table is (readers.h) */
	int32_t shmid;				/* System V shared memory; -1: there is none */
	uint32_t pad;
	/* stands in the table, too, so that no other one is taken for it */
	uint64_t nonce;
};

struct segment_header {				/* W; first page */
	uint64_t magic;
	uint32_t version;
	uint32_t directory_bytes;		/* sizeof(struct generation), checked at open */
	/* that the file may grow to; readers reserve as much address space */
	uint64_t file_bytes;
	/* for people; its lock says whether it lives */
	uint32_t writer_pid;
	uint32_t records;			/* the user's version of tables, rows and heads */
	int64_t created;			/* epoch seconds */
	struct reader_place readers;
	/* newest complete generation, 0 before the first */
	_Alignas(CACHELINE) _Atomic uint64_t current;
	/* 1: a successor has published under the same name; open again */
	_Atomic uint32_t retired;
	/* bytes that the file has got to; set before what lies in them is published */
	_Atomic uint64_t grown;
	struct placement placement;		/* never changes */
};

/* count records from byte offset on; offset 0 when count is 0 */
struct table {
	uint64_t offset;
	uint64_t count;
};

enum {						/* tables that are shm's own, behind the user's */
	TABLE_STRINGS = MAX_TABLES - 2,		/* u32: string id -> offset in TABLE_TEXT */
	/* char: NUL-terminated strings; the last byte is 0 */
	TABLE_TEXT,
};

struct generation {				/* W; directory of one generation */
	/* which one; 0 while it is being refilled */
	_Alignas(PAGE_BYTES) _Atomic uint64_t gen;
	uint64_t rows;				/* in use or free, in all chunks */
	uint64_t bytes;				/* of shared memory that it shows */
	/* what the user says of all rows alike, in a struct of his own; zeros at first */
	_Alignas(CACHELINE) unsigned char head[HEAD_BYTES];
	struct table tables[MAX_TABLES];
	/* byte offsets of chunks; generations share those that did not change */
	uint64_t facts[MAX_CHUNKS];
	/* byte offsets of chunks of this generation alone */
	uint64_t results[MAX_CHUNKS];
};

/* Reader table */

/*
 * A slot belongs to whoever alone has an open-file-description read lock on its byte of the state
 * file, READER_LOCKS + its number; the kernel drops it when the owner dies, however it dies. No
 * byte of the file is there: locks need none.
 */
#define READER_LOCKS ((int64_t)1 << 62)

/* R, its owner only; W clears it after the owner's death */
struct reader_slot {
	_Alignas(CACHELINE) _Atomic uint64_t pin;	/* see readers.h */
	uint32_t pid;				/* for people */
};

struct reader_table {
	uint64_t magic;				/* W */
	uint32_t version;			/* W: SEGMENT_VERSION */
	uint32_t slots;				/* W: READER_SLOTS */
	uint64_t nonce;				/* W: struct reader_place */
	struct reader_slot slot[READER_SLOTS];
};

_Static_assert(sizeof(struct segment_header) <= PAGE_BYTES, "header fits its page");
_Static_assert(sizeof(struct reader_slot) == CACHELINE, "one cache line a reader");
_Static_assert(offsetof(struct segment_header, current) == 64, "current has a line of its own");
_Static_assert(sizeof(struct generation) % PAGE_BYTES == 0, "directories are pages");
_Static_assert(offsetof(struct generation, head) % CACHELINE == 0, "a head is aligned for any struct");
_Static_assert(sizeof(_Atomic uint64_t) == 8, "atomics are plain words");

#endif
