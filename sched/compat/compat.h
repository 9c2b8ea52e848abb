/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine's client programs on a local cell: their options become those of the verbs of
 * sched/cli/, what the verbs say becomes what Grid Engine says, and their exit codes Grid Engine's.
 *
 *     qsub() {
 *             call_open(&call, "submit", argc);      ... words of the verb, one after the other
 *             while (walk_next(&walk) ...)           ... options of the program
 *             code = call_run(&call, submit_run, cell, &voice);
 *     }
 */
#ifndef COMPAT_COMPAT_H
#define COMPAT_COMPAT_H

#include <stdio.h>

#include "sched/cli/verbs.h"

struct foreign {		/* an option of Grid Engine's that the verb does not have, or means otherwise */
	const char *name;	/* NULL ends a table */
	const char *value;	/* what stands behind it; NULL: nothing */
	/* why it is taken and left aside, which is said; NULL: the program does something about it */
	const char *ignored;
};

struct client_program;
typedef int program_run(const struct client_program *program, const char *cell, int argc, char **argv);

struct client_program {	/* argv[0] is its name; returns an exit code as Grid Engine's does */
	const char *name;
	program_run *run;
	const char *operands;
	const struct argument *options;	/* of the verb; NULL: none */
	const struct foreign *foreign;	/* NULL: none */
};

program_run qsub_run, qalter_run, qdel_run, qhold_run, qmod_run, qstat_run, qacct_run, qconf_run, qhost_run, qquota_run,
	qselect_run, qresub_run, qrsub_run, qrstat_run, qrdel_run;
extern const struct foreign qsub_foreign[], qalter_foreign[], qdel_foreign[], qhold_foreign[], qmod_foreign[],
	qstat_foreign[], qrsub_foreign[], qrstat_foreign[], qrdel_foreign[];
extern const struct argument qselect_options[], qresub_options[];

/* The words of a program */

enum walk_what {
	WALK_END,
	WALK_OPTION,		/* of the verb */
	WALK_FOREIGN,
	WALK_OPERAND,
	WALK_IGNORED,		/* walk_next() does not return it */
	WALK_WRONG,		/* after a message */
};

struct word_walk {		/* begin with program, argc, argv and next = 1 */
	const struct client_program *program;
	int argc;
	char **argv;
	int next;
	char **words;		/* the option or operand at hand, and its values */
	int n;			/* of them */
	bool dashes;		/* "--" stood before it */
	bool quiet;		/* says nothing: the words are read a second time */
};

/* Options that are ignored are told of and passed over. */
enum walk_what walk_next(struct word_walk *walk);

/* How Grid Engine's programs speak */

struct voice {
	const char *program, *verb;
	/* what stands before and behind a text that says why a request was refused; and where */
	const char *before, *behind;
	FILE *refusals;
	const char *from, *to;	/* words of the verb and Grid Engine's for them, once a text; NULL: none */
	const char *unsaid;	/* answers that begin so are not printed; NULL: all are */
	/* a failure that the program tells of in its own way; false: it does not */
	bool (*takes)(void *context, const char *text);
	void *context;		/* of takes() */
	long long job_number;	/* that the last answer was about; 0: none */
	unsigned failures;	/* that were told */
	bool usage;		/* one of them is the command line's */
};

/* The words of a verb */

struct call {			/* copies, since verbs cut lists at their commas */
	char **words;		/* words[0] is the verb's name */
	int n, most;
	bool failed;		/* there was no memory: call_run() says so */
};

/* As many words may be added as `argc` and some more. -ENOMEM. */
int call_open(struct call *call, const char *verb, int argc);
void call_close(struct call *call);
void call_add(struct call *call, const char *word);
void call_add_all(struct call *call, char **words, int n);
/* Makes the last word longer. */
void call_extend(struct call *call, const char *with);

/* "-u" and who calls: what Grid Engine shows where nobody is named. */
void call_add_caller(struct call *call);

/* The verb's exit code. */
int call_run(struct call *call, verb_run *run, const char *cell, struct voice *voice);

/* qstat -j: `lists` has what stood behind it, from its second word on. An exit code. */
int qstat_jobs(const struct client_program *program, const char *cell, const struct call *lists, bool xml);

/* Until readers see the job; not for long. */
void published_await(const char *cell, long long job_number);

/* "usage: ..." with all options. */
void program_help(const struct client_program *program, FILE *to);
/* "qdel: text "about"" on standard error; `about` may be NULL. Returns 1. */
int program_fail(const char *program, const char *text, const char *about);

#endif
