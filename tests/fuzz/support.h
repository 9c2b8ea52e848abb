/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the harnesses of this folder share. A harness is a file with LLVMFuzzerTestOneInput(): it
 * puts one input through code of the product and leaves nothing behind, no memory, no descriptor,
 * no file. libFuzzer calls it millions of times, `make check` once for each file of its corpus
 * (replay.c).
 *
 * Most inputs of a fuzzer are refused, and a harness whose inputs are all refused finds nothing. So
 * each one tells how much of an input was taken, and a corpus of which nothing is taken is a
 * failure.
 */
#ifndef TESTS_FUZZ_SUPPORT_H
#define TESTS_FUZZ_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/qmaster/json/events.h"
#include "sched/sched.h"

#define FUZZ_NOW 1700000000		/* the date of the first run */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So many of the pieces that the input has, lines, say, were accepted. */
void fuzz_taken(bool taken);
struct fuzz_counts { uint64_t pieces, taken; };
extern struct fuzz_counts fuzz_counts;

/* Abort, as a crash does, unless the condition holds. It has to hold for any input. */
#define MUST(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/* Input */

/* bytes of the input, or of a copy of it; `text` has a NUL behind its end */
struct piece {
	const char *text;
	size_t length;
};

/*
 * The next line, without its newline, copied into memory of its own, so that reading beyond its end
 * is noticed. False: there is none.
 */
bool piece_line(struct piece *rest, struct piece *line);
/*
 * "=== NAME", and the lines up to the next such: what stands before the first one has the name "".
 */
bool piece_file(struct piece *rest, char name[64], struct piece *content);
void piece_free(struct piece *piece);
/* the word, or begins with it and a blank */
bool piece_is(const struct piece *line, const char *word);

/*
 * A directory for the process, below $FAIRLEAD_SHM or /dev/shm; gone when it ends, but not after a
 * crash
 */

const char *scratch(void);		/* FAIRLEAD_SHM becomes "shm" in it */
void scratch_path(char path[256], const char *name);
void scratch_put(const char *name, const void *bytes, size_t n);	/* directories are made */
void scratch_remove(const char *name);	/* with all that is below */
void scratch_copy(const char *from, const char *name);	/* a directory of this tree */

/* Return a descriptor of memory of this size. A write beyond its end fails with EPERM. */
int scratch_output(size_t bytes);

/* A scheduler that is told events and runs */

struct fuzz_sched {
	struct sched *sched;
	struct intake intake;
	struct events events;
	int64_t now;
	uint64_t answers;		/* lines so far */
	bool refused;			/* the last event */
};

/* False: the cell's files have faults. Answers must be JSON. */
bool fuzz_sched_open(struct fuzz_sched *sched, const char *cell);
void fuzz_sched_close(struct fuzz_sched *sched);
/*
 * An event with the number that is due; one that begins with '!' as it is, number and all, without
 * that '!'.
 */
void fuzz_sched_tell(struct fuzz_sched *sched, const struct piece *line);
void fuzz_sched_run(struct fuzz_sched *sched);

/*
 * What people see: all verbs of the command line that read. JSON must be JSON, with no number NaN
 * or infinite. How many found something to print.
 */
unsigned fuzz_print(const char *cell);
/* what is published is nobody's: names, and so members, may be there twice */
extern bool fuzz_hostile;

#endif
