/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The credential of the sender of a request. A separate thread asks MUNGE's daemon, because
 * libmunge retries without a time limit. The caller waits only for a limited time. A thread that
 * was given up ends by itself, and their number is limited.
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

#define NAME_MOST 127			/* bytes of a user or group name */
#define GIVEN_UP_MOST 4			/* threads that still wait for munged */

static _Atomic unsigned given_up;

/* Shared by caller and thread; the last one frees it. */
struct munge_question {
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool answered, abandoned;
	char socket[200];		/* "": the default */
	char *credential;		/* NULL: see why */
	char why[160];
};

static void asked_free(struct munge_question *question)
{
	pthread_mutex_destroy(&question->lock);
	pthread_cond_destroy(&question->done);
	free(question->credential);
	free(question);
}

static void *munge_ask(void *argument)
{
	struct munge_question *question = argument;
	munge_ctx_t context = munge_ctx_create();
	char *credential = NULL;
	munge_err_t rc = !context	     ? EMUNGE_NO_MEMORY
			 : *question->socket ? munge_ctx_set(context, MUNGE_OPT_SOCKET, question->socket)
					     : EMUNGE_SUCCESS;
	const char *why;
	bool abandoned;

	if (rc == EMUNGE_SUCCESS)
		rc = munge_encode(&credential, context, NULL, 0);
	why = rc && context ? munge_ctx_strerror(context) : NULL;
	pthread_mutex_lock(&question->lock);
	question->answered = true;
	question->credential = rc ? NULL : credential;
	snprintf(question->why, sizeof(question->why), "%s", why ? why : munge_strerror(rc));
	abandoned = question->abandoned;
	pthread_cond_signal(&question->done);
	pthread_mutex_unlock(&question->lock);
	if (rc)
		free(credential);
	if (context)
		munge_ctx_destroy(context);
	if (abandoned) {
		asked_free(question);
		atomic_fetch_sub(&given_up, 1);
	}
	return NULL;
}

static struct munge_question *asked_create(void)
{
	struct munge_question *question = calloc(1, sizeof(*question));
	pthread_condattr_t clock;

	if (!question)
		return NULL;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&question->lock, NULL);
	pthread_cond_init(&question->done, &clock);
	pthread_condattr_destroy(&clock);
	return question;
}

/* Start the thread with all signals blocked. The main thread handles them. */
static int thread_start(struct munge_question *question, pthread_t *thread)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, munge_ask, question);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

/* Wait for the answer. True: there is one. False: the thread frees the question when it ends. */
static bool asked_wait(struct munge_question *question)
{
	struct timespec until;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += GDI_CREDENTIAL_MS / 1000;
	pthread_mutex_lock(&question->lock);
	while (!question->answered && rc == 0)
		rc = pthread_cond_timedwait(&question->done, &question->lock, &until);
	question->abandoned = !question->answered;
	if (question->abandoned)
		atomic_fetch_add(&given_up, 1);
	rc = question->answered;
	pthread_mutex_unlock(&question->lock);
	return rc;
}

static int munge_credential(const struct gdi_cell *cell, char **credential, struct error *error)
{
	struct munge_question *question = atomic_load(&given_up) < GIVEN_UP_MOST ? asked_create() : NULL;
	pthread_t thread;
	int rc = 0;

	if (!question)
		return error_set(error, -ETIMEDOUT, "MUNGE: its daemon does not answer");
	snprintf(question->socket, sizeof(question->socket), "%s", cell->munge_socket ? cell->munge_socket : "");
	rc = thread_start(question, &thread);
	if (rc) {
		asked_free(question);
		return error_set(error, rc, "MUNGE: no thread to ask its daemon: %s", strerror(-rc));
	}
	if (!asked_wait(question)) {
		pthread_detach(thread);
		return error_set(error, -ETIMEDOUT, "MUNGE: its daemon does not answer within %d s",
				 GDI_CREDENTIAL_MS / 1000);
	}
	pthread_join(thread, NULL);
	*credential = question->credential;
	question->credential = NULL;
	if (!*credential)
		rc = error_set(error, -EIO, "MUNGE: %s", question->why);
	asked_free(question);
	return rc;
}

static const char *name_checked(const char *name)
{
	return name && *name && strlen(name) <= NAME_MOST && !strpbrk(name, " \t\n") ? name : NULL;
}

static int plain_credential(char **credential, struct error *error)
{
	char users[4096], groups[16384], text[2 * NAME_MOST + 64];
	struct passwd user, *passwd = NULL;
	struct group group, *g = NULL;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	getpwuid_r(uid, &user, users, sizeof(users), &passwd);
	getgrgid_r(gid, &group, groups, sizeof(groups), &g);
	if (!passwd || !name_checked(passwd->pw_name))
		return error_set(error, -ENOENT,
				 "user id %u of this process has no valid user name, which the qmaster needs",
				 (unsigned)uid);
	if (!g || !name_checked(g->gr_name))
		return error_set(error, -ENOENT,
				 "group id %u of this process has no valid group name, which the qmaster needs",
				 (unsigned)gid);
	snprintf(text, sizeof(text), "none:%u %u %s %s", (unsigned)uid, (unsigned)gid, passwd->pw_name, g->gr_name);
	*credential = strdup(text);
	return *credential ? 0 : error_set(error, -ENOMEM, "out of memory");
}

int gdi_credential(const struct gdi_cell *cell, char **credential, struct error *error)
{
	*credential = NULL;
	return cell->security == GDI_SECURITY_MUNGE ? munge_credential(cell, credential, error)
						    : plain_credential(credential, error);
}
