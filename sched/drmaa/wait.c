/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"

/* between two looks: short at first, since many jobs are */
#define PAUSE_LEAST_MS 10
#define PAUSE_MOST_MS 200

/* Usage */

static const struct {
	const char *name;
	int field;		/* of accounting(5), from 0 */
} usage[] = {
	{ "submission_time", 8 }, { "start_time", 9 }, { "end_time", 10 }, { "failed", 11 }, { "exit_status", 12 }, { "ru_wallclock", 13 },
	{ "ru_utime", 14 }, { "ru_stime", 15 }, { "ru_maxrss", 16 }, { "ru_ixrss", 17 }, { "ru_ismrss", 18 }, { "ru_idrss", 19 },
	{ "ru_isrss", 20 }, { "ru_minflt", 21 }, { "ru_majflt", 22 }, { "ru_nswap", 23 }, { "ru_inblock", 24 }, { "ru_oublock", 25 },
	{ "ru_msgsnd", 26 }, { "ru_msgrcv", 27 }, { "ru_nsignals", 28 }, { "ru_nvcsw", 29 }, { "ru_nivcsw", 30 }, { "cpu", 36 },
	{ "mem", 37 }, { "io", 38 }, { "iow", 40 }, { "maxvmem", 42 },
};

static int usage_add(struct word_list *list, const char *line, size_t k)
{
	char text[128];

	for (int field = usage[k].field; line && field; field--) {
		line = strchr(line, ':');
		line += line != NULL;
	}
	if (!line)
		return 0;
	snprintf(text, sizeof(text), "%s=%.*s", usage[k].name, (int)strcspn(line, ":"), line);
	return word_add(list, text);
}

/* NULL: no memory. */
static drmaa_attr_values_t *usage_make(const char *line)
{
	drmaa_attr_values_t *values = calloc(1, sizeof(*values));

	for (size_t k = 0; values && line && k < sizeof(usage) / sizeof(*usage); k++)
		if (usage_add(&values->list, line, k)) {
			drmaa_release_attr_values(values);
			values = NULL;
		}
	return values;
}

/* Waiting */

struct patience {
	int64_t end_ms;		/* INT64_MAX: for ever */
	int64_t pause_ms;
};

static struct patience patience_begin(signed long timeout)
{
	return (struct patience){ .end_ms = timeout == DRMAA_TIMEOUT_WAIT_FOREVER ? INT64_MAX : clock_ms() + (timeout > INT32_MAX ? INT32_MAX : timeout) * 1000l,
				  .pause_ms = PAUSE_LEAST_MS };
}

/* DRMAA_ERRNO_SUCCESS: look again. */
static int patience_wait(struct patience *p, struct reason_wanted *d)
{
	int64_t left = p->end_ms == INT64_MAX ? INT64_MAX : p->end_ms - clock_ms();

	if (left <= 0)
		return fault(d, DRMAA_ERRNO_EXIT_TIMEOUT, NULL);
	if (!session_pause(left < p->pause_ms ? left : p->pause_ms))
		return fault(d, DRMAA_ERRNO_NO_ACTIVE_SESSION, "the session has ended");
	p->pause_ms = 3 * p->pause_ms / 2 < PAUSE_MOST_MS ? 3 * p->pause_ms / 2 : PAUSE_MOST_MS;
	return DRMAA_ERRNO_SUCCESS;
}

/* The k-th job of the session, once it has been looked at. */
static bool has_ended(size_t k)
{
	watch_job(&session.tracked.jobs[k]);
	return session.tracked.jobs[k].ended;
}

/* Of all of them one that has ended; SIZE_MAX: none. Those that the file tells of come first. */
static size_t any_ended(void)
{
	for (size_t k = 0; k < session.tracked.n; k++)
		if (session.tracked.jobs[k].ended)
			return k;
	for (size_t k = 0; k < session.tracked.n; k++)
		if (has_ended(k))
			return k;
	return SIZE_MAX;
}

/*
 * *k becomes a job that has ended: this one, or with number 0 any one. Others may wait for the
 * same.
 */
static int ended_await(uint32_t number, uint32_t task, signed long timeout, size_t *k, struct reason_wanted *d)
{
	struct patience patience = patience_begin(timeout);

	for (;;) {
		int code;

		ends_read(&session.ends, &session.tracked);
		*k = number ? tracked_find(&session.tracked, number, task) : any_ended();
		if (number ? *k == SIZE_MAX : !session.tracked.n)
			return fault(d, DRMAA_ERRNO_INVALID_JOB, "the session has no such job, or it was waited for already");
		if (*k != SIZE_MAX && has_ended(*k))
			return DRMAA_ERRNO_SUCCESS;
		code = patience_wait(&patience, d);
		if (code)
			return code;
	}
}

