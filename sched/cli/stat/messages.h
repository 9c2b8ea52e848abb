/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduler messages of Grid Engine, by number, for the reasons of fl_why(). */
#ifndef CLI_STAT_MESSAGES_H
#define CLI_STAT_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "sched/reader/fairlead.h"

enum message_form {
	MESSAGE_SENTENCE,		/* sentence of fl_why_text() */
	MESSAGE_OF_JOB,			/* text of qstat -j JOB */
	MESSAGE_SUMMARY,		/* text of qstat -j for all jobs */
};

#define MESSAGE_HELD 33u		/* number of the message about a held job */

struct message_kind {
	const char *kind;		/* member `kind` of struct fl_why */
	unsigned number;
	/*
	 * The reason is about queue instances that accept no job at all. Grid Engine reports all
	 * such instances in one message.
	 */
	bool of_queue;
	const char *of_job, *summary;	/* NULL: the sentence of fl_why_text() is used */
};

/*
 * Return the message of a reason, never NULL. A reason for which Grid Engine has no message
 * has a number of its own.
 */
const struct message_kind *message_kind(const struct fl_why *why);
/* Copy Grid Engine's text in this form. Return false if there is none. */
bool message_text(const struct message_kind *message, enum message_form form, char *text, size_t size);

#endif
