/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be submitted, gathered from its sources: files of default options, the script's lines
 * of options, the command line; each of them later than the one before, and the last word counts.
 *
 *     jobs/submit.c               the options, their order, the request
 *     jobs/submission_files.c     options in files: -@, sge_request; lines of a script
 *     jobs/submission_command.c   is the word a script or a command?
 *     jobs/submission_show.c      -verify
 */
#ifndef CLI_JOBS_SUBMISSION_H
#define CLI_JOBS_SUBMISSION_H

#include "sched/cli/jobs/follow.h"
#include "sched/cli/jobs/job.h"

#define FILES_DEEP 8			/* -@ in a file of -@ ... */
#define FILES_MOST 1000			/* of a command: each may name many others */
#define IDLE_MOST 8			/* options without effect */

enum yes_no { UNSAID, YES, NO };		/* y|n */
enum option_source { SOURCE_COMMAND_LINE, SOURCE_FILE, SOURCE_SCRIPT };

struct submission_kept {		/* texts that options point into */
	char **texts;
	size_t n;
};

struct submission {
	struct job job;
	const char *tasks;	/* -t; NULL: none */
	bool held, terse, json;
	const char *copied;	/* --again: numbers of jobs; NULL: not given */
	bool shows;		/* -verify */
	const char *check;	/* -w; NULL: not given */
	bool asks;		/* -w v, -w p: could it ever start? */
	enum yes_no binary, shell;	/* -b, -shell */
	const char *prefix;	/* -C; NULL: not given */
	struct follow follow;
	const struct argument *idle[IDLE_MOST];
	size_t nidle;
	/* from here on what -clear leaves as it is */
	const char *cell;	/* -c, else as it was given to us; NULL: none */
	char **command;		/* what is no option: command and arguments; [0] NULL: none */
	bool dashes;		/* "--" stands before it */
	char *script;		/* its text, to be freed; NULL: a command, or not known yet */
	size_t script_bytes;
	const char *script_name;	/* for messages, and for the job */
	const char *directive;	/* what its lines of options begin with; "": none does */
	enum option_source source;	/* at hand */
	bool again;		/* all sources were read before, and what is left out was said */
	struct { uint64_t device, inode; } open[FILES_DEEP];	/* files being read */
	size_t nopen;
	unsigned nfiles;		/* read so far with -@ */
	struct submission_kept kept;
};

extern const struct argument submit_options[];

/* All of these return exit codes, after a message. */

/* Forget all options; members that no option can set keep their values. Call it first. */
int submission_reset(struct submission *submission);
/* Read the options of all sources; argv[0] is the verb, and NULL follows the last word. */
int submission_gather(struct submission *submission, int argc, char **argv);
/* Complete the members of the request: s->job. */
int submission_finish(struct submission *submission);
void submission_close(struct submission *submission);

/* -@: a word of the command line, or of another file. */
int submission_take_file(void *submission, struct words *words);
/* sge_request of the cell, of the user's home, of the current directory, where there are any. */
int submission_take_defaults(struct submission *submission);
/* Lines of the script that begin with the prefix. */
int submission_take_script(struct submission *submission);
/* Reads the script, if what is to be run is one. */
int submission_choose(struct submission *submission);
/* Prints what would be sent, as qsub -verify does. */
int submission_show(const struct submission *submission);

/* A text that stays until the end. NULL: no memory; the text is freed then. */
char *submission_keep(struct submission *submission, char *text);

#endif