static int end_give(size_t k, char *id, size_t size, int *stat, drmaa_attr_values_t **rusage, struct reason_wanted *d)
{
	const struct tracked_job *job = &session.tracked.jobs[k];
	char text[32];

	if (rusage && !(*rusage = usage_make(job->line)))
		return fault(d, DRMAA_ERRNO_NO_MEMORY, NULL);
	job_id_print(job->number, job->task, text);
	if (id && size)
		snprintf(id, size, "%s", text);
	if (stat)
		*stat = job->stat;
	tracked_remove(&session.tracked, k);
	return fault(d, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_wait(const char *job_id, char *job_id_out, size_t job_id_out_len, int *stat, signed long timeout, drmaa_attr_values_t **rusage,
	       char *error_diagnosis, size_t error_diag_len)
{
	uint32_t number = 0, task = 0;
	size_t k;
	int code;

	if (!job_id || timeout < DRMAA_TIMEOUT_WAIT_FOREVER)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	if (strcmp(job_id, DRMAA_JOB_IDS_SESSION_ANY) != 0 && job_id_parse(job_id, &number, &task))
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_JOB, "\"%.100s\" is no id of a job", job_id);
	code = session_enter(DIAGNOSIS);
	if (code)
		return code;
	code = ended_await(number, task, timeout, &k, DIAGNOSIS);
	if (!code)
		code = end_give(k, job_id_out, job_id_out_len, stat, rusage, DIAGNOSIS);
	session_leave();
	return code;
}

/* Synchronizing */

struct job_name { uint32_t number, task; };

/* Those named, or all that there are now. NULL with *n 0: there are none. */
static int names_take(const char *ids[], struct job_name **names, size_t *n, struct reason_wanted *d)
{
	bool all = false;
	size_t count = 0;

	for (; ids[count]; count++)
		all = all || !strcmp(ids[count], DRMAA_JOB_IDS_SESSION_ALL);
	*n = all ? session.tracked.n : count;
	*names = calloc(*n + 1, sizeof(**names));
	if (!*names)
		return fault(d, DRMAA_ERRNO_NO_MEMORY, NULL);
	for (size_t k = 0; k < *n; k++) {
		struct job_name *name = &(*names)[k];

		if (all)
			*name = (struct job_name){ session.tracked.jobs[k].number, session.tracked.jobs[k].task };
		else if (job_id_parse(ids[k], &name->number, &name->task) || tracked_find(&session.tracked, name->number, name->task) == SIZE_MAX)
			return fault(d, DRMAA_ERRNO_INVALID_JOB, "\"%.100s\": the session has no such job, or it was waited for already", ids[k]);
	}
	return DRMAA_ERRNO_SUCCESS;
}

/* Jobs that somebody else has waited for meanwhile have ended, too. */
static bool all_ended(const struct job_name *names, size_t n, size_t *done)
{
	for (; *done < n; (*done)++) {
		size_t k = tracked_find(&session.tracked, names[*done].number, names[*done].task);

		if (k != SIZE_MAX && !has_ended(k))
			return false;
	}
	return true;
}

static void dispose_of(const struct job_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t k = tracked_find(&session.tracked, names[i].number, names[i].task);

		if (k != SIZE_MAX)
			tracked_remove(&session.tracked, k);
	}
}

int drmaa_synchronize(const char *job_ids[], signed long timeout, int dispose, char *error_diagnosis, size_t error_diag_len)
{
	struct patience patience = patience_begin(timeout);
	struct job_name *names = NULL;
	size_t n = 0, done = 0;
	int code = job_ids && timeout >= DRMAA_TIMEOUT_WAIT_FOREVER ? session_enter(DIAGNOSIS) : fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);

	if (code)
		return code;
	code = names_take(job_ids, &names, &n, DIAGNOSIS);
	while (!code) {
		ends_read(&session.ends, &session.tracked);
		if (all_ended(names, n, &done))
			break;
		code = patience_wait(&patience, DIAGNOSIS);
	}
	if (!code && dispose)
		dispose_of(names, n);
	session_leave();
	free(names);
	return code ? code : fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}
