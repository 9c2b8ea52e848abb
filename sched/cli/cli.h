/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the verbs: exit codes, messages, and the reading of one run. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

#include "sched/cli/age.h"
#include "sched/process/messages.h"
#include "sched/process/output.h"
#include "sched/reader/fairlead.h"

/*
 * Print "fairlead: ..." to stderr and return `code`. Control characters in the text are shown as
 * '?'.
 */
int cli_fail(enum exit_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Print the messages like cli_fail() and free them. After a message with REASON_NO_READER the
 * process ends by SIGPIPE.
 */
void cli_print(struct messages *messages);
/* Messages that this function prints when they are flushed. */
void cli_messages_print(void *context, const struct messages *messages);
#define CLI_MESSAGES { .print = cli_messages_print }

/* Function of a verb that adds messages instead of printing them. */
typedef int verb_show(struct messages *messages, const char *cell, int argc, char **argv);
/* Call the function and print its messages. Return its exit code. */
int verb_print(verb_show *show, const char *cell, int argc, char **argv);

/*
 * unwritten.c: report that standard output could not be written. `error`: a positive errno value.
 * If no process reads the pipe any more, the process ends by SIGPIPE without a message.
 */
int cli_unwritten(int error);
/*
 * Add this message. If no process reads the pipe any more, the message has REASON_NO_READER and the
 * code EXIT_OK.
 */
int cli_add_unwritten(struct messages *messages, int error);
/* End like a program that does not handle SIGPIPE. */
void cli_end_by_signal(void);

/* Print the messages of trouble.h. Return the exit codes of its functions. */
int cli_no_cell(const char *otherwise);
int cli_cell_check(const char *cell);
int cli_attach_failed(const char *cell, int error);

/* Add a note that the scheduler has ended and no newer run will follow. */
void cli_warn_ended(struct messages *messages, const char *cell, uint32_t pid);

/*
 * Return the directory's own name, without its parents and without slashes at the end. The caller
 * frees it. NULL: memory is exhausted.
 */
char *cli_cell_name(const char *cell);

/*
 * Report that the cell's scheduler does not compute Slurm's priorities, and what to do. Return
 * EXIT_NO_DATA.
 */
int cli_no_multifactor(const char *cell);

/* Write "run":{...} with the members of struct fl_run. */
void cli_json_run(struct out *out, const struct fl_view *view);

/*
 * Format one run into `out`. The function is called again from the start if the run was replaced
 * meanwhile. It returns an exit code. It must not print to stderr, because its findings count only
 * if the section ends successfully. It stores them in `context`.
 */
typedef int section_print(const struct fl_view *view, struct out *out, void *context);

/*
 * Attach to the cell, print one run to stdout, and detach. Up to OUT_HELD_BYTES of output are held
 * back until they are known to come from one run, and are made again if not. Larger output is
 * written while the run is read. If that run is then replaced, this is an error. Return the
 * printer's exit code, or EXIT_NO_DATA or EXIT_PERMISSION with a message.
 */
int section_show(struct messages *messages, const char *cell, section_print *print, void *context);
/* Call section_show() and print its messages. */
int section_run(const char *cell, section_print *print, void *context);

struct section_end {			/* notes about a run that was printed */
	struct fl_run run;
	struct fl_place place;
	struct run_age age;
	bool age_reported;			/* the output contains the age of the run */
	int code;			/* exit code of the printer */
};

/*
 * Print one run into memory, made with out_open_memory(). The caller prints the notes about the
 * run.
 */
int section_render(struct messages *messages, const char *cell, struct out *memory, section_print *print, void *context,
		   struct section_end *end);

/*
 * Add notes that the scheduler has ended, does not have the scheduler role, or is late or stopped.
 */
void section_notes(struct messages *messages, const char *cell, const struct section_end *end);

#endif
