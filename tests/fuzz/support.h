/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions shared by the harnesses of this directory.
 *
 * A harness is a file with LLVMFuzzerTestOneInput(). It passes one input through code of the
 * product and frees all memory, descriptors and files. libFuzzer calls it millions of times, `make
 * check` once for each file of its corpus (replay.c).
 *
 * Most inputs of a fuzzer are refused, and a harness that refuses all inputs finds no defects. Each
 * harness therefore reports how much of an input was accepted, and a corpus of which no part is
 * accepted is a failure.
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

/* Count a piece of the input, for example a line, and whether it was accepted. */
void fuzz_taken(bool taken);
struct fuzz_counts { uint64_t pieces, taken; };
extern struct fuzz_counts fuzz_counts;

/* Abort, as a crash does, unless the condition holds. It has to hold for any input. */
#define MUST(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *condition, const char *file, int line);

/* Input */

/* Bytes of the input or of a copy of it. `text` has a NUL after its end. */
struct piece {
	const char *text;
	size_t length;
};

/*
 * Copy the next line, without its newline, into memory of its own, so that a read beyond its end is
 * detected. Return false if there is none.
 */
bool piece_line(struct piece *rest, struct piece *line);
/* Read "=== NAME" and the lines up to the next one. Lines before the first have the name "". */
bool piece_file(struct piece *rest, char name[64], struct piece *content);
void piece_free(struct piece *piece);
/* Return whether the line is the word, or begins with it and a blank. */
bool piece_is(const struct piece *line, const char *word);

/*
 * Return a directory of the process below $FAIRLEAD_SHM or /dev/shm. It is removed at exit, but not
 * after a crash.
 */

const char *scratch(void);		/* FAIRLEAD_SHM becomes "shm" in it */
void scratch_path(char path[256], const char *name);
void scratch_put(const char *name, const void *bytes, size_t n);	/* directories are made */
void scratch_remove(const char *name);	/* with its contents */
void scratch_copy(const char *from, const char *name);	/* a directory of this tree */

/* Return a descriptor of memory of this size. A write beyond its end fails with EPERM. */
int scratch_output(size_t bytes);

/* A scheduler that receives events and makes runs */

struct fuzz_sched {
	struct sched *sched;
	struct intake intake;
	struct events events;
	int64_t now;
	uint64_t answers;		/* lines so far */
	bool refused;			/* of the last event */
};

/* Return false if the cell's files have faults. Answers must be JSON. */
bool fuzz_sched_open(struct fuzz_sched *sched, const char *cell);
void fuzz_sched_close(struct fuzz_sched *sched);
/*
 * Send an event with the next number. An event that begins with '!' is sent unchanged without the
 * '!', with its own number.
 */
void fuzz_sched_report(struct fuzz_sched *sched, const struct piece *line);
void fuzz_sched_run(struct fuzz_sched *sched);

/*
 * Print the output of all verbs of the command line that read. JSON must be valid, without NaN or
 * infinite numbers. Return how many verbs printed data.
 */
unsigned fuzz_print(const char *cell);
/* Published data is hostile: names, and so JSON members, may occur twice. */
extern bool fuzz_hostile;

#endif
