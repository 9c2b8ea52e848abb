/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/errands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"

#define UNDER_WAY_MOST 8
#define WAITING_MOST 10000

struct errand {
	enum watched watched;	/* first: what epoll's events point to */
	int fd;			/* pidfd */
	pid_t pid;
	char **words, *input;
	struct errand *next;
};

static void errand_free(struct errand *e)
{
	for (char **word = e->words; word && *word; word++)
		free(*word);
	free(e->words);
	free(e->input);
	if (e->fd >= 0)
		close(e->fd);
	free(e);
}

static struct errand *errand_make(const char *const words[], const char *input)
{
	struct errand *e = calloc(1, sizeof(*e));
	size_t n = 0;

	while (words[n])
		n++;
	if (!e)
		return NULL;
	*e = (struct errand){ .watched = WATCHED_ERRAND, .fd = -1, .words = calloc(n + 1, sizeof(char *)), .input = input ? strdup(input) : NULL };
	for (size_t i = 0; e->words && i < n; i++)
		if (!(e->words[i] = strdup(words[i])))
			n = 0;
	if (e->words && n > 0 && (e->input || !input))
		return e;
	errand_free(e);
	return NULL;
}

/* A file in memory, so that nobody has to be waited for; /dev/null. */
static int input_open(const struct errand *e)
{
	int fd = e->input ? memfd_create("input", MFD_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);
	size_t length = e->input ? strlen(e->input) : 0;

	if (fd >= 0 && length > 0 && (write(fd, e->input, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int errand_spawn(struct errand *e)
{
	char *const environment[] = { NULL };
	posix_spawn_file_actions_t files;
	int fd = input_open(e), rc;

	if (fd < 0)
		return -errno;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	rc = -posix_spawn(&e->pid, e->words[0], &files, NULL, e->words, environment);
	posix_spawn_file_actions_destroy(&files);
	close(fd);
	return rc;
}

static int errand_watch(struct local *l, struct errand *e)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = e };

	e->fd = (int)syscall(SYS_pidfd_open, e->pid, 0);
	return e->fd < 0 || epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, e->fd, &event) ? -errno : 0;
}

/* One that can't be watched, for want of a descriptor, stays a zombie until we end. */
static void errands_start(struct local *l)
{
	struct errands *s = &l->errands;

	while (s->nwaiting > 0 && s->nunder_way < UNDER_WAY_MOST) {
		struct errand *e = s->first;
		int rc = errand_spawn(e);

		s->first = e->next;
		s->last = s->first ? s->last : &s->first;
		s->nwaiting--;
		if (rc == 0 && errand_watch(l, e) == 0) {
			e->next = s->under_way;
			s->under_way = e;
			s->nunder_way++;
			continue;
		}
		if (rc)
			log_line(LOG_FAILURE, "%s %s could not be started: %s", e->words[0], e->words[1], strerror(-rc));
		errand_free(e);
	}
}

int errand_send(struct local *l, const char *const words[], const char *input)
{
	struct errands *s = &l->errands;
	struct errand *e;

	if (s->nwaiting >= WAITING_MOST)
		return -EAGAIN;
	e = errand_make(words, input);
	if (!e)
		return -ENOMEM;
	s->last = s->first ? s->last : &s->first;
	*s->last = e;
	s->last = &e->next;
	s->nwaiting++;
	errands_start(l);
	return 0;
}

void errand_ended(struct local *l, struct errand *e)
{
	struct errand **at = &l->errands.under_way;

	while (*at && *at != e)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = e->next;
	l->errands.nunder_way--;
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, e->fd, NULL);
	waitid(P_PIDFD, (id_t)e->fd, &(siginfo_t){ 0 }, WEXITED | WNOHANG);
	errand_free(e);
	errands_start(l);
}

static void list_free(struct errand *e)
{
	while (e) {
		struct errand *next = e->next;

		errand_free(e);
		e = next;
	}
}

void errands_close(struct local *l)
{
	list_free(l->errands.first);
	list_free(l->errands.under_way);
	l->errands = (struct errands){ 0 };
}
