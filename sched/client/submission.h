/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submission of a job, collected from several sources: files of default options, the option lines
 * of the script, the command line. Later sources override earlier ones.
 *
 *     submission.c           the options, their order, the request
 *     submission_files.c     options in files: -@, sge_request; option lines of a script
 *     submission_command.c   distinction between a script and a command
 */
#ifndef CLIENT_SUBMISSION_H
#define CLIENT_SUBMISSION_H

#include "sched/client/follow.h"
#include "sched/client/job.h"
#include "sched/client/request.h"

#define FILES_DEEP 8			/* nesting depth of -@ files */
#define FILES_MOST 1000			/* files per command, as each may name many others */
#define IDLE_MOST 8			/* options without effect */

enum yes_no { UNSAID, YES, NO };		/* answer to y|n */
enum option_source { SOURCE_COMMAND_LINE, SOURCE_FILE, SOURCE_SCRIPT };

struct submission_kept {		/* texts into which options point */
	char **texts;
	size_t n;
};

struct submission {
	struct job job;
	const char *tasks;	/* value of -t, NULL: none */
	bool held, terse, json;
	const char *copied;	/* --again: numbers of jobs, NULL: not used */
	bool shows;		/* -verify */
	const char *check;	/* value of -w, NULL: not used */
	bool asks;		/* -w v, -w p: only ask whether the job could ever start */
	enum yes_no binary, shell;	/* -b, -shell */
	const char *prefix;	/* value of -C, NULL: not used */
	struct follow follow;
	const struct argument *idle[IDLE_MOST];
	size_t nidle;
	/* Members from here on are not changed by -clear. */
	const char *cell;	/* value of -c, otherwise the initial value, NULL: none */
	char **command;		/* operands: command and arguments; [0] NULL: none */
	bool dashes;		/* "--" precedes the command */
	char *script;		/* owned text of the script; NULL: a command, or not known yet */
	size_t script_bytes;
	const char *script_name;	/* name for messages and for the job */
	const char *directive;	/* prefix of option lines in the script; "": it has none */
	enum option_source source;	/* current source */
	bool again;		/* second reading of the sources; notes were already printed */
	struct { uint64_t device, inode; } open[FILES_DEEP];	/* files being read */
	size_t nopen;
	unsigned nfiles;		/* number of -@ files read so far */
	struct submission_kept kept;
};

extern const struct argument submit_options[];

/*
 * Reset all options. Members that no option can set keep their values. Call it before the other
 * functions.
 */
void submission_reset(struct submission *submission);

/* The functions that follow return exit codes, with a message in job.messages. */

/* Read the options of all sources. argv[0] is the verb, and the last word is followed by NULL. */
int submission_gather(struct submission *submission, int argc, char **argv);
/* Complete the members of the request in submission->job. */
int submission_finish(struct submission *submission);
/* Return the request, which borrows the submission. Call it after submission_finish(). */
struct scheduler_request submission_request(const struct submission *submission);
/* Return whether the command waits for the job: -now y, -sync y. */
bool submission_follows(const struct submission *submission);
void submission_close(struct submission *submission);

/* Read a file of options, -@, named on the command line or in another file. */
int submission_take_file(void *submission, struct words *words);
/*
 * Read sge_request of the cell, of the user's home and of the current directory, where they exist.
 */
int submission_take_defaults(struct submission *submission);
/* Read the lines of the script that begin with the prefix. */
int submission_take_script(struct submission *submission);
/* Decide whether the first operand is a script, and read it if so. */
int submission_choose(struct submission *submission);

/*
 * Keep a text until submission_close(). Return NULL if memory is exhausted; the text is freed then.
 */
char *submission_keep(struct submission *submission, char *text);

#endif
