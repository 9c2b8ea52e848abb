/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of a job: the options that qsub and qalter have in common. Their values become members
 * of a request.
 *
 *     job.c                the options, one after the other
 *     job_condor.c         options with attributes of HTCondor's jobs
 *     job_values.c         dates, names, lists of resources
 *     job_paths.c          directories and files
 *     job_environment.c    environment of the command
 *     job_manner.c         shell, mail, notification and context
 *     job_direct.c         attributes that a program sets without options
 *     job_members.c        members of the request and of the execution
 *     job_text.c           attributes as text
 */
#ifndef CLIENT_JOB_H
#define CLIENT_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/base/text_set.h"
#include "sched/process/options.h"
#include "sched/qmaster/members/execution.h"
#include "sched/qmaster/members/job_request.h"

/*
 * First rows of a verb's table of options. The struct job must be the first member of the verb's
 * struct.
 */
#define JOB_OPTION_ROWS \
	{ "-a", ARGUMENT_CALL, .call = job_take_date, .detail = "execution_time", .value = "DATE", \
	  .sentence = "start it at this time or later: 2026-12-01T10:00, or MMDDhhmm" }, \
	{ "-A", ARGUMENT_CALL, .call = job_take_text, .detail = "account", .value = "ACCOUNT", \
	  .sentence = "set the account, a field of the accounting" }, \
	{ "-ac", ARGUMENT_CALL, .call = job_take_context, .detail = JOB_CONTEXT_ADD, .value = "NAME[=VALUE][,...]", \
	  .sentence = "add to the context of the job" }, \
	{ "-ar", ARGUMENT_CALL, .call = job_take_count, .detail = "ar", .value = "N", \
	  .sentence = "run it only in this advance reservation" }, \
	{ "-ckpt", ARGUMENT_CALL, .call = job_take_text, .detail = "checkpoint", .value = "NAME", \
	  .sentence = "use this checkpointing environment" }, \
	{ "-cwd", ARGUMENT_CALL, .call = job_take_directory, \
	  .sentence = "run in the current directory (default: the home directory)" }, \
	{ "-dc", ARGUMENT_CALL, .call = job_take_context, .detail = JOB_CONTEXT_DELETE, .value = "NAME[,...]", \
	  .sentence = "remove from the context of the job" }, \
	{ "-dl", ARGUMENT_CALL, .call = job_take_date, .detail = "deadline", .value = "DATE", \
	  .sentence = "set the deadline" }, \
	{ "-e", ARGUMENT_TEXT, .field = offsetof(struct job, files[2]), .value = "PATH", \
	  .sentence = "write standard error to PATH (default: NAME.eJOB[.TASK])" }, \
	{ "--after-ok", ARGUMENT_CALL, .call = job_take_predecessors, .detail = "after_ok", .value = "JOB[,...]", \
	  .sentence = "start it after these jobs have succeeded" }, \
	{ "--dependency", ARGUMENT_CALL, .call = job_take_dependency, .value = "afterok:JOB[:...]|afterany:JOB[:...]", \
	  .sentence = "use the notation of sbatch for --after-ok and -hold_jid" }, \
	{ "-hard", ARGUMENT_CALL, .call = job_take_hard, .sentence = "treat the -l and -q after it as requirements" }, \
	{ "-hold_jid", ARGUMENT_CALL, .call = job_take_predecessors, .detail = "hold_jid", .value = "JOB[,...]", \
	  .sentence = "start it after these jobs have ended" }, \
	{ "-hold_jid_ad", ARGUMENT_CALL, .call = job_take_predecessors, .detail = "hold_jid_ad", .value = "JOB[,...]", \
	  .sentence = "start each array task after the task with the same number of these arrays has ended" }, \
	{ "-i", ARGUMENT_TEXT, .field = offsetof(struct job, files[0]), .value = "PATH", \
	  .sentence = "read standard input from PATH (default: /dev/null)" }, \
	{ "-j", ARGUMENT_CALL, .call = job_take_execution_bool, .detail = "join", .value = "y|n", \
	  .sentence = "write standard error to the file of standard output" }, \
	{ "-js", ARGUMENT_CALL, .call = job_take_count, .detail = "jobshare", .value = "N", \
	  .sentence = "set the job share" }, \
	{ "-l", ARGUMENT_CALL, .call = job_take_resources, .value = "NAME[=VALUE][,...]", \
	  .sentence = "request resources" }, \
	{ "-m", ARGUMENT_CALL, .call = job_take_mail_options, .value = "b|e|a|s|n", \
	  .sentence = "send mail at begin (b), end (e), abort (a), suspension (s), or never (n)" }, \
	{ "-M", ARGUMENT_CALL, .call = job_take_mail_list, .value = "USER[@HOST][,...]", \
	  .sentence = "send mail to these users (default: the owner)" }, \
	{ "-masterq", ARGUMENT_CALL, .call = job_take_queues, .detail = "master_queue_list", .value = "QUEUE[,...]", \
	  .sentence = "run the master task in one of these queues" }, \
	{ "-N", ARGUMENT_CALL, .call = job_take_name, .detail = "job_name", .value = "NAME", \
	  .sentence = "set the name (default: that of the script or command)" }, \
	{ "-notify", ARGUMENT_CALL, .call = job_take_execution_flag, .detail = "notify", \
	  .sentence = "send SIGUSR1 before it is suspended, SIGUSR2 before it is killed" }, \
	{ "-o", ARGUMENT_TEXT, .field = offsetof(struct job, files[1]), .value = "PATH", \
	  .sentence = "write standard output to PATH (default: NAME.oJOB[.TASK])" }, \
	{ "-p", ARGUMENT_CALL, .call = job_take_priority, .detail = "priority", .value = "PRIORITY", \
	  .sentence = "set the priority, -1023 to 1024 (default: 0)" }, \
	{ "-pe", ARGUMENT_CALL, .call = job_take_pe, .detail = "pe", .value = "NAME N[-M][,...]", \
	  .sentence = "request a parallel environment and slots" }, \
	{ "-P", ARGUMENT_CALL, .call = job_take_text, .detail = "project", .value = "PROJECT", \
	  .sentence = "set the project" }, \
	{ "-q", ARGUMENT_CALL, .call = job_take_queues, .value = "QUEUE[,...]", \
	  .sentence = "run it in one of these queues" }, \
	{ "-r", ARGUMENT_CALL, .call = job_take_execution_bool, .detail = "rerun", .value = "y|n", \
	  .sentence = "run it again if it was aborted, as by a failure of the machine" }, \
	{ "-R", ARGUMENT_CALL, .call = job_take_bool, .detail = "reserve", .value = "y|n", \
	  .sentence = "allow the scheduler to reserve slots for it" }, \
	{ "-S", ARGUMENT_CALL, .call = job_take_shell, .value = "[[HOST]:]PATH[,...]", \
	  .sentence = "run the script with this shell (default: that of the queue)" }, \
	{ "-sc", ARGUMENT_CALL, .call = job_take_context, .detail = JOB_CONTEXT_SET, .value = "NAME[=VALUE][,...]", \
	  .sentence = "set the context of the job" }, \
	{ "-soft", ARGUMENT_CALL, .call = job_take_soft, .sentence = "treat the -l and -q after it as preferences" }, \
	{ "-tc", ARGUMENT_CALL, .call = job_take_count, .detail = "task_concurrency", .value = "N", \
	  .sentence = "run at most N tasks at the same time" }, \
	{ "-v", ARGUMENT_CALL, .call = job_take_variables, .value = "NAME[=VALUE][,...]", \
	  .sentence = "set these environment variables" }, \
	{ "-V", ARGUMENT_FLAG, .field = offsetof(struct job, all_variables), \
	  .sentence = "pass the whole environment" }, \
	{ "-wd", ARGUMENT_CALL, .call = job_take_directory, .value = "DIRECTORY", .sentence = "run in this directory" }

