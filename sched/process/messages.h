/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures and notes about a command, for the program that prints them. Functions add messages
 * instead of printing, so that several programs can use them and print messages of their own.
 *
 *     if (...)
 *             return message_add(messages, EXIT_USAGE, "submit", "-tc can only be used with -t");
 */
#ifndef SCHED_PROCESS_MESSAGES_H
#define SCHED_PROCESS_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Exit codes of the commands. The scheduler of a local cell answers requests with the same codes.
 */
enum exit_code {
	EXIT_OK,
	EXIT_DIFFERENCE,	/* a comparison found something */
	EXIT_USAGE,		/* the command line is wrong */
	/* no published run, no such object, or the output could not be written completely */
	EXIT_NO_DATA,
	EXIT_PERMISSION,
	/* the scheduler could not store the change on disk, and nothing was done */
	EXIT_NOT_STORED,
};

/* Reasons that programs distinguish. The object of the message is the object that was not found. */
enum message_reason {
	REASON_NONE,
	REASON_NO_JOB,			/* no job with this number */
	REASON_NO_JOB_NAME,		/* no job with this name */
	REASON_NO_RESOURCE,
	REASON_NO_PE,			/* no such parallel environment */
	REASON_NO_RESERVATION,		/* none of the advance reservations exists */
	/* a line of Grid Engine, printed without the name of a program */
	REASON_PROGRESS,
	REASON_NO_READER,		/* no process reads the output; not to be printed */
};

#define MESSAGE_BYTES 1024
#define MESSAGE_OBJECT_BYTES 256

struct message {
	enum exit_code code;		/* EXIT_OK: a note, nothing has failed */
	enum message_reason reason;
	size_t about_bytes;		/* length of "ABOUT: " at the begin of the text; 0: none */
	char object[MESSAGE_OBJECT_BYTES];
	/* one line; control characters are replaced by '?' */
	char text[MESSAGE_BYTES];
};

struct messages {			/* zero-initialised by the caller, except for its printer */
	struct message *items;
	size_t n;
	bool lost;			/* memory was exhausted: a message is missing */
	/* Prints all messages, without freeing them. NULL: the caller reads them at the end. */
	void (*print)(void *context, const struct messages *messages);
	void *context;			/* of print() */
};

/*
 * Add "ABOUT: TEXT" and return `code`. `about` is the verb or the location to which the text
 * refers; NULL: none.
 */
int message_add(struct messages *messages, enum exit_code code, const char *about, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Set the reason and the object of the last message, and return its code. */
int message_reason(struct messages *messages, enum message_reason reason, const char *object);
/* Add that memory is exhausted, and return EXIT_NO_DATA. */
int message_no_memory(struct messages *messages);
/* Return whether the message begins with "ABOUT: ". */
bool message_is_about(const struct message *message, const char *about);
/*
 * Print and free the messages, if there is a printer. Functions that wait call it, so that users
 * see the reason in time.
 */
void messages_flush(struct messages *messages);
void messages_free(struct messages *messages);

#endif
