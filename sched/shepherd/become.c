/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps from a copy of the shepherd to the command.
 *
 * Each step gives up a privilege or a resource of the shepherd, in an order in which the later
 * steps are still possible. Files are opened as the user, so that root never writes to a file that
 * the user may not write.
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
#define NOTE_S 10		/* seconds that a file server may take */

static int step_failed(struct failure *failure, enum attempt_failed code, const char *step, const char *object)
{
	return failure_set(failure, code, "%s %.300s: %s", step, object, strerror(errno));
}

/*
 * Close all descriptors but two. Above all this closes the lock: a process with a copy of its
 * descriptor holds the lock.
 */
static void descriptors_close(int one, int other)
{
	unsigned low = (unsigned)(one < other ? one : other), high = (unsigned)(one < other ? other : one);

	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

/*
 * Redirect the standard files to /dev/null, so that a path such as /proc/self/fd/2 does not lead to
 * the scheduler's log.
 */
static void standard_files_close(void)
{
	int fd = open("/dev/null", O_RDWR);

	for (int k = 0; fd >= 0 && k < 3; k++)
		dup2(fd, k);
	if (fd > 2)
		close(fd);
}

/*
 * Reset all signals, because the command would inherit ignored and blocked signals of the shepherd
 * and of make(1). The C library refuses to change the signals that it reserves, so the system call
 * is used directly.
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
 * Raise hard limits while still root.
 *
 * Users may not raise hard limits, and a limit of memory or files must not be active while this
 * process needs memory or files. Therefore the hard limits are raised first, and limits_set() sets
 * all limits at the end. Without root rights the limits of the scheduler apply.
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
		/* root of a container may not raise limits, and no process may exceed fs.nr_open */
		if (setrlimit(limit->resource, &now) && errno != EPERM)
			return step_failed(failure, FAILED_BEFORE_JOB, "raising", "limits");
	}
	return 0;
}

/*
 * Prevent the user from improving the priority of the task: priorities are controlled by Fairlead.
 * Without root rights the limits are kept, because Fairlead changes priorities within them.
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

/*
 * Location of a standard file. Whether `path` is a directory, which then contains the file `name`,
 * is known only when it is opened.
 */
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
		"opening output file %s: it is also standard input; the job would append to its own input",
		path);
}

/*
 * Open a file without waiting for a reader of a FIFO and without acquiring a controlling terminal.
 * O_NONBLOCK is then cleared for the command.
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
 * Check that the user can read the script. The shepherd has stored it, so the reason must not look
 * like that of a shell that cannot find its script.
 */
static int script_check(const struct shepherd_task *task, struct failure *failure)
{
	if (!task->script || access(task->script, R_OK) == 0)
		return 0;
	return failure_set(failure, FAILED_BEFORE_JOB, "its script cannot be read by %s in %s: %s", task->user,
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

	/* without permission the command keeps our nice level */
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

/* Command */

/*
 * Search the command in the PATH of its own environment. Returns the most specific errno of all
 * attempts.
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
 * Report where the command was searched: the PATH and the directory of the job are not those of the
 * user's shell.
 */
static void command_missing(const struct shepherd_task *task, const char *name, int error, struct failure *failure)
{
	const char *places = task_variable(task, "PATH"), *why = strerror(error);
	bool is_there = strchr(name, '/') && access(name, F_OK) == 0;

	if (is_there && error == ENOENT)
		failure_set(
			failure, FAILED_NO_COMMAND,
			"%s: command not found: the file exists, but the interpreter in its first line does not (%s)",
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
		failure_set(failure, FAILED_NO_COMMAND, "%s: cannot be executed: %s", name, strerror(error));
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
		_exit(1);		/* the shepherd has ended or the attempt is void */
	command_run(task, &failure);
	(void)!write(report_fd, &failure, sizeof(failure));
	/*
	 * print it where a shell would, as the last step: standard error may be any file of the
	 * user
	 */
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
