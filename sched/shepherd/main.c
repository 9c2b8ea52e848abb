/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairlead-shepherd(8): one process for each running task of the local cell. It starts the task's
 * command as its user, waits for it, and records how it ended. It survives the scheduler.
 *
 *     main.c            order of events; exit codes
 *     ├─ task.c         the file `config`: the command to start
 *     ├─ tmpdir.c       directory for temporary files
 *     ├─ start.c        start of the child in two steps
 *     │  └─ become.c    the child until it becomes the command; user.c becomes the user
 *     ├─ report.c       the files `begun` and `exit`: decision and result
 *     ├─ vacating.c     the file `vacate`: the task gives way
 *     ├─ limits.c       the file `limit` and the kernel's limits: which one has ended the task
 *     ├─ leftovers.c    signals to all processes; remaining processes
 *     ├─ usage.c        usage of the task
 *     ├─ record.c       the same files from the scheduler's side; uses file.c and process.c
 *     └─ errands.c      other work for the scheduler: --tidy, --mail
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/process/clock.h"
#include "sched/shepherd/errands.h"
#include "sched/shepherd/leftovers.h"
#include "sched/shepherd/limits.h"
#include "sched/shepherd/report.h"
#include "sched/shepherd/start.h"
#include "sched/shepherd/tmpdir.h"
#include "sched/shepherd/usage.h"
#include "sched/shepherd/vacating.h"

#define TMPDIR_S 5		/* the scheduler has the rest removed after this time */

enum { EXIT_RECORDED, EXIT_NOT_OURS, EXIT_USAGE, EXIT_NO_DIRECTORY };

static const char usage_text[] =
	"fairlead-shepherd - run one task of a local cell and record how it ended\n"
	"\n"
	"usage: fairlead-shepherd DIR\n"
	"       fairlead-shepherd --tidy DIR\n"
	"       fairlead-shepherd --mail USER UID GID PROGRAM WORD...\n"
	"\n"
	"DIR is the directory that the scheduler has prepared for this start of the task. It contains a file "
	"`config`.\n"
	"The scheduler also calls this program with --tidy, to remove the remains of a killed shepherd,\n"
	"and with --mail, to send a message.\n"
	"Exit status: 0 the end of the task is recorded in DIR/exit, 1 this start is void or belongs to another "
	"shepherd,\n"
	"2 usage, 3 the directory is not usable or has been removed.\n";

static double clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Set-up */

static int directory_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		fprintf(stderr, "fairlead-shepherd: %s: %s\n", path, strerror(errno));
		return -1;
	}
	if ((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & 022))
		return fd;
	fprintf(stderr, "fairlead-shepherd: %s: it has a wrong owner, or other users can write there\n", path);
	close(fd);
	return -1;
}

