/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a job is asked to be: the options that qsub and qalter have in common, gathered into the
 * members of a request.
 *
 *     job.c                the options, one after the other
 *     job_values.c         dates, names, lists of resources
 *     job_paths.c          directories and files
 *     job_environment.c    what the command finds in its environment
 */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "sched/cli/cli.h"
#include "sched/cli/options.h"

enum job_option {
	JOB_A, JOB_ACCOUNT, JOB_CKPT, JOB_CWD, JOB_DL, JOB_E, JOB_HARD, JOB_HOLD_JID, JOB_I, JOB_J, JOB_JS, JOB_L, JOB_MASTERQ, JOB_N, JOB_O, JOB_P,
	JOB_PE, JOB_PROJECT, JOB_Q, JOB_R, JOB_RESERVE, JOB_SOFT, JOB_TC, JOB_V, JOB_V_ALL, JOB_WD, JOB_OPTIONS,
};

/* The first rows of a verb's table of options. */
#define JOB_OPTION_ROWS \
	[JOB_A] = { "-a", "[[CC]YY]MMDDhhmm[.ss]", "not before this time" }, \
	[JOB_ACCOUNT] = { "-A", "ACCOUNT", "account, with algorithm multifactor" }, \
	[JOB_CKPT] = { "-ckpt", "NAME", "checkpointing environment" }, \
	[JOB_CWD] = { "-cwd", NULL, "run in the current directory; else in the home directory" }, \
	[JOB_DL] = { "-dl", "[[CC]YY]MMDDhhmm[.ss]", "deadline" }, \
	[JOB_E] = { "-e", "PATH", "error output" }, \
	[JOB_HARD] = { "-hard", NULL, "-l and -q behind it must be met" }, \
	[JOB_HOLD_JID] = { "-hold_jid", "JOB[,...]", "not before these jobs have ended" }, \
	[JOB_I] = { "-i", "PATH", "standard input; /dev/null" }, \
	[JOB_J] = { "-j", "y|n", "error output goes where output goes" }, \
	[JOB_JS] = { "-js", "N", "job share" }, \
	[JOB_L] = { "-l", "NAME[=VALUE][,...]", "resources" }, \
	[JOB_MASTERQ] = { "-masterq", "QUEUE[,...]", "queues for the master task" }, \
	[JOB_N] = { "-N", "NAME", "name; that of the command" }, \
	[JOB_O] = { "-o", "PATH", "output; NAME.oJOB[.TASK]" }, \
	[JOB_P] = { "-p", "PRIORITY", "-1023 to 1024; 0" }, \
	[JOB_PE] = { "-pe", "NAME N[-M][,...]", "parallel environment and slots" }, \
	[JOB_PROJECT] = { "-P", "PROJECT", "project" }, \
	[JOB_Q] = { "-q", "QUEUE[,...]", "queues" }, \
	[JOB_R] = { "-r", "y|n", "run it again if it was aborted with the machine" }, \
	[JOB_RESERVE] = { "-R", "y|n", "slots may be reserved for it" }, \
	[JOB_SOFT] = { "-soft", NULL, "-l and -q behind it may be met" }, \
	[JOB_TC] = { "-tc", "N", "tasks that run at the same time" }, \
	[JOB_V] = { "-v", "NAME[=VALUE][,...]", "environment" }, \
	[JOB_V_ALL] = { "-V", NULL, "the whole environment" }, \
	[JOB_WD] = { "-wd", "DIRECTORY", "run in this directory" }

enum { JOB_FILES = 3 };			/* input, output, error output */

struct job {				/* zero-initialise verb, alters; job_open() does the rest */
	const char *verb;		/* for messages */
	/* an existing job: what is empty takes away, what is not given stays */
	bool alters;
	bool is_array;			/* -t was given */
	json_t *members;		/* of job_add, fairlead-events(5) */
	json_t *execution;		/* command, environment, files */
	bool soft;			/* -l and -q that come now */
	json_t *variables;		/* -v; NULL: none */
	bool all_variables;		/* -V */
	const char *directory;		/* -wd, "." for -cwd; NULL: neither */
	const char *files[JOB_FILES];	/* -i -o -e; NULL: not given */
};

int job_open(struct job *j);
void job_close(struct job *j);

/*
 * Takes an option of JOB_OPTION_ROWS, as options_next() returned it. An exit code, after a message.
 */
int job_take(struct job *j, enum job_option option, struct options *o);

/* When all options are known: environment, directory, files. An exit code, after a message. */
int job_finish(struct job *j);

/* For the files of job */

/* "submit: -p: "x": due". Returns EXIT_USAGE. */
int job_wrong(const struct job *j, const char *option, const char *value, const char *due);
/* Sets a string, which must be UTF-8. */
int job_set_text(const struct job *j, json_t *object, const char *member, const char *option, const char *value);

/* Local time to seconds since 1970. 0, -EINVAL. `now` gives the year that is not written. */
int job_date(const char *text, int64_t now, int64_t *time);
/* NULL, or what is wrong with it. */
const char *job_name_fault(const char *name);
const char *job_resources_fault(const char *list);

int job_variables_take(struct job *j, const char *list);
int job_environment_finish(struct job *j);
int job_paths_finish(struct job *j);

#endif
