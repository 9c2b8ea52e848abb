/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/drmaa/inside.h"
#include "sched/process/clock.h"
#include "sched/process/ranges.h"
#include "sched/process/which_cell.h"

#define SESSION "session="	/* part of a contact */
#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@._+%=-"
#define SESSION_NAME_BYTES 255

struct drmaa_session session = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .ends.fd = -1 };

int64_t clock_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / 1000000);
}

/* Fork */

static void fork_prepare(void)
{
	pthread_mutex_lock(&session.lock);
}

static void fork_in_parent(void)
{
	pthread_mutex_unlock(&session.lock);
}

/* Reset the session in the child, where the threads that were away do not exist. */
static void fork_in_child(void)
{
	session.away = 0;
	session.ending = false;
	pthread_mutex_init(&session.lock, NULL);
	pthread_cond_init(&session.ended, NULL);
}

/* Settings of the calling thread while it is in the library */

/* decimal point in numbers, whatever the locale of the program is */
static locale_t plain;

static _Thread_local struct { locale_t locale; int cancellation; } kept;

static void thread_settle(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &kept.cancellation);
	kept.locale = uselocale(plain);
}

static void thread_restore(void)
{
	uselocale(kept.locale);
	pthread_setcancelstate(kept.cancellation, NULL);
}

__attribute__((constructor)) static void library_prepare(void)
{
	plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	pthread_atfork(fork_prepare, fork_in_parent, fork_in_child);
}

/* Lock and unlock */

static void session_free(void)
{
	fl_detach(session.reader);
	tracked_free(&session.tracked);
	tracked_free(&session.reaped);
	ends_close(&session.ends);
	free(session.cell);
	free(session.name);
	session.cell = session.name = NULL;
	session.reader = NULL;
	session.ending = false;
	session.nrecent = 0;
}

/*
 * Lock the session. A child process does not have the session of its parent, but may begin one of
 * its own.
 */
static void session_lock(void)
{
	thread_settle();
	pthread_mutex_lock(&session.lock);
	if (session.active && session.process != getpid()) {
		session.active = false;
		session_free();
	}
}

int session_enter(struct reason_wanted *wanted)
{
	session_lock();
	if (session.active)
		return DRMAA_ERRNO_SUCCESS;
	session_leave();
	return fault(wanted, DRMAA_ERRNO_NO_ACTIVE_SESSION, NULL);
}

void session_leave(void)
{
	pthread_mutex_unlock(&session.lock);
	thread_restore();
}

void session_away(void)
{
	session.away++;
	pthread_mutex_unlock(&session.lock);
}

bool session_back(void)
{
	pthread_mutex_lock(&session.lock);
	session.away--;
	if (!session.active && !session.away)
		pthread_cond_broadcast(&session.ended);
	return session.active;
}

bool session_pause(int64_t ms)
{
	int64_t until_ms = clock_ms() + ms;
	struct timespec until = { .tv_sec = until_ms / 1000, .tv_nsec = until_ms % 1000 * 1000000 };

	session.away++;
	pthread_cond_clockwait(&session.ended, &session.lock, CLOCK_MONOTONIC, &until);
	session.away--;
	if (!session.active && !session.away)
		pthread_cond_broadcast(&session.ended);
	return session.active;
}

size_t session_job(uint32_t number, uint32_t task)
{
	size_t k = number ? tracked_find(&session.tracked, number, task) : SIZE_MAX;

	if (k != SIZE_MAX || !number || tracked_find(&session.reaped, number, task) != SIZE_MAX)
		return k;
	return ends_find(&session.ends, &session.tracked, number, task) ? session.tracked.n - 1 : SIZE_MAX;
}

void session_forget_job(size_t k)
{
	const struct tracked_job *job = &session.tracked.jobs[k];

	if (job->is_past)	/* else ends_find() would find it again */
		tracked_add(&session.reaped, job->number, job->task, false);
	session.recent[session.nrecent++ % RECENT_JOBS] = (struct job_name){ job->number, job->task };
	tracked_remove(&session.tracked, k);
}

bool session_has_forgotten(uint32_t number, uint32_t task)
{
	for (size_t k = 0; k < RECENT_JOBS && k < session.nrecent; k++)
		if (session.recent[k].number == number && session.recent[k].task == task)
			return true;
	return false;
}

/* Begin of a session */