/* Lock the attempt until this process ends. The descriptor stays open and is not used again. */
static int directory_lock(int dirfd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = openat(dirfd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	return fcntl(fd, F_OFD_SETLK, &lock) ? -errno : 0;
}

/*
 * Set the awaited signals, which are blocked: SIGCHLD if a process has ended, SIGUSR1 if `vacate`
 * has changed.
 */
static void awaited_set(sigset_t *awaited)
{
	sigemptyset(awaited);
	sigaddset(awaited, SIGCHLD);
	sigaddset(awaited, SIGUSR1);
}

/*
 * Detach from the scheduler's session. Signals to the scheduler or to the foreground of a terminal
 * do not end the shepherd. Signals to a task are sent to the task itself.
 */
static void detach(void)
{
	sigset_t awaited;

	for (int k = 1; k < NSIG; k++)
		if (k != SIGCHLD && k != SIGUSR1 && k != SIGSEGV && k != SIGBUS && k != SIGFPE && k != SIGILL &&
		    k != SIGABRT && k != SIGTRAP)
			signal(k, SIG_IGN);
	awaited_set(&awaited);
	sigprocmask(SIG_SETMASK, &awaited, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	umask(022);
	/* DIR is the only file system that we keep from being unmounted */
	(void)!chdir("/");
}

/* Task */

/*
 * Reap the leader and orphans that have ended, whose reaper we are. Returns false while the leader
 * runs.
 */
static bool leader_reap(pid_t leader, int *status)
{
	for (;;) {
		pid_t pid = waitpid(-1, status, WNOHANG);

		if (pid == leader)
			return true;
		if (pid == 0)
			return false;
		if (pid < 0 && errno != EINTR) {
			*status = W_EXITCODE(1, 0);	/* impossible: the leader is our child */
			return true;
		}
	}
}

static int leader_wait(struct vacating *vacating)
{
	sigset_t awaited;
	int status;

	awaited_set(&awaited);
	vacating_look(vacating);
	while (!leader_reap(vacating->leader, &status)) {
		uint64_t next_ns = vacating_go_on(vacating), now_ns = clock_monotonic_ns(),
			 left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
		const struct timespec left = { (time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000) };

		if (sigtimedwait(&awaited, NULL, next_ns == VACATION_NEVER_NS ? NULL : &left) == SIGUSR1)
			vacating_look(vacating);
	}
	return status;
}

static void exit_describe(struct attempt_exit *exit, int status)
{
	exit->wait_status = status;
	exit->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	exit->core = WIFSIGNALED(status) && WCOREDUMP(status);
	exit->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void exit_describe_failure(struct attempt_exit *exit, const struct failure *failure)
{
	exit_describe(exit, W_EXITCODE(failure->exit_status, 0));
	exit->failed = failure->code;
	memcpy(exit->text, failure->text, sizeof(exit->text));
}

/*
 * Follow the attempt from the decision to its end. `begun` is made even if the start has failed:
 * otherwise a scheduler could void this attempt and start another one.
 */
static int task_follow(int dirfd, struct shepherd_task *task, const struct tmpdir *tmpdir, struct start *s,
		       struct failure *failure)
{
	struct attempt_process leader = { .pid = 0 };
	struct vacating vacating = { .dirfd = dirfd, .cgroup = task->cgroup, .leader = s->pid };
	struct attempt_exit exit = { .signal = 0 };
	uint64_t began_ns;
	double since;
	int rc;

	if (failure->code == FAILED_NOT)
		leader = (struct attempt_process){ .pid = s->pid, .start = attempt_process_start(s->pid) };
	rc = report_begun(dirfd, &leader);
	if (rc) {
		start_cancel(s);
		tmpdir_remove(dirfd, task, tmpdir, TMPDIR_S);
		return rc;
	}
	exit.start_time = clock_read(CLOCK_REALTIME);
	since = clock_read(CLOCK_BOOTTIME);
	began_ns = clock_monotonic_ns();
	if (failure->code == FAILED_NOT)
		start_go(s, failure);
	exit_describe(&exit, s->pid ? leader_wait(&vacating) : 0);
	/* use a clock that is never set, so that no task ends before its start */
	since = clock_read(CLOCK_BOOTTIME) - since;
	exit.end_time = exit.start_time + since;
	if (failure->code != FAILED_NOT)
		exit_describe_failure(&exit, failure);
	exit.vacated = vacating.done;
	exit.signalled = vacating.done ? exit.start_time + (double)(vacating.signalled_ns - began_ns) / 1e9 : 0;
	unsigned left = leftovers_kill(task->cgroup);

	usage_collect(&exit.usage, since, task->cgroup);
	if (failure->code == FAILED_NOT && limits_explain(dirfd, task, &exit))
		start_note(task, exit.text);
	if (left && !*exit.text)
		snprintf(exit.text, sizeof(exit.text),
			 "processes of other users that may not be killed were left running: %u", left);
	tmpdir_remove(dirfd, task, tmpdir, TMPDIR_S);
	return report_exit(dirfd, &exit);
}

static int task_run(int dirfd)
{
	struct start start = { .report_fd = -1, .go_fd = -1 };
	struct failure failure = { .code = FAILED_NOT };
	struct tmpdir tmpdir = { .inode = 0 };
	struct shepherd_task task;
	int rc = task_read(&task, dirfd, &failure);

	rc = rc ? rc : tmpdir_make(dirfd, &task, &tmpdir, &failure);
	if (rc == 0)
		start_prepare(&start, &task, &failure);
	rc = task_follow(dirfd, &task, &tmpdir, &start, &failure);
	task_free(&task);
	return rc;
}

static int shepherd_run(const char *path)
{
	int dirfd = directory_open(path), rc;

	if (dirfd < 0)
		return EXIT_NO_DIRECTORY;
	rc = directory_lock(dirfd);
	if (rc == -EAGAIN || rc == -EACCES)
		return EXIT_NOT_OURS;
	if (rc) {
		fprintf(stderr, "fairlead-shepherd: %s/lock: %s\n", path, strerror(-rc));
		return EXIT_NO_DIRECTORY;
	}
	detach();
	rc = task_run(dirfd);
	return rc == 0 ? EXIT_RECORDED : rc == -EEXIST ? EXIT_NOT_OURS : EXIT_NO_DIRECTORY;
}

/*
 * Close all inherited descriptors, which must not reach the task. Descriptors 0 to 2 are opened, so
 * that no later file becomes a standard stream.
 */
static int descriptors_prepare(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= 2);
	close_range(3, ~0u, 0);
	return fd < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	if (descriptors_prepare())
		return EXIT_NO_DIRECTORY;
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return printf("fairlead-shepherd %s\n", FAIRLEAD_VERSION) < 0;
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return fputs(usage_text, stdout) < 0;
	if (argc == 3 && !strcmp(argv[1], "--tidy"))
		return errand_tidy(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--mail"))
		return errand_mail(argc - 2, argv + 2);
	if (argc != 2 || argv[1][0] == '-') {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	return shepherd_run(argv[1]);
}
