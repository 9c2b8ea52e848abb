/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verbs of the command line have in common: exit codes, messages, and one way to read a
 * run.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

#include "sched/cli/age.h"
#include "sched/process/output.h"
#include "sched/reader/fairlead.h"

enum exit_code {
	EXIT_OK,
	EXIT_DIFFERENCE,	/* a comparison found something */
	EXIT_USAGE,		/* the command line is wrong */
	/* nothing published, no such object, or the output could not be written completely */
	EXIT_NO_DATA,
	EXIT_PERMISSION,
	EXIT_NOT_STORED,	/* the scheduler could not put it on disk: nothing of it was done */
};

/* "fairlead: ..." on stderr; control characters in the text are shown as '?'. Returns `code`. */
int cli_fail(enum exit_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Verbs that are called by a program of another name: it hears what they would print of failures
 * and of what a scheduler has answered, and prints what its users expect. Texts are clean.
 */
struct cli_listener {
	void *context;
	void (*failed)(void *context, enum exit_code code, const char *text);
	/* `terse`: the number of the job is what is wanted of it; 0: it is not about one */
	void (*done)(void *context, long long job_number, const char *text, bool terse);
};

/* Hear the messages of this thread from now on; NULL: print them. The listener is borrowed. */
void cli_listen(const struct cli_listener *listener);
/* Tells the listener of what is done. False: there is none. */
bool cli_heard(long long job_number, const char *text, bool terse);

/*
 * trouble.c: nobody says which cell is meant; `otherwise`: what else may be named, ", or ...".
 * EXIT_USAGE.
 */
int cli_no_cell(const char *otherwise);

/*
 * trouble.c: refuses a verb about jobs where the cell is that of a Grid Engine's qmaster, and names the
 * qmaster's command, with `argv` behind it. EXIT_OK: it is no such cell.
 */
int cli_jobs_check(const char *cell, const char *command, char **argv);

/* trouble.c: whether the directory is a cell that this user can look into; an exit code. */
int cli_cell_check(const char *cell);

/* trouble.c: whether FAIRLEAD_SHM may be what is wrong about a cell that nobody publishes. */
int cli_shm_check(const char *cell);

/* trouble.c: says why a cell can't be attached to; an exit code. */
int cli_attach_failed(const char *cell, int error);

/* A note that what is printed is all there will be. */
void cli_warn_ended(const char *cell, uint32_t pid);

/*
 * The directory's own name, without what stands before it or slashes behind it; the caller frees.
 * NULL: no memory.
 */
char *cli_cell_name(const char *cell);

/*
 * Says that the cell's scheduler does not compute Slurm's priorities, and what to do about it;
 * EXIT_NO_DATA.
 */
int cli_no_multifactor(const char *cell);

/* "run":{...}, with the members of struct fl_run. */
void cli_json_run(struct out *out, const struct fl_view *view);

/*
 * Format one run into `out`; called again from the start when the run was taken away meanwhile.
 * Returns an exit code. Says nothing on stderr: what it found counts only when the section ends
 * well, so it leaves it in `context`.
 */
typedef int section_print(const struct fl_view *view, struct out *out, void *context);

/*
 * Attach to the cell, print one run to stdout, detach. Output of up to OUT_HELD_BYTES is held back
 * until it is known to be of one run, and is made again if not; a larger one is written while it is
 * read, and if its run is then taken away that is an error. Returns the printer's exit code, or
 * EXIT_NO_DATA or EXIT_PERMISSION with a message.
 */
int section_run(const char *cell, section_print *print, void *context);

struct section_end {			/* what there is to be said of a run that was printed */
	struct fl_run run;
	struct fl_place place;
	struct run_age age;
	bool age_told;			/* what was printed says how old it is */
	int code;			/* the printer's */
};

/* The same into memory: out_open_memory(). Notes about it are the caller's to give. */
int section_render(const char *cell, struct out *memory, section_print *print, void *context, struct section_end *end);

/* On stderr: that the scheduler has ended, has not the place, or is late or stopped. */
void section_notes(const char *cell, const struct section_end *end);

#endif