/* Rows for attributes of HTCondor's jobs, in cells with algorithm userprio. */
#define JOB_CONDOR_ROWS \
	{ "--accounting-group", ARGUMENT_CALL, .call = job_take_text, .detail = "accounting_group", .value = "GROUP", \
	  .sentence = "(this and all below: algorithm userprio) charge this group and its quota" }, \
	{ "--accounting-group-user", ARGUMENT_CALL, .call = job_take_text, .detail = "accounting_group_user", .value = "USER", \
	  .sentence = "charge this user name instead of the owner" }, \
	{ "--ad", ARGUMENT_CALL, .call = job_take_attribute, .detail = "ad", .value = "NAME=EXPRESSION", \
	  .sentence = "add an attribute to the ClassAd of the job; may be repeated" }, \
	{ "--concurrency-limits", ARGUMENT_CALL, .call = job_take_text, .detail = "concurrency_limits", .value = "NAME[:N][,...]", \
	  .sentence = "use this amount of concurrency limits" }, \
	{ "--hold-kill-sig", ARGUMENT_CALL, .call = job_take_text, .detail = "hold_kill_sig", .value = "SIGNAL", \
	  .sentence = "send this signal when a running job is held" }, \
	{ "--job-max-vacate-time", ARGUMENT_CALL, .call = job_take_text, .detail = "job_max_vacate_time", .value = "SECONDS", \
	  .sentence = "wait this long between the signal and SIGKILL" }, \
	{ "--job-prio", ARGUMENT_CALL, .call = job_take_integer, .detail = "job_prio", .value = "N", \
	  .sentence = "set the priority among the user's own jobs (default: 0)" }, \
	{ "--kill-sig", ARGUMENT_CALL, .call = job_take_text, .detail = "kill_sig", .value = "SIGNAL", \
	  .sentence = "send this signal when the job is preempted (default: SIGTERM)" }, \
	{ "--max-job-retirement-time", ARGUMENT_CALL, .call = job_take_text, .detail = "max_job_retirement_time", .value = "SECONDS", \
	  .sentence = "let it run this long from its start before preemption" }, \
	{ "--nice-user", ARGUMENT_CALL, .call = job_take_bool, .detail = "nice_user", .value = "y|n", \
	  .sentence = "use only slots that no other job wants" }, \
	{ "--post-job-prio1", ARGUMENT_CALL, .call = job_take_integer, .detail = "post_job_prio1", .value = "N", \
	  .sentence = "set the priority that is compared after --job-prio" }, \
	{ "--post-job-prio2", ARGUMENT_CALL, .call = job_take_integer, .detail = "post_job_prio2", .value = "N", \
	  .sentence = "set the priority that is compared after --post-job-prio1" }, \
	{ "--pre-job-prio1", ARGUMENT_CALL, .call = job_take_integer, .detail = "pre_job_prio1", .value = "N", \
	  .sentence = "set the priority that is compared first" }, \
	{ "--pre-job-prio2", ARGUMENT_CALL, .call = job_take_integer, .detail = "pre_job_prio2", .value = "N", \
	  .sentence = "set the priority that is compared after --pre-job-prio1, before --job-prio" }, \
	{ "--rank", ARGUMENT_CALL, .call = job_take_text, .detail = "rank", .value = "EXPRESSION", \
	  .sentence = "prefer slots for which this is greater" }, \
	{ "--remove-kill-sig", ARGUMENT_CALL, .call = job_take_text, .detail = "remove_kill_sig", .value = "SIGNAL", \
	  .sentence = "send this signal when the job is deleted (default: that of --kill-sig)" }, \
	{ "--requirements", ARGUMENT_CALL, .call = job_take_text, .detail = "requirements", .value = "EXPRESSION", .sentence = "use only slots for which this is true" }

