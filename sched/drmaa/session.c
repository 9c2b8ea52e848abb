/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "sched/drmaa/inside.h"
#include "sched/process/which_cell.h"

struct drmaa_session session = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER, .ends.fd = -1 };

int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int session_enter(struct reason_wanted *d)
{
	pthread_mutex_lock(&session.lock);
	if (session.active)
		return DRMAA_ERRNO_SUCCESS;
	pthread_mutex_unlock(&session.lock);
	return fault(d, DRMAA_ERRNO_NO_ACTIVE_SESSION, NULL);
}

void session_leave(void)
{
	pthread_mutex_unlock(&session.lock);
}

/* The condition's clock is that of dates: if somebody sets it, a look comes early or late. */
bool session_pause(int64_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	session.waiting++;
	pthread_cond_timedwait(&session.ended, &session.lock, &until);
	session.waiting--;
	if (!session.active && !session.waiting)
		pthread_cond_broadcast(&session.ended);
	return session.active;
}

static int attach_failed(struct reason_wanted *d, int error, const char *cell, bool is_default)
{
	struct stat st;

	switch (error) {
	case -ENOENT:
		if (stat(cell, &st) == 0)
			return fault(d, DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE, "%s: no scheduler has published there yet", cell);
		return fault(d, is_default ? DRMAA_ERRNO_DEFAULT_CONTACT_STRING_ERROR : DRMAA_ERRNO_INVALID_CONTACT_STRING, "%s: there is no such cell", cell);
	case -ENOTDIR: case -ENAMETOOLONG:
		return fault(d, DRMAA_ERRNO_INVALID_CONTACT_STRING, "%s: %s", cell, strerror(-error));
	case -EACCES: case -EPERM:
		return fault(d, DRMAA_ERRNO_AUTH_FAILURE, "%s: this user may not read what the scheduler publishes", cell);
	case -ENOMEM: return fault(d, DRMAA_ERRNO_NO_MEMORY, NULL);
	}
	return fault(d, DRMAA_ERRNO_DRMS_INIT_FAILED, "%s: %s", cell,
		     error == -EPROTO ? "the scheduler is of another version than this library" : strerror(-error));
}

static int session_begin(const char *cell, bool is_default, struct reason_wanted *d)
{
	struct fl_files files;
	int error = fl_attach(&session.reader, cell);
	char path[4096];

	if (error)
		return attach_failed(d, error, cell, is_default);
	do {
		int known = fl_files(fl_begin(session.reader), &files);

		snprintf(path, sizeof(path), "%s", known == 0 ? files.accounting : "");
	} while (fl_end(session.reader) == -ESTALE);
	session.cell = strdup(cell);
	if (!session.cell) {
		fl_detach(session.reader);
		return fault(d, DRMAA_ERRNO_NO_MEMORY, NULL);
	}
	ends_begin(&session.ends, path);
	session.active = true;
	return fault(d, DRMAA_ERRNO_SUCCESS, NULL);
}

int drmaa_init(const char *contact, char *error_diagnosis, size_t error_diag_len)
{
	const char *cell = which_cell(contact && *contact ? contact : NULL);
	int code;

	pthread_mutex_lock(&session.lock);
	if (session.active || session.ending)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_ALREADY_ACTIVE_SESSION, NULL);
	else if (!cell || !*cell)
		code = fault(DIAGNOSIS, DRMAA_ERRNO_NO_DEFAULT_CONTACT_STRING_SELECTED, "which cell? the contact string names it, or FAIRLEAD_CELL; there is no " CELL_BY_DEFAULT);
	else
		code = session_begin(cell, !contact || !*contact, DIAGNOSIS);
	pthread_mutex_unlock(&session.lock);
	return code;
}

/* Threads that still wait are told first that it is over. */
int drmaa_exit(char *error_diagnosis, size_t error_diag_len)
{
	int code = session_enter(DIAGNOSIS);

	if (code)
		return code;
	session.active = false;
	session.ending = true;
	pthread_cond_broadcast(&session.ended);
	while (session.waiting)
		pthread_cond_wait(&session.ended, &session.lock);
	fl_detach(session.reader);
	tracked_free(&session.tracked);
	ends_close(&session.ends);
	free(session.cell);
	session.cell = NULL;
	session.reader = NULL;
	session.ending = false;
	session_leave();
	return fault(DIAGNOSIS, DRMAA_ERRNO_SUCCESS, NULL);
}

/* About the library */

static int text_give(char *to, size_t size, const char *text, struct reason_wanted *d)
{
	if (!to || !size)
		return fault(d, DRMAA_ERRNO_INVALID_ARGUMENT, NULL);
	snprintf(to, size, "%s", text);
	return fault(d, DRMAA_ERRNO_SUCCESS, NULL);
}

/* Before a session: those that there are, which is the default. */
int drmaa_get_contact(char *contact, size_t contact_len, char *error_diagnosis, size_t error_diag_len)
{
	const char *cell = which_cell(NULL);
	int code;

	pthread_mutex_lock(&session.lock);
	code = text_give(contact, contact_len, session.active ? session.cell : cell ? cell : "", DIAGNOSIS);
	pthread_mutex_unlock(&session.lock);
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

int drmaa_get_DRMAA_implementation(char *drmaa_impl, size_t drmaa_impl_len, char *error_diagnosis, size_t error_diag_len)
{
	return text_give(drmaa_impl, drmaa_impl_len, "Fairlead " FAIRLEAD_VERSION, DIAGNOSIS);
}