static int attach_failed(struct reason_wanted *wanted, int error, const char *cell, bool is_default)
{
	struct stat st;

	switch (error) {
	case -ENOENT:
		if (stat(cell, &st) == 0)
			return fault(wanted, DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE,
				     "%s: no scheduler has published in this cell yet", cell);
		return fault(wanted,
			     is_default ? DRMAA_ERRNO_DEFAULT_CONTACT_STRING_ERROR : DRMAA_ERRNO_INVALID_CONTACT_STRING,
			     "%s: there is no such cell", cell);
	case -ENOTDIR: case -ENAMETOOLONG:
		return fault(wanted, DRMAA_ERRNO_INVALID_CONTACT_STRING, "%s: %s", cell, strerror(-error));
	case -EACCES: case -EPERM:
		return fault(wanted, DRMAA_ERRNO_AUTH_FAILURE,
			     "%s: this user may not read what the scheduler publishes", cell);
	case -ENOMEM: return fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	}
	return fault(wanted, DRMAA_ERRNO_DRMS_INIT_FAILED, "%s: %s", cell,
		     error == -EPROTO ? "the scheduler and this library are of different versions" : strerror(-error));
}

/*
 * Parse a contact: "CELL", "CELL;session=NAME" or "session=NAME". *name becomes NULL if there is
 * none. -EINVAL, -ENOMEM.
 */
static int contact_parse(const char *contact, char **cell, char **name)
{
	const char *at = contact, *end;

	while (strncmp(at, SESSION, strlen(SESSION)) != 0 && (at = strchr(at, ';')) != NULL)
		at++;
	end = at ? at - (at > contact) : contact + strlen(contact);
	*name = at ? strdup(at + strlen(SESSION)) : NULL;
	*cell = strndup(contact, (size_t)(end - contact));
	if (!*cell || (at && !*name))
		return -ENOMEM;
	if (at && (!**name || strlen(*name) > SESSION_NAME_BYTES || strspn(*name, NAME_LETTERS) != strlen(*name)))
		return -EINVAL;
	return 0;
}

/* Make a unique name. It has the position in the accounting file at which the session began. */
static char *name_make(const struct ends *ends)
{
	char host[64] = "", *name = NULL;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	gethostname(host, sizeof(host) - 1);
	host[strspn(host, NAME_LETTERS)] = '\0';
	if (asprintf(&name, "%s.%d.%lld%09ld.%llu.%lld", host, (int)getpid(), (long long)now.tv_sec, now.tv_nsec,
		     (unsigned long long)ends->inode, (long long)ends->offset) < 0)
		return NULL;
	return name;
}

/* Read the last two parts of such a name; -1: it is of another kind. */
static void name_place(const char *name, int64_t *inode, int64_t *offset)
{
	const char *last = strrchr(name, '.'), *before = last ? memrchr(name, '.', (size_t)(last - name)) : NULL;
	long long first = -1, second = -1;

	if (before && sscanf(before, ".%lld.%lld", &first, &second) == 2 && first >= 0 && second >= 0) {
		*inode = first;
		*offset = second;
	} else {
		*inode = *offset = -1;
	}
}

static int tasks_track(uint32_t number, const char *text)
{
	struct ranges tasks = { 0 };
	int rc = text ? ranges_parse(&tasks, text) : tracked_add(&session.tracked, number, 0, false);

	for (size_t k = 0; rc == 0 && k < tasks.n; k++)
		for (uint64_t task = tasks.items[k].min; rc == 0 && task <= tasks.items[k].max;
		     task += tasks.items[k].step)
			rc = tracked_add(&session.tracked, number, (uint32_t)task, false);
	ranges_free(&tasks);
	return rc;
}

/* Track the jobs that an earlier session of this name has submitted, and that have not ended. */
static int jobs_recover(struct reason_wanted *wanted)
{
	const struct scheduler_request request = { .kind = REQUEST_SESSION, .session = session.name };
	struct reply reply;
	int code = scheduler_talk(session.cell, &request, &reply, wanted);

	for (size_t k = 0; !code && k < reply.n; k++) {
		const struct reply_result *result = &reply.items[k];
		uint32_t number = (uint32_t)result->job_number;

		if (result->code)
			code = fault_of(wanted, (int)result->code, result->text);
		else if (number && tasks_track(number, result->tasks))
			code = fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	}
	reply_free(&reply);
	return code;
}

