/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who sends a request. MUNGE's daemon is asked by a thread of its own, since libmunge tries again
 * and again for as long as it likes; who asks waits for a bounded time. A thread that was given up
 * ends by itself, and few of them are allowed to be on their way.
 */
#include <errno.h>
#include <grp.h>
#include <munge.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sched/qmaster/gdi/cell.h"

#define NAME_MOST 127			/* bytes of a name of a user or group */
#define GIVEN_UP_MOST 4			/* threads that still wait for munged */

static _Atomic unsigned given_up;

struct munge_question {				/* shared by who asks and the thread; the last one frees it */
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool answered, abandoned;
	char socket[200];		/* "": the default */
	char *credential;		/* NULL: why not */
	char why[160];
};

static void asked_free(struct munge_question *a)
{
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->done);
	free(a->credential);
	free(a);
}

static void *munge_ask(void *argument)
{
	struct munge_question *a = argument;
	munge_ctx_t context = munge_ctx_create();
	char *credential = NULL;
	munge_err_t rc = !context ? EMUNGE_NO_MEMORY : *a->socket ? munge_ctx_set(context, MUNGE_OPT_SOCKET, a->socket) : EMUNGE_SUCCESS;
	const char *why;
	bool abandoned;

	if (rc == EMUNGE_SUCCESS)
		rc = munge_encode(&credential, context, NULL, 0);
	why = rc && context ? munge_ctx_strerror(context) : NULL;
	pthread_mutex_lock(&a->lock);
	a->answered = true;
	a->credential = rc ? NULL : credential;
	snprintf(a->why, sizeof(a->why), "%s", why ? why : munge_strerror(rc));
	abandoned = a->abandoned;
	pthread_cond_signal(&a->done);
	pthread_mutex_unlock(&a->lock);
	if (rc)
		free(credential);
	if (context)
		munge_ctx_destroy(context);
	if (abandoned) {
		asked_free(a);
		atomic_fetch_sub(&given_up, 1);
	}
	return NULL;
}

static struct munge_question *asked_create(void)
{
	struct munge_question *a = calloc(1, sizeof(*a));
	pthread_condattr_t clock;

	if (!a)
		return NULL;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->done, &clock);
	pthread_condattr_destroy(&clock);
	return a;
}

/* Signals are the main thread's. */
static int thread_start(struct munge_question *a, pthread_t *thread)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, munge_ask, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* True: it has answered; else it frees what is shared when it ends. */
static bool asked_wait(struct munge_question *a)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += GDI_CREDENTIAL_MS / 1000;
	pthread_mutex_lock(&a->lock);
	while (!a->answered && rc == 0)
		rc = pthread_cond_timedwait(&a->done, &a->lock, &until);
	a->abandoned = !a->answered;
	if (a->abandoned)
		atomic_fetch_add(&given_up, 1);
	rc = a->answered;
	pthread_mutex_unlock(&a->lock);
	return rc;
}

static int munge_credential(const struct gdi_cell *c, char **credential, struct error *error)
{
	struct munge_question *a = atomic_load(&given_up) < GIVEN_UP_MOST ? asked_create() : NULL;
	pthread_t thread;
	int rc = 0;

	if (!a)
		return error_set(error, -ETIMEDOUT, "MUNGE: its daemon does not answer");
	snprintf(a->socket, sizeof(a->socket), "%s", c->munge_socket ? c->munge_socket : "");
	rc = thread_start(a, &thread);
	if (rc) {
		asked_free(a);
		return error_set(error, rc, "MUNGE: no thread to ask its daemon: %s", strerror(-rc));
	}
	if (!asked_wait(a)) {
		pthread_detach(thread);
		return error_set(error, -ETIMEDOUT, "MUNGE: its daemon does not answer within %d s", GDI_CREDENTIAL_MS / 1000);
	}
	pthread_join(thread, NULL);
	*credential = a->credential;
	a->credential = NULL;
	if (!*credential)
		rc = error_set(error, -EIO, "MUNGE: %s", a->why);
	asked_free(a);
	return rc;
}

static const char *name_checked(const char *name)
{
	return name && *name && strlen(name) <= NAME_MOST && !strpbrk(name, " \t\n") ? name : NULL;
}

static int plain_credential(char **credential, struct error *error)
{
	char users[4096], groups[16384], text[2 * NAME_MOST + 64];
	struct passwd user, *u = NULL;
	struct group group, *g = NULL;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	getpwuid_r(uid, &user, users, sizeof(users), &u);
	getgrgid_r(gid, &group, groups, sizeof(groups), &g);
	if (!u || !name_checked(u->pw_name))
		return error_set(error, -ENOENT, "user %u, who this runs as, has no name that a qmaster could be told", (unsigned)uid);
	if (!g || !name_checked(g->gr_name))
		return error_set(error, -ENOENT, "group %u, which this runs as, has no name that a qmaster could be told", (unsigned)gid);
	snprintf(text, sizeof(text), "none:%u %u %s %s", (unsigned)uid, (unsigned)gid, u->pw_name, g->gr_name);
	*credential = strdup(text);
	return *credential ? 0 : error_set(error, -ENOMEM, "no memory");
}

char *gdi_credential(const struct gdi_cell *c, struct error *error)
{
	char *credential = NULL;
	int rc = c->security == GDI_SECURITY_MUNGE ? munge_credential(c, &credential, error) : plain_credential(&credential, error);

	if (rc)
		errno = -rc;
	return credential;
}
