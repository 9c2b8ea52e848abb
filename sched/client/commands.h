/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that send requests to the scheduler of a local cell. The options of a command become a
 * request, and the program that calls it prints the reply:
 *
 *     const struct caller caller = { .cell = cell, .messages = &messages, .print = print };
 *     code = del_ask(&caller, argc, argv);         argv[0] is the name of the command
 */
#ifndef CLIENT_COMMANDS_H
#define CLIENT_COMMANDS_H

#include "sched/client/request.h"
#include "sched/process/arguments.h"

struct submission;

struct reply_format {			/* options of the command that concern its output */
	/* print the results unchanged, and no messages about failures */
	bool json;
	bool terse;			/* print only the numbers of jobs */
	bool waits;			/* the command waits for the job after the reply */
	const char *tasks;		/* task ids of a new array job, as "1-3:1"; NULL: it is no array */
};

struct caller {
	const char *cell;
	struct messages *messages;	/* borrowed */
	/* Prints the results of a reply. Failures become messages, or are printed. */
	void (*print)(const struct caller *caller, const struct reply *reply, const struct reply_format *format);
	void *context;			/* of print() */
	/* Prints a submission that is not sent: -verify. */
	void (*show)(const struct submission *submission);
};

/*
 * Run the command and return an exit code. A message explains the code unless it is EXIT_OK or the
 * code of a result.
 */
typedef int request_command(const struct caller *caller, int argc, char **argv);

request_command submit_ask;	/* submission of a script or a command, like qsub */
request_command alter_ask;	/* like qalter */
request_command del_ask;	/* like qdel */
request_command hold_ask;	/* "hold" and "release", like qhold and qrls */
request_command mod_ask;	/* like qmod */
request_command jobprio_ask;	/* like condor_prio(1) */
request_command reserve_sub_ask, reserve_del_ask;	/* like qrsub and qrdel */

extern const struct argument submit_options[], alter_options[], del_options[], hold_options[], mod_options[],
	jobprio_options[], reserve_sub_options[], reserve_del_options[];

/* Functions for the files of commands */

/* Send a request and print the reply. Return the greatest of the exit codes. */
int caller_ask(const struct caller *caller, struct connection *connection, const struct scheduler_request *request,
	       const struct reply_format *format, struct reply *reply);
/* Connect, call caller_ask() and close the connection. */
int caller_ask_cell(const struct caller *caller, const struct scheduler_request *request,
		    const struct reply_format *format);

#endif
