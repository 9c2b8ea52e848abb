/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of jobs from the scheduler of a local cell. They contain data that is not in shared
 * memory, such as commands and environments.
 */
#ifndef CLIENT_DESCRIPTION_H
#define CLIENT_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/process/messages.h"

#define DESCRIBED_MOST 100		/* jobs per request */

struct json_t;

enum described_flag { DESCRIBED_UNSET, DESCRIBED_NO, DESCRIBED_YES };

struct described_variable { const char *name, *value; };

struct described_texts { const char **items; size_t n; };

struct described_numbers { int64_t *items; size_t n; };

struct described_variables { struct described_variable *items; size_t n; };

struct described_memory {		/* of a running task, in bytes */
	int64_t task;
	double vmem, maxvmem;
};

/* A text that is not set is NULL. */
struct job_description {
	int64_t job_number, uid, gid;
	const char *group, *account;
	const char *tasks;			/* task ids of an array */
	struct described_numbers hold_jid, after_ok;
	const char *cwd, *stdin_path, *stdout_path, *stderr_path, *shell;
	const char *mail_options;
	struct described_texts mail_list, command;
	enum described_flag join, notify, rerun;
	bool use_shell, is_script;
	bool has_environment;			/* it may be empty */
	bool environment_hidden;		/* it is shown only to the owner and to operators */
	struct described_variables environment, context;
	struct described_memory *memory;
	size_t nmemory;
	struct json_t *source;			/* private: owns the texts */
};

struct descriptions {			/* zero-initialised by the caller */
	struct job_description *items;
	size_t n;
	char missing[200];		/* reason why descriptions are missing; "": none is missing */
};

/*
 * Request the descriptions of `n` jobs from the scheduler and wait at most two seconds. If some are
 * still unknown, `missing` has the reason.
 */
void descriptions_ask(struct descriptions *descriptions, const char *cell, const uint32_t *numbers, size_t n,
		      struct messages *messages);
void descriptions_free(struct descriptions *descriptions);

/* Return the description of a job, borrowed. NULL: no description of the job was received. */
const struct job_description *description_of(const struct descriptions *descriptions, uint32_t number);

/* Return the value of a variable of the environment. NULL: it is not set. */
const char *description_variable(const struct job_description *description, const char *name);

/*
 * Return the description in JSON, as the scheduler has sent it. The caller frees it. NULL: memory
 * is exhausted.
 */
char *description_json(const struct job_description *description);

#endif