/* Details of the rows of -ac, -dc and -sc. */
#define JOB_CONTEXT_ADD "a"
#define JOB_CONTEXT_DELETE "d"
#define JOB_CONTEXT_SET "s"

enum { JOB_FILES = 3 };			/* input, output, error output */

/* Variables, each name once, in the order of their first use. */
struct job_variables {
	struct text_set names;
	struct variable *items;		/* by the number of the name */
	size_t capacity;
};

/* A list that options extend: an array or an object, and the values in it. */
struct job_list {
	struct value *values;		/* NULL: none */
	size_t capacity;
};

enum job_predecessors { JOB_HOLD_JID_LIST, JOB_HOLD_JID_AD_LIST, JOB_AFTER_OK_LIST, JOB_PREDECESSORS };
enum { JOB_QUEUE_LISTS = 3 };		/* hard, soft, and those of the master task */

/* The caller sets `verb`, `alters` and `messages`, and initializes the rest with zeros. */
struct job {
	/* prefix of messages: the verb, or the location of an option in a file */
	const char *verb;
	struct messages *messages;	/* borrowed; receives faults and notes */
	/* The job exists: an empty value removes a setting, and settings without an option stay. */
	bool alters;
	bool is_array;			/* -t was given */
	struct job_request request;
	struct execution execution;	/* command, environment, files */
	struct taking taking;		/* memory of both */
	bool soft;			/* the -l and -q that follow are soft requests */
	/* private: lists of queues before the current source was read */
	const char *queues_before[JOB_QUEUE_LISTS];
	struct job_list predecessors[JOB_PREDECESSORS];		/* private: as the options have named them */
	struct job_list attributes;	/* private: --ad */
	struct job_variables context, context_changes;		/* private: -ac, -dc, -sc */
	struct job_variables variables;	/* -v */
	bool all_variables;		/* -V */
	const char *directory;		/* -wd, "." for -cwd; NULL: neither */
	const char *files[JOB_FILES];	/* values of -i, -o and -e; NULL: not used */
};

