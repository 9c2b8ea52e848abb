/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution of a job: its command, and how the command is run. Members of "execution" in a request
 * (fairlead-local(7)) and in the store. Texts and arrays are borrowed from the memory of the job.
 */
#ifndef SCHED_QMASTER_MEMBERS_EXECUTION_H
#define SCHED_QMASTER_MEMBERS_EXECUTION_H

#include "conf/base/error.h"
#include "sched/qmaster/members/member_list.h"

struct execution {			/* Zero or NULL: not requested. */
	/* program and arguments; at least one word in a checked job */
	struct text_list command;
	const char *script;		/* text of the script, which `command` then names */
	const char *shell;		/* path, may begin with $HOME; NULL: the queue's shell */
	bool use_shell;			/* run the command by the shell, as its command line */
	struct variables environment;	/* variables of the command */
	struct variables context;	/* variables that the scheduler only shows */
	struct variables context_changes;	/* only in changes */
	/* working directory, an absolute path; NULL: the home directory */
	const char *cwd;
	const char *umask;		/* octal permissions; NULL: 022 */
	bool join;			/* write standard error to the file of standard output */
	/* run it again after an abort; SAID_NOTHING: `rerun` of its queue */
	enum said rerun;
	bool notify;			/* announce SIGSTOP and SIGKILL by SIGUSR1 and SIGUSR2 */
	/* end it after failures that put other jobs into the error state */
	bool ends_on_error;
	const char *session;		/* DRMAA session in which it was submitted */
	const char *mail_options;	/* letters of b, e, a and s, or "n" */
	struct text_list mail_list;	/* addresses; none: the owner */
	/* paths with variables (paths.h); NULL: /dev/null, NAME.oNUMBER, NAME.eNUMBER */
	const char *stdin_path, *stdout_path, *stderr_path;
	/* jobs that must succeed first; requested as a member of the job */
	struct number_list after_ok;
	struct member_list members;	/* order of all members that are set */
};

/* Origin of an object: a new job, changes of a job, or a row of the store. */
enum execution_source { EXECUTION_NEW, EXECUTION_CHANGES, EXECUTION_STORED };

/*
 * Read an execution into a zero-initialized structure. Returns 0, -ENOMEM, or -EINVAL with the
 * first fault. After -EINVAL all other members have been read too. Members with a fault are kept as
 * values.
 */
int execution_read(struct execution *execution, struct taking *taking, const struct value *object,
		   enum execution_source source, struct error *error);
/*
 * Check that an execution of a new job is complete and has no other members. Returns 0 or -EINVAL.
 */
int execution_check(const struct execution *execution, struct error *error);
/* Apply changes. Returns 0 or -ENOMEM. */
int execution_change(struct execution *execution, const struct execution *changes, struct taking *taking);
/* Set a member to its value in `from`. The form is not checked. Returns 0 or -ENOMEM. */
int execution_set(struct execution *execution, struct taking *taking, const struct execution *from, const char *name);
/* Set a member to null: changes remove it from the job. Returns 0 or -ENOMEM. */
int execution_set_null(struct execution *execution, struct taking *taking, const char *name);
/* Set or, with an empty list, remove the jobs that must succeed first. Returns 0 or -ENOMEM. */
int execution_set_after_ok(struct execution *execution, struct taking *taking, struct number_list jobs);
/* Write the members without the braces. `hidden`: see member_list_write(). */
void execution_write(struct out *out, const struct execution *execution, const char *const *hidden);
/* Return the first word of the command; NULL: none, in a damaged row of the store. */
static inline const char *execution_program(const struct execution *execution)
{
	return execution->command.n > 0 ? execution->command.items[0] : NULL;
}

/* Return whether this is a valid name of a DRMAA session. */
bool execution_is_session(const char *text);

#endif
