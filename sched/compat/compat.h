/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid Engine's client programs on a local cell. Their options are converted to those of the
 * commands of sched/client/ and of the verbs of sched/cli/ that print a run. Results, messages and
 * exit codes are converted to those of Grid Engine.
 *
 *     qsub() {
 *             call_open(&call, "submit", argc);      ... words of the command, one after the other
 *             while (walk_next(&walk) ...)           ... options of the program
 *             code = call_ask(&call, submit_ask, cell, &voice);
 *     }
 */
#ifndef COMPAT_COMPAT_H
#define COMPAT_COMPAT_H

#include <stdio.h>

#include "sched/cli/verbs.h"

/* option of Grid Engine that the verb does not have, or that has another meaning there */
struct foreign {
	const char *name;	/* NULL ends a table */
	const char *value;	/* value after it; NULL: none */
	/* Reason why it is accepted and ignored, which is printed. NULL: the program handles it. */
	const char *ignored;
};

struct client_program;
typedef int program_run(const struct client_program *program, const char *cell, int argc, char **argv);

struct client_program {	/* argv[0] is its name; returns an exit code of Grid Engine */
	const char *name;
	program_run *run;
	const char *operands;
	const struct argument *options;	/* options of the verb; NULL: none */
	const struct foreign *foreign;	/* NULL: none */
};

program_run qsub_run, qalter_run, qdel_run, qhold_run, qmod_run, qstat_run, qacct_run, qconf_run, qhost_run, qquota_run,
	qselect_run, qresub_run, qrsub_run, qrstat_run, qrdel_run;
extern const struct foreign qsub_foreign[], qalter_foreign[], qdel_foreign[], qhold_foreign[], qmod_foreign[],
	qstat_foreign[], qrsub_foreign[], qrstat_foreign[], qrdel_foreign[];
extern const struct argument qselect_options[], qresub_options[];
extern const char qselect_usage[];	/* printed by -help in place of the options */

/* Words of a program */

enum walk_what {
	WALK_END,
	WALK_OPTION,		/* an option of the verb */
	WALK_FOREIGN,
	WALK_OPERAND,
	WALK_IGNORED,		/* walk_next() does not return it */
	WALK_WRONG,		/* invalid, after a message */
};

struct word_walk {		/* begin with program, argc, argv and next = 1 */
	const struct client_program *program;
	int argc;
	char **argv;
	int next;
	char **words;		/* current option or operand, and its values */
	int n;			/* number of words */
	bool dashes;		/* "--" was before it */
	bool quiet;		/* print no messages: the words are read a second time */
};

/* Read the next word. Options that are ignored are reported and skipped. */
enum walk_what walk_next(struct word_walk *walk);

/* Conversion of results and messages to those of Grid Engine */

struct voice {
	const char *program, *verb;
	/* Texts before and after the reason of a refusal, and their stream. */
	const char *before, *after;
	FILE *refusals;
	/* Prints a result in the program's own way; false: it is printed as usual. NULL: none. */
	bool (*takes_result)(struct voice *voice, const struct reply_result *result);
	/* Does the same with a failure of the verb. */
	bool (*takes_message)(struct voice *voice, const struct message *message);
	void *context;		/* of both functions */
	long long job_number;	/* job of the last success; 0: none */
	unsigned failures;	/* reported failures */
	bool usage;		/* a failure was in the command line */
};

/* Words of a verb */

struct call {			/* copies, because verbs cut lists at their commas */
	char **words;		/* words[0] is the name of the verb */
	int n, most;
	bool failed;		/* memory was exhausted: call_ask() and call_show() report it */
};

/* Open a call to which `argc` words and some more can be added. -ENOMEM. */
int call_open(struct call *call, const char *verb, int argc);
void call_close(struct call *call);
void call_add(struct call *call, const char *word);
void call_add_all(struct call *call, char **words, int n);
/* Append to the last word. */
void call_extend(struct call *call, const char *with);

/* Add "-u" and the calling user. Without a named user Grid Engine shows the caller's objects. */
void call_add_caller(struct call *call);

/* Send the requests of a command, print the results, and return the exit code of the command. */
int call_ask(struct call *call, request_command *command, const char *cell, struct voice *voice);
/* Let a verb print a run, print its messages, and return its exit code. */
int call_show(struct call *call, verb_show *show, const char *cell, struct voice *voice);

/*
 * Print jobs for qstat -j. `lists` has the words after -j, from its second word on. Returns an exit
 * code.
 */
int qstat_jobs(const struct client_program *program, const char *cell, const struct call *lists, bool xml);

/* Wait for a short time until readers see the job. */
void published_await(const char *cell, long long job_number);

/* Print "usage: ..." with all options. */
void program_help(const struct client_program *program, FILE *to);
/* Print "qdel: text "about"" on standard error; `about` may be NULL. Returns 1. */
int program_fail(const char *program, const char *text, const char *about);

#endif