static int session_begin(const char *cell, const char *name, bool is_default, struct reason_wanted *wanted)
{
	struct fl_files files;
	int error = fl_attach(&session.reader, cell), code = DRMAA_ERRNO_SUCCESS;
	int64_t inode = -1, offset = -1;
	char path[4096];

	if (error)
		return attach_failed(wanted, error, cell, is_default);
	do {
		int known = fl_files(fl_begin(session.reader), &files);

		snprintf(path, sizeof(path), "%s", known == 0 ? files.accounting : "");
	} while (fl_end(session.reader) == -ESTALE);
	if (name)
		name_place(name, &inode, &offset);
	ends_begin(&session.ends, path, inode, offset);
	session.cell = strdup(cell);
	session.name = name ? strdup(name) : name_make(&session.ends);
	session.process = getpid();
	if (!session.cell || !session.name)
		code = fault(wanted, DRMAA_ERRNO_NO_MEMORY, NULL);
	else if (name && (code = jobs_recover(wanted)) == DRMAA_ERRNO_SUCCESS)
		ends_recover(&session.ends, &session.tracked);
	session.active = !code;
	if (code)
		session_free();
	return code ? code : fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_init(const char *contact, char *error_diagnosis, size_t error_diag_len)
{
	char *said = NULL, *name = NULL;
	int rc = contact_parse(contact ? contact : "", &said, &name), code;
	const char *cell = said && *said ? which_cell(said) : which_cell(NULL);

	session_lock();
	if (session.active || session.ending)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_ALREADY_ACTIVE_SESSION, NULL);
	else if (rc == -ENOMEM)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL);
	else if (rc)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_CONTACT_STRING,
			     "\"%.100s\": the name of a session has 1 to %d letters, digits and @ . _ + %% = -",
			     contact, SESSION_NAME_BYTES);
	else if (!cell || !*cell)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_DEFAULT_CONTACT_STRING_SELECTED,
			     "no cell: name it in the contact string, set FAIRLEAD_CELL, or create " CELL_BY_DEFAULT);
	else
		code = session_begin(cell, name, !*said, DIAGNOSIS);
	session_leave();
	free(said);
	free(name);
	return code;
}

/*
 * End the session. Threads that are away return first, with the error that the session has ended.
 */
int drmaa_exit(char *error_diagnosis, size_t error_diag_len)
{
	int code = session_enter(DIAGNOSIS);

	if (code)
		return code;
	session.active = false;
	session.ending = true;
	pthread_cond_broadcast(&session.ended);
	while (session.away)
		pthread_cond_wait(&session.ended, &session.lock);
	session_free();
	session_leave();
	return fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}

/* Information about the library */

static int text_give(char *to, size_t size, const char *text, struct reason_wanted *wanted)
{
	if (!to || !size)
		return fault(wanted, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	snprintf(to, size, "%s", text);
	return fault(wanted, DRMAA_ERRNO_SUCCESS, NULL);
}

/* Return the contact of the session; without a session the default cell. */
int drmaa_get_contact(char *contact, size_t contact_len, char *error_diagnosis, size_t error_diag_len)
{
	const char *cell = which_cell(NULL);
	char *text = NULL;
	int code;

	session_lock();
	if ((session.active ? asprintf(&text, "%s;" SESSION "%s", session.cell, session.name)
			    : asprintf(&text, "%s", cell ? cell : "")) < 0)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_MEMORY, NULL);
	else
		code = text_give(contact, contact_len, text, DIAGNOSIS);
	session_leave();
	free(text);
	return code;
}

int drmaa_version(unsigned int *major, unsigned int *minor, char *error_diagnosis, size_t error_diag_len)
{
	if (!major || !minor)
		return fault(DIAGNOSIS, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	*major = 1;
	*minor = 0;
	return fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_get_DRM_system(char *drm_system, size_t drm_system_len, char *error_diagnosis, size_t error_diag_len)
{
	return text_give(drm_system, drm_system_len, "Fairlead", DIAGNOSIS);
}

int drmaa_get_DRMAA_implementation(char *drmaa_impl, size_t drmaa_impl_len, char *error_diagnosis,
				   size_t error_diag_len)
{
	return text_give(drmaa_impl, drmaa_impl_len, "Fairlead " FAIRLEAD_VERSION, DIAGNOSIS);
}
