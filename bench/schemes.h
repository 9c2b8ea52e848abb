/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to read something that somebody else may replace: ours, and those it is compared with. */
#ifndef BENCH_SCHEMES_H
#define BENCH_SCHEMES_H

#include <pthread.h>

#include "sched/run/records.h"
#include "shm/attach.h"

#define MOST_READERS 64
#define RECORD_WORDS 8

struct shared {				/* by all processes */
	_Atomic unsigned ready;
	_Atomic bool go;
	double ns[MOST_READERS];	/* per section */
	_Alignas(CACHELINE) pthread_rwlock_t rwlock;
	_Alignas(CACHELINE) _Atomic uint32_t seq;
	uint64_t record[RECORD_WORDS];
	_Alignas(CACHELINE) uint64_t word;
	uint64_t *pointer;		/* to word; for threads */
};

struct reader {				/* one process, or one thread */
	unsigned number;
	struct shared *shared;
	const char *cell;		/* the directory */
	struct attachment a;
	uint64_t sum;			/* of all that was read, so that it is read */
};

struct scheme {
	const char *name;
	bool threads;			/* of one process */
	int (*enter)(struct reader *reader);	/* 0, or -errno and nothing to leave */
	/* so many; the sum of what was read */
	uint64_t (*read)(struct reader *reader, unsigned long sections);
	void (*leave)(struct reader *reader);
};

enum { FAIRLEAD, MEMB, MEMB_CALL, QSBR, MEMBARRIER, VALIDATION, RWLOCK, SEQLOCK, PLAIN, SCHEMES };

extern const struct scheme schemes[SCHEMES];

#endif
