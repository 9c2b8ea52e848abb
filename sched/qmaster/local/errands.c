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

#include "sched/process/clock.h"
#include "sched/process/log.h"
#include "sched/qmaster/local/inside.h"

#define RUNNING_MOST 32		/* running errands of a kind */
#define RUNNING_USER_MOST 2
#define WAITING_MOST 100000	/* pending errands of a kind */
#define WAITING_USER_MOST 10000
#define SAID_BYTES 300
#define SECOND_NS 1000000000ull

/*
 * Seconds after which an errand is killed. The shepherd gives up a little earlier, unless its user
 * has stopped it.
 */
static const unsigned seconds_most[ERRAND_KINDS] = { [ERRAND_TIDY] = 630, [ERRAND_MAIL] = 330 };

struct errand {
	enum watched watched;	/* first member: epoll's events point to it */
	enum errand_kind kind;
	uint32_t uid;
	int fd, said;		/* pidfd; the read end of its standard error */
	pid_t pid;
	uint64_t due_ns;	/* UINT64_MAX: already killed */
	char **words, *input;
	struct errand *next;
};

struct errand_user {
	uint32_t uid;
	struct errand *first, **last;	/* pending errands */
	unsigned nwaiting, nrunning;
	struct errand_user *next;
};

static void errand_free(struct errand *errand)
{
	for (char **word = errand->words; word && *word; word++)
		free(*word);
	free(errand->words);
	free(errand->input);
	if (errand->fd >= 0)
		close(errand->fd);
	if (errand->said >= 0)
		close(errand->said);
	free(errand);
}

static struct errand *errand_make(enum errand_kind kind, uint32_t uid, const char *const words[], const char *input)
{
	struct errand *errand = calloc(1, sizeof(*errand));
	size_t n = 0;

	while (words[n])
		n++;
	if (!errand)
		return NULL;
	*errand = (struct errand){ .watched = WATCHED_ERRAND,
				   .kind = kind,
				   .uid = uid,
				   .fd = -1,
				   .said = -1,
				   .words = calloc(n + 1, sizeof(char *)),
				   .input = input ? strdup(input) : NULL };
	for (size_t i = 0; errand->words && i < n; i++)
		if (!(errand->words[i] = strdup(words[i])))
			n = 0;
	if (errand->words && n > 0 && (errand->input || !input))
		return errand;
	errand_free(errand);
	return NULL;
}

