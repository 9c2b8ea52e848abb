/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler messages of Grid Engine, by number, for the reasons of fl_why(). */
#ifndef CLI_STAT_MESSAGES_H
#define CLI_STAT_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

enum message_form {
	MESSAGE_SENTENCE,		/* the sentence of fl_why_text() */
	MESSAGE_OF_JOB,			/* as qstat -j JOB has it */
	MESSAGE_SUMMARY,		/* as qstat -j has it for all jobs */
};

#define MESSAGE_HELD 33u		/* of a job that is held */

struct message_kind {
	const char *kind;		/* of struct fl_why */
	unsigned number;
	bool of_queue; /* a queue instance takes no job at all: Grid Engine says so of all such instances at once */
	const char *of_job, *summary;	/* NULL: the sentence */
};

/* Never NULL: a reason of which Grid Engine has no message has a number of its own. */
const struct message_kind *message_kind(const char *kind);
/* Copy Grid Engine's text in this form. False: there is none. */
bool message_text(const struct message_kind *message, enum message_form form, char *text, size_t size);

#endif
