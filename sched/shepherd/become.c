/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a copy of the shepherd to the command: each step gives up something of the shepherd's, in an
 * order in which the later steps are still possible. Files are opened as the user, so that nobody
 * can have root write where he may not.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/shepherd/start.h"
#include "sched/shepherd/user.h"

#define DEFAULT_PATH "/usr/local/bin:/bin:/usr/bin"
#define NOTE_S 10		/* that a file server may take */

static int step_failed(struct failure *failure, enum attempt_failed code, const char *step, const char *object)
{
	return failure_set(failure, code, "%s %s: %s", step, object, strerror(errno));
}

/* Above all the lock: who holds a copy of its descriptor holds the lock. */
static void descriptors_close(int one, int other)
{
	unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);

	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/* A path as /proc/self/fd/2 must not lead to the log of the scheduler. */
static void standard_files_close(void)
{
	int fd = open("/dev/null", O_RDWR);

	for (int k = 0; fd >= 0 && k < 3; k++)
		dup2(fd, k);
	if (fd > 2)
		close(fd);
}

/*
 * What the shepherd ignores and blocks would be inherited, and so would what make(1) ignores
 * without knowing it: signals that the C library keeps for itself, and for which it has to be
 * passed over.
 */
static void signals_reset(void)
{
	const unsigned long by_default[8] = { 0 };	/* the kernel's struct sigaction */
	sigset_t none;

	for (int k = 1; k < NSIG; k++)
		syscall(SYS_rt_sigaction, k, by_default, NULL, NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int cgroup_join(const struct shepherd_task *task, struct failure *failure)
{
	char path[4096];
	int fd;

	if (!task->cgroup)
		return 0;
	if (snprintf(path, sizeof(path), "%s/cgroup.procs", task->cgroup) >= (int)sizeof(path))
		return failure_set(failure, FAILED_BEFORE_JOB, "the name of its cgroup is too long");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		return step_failed(failure, FAILED_BEFORE_JOB, "joining", task->cgroup);
	close(fd);
	return 0;
}

/*
 * Root may raise hard limits, users may not; and a user's limit on memory or files must not be in
 * force while we still need some. So first the hard ones up, and limits_set() when all else is
 * done. Nobody who is not root gets past the limits that the scheduler has.
 */
static int limits_raise(const struct shepherd_task *task, struct failure *failure)
{
	for (size_t k = 0; k < task->nlimits; k++) {
		const struct task_limit *limit = &task->limits[k];
		struct rlimit now;

		if (getrlimit(limit->resource, &now))
			return step_failed(failure, FAILED_BEFORE_JOB, "reading", "limits");
		if (limit->value.rlim_max <= now.rlim_max || geteuid() != 0)
			continue;
		now.rlim_max = limit->value.rlim_max;
		/* root of a container may not, nobody beyond fs.nr_open */
		if (setrlimit(limit->resource, &now) && errno != EPERM)
			return step_failed(failure, FAILED_BEFORE_JOB, "raising", "limits");
	}
	return 0;
}

/*
 * Steering is ours: no user makes his own level better. Who is not root steers within these limits,
 * which are the task's.
 */
static void priority_keep(void)
{
	const struct rlimit none = { 0, 0 };

	if (geteuid() == 0)
		(void)!(setrlimit(RLIMIT_NICE, &none) | setrlimit(RLIMIT_RTPRIO, &none));
}

static int limits_set(const struct shepherd_task *task, struct failure *failure)
{
	for (size_t k = 0; k < task->nlimits; k++) {
		struct rlimit value = task->limits[k].value, now;

		if (getrlimit(task->limits[k].resource, &now))
			return step_failed(failure, FAILED_BEFORE_JOB, "reading", "limits");
		if (value.rlim_max > now.rlim_max)
			value.rlim_max = now.rlim_max;
		if (value.rlim_cur > value.rlim_max)
			value.rlim_cur = value.rlim_max;
		if (setrlimit(task->limits[k].resource, &value))
			return step_failed(failure, FAILED_BEFORE_JOB, "setting", "limits");
	}
	return 0;
}

/* Where they are, in the environment, is known only now: a directory has the file in it. */
struct file_place {
	const char *path, *name, *variable;
	int flags, to;
};

static int place_open(const struct file_place *place, char path[PATH_MAX])
{
	int fd = -1, length = snprintf(path, PATH_MAX, "%s", place->path);

	errno = ENAMETOOLONG;
	if (length < PATH_MAX)
		fd = open(path, place->flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
	if (fd >= 0 || errno != EISDIR || !place->name)
		return fd;
	length =
		snprintf(path, PATH_MAX, "%s%s%s", place->path, place->path[length - 1] == '/' ? "" : "/", place->name);
	errno = ENAMETOOLONG;
	return length < PATH_MAX ? open(path, place->flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666) : -1;
}

/*
 * Refuse a file that is input and output at the same time: what the command prints would be
 * appended to what it reads. Devices and pipes may be both.
 */
static int input_check(int output, const char *path, struct failure *failure)
{
	struct stat in, out;

	if (fstat(STDIN_FILENO, &in) || fstat(output, &out) || !S_ISREG(in.st_mode) || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return 0;
	return failure_set(
		failure, FAILED_OPEN_OUTPUT,
		"opening output file %s: it is the file of standard input, too; the job would append to what it reads",
		path);
}

/*
 * A FIFO that nobody reads would keep us waiting, and a terminal would become ours: neither may
 * happen. The flag is taken back for the command.
 */
static int file_open(struct shepherd_task *task, const struct file_place *place, struct failure *failure)
{
	char path[PATH_MAX];
	int fd = place_open(place, path);

	if (fd < 0 || fcntl(fd, F_SETFL, place->flags & O_APPEND) || dup2(fd, place->to) != place->to)
		return step_failed(failure, FAILED_OPEN_OUTPUT,
				   place->to ? "opening output file" : "opening input file", path);
	close(fd);
	if (place->to != STDIN_FILENO && input_check(place->to, path, failure))
		return -ECANCELED;
	return task_variable_set(task, place->variable, path)
		       ? step_failed(failure, FAILED_BEFORE_JOB, "setting", place->variable)
		       : 0;
}

static struct file_place place_of_output(const struct shepherd_task *task, int flags)
{
	return (struct file_place){ task->stdout_path, task->stdout_name, "SGE_STDOUT_PATH", flags, STDOUT_FILENO };
}

static struct file_place place_of_errors(const struct shepherd_task *task, int flags)
{
	return (struct file_place){ task->stderr_path, task->stderr_name, "SGE_STDERR_PATH", flags, STDERR_FILENO };
}

static int files_open(struct shepherd_task *task, struct failure *failure)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND;
	const struct file_place output = place_of_output(task, flags), errors = place_of_errors(task, flags);
	int rc = file_open(task,
			   &(struct file_place){ task->script_input ? task->script : task->stdin_path, NULL,
						 "SGE_STDIN_PATH", O_RDONLY, 0 },
			   failure);

	rc = rc ? rc : file_open(task, &output, failure);
	if (rc == 0 && !task->join)
		return file_open(task, &errors, failure);
	if (rc == 0 &&
	    (dup2(1, 2) != 2 || task_variable_set(task, "SGE_STDERR_PATH", task_variable(task, "SGE_STDOUT_PATH"))))
		rc = step_failed(failure, FAILED_OPEN_OUTPUT, "opening output file", task->stdout_path);
	return rc;
}

/*
 * Where it lies is ours to see to: the reason is not that of a shell which can't find its script.
 */
static int script_check(const struct shepherd_task *task, struct failure *failure)
{
	if (!task->script || access(task->script, R_OK) == 0)
		return 0;
	return failure_set(failure, FAILED_BEFORE_JOB, "its script can't be read by %s in %s: %s", task->user,
			   task->script, strerror(errno));
}

static int directory_enter(const struct shepherd_task *task, struct failure *failure)
{
	umask(task->umask);
	return chdir(task->cwd) ? step_failed(failure, FAILED_NO_CWD, "changing to", task->cwd) : 0;
}

static int become_user_in_place(struct shepherd_task *task, struct failure *failure)
{
	int rc = cgroup_join(task, failure);

	/* without the right to it the command runs as nice as we are */
	(void)!setpriority(PRIO_PROCESS, 0, task->nice);
	rc = rc ? rc : limits_raise(task, failure);
	priority_keep();
	keyring_leave();
	rc = rc ? rc : user_become(task, failure);
	rc = rc ? rc : script_check(task, failure);
	rc = rc ? rc : directory_enter(task, failure);
	rc = rc ? rc : files_open(task, failure);
	return rc ? rc : limits_set(task, failure);
}

/* The command */

/*
 * Looks for the command where its own environment says, not ours. Returns errno: the most telling
 * one of all tries.
 */
static int command_search(const struct shepherd_task *task)
{
	const char *places = task_variable(task, "PATH");
	int error = ENOENT;
	char path[4096];

	for (const char *p = places && *places ? places : DEFAULT_PATH;; p++) {
		int length = (int)strcspn(p, ":");

		if (snprintf(path, sizeof(path), "%.*s%s%s", length, p, length ? "/" : "", task->command[0]) <
		    (int)sizeof(path)) {
			execve(path, task->command, task->environment);
			if (errno != ENOENT && errno != ENOTDIR)
				error = errno;
			if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
				return error;
		}
		p += length;
		if (!*p)
			return error;
	}
}

/*
 * Where it was looked for is the better half of the message: the job's PATH and directory are not
 * those of whoever has submitted it.
 */
static void command_missing(const struct shepherd_task *task, const char *name, int error, struct failure *failure)
{
	const char *places = task_variable(task, "PATH"), *why = strerror(error);
	bool is_there = strchr(name, '/') && access(name, F_OK) == 0;

	if (is_there && error == ENOENT)
		failure_set(
			failure, FAILED_NO_COMMAND,
			"%s: command not found: it is there, but not the interpreter that its first line names (%s)",
			name, why);
	else if (task->program)
		failure_set(failure, FAILED_NO_COMMAND,
			    "%s: command not found (%s): it is the shell of the job, named with -S or by its queue",
			    name, why);
	else if (!strchr(name, '/'))
		failure_set(failure, FAILED_NO_COMMAND, "%s: command not found (%s); PATH of the job: %s", name, why,
			    places && *places ? places : DEFAULT_PATH);
	else if (*name == '/')
		failure_set(failure, FAILED_NO_COMMAND, "%s: command not found (%s)", name, why);
	else
		failure_set(failure, FAILED_NO_COMMAND, "%s: command not found (%s); directory of the job: %s", name,
			    why, task->cwd);
	failure->exit_status = 127;
}

static void command_run(const struct shepherd_task *task, struct failure *failure)
{
	const char *name = task->program ? task->program : task->command[0];
	int error;

	if (strchr(name, '/')) {
		execve(name, task->command, task->environment);
		error = errno;
	} else {
		error = command_search(task);
	}
	if (error == ENOENT || error == ENOTDIR) {
		command_missing(task, name, error, failure);
	} else if (error == EACCES || error == ENOEXEC || error == EISDIR || error == ELOOP) {
		failure_set(failure, FAILED_NO_COMMAND, "%s: it can't be executed: %s", name, strerror(error));
		failure->exit_status = 126;
	} else {
		failure_set(failure, FAILED_BEFORE_JOB, "%s: %s", name, strerror(error));
	}
}

_Noreturn void become_command(struct shepherd_task *task, int report_fd, int go_fd)
{
	struct failure failure = { .code = FAILED_NOT };
	char go;

	descriptors_close(report_fd, go_fd);
	standard_files_close();
	setsid();
	signals_reset();
	become_user_in_place(task, &failure);
	if (write(report_fd, &failure, sizeof(failure)) != sizeof(failure) || failure.code != FAILED_NOT)
		_exit(failure.exit_status);
	if (read(go_fd, &go, 1) != 1)
		_exit(1);		/* the shepherd is gone, or this attempt is void */
	command_run(task, &failure);
	(void)!write(report_fd, &failure, sizeof(failure));
	/* and where a shell would say it; last, since the user may have made standard error anything */
	dprintf(STDERR_FILENO, "fairlead: %s\n", failure.text);
	_exit(failure.exit_status);
}

_Noreturn void become_note(struct shepherd_task *task, const char *text)
{
	const int flags = O_WRONLY | O_APPEND;
	const struct file_place place = task->join ? place_of_output(task, flags) : place_of_errors(task, flags);
	struct failure failure = { .code = FAILED_NOT };
	char path[PATH_MAX];
	int fd;

	close_range(3, ~0u, 0);
	setsid();
	signals_reset();
	alarm(NOTE_S);
	if (user_become(task, &failure) || directory_enter(task, &failure))
		_exit(1);
	fd = place_open(&place, path);
	_exit(fd < 0 || dprintf(fd, "fairlead: %s\n", text) < 0);
}