/* Open a file in memory, so that the scheduler does not wait for a reader, or /dev/null. */
static int input_open(const struct errand *errand)
{
	int fd = errand->input ? memfd_create("input", MFD_CLOEXEC) : open("/dev/null", O_RDONLY | O_CLOEXEC);
	size_t length = errand->input ? strlen(errand->input) : 0;

	if (fd >= 0 && length > 0 &&
	    (write(fd, errand->input, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Start an errand. Its user can stop it and take its descriptors, so none of them is the
 * scheduler's.
 */
static int errand_spawn(struct errand *errand)
{
	char *const environment[] = { NULL };
	posix_spawn_file_actions_t files;
	int fd = input_open(errand), ends[2], rc;

	if (fd < 0)
		return -errno;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
	posix_spawn_file_actions_addchdir_np(&files, "/");
	rc = -posix_spawn(&errand->pid, errand->words[0], &files, NULL, errand->words, environment);
	posix_spawn_file_actions_destroy(&files);
	close(fd);
	close(ends[1]);
	errand->said = ends[0];
	errand->due_ns = clock_monotonic_ns() + seconds_most[errand->kind] * SECOND_NS;
	return rc;
}

static int errand_watch(struct local *local, struct errand *errand)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = errand };

	errand->fd = (int)syscall(SYS_pidfd_open, errand->pid, 0);
	return errand->fd < 0 || epoll_ctl(local->epoll_fd, EPOLL_CTL_ADD, errand->fd, &event) ? -errno : 0;
}

/* Users */

/* Return the user's link in the queue; the last link if the user has none. */
static struct errand_user **user_link(struct errand_queue *queue, uint32_t uid)
{
	struct errand_user **at = &queue->users;

	while (*at && (*at)->uid != uid)
		at = &(*at)->next;
	return at;
}

static struct errand_user *user_take(struct errand_queue *queue, uint32_t uid)
{
	struct errand_user **at = user_link(queue, uid);

	if (!*at && (*at = calloc(1, sizeof(**at)))) {
		(*at)->uid = uid;
		(*at)->last = &(*at)->first;
	}
	return *at;
}

/* Move a user to the end of the queue. A user without errands is freed. */
static void user_requeue(struct errand_queue *queue, uint32_t uid)
{
	struct errand_user **at = user_link(queue, uid), *user = *at;

	*at = user->next;
	user->next = NULL;
	if (user->nwaiting + user->nrunning == 0)
		free(user);
	else
		*user_link(queue, uid) = user;
}

/* Return the first errand of the first user who may have one more running; NULL: none. */
static struct errand *errand_next(struct errand_queue *queue)
{
	struct errand_user *user = queue->users;
	struct errand *errand;

	while (user && (user->nwaiting == 0 || user->nrunning == RUNNING_USER_MOST))
		user = user->next;
	if (!user)
		return NULL;
	errand = user->first;
	user->first = errand->next;
	user->last = user->first ? user->last : &user->first;
	user->nwaiting--;
	queue->nwaiting--;
	return errand;
}

/*
 * Start an errand. If it cannot be watched, because no descriptor is left, it stays a zombie until
 * the scheduler ends.
 */
static bool errand_start(struct local *local, struct errand *errand)
{
	int rc = errand_spawn(errand);

	if (rc == 0 && errand_watch(local, errand) == 0) {
		errand->next = local->errands.running;
		local->errands.running = errand;
		return true;
	}
	if (rc)
		log_line(LOG_FAILURE, "%s %s could not be started: %s", errand->words[0], errand->words[1],
			 strerror(-rc));
	errand_free(errand);
	return false;
}

static void queue_start(struct local *local, struct errand_queue *queue)
{
	struct errand *errand;

	while (queue->nrunning < RUNNING_MOST && (errand = errand_next(queue))) {
		uint32_t uid = errand->uid;

		if (errand_start(local, errand)) {
			user_take(queue, uid)->nrunning++;
			queue->nrunning++;
		}
		user_requeue(queue, uid);
	}
}

int errand_send(struct local *local, enum errand_kind kind, uint32_t uid, const char *const words[], const char *input)
{
	struct errand_queue *queue = &local->errands.queues[kind];
	struct errand_user *user = user_take(queue, uid);
	struct errand *errand;

	if (!user)
		return -ENOMEM;
	if (queue->nwaiting >= WAITING_MOST || user->nwaiting >= WAITING_USER_MOST)
		return -EAGAIN;
	errand = errand_make(kind, uid, words, input);
	if (!errand)
		return -ENOMEM;
	*user->last = errand;
	user->last = &errand->next;
	user->nwaiting++;
	queue->nwaiting++;
	queue_start(local, queue);
	return 0;
}

/* Log the first line of an errand's output. The rest and control characters may be forged. */
static void said_log(const struct errand *errand)
{
	char text[SAID_BYTES];
	ssize_t n = read(errand->said, text, sizeof(text) - 1);

	if (n <= 0)
		return;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = '?';
	log_line(LOG_ODD, "%s for user %u: %s", errand->words[1], errand->uid, text);
}

void errand_ended(struct local *local, struct errand *errand)
{
	struct errand_queue *queue = &local->errands.queues[errand->kind];
	struct errand **at = &local->errands.running;

	while (*at && *at != errand)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = errand->next;
	queue->nrunning--;
	(*user_link(queue, errand->uid))->nrunning--;
	user_requeue(queue, errand->uid);
	epoll_ctl(local->epoll_fd, EPOLL_CTL_DEL, errand->fd, NULL);
	waitid(P_PIDFD, (id_t)errand->fd, &(siginfo_t){ 0 }, WEXITED | WNOHANG);
	said_log(errand);
	errand_free(errand);
	queue_start(local, queue);
}

/*
 * Kill errands that take too long, with their sessions. A stopped process does not get its alarm.
 */
void errands_due(struct local *local)
{
	uint64_t now = clock_monotonic_ns();

	for (struct errand *errand = local->errands.running; errand; errand = errand->next)
		if (errand->due_ns <= now) {
			log_line(LOG_ODD, "%s for user %u takes more than %u seconds, and is killed", errand->words[1],
				 errand->uid, seconds_most[errand->kind]);
			(void)!syscall(SYS_pidfd_send_signal, errand->fd, SIGKILL, NULL, 0);
			kill(-errand->pid, SIGKILL);
			errand->due_ns = UINT64_MAX;
		}
}

uint64_t errands_due_ns(const struct local *local)
{
	uint64_t due = UINT64_MAX;

	for (const struct errand *errand = local->errands.running; errand; errand = errand->next)
		due = errand->due_ns < due ? errand->due_ns : due;
	return due;
}

static void list_free(struct errand *errand)
{
	while (errand) {
		struct errand *next = errand->next;

		errand_free(errand);
		errand = next;
	}
}

void errands_close(struct local *local)
{
	for (int kind = 0; kind < ERRAND_KINDS; kind++)
		for (struct errand_user *user = local->errands.queues[kind].users, *next; user; user = next) {
			next = user->next;
			list_free(user->first);
			free(user);
		}
	list_free(local->errands.running);
	local->errands = (struct errands){ 0 };
}
