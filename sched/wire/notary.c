/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/wire/notary.h"

#include <errno.h>
#include <munge.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#define ASKED_MAX 64			/* credentials that wait for the daemon */
#define PAIR "inproc://fairlead-notary"

struct notary {
	void *ours, *theirs;		/* ends of a ZeroMQ pair; the thread uses `theirs` */
	pthread_t thread;
	bool started;
	char *socket;			/* NULL: the default */
};

/* Sent through the pair as bytes. An empty message ends the thread. */
struct question {
	char tag[NOTARY_TAG], credential[NOTARY_CREDENTIAL];
};

void notary_tag(char tag[NOTARY_TAG], const char *host, const char *session)
{
	snprintf(tag, NOTARY_TAG, "fairlead host %s session %s", host, session);
}

static munge_ctx_t context_make(const char *socket)
{
	munge_ctx_t context = munge_ctx_create();

	if (context && socket && munge_ctx_set(context, MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
		munge_ctx_destroy(context);
		return NULL;
	}
	return context;
}

char *notary_make(const char *socket, const char *tag, struct error *error)
{
	munge_ctx_t context = context_make(socket);
	char *credential = NULL;
	munge_err_t rc = context ? munge_encode(&credential, context, tag, (int)strlen(tag)) : EMUNGE_NO_MEMORY;

	if (rc != EMUNGE_SUCCESS) {
		const char *why = context ? munge_ctx_strerror(context) : NULL;

		error_set(error, -EIO, "MUNGE: %s", why ? why : munge_strerror(rc));
		free(credential);
		credential = NULL;
	}
	if (context)
		munge_ctx_destroy(context);
	return credential;
}

/* Thread */

static void decode(const struct notary *notary, const struct question *question, struct notary_answer *answer)
{
	munge_ctx_t context = context_make(notary->socket);
	void *payload = NULL;
	int length = 0;
	uid_t uid = (uid_t)-1;
	gid_t gid;
	munge_err_t rc =
		context ? munge_decode(question->credential, context, &payload, &length, &uid, &gid) : EMUNGE_NO_MEMORY;

	*answer = (struct notary_answer){ .good = false };
	strcpy(answer->tag, question->tag);
	if (rc != EMUNGE_SUCCESS)
		snprintf(answer->text, sizeof(answer->text), "%s", munge_strerror(rc));
	else if (!payload || (size_t)length != strlen(question->tag) ||
		 memcmp(payload, question->tag, (size_t)length) != 0)
		snprintf(answer->text, sizeof(answer->text), "it was made for a different purpose");
	else if (uid != 0 && uid != geteuid())
		snprintf(answer->text, sizeof(answer->text),
			 "it was made by user %u; only root and the scheduler's user may make it", (unsigned)uid);
	else
		answer->good = true;
	free(payload);
	if (context)
		munge_ctx_destroy(context);
}

static void *notary_serve(void *argument)
{
	struct notary *notary = argument;
	struct notary_answer answer;
	struct question question;
	int n;

	while ((n = zmq_recv(notary->theirs, &question, sizeof(question), 0)) != 0) {
		if (n != (int)sizeof(question))
			continue;
		decode(notary, &question, &answer);
		zmq_send(notary->theirs, &answer, sizeof(answer), 0);
	}
	return NULL;
}

/* Start the thread with all signals blocked: signals are handled by the caller's loop. */
static int thread_start(struct notary *notary)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&notary->thread, NULL, notary_serve, notary);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	notary->started = rc == 0;
	return -rc;
}

/* Caller's side */

/*
 * Open the pair. At most ASKED_MAX questions are in progress and fit into the queues of both
 * directions, so neither side ever waits for the other.
 */
static int pair_open(struct notary *notary, void *zmq)
{
	const int room = ASKED_MAX, now = 0;

	notary->ours = zmq_socket(zmq, ZMQ_PAIR);
	notary->theirs = zmq_socket(zmq, ZMQ_PAIR);
	if (!notary->ours || !notary->theirs)
		return -errno;
	zmq_setsockopt(notary->ours, ZMQ_SNDHWM, &room, sizeof(room));
	zmq_setsockopt(notary->ours, ZMQ_LINGER, &now, sizeof(now));
	zmq_setsockopt(notary->theirs, ZMQ_RCVHWM, &room, sizeof(room));
	zmq_setsockopt(notary->theirs, ZMQ_LINGER, &now, sizeof(now));
	return zmq_bind(notary->ours, PAIR) || zmq_connect(notary->theirs, PAIR) ? -errno : 0;
}

int notary_open(struct notary **notary, void *zmq, const char *socket)
{
	struct notary *m = calloc(1, sizeof(*m));
	int rc = m ? 0 : -ENOMEM;

	*notary = m;
	if (rc == 0 && socket && !(m->socket = strdup(socket)))
		rc = -ENOMEM;
	if (rc == 0)
		rc = pair_open(m, zmq);
	if (rc == 0)
		rc = thread_start(m);
	if (rc) {
		notary_close(m);
		*notary = NULL;
	}
	return rc;
}

void notary_close(struct notary *notary)
{
	if (!notary)
		return;
	if (notary->started) {
		zmq_send(notary->ours, "", 0, 0);
		pthread_join(notary->thread, NULL);
	}
	if (notary->ours)
		zmq_close(notary->ours);
	if (notary->theirs)
		zmq_close(notary->theirs);
	free(notary->socket);
	free(notary);
}

void *notary_socket(struct notary *notary)
{
	return notary->ours;
}

int notary_ask(struct notary *notary, const char *tag, const char *credential)
{
	struct question question = { "", "" };

	if (strlen(tag) >= sizeof(question.tag) || strlen(credential) >= sizeof(question.credential))
		return -EMSGSIZE;
	strcpy(question.tag, tag);
	strcpy(question.credential, credential);
	return zmq_send(notary->ours, &question, sizeof(question), ZMQ_DONTWAIT) < 0 ? -errno : 0;
}

bool notary_answered(struct notary *notary, struct notary_answer *answer)
{
	return zmq_recv(notary->ours, answer, sizeof(*answer), ZMQ_DONTWAIT) == (int)sizeof(*answer);
}