void job_close(struct job *job);
/*
 * Begin a new source of options: a file, a script or the command line. Its lists of queues replace
 * earlier ones, and its -l and -q are hard requests until -soft.
 */
void job_begin_source(struct job *job);

/*
 * Functions of the rows above. Each stores a value in the job, in the member `detail` if the row
 * has one.
 */
int job_take_attribute(void *job, struct words *words);
int job_take_bool(void *job, struct words *words);
int job_take_context(void *job, struct words *words);
int job_take_count(void *job, struct words *words);
int job_take_date(void *job, struct words *words);
int job_take_directory(void *job, struct words *words);
int job_take_execution_bool(void *job, struct words *words);
int job_take_execution_flag(void *job, struct words *words);
int job_take_integer(void *job, struct words *words);
int job_take_mail_list(void *job, struct words *words);
int job_take_mail_options(void *job, struct words *words);
int job_take_name(void *job, struct words *words);
int job_take_pe(void *job, struct words *words);
int job_take_predecessors(void *job, struct words *words);
int job_take_dependency(void *job, struct words *words);
int job_take_priority(void *job, struct words *words);
int job_take_queues(void *job, struct words *words);
int job_take_resources(void *job, struct words *words);
int job_take_hard(void *job, struct words *words);
/* Skip the second value of -binding, if it has one. */
void job_skip_binding(struct words *words);
int job_take_shell(void *job, struct words *words);
int job_take_soft(void *job, struct words *words);
int job_take_text(void *job, struct words *words);
int job_take_variables(void *job, struct words *words);

/*
 * Complete environment, directory and files after all options are known. Return an exit code, with
 * a message.
 */
int job_finish(struct job *job);

/*
 * Attributes that a program sets without options. The functions return 0, -EINVAL if a text is not
 * UTF-8, or -ENOMEM.
 */
int job_set_name(struct job *job, const char *name);
int job_set_start(struct job *job, int64_t time_s);
/* Set the name of the libdrmaa session that submits the job. */
int job_set_session(struct job *job, const char *session);
/* Make the job end after failures that would put it into the error state. */
int job_set_ends_on_error(struct job *job);
int job_set_join(struct job *job, bool join);
int job_set_mail_list(struct job *job, char *const *addresses, size_t n);
/* Request that no mail is sent. */
int job_set_no_mail(struct job *job);
/* Set a variable of the environment. The name has `length` bytes. */
int job_set_variable(struct job *job, const char *name, size_t length, const char *value);
/* Return whether a request can contain the text, which must be UTF-8. */
bool job_is_text(const char *text);

/* Values that the options have set */

/* Return whether an option has set a member of the job, or of its execution. */
bool job_has_members(const struct job *job);
bool job_has_execution(const struct job *job);
/*
 * Return a member of the job or of its execution as text, like qsub -verify: lists as "a,b",
 * variables as "A=x,B=y", true as "y". NULL: it is not set, or memory is exhausted. The caller
 * frees the text.
 */
char *job_member_text(const struct job *job, const char *member);
/* Return the value of a variable of -v, borrowed. NULL: it is not set. */
const char *job_variable(const struct job *job, const char *name);
/* Return a word of the command, borrowed. NULL: the command has fewer words. */
const char *job_command_word(const struct job *job, size_t k);
/* Return whether a list of predecessors has a name or a pattern, not only numbers. */
bool job_waits_for_names(const struct job *job, const char *member);
/* Remove all members of the job. */
void job_clear_members(struct job *job);

/* Add "submit: -p: "x": due" to the messages and return EXIT_USAGE. */
int job_wrong(const struct job *job, const char *option, const char *value, const char *due);
/* Check the value of -w. Return an exit code, with a message. */
int job_check_letter(const struct job *job, const char *value);
/* Return the fault in a value, or NULL. */
const char *job_name_fault(const char *name);
const char *job_resources_fault(const char *list);

/* Return whether "HOST:" or ":" before a path means this machine. */
bool job_host_is_here(const char *host, size_t length);

#endif
