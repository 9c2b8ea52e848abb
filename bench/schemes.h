/* SPDX-License-Identifier: Apache-2.0 */
/* Methods to read data that another process may replace: ours, and others for comparison. */
#ifndef BENCH_SCHEMES_H
#define BENCH_SCHEMES_H

#include <pthread.h>

#include "sched/run/records.h"
#include "shm/attach.h"

#define MOST_READERS 64
#define RECORD_WORDS 8

struct shared {				/* shared by all processes */
	_Atomic unsigned ready;
	_Atomic bool go;
	double ns[MOST_READERS];	/* per section */
	_Alignas(CACHELINE) pthread_rwlock_t rwlock;
	_Alignas(CACHELINE) _Atomic uint32_t seq;
	uint64_t record[RECORD_WORDS];
	_Alignas(CACHELINE) uint64_t word;
	uint64_t *pointer;		/* address of word; for threads */
};

struct reader {				/* process or thread that reads */
	unsigned number;
	struct shared *shared;
	const char *cell;		/* directory of the cell */
	struct attachment a;
	uint64_t sum;			/* sum of all values, so that no read is optimized away */
};

struct scheme {
	const char *name;
	bool threads;			/* true: readers are threads of one process */
	int (*enter)(struct reader *reader);	/* returns 0, or -errno with nothing to leave */
	/* Read in `sections` sections and return the sum of the values. */
	uint64_t (*read)(struct reader *reader, unsigned long sections);
	void (*leave)(struct reader *reader);
};

enum { FAIRLEAD, MEMB, MEMB_CALL, QSBR, MEMBARRIER, VALIDATION, RWLOCK, SEQLOCK, PLAIN, SCHEMES };

extern const struct scheme schemes[SCHEMES];

#endif
