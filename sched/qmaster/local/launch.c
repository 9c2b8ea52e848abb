/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An attempt to run a task: its directory, the configuration of the shepherd, and the shepherd. See
 * fairlead-shepherd(8), and submit(1) of Grid Engine.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/qmaster/local/command.h"
#include "sched/qmaster/local/environment.h"
#include "sched/qmaster/local/errands.h"
#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/launch.h"

/* Configuration */

/* Write host, slots, instance and processors: sge_pe(5). */
static int pe_hostfile_write(const struct local *local, int dir_fd, const struct local_task *task)
{
	int fd = openat(dir_fd, "pe_hostfile", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file)
		return -errno;
	for (size_t i = 0; i < task->granted.on.n; i++)
		fprintf(file, "%s %u %s UNDEFINED\n", local->machine.host, task->granted.on.items[i].slots,
			task->granted.on.items[i].queue);
	return fclose(file) ? -errno : 0;
}

int local_task_nice(const struct local *local, const struct local_task *task)
{
	long nice = strtol(machine_queue_value(local, local_task_queue(task), "priority", "0"), NULL, 10);

	return nice < -20 ? -20 : nice > 20 ? 20 : (int)nice;
}

static json_t *config_of(struct local *local, const struct local_task *task, const struct path_names *names,
			 const struct person *user)
{
	json_t *execution = names->job->execution, *config, *in = json_object_get(execution, "stdin_path");
	const char *asked = json_string_value(json_object_get(execution, "cwd")), *cwd = asked ? asked : user->home;
	char cgroup[4096];

	config = json_pack(
		"{sI sI ss sI sI ss so so* so* so* so si so sb}", "job_number", (json_int_t)task->job_number, "task",
		(json_int_t)(task->is_array ? task->id : 0), "user", user->name, "uid", (json_int_t)names->job->uid,
		"gid", (json_int_t)names->job->gid, "cwd", cwd, "environment", environment_of(local, task, names, user),
		"stdout_path", path_of(names, "stdout_path", 'o', cwd), "stderr_path",
		path_of(names, "stderr_path", 'e', cwd), "stdin_path",
		in ? path_of(names, "stdin_path", 'i', cwd) : NULL, "umask",
		json_is_string(json_object_get(execution, "umask")) ? json_incref(json_object_get(execution, "umask"))
								    : json_string("022"),
		"nice", local_task_nice(local, task), "limits", limits_of(local, task, names->job), "join",
		json_is_true(json_object_get(execution, "join")));
	if (config && geteuid() == 0)
		json_object_set_new(config, "groups", json_string("init"));
	if (config &&
	    host_cgroup_make(local->host, task->job_number, task->is_array ? task->id : 0, cgroup, sizeof(cgroup)) == 0)
		json_object_set_new(config, "cgroup", json_string(cgroup));
	return config;
}

/* Set the file names for paths that are directories: the default names. */
static void names_put(json_t *config, const struct path_names *names)
{
	char name[4096];

	if (path_default(names, 'o', names->job->is_array, name, sizeof(name)) == 0)
		json_object_set_new(config, "stdout_name", json_string(name));
	if (path_default(names, 'e', names->job->is_array, name, sizeof(name)) == 0)
		json_object_set_new(config, "stderr_name", json_string(name));
}

/*
 * Set the directory for temporary files: TMPDIR/JOB.TASK.QUEUE below tmpdir of the queue. If the
 * queue has no tmpdir, tasks have no directory of their own and share /tmp.
 */
static void tmpdir_put(json_t *config, const struct local *local, const struct local_task *task)
{
	const char *below = machine_queue_value(local, local_task_queue(task), "tmpdir", "NONE");
	char name[600];

	if (*below != '/')
		return;
	snprintf(name, sizeof(name), "%u.%u.%.*s", task->job_number, task->id,
		 (int)strcspn(local_task_queue(task), "@"), local_task_queue(task));
	json_object_set_new(config, "tmpdir", json_string(below));
	json_object_set_new(config, "tmpdir_name", json_string(name));
}

/* Check that all paths are present. A path that was too long is missing. */
static int config_check(json_t *config, const struct local_job *job, struct error *error)
{
	static const char *const paths[] = { "stdout_path", "stderr_path", "stdin_path" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (!json_object_get(config, paths[i]) && (i < 2 || json_object_get(job->execution, paths[i])))
			return error_set(error, -ENAMETOOLONG, "%s: longer than %d bytes after expansion",
					 paths[i], PATH_MAX - 1);
	return 0;
}

static int directory_fill(struct local *local, int dir_fd, const struct local_task *task, const struct local_job *job,
			  struct error *error)
{
	const struct person *user = person_of(&local->people, job->uid);
	struct path_names names;
	json_t *config;
	int rc;

	if (!user || strcmp(user->name, job->owner) != 0)
		return error_set(error, -ESRCH, "the owner \"%.60s\" of job %u is not a user of this machine",
				 job->owner,
				 job->number);
	path_names_set(&names, local, task, job, user);
	if (task->granted.pe && pe_hostfile_write(local, dir_fd, task))
		return error_set(error, -errno, "pe_hostfile: %m");
	config = config_of(local, task, &names, user);
	if (config) {
		names_put(config, &names);
		tmpdir_put(config, local, task);
	}
	rc = config ? config_check(config, job, error) : error_set(error, -ENOMEM, "out of memory");
	if (rc == 0 && (rc = command_put(config, local, task, &names)))
		error_set(error, rc,
			  rc == -ENOMEM ? "out of memory" : "shell: the path is too long after expansion");
	if (rc == 0 && command_script(job))
		rc = attempt_script_write(dir_fd, command_script(job), job->uid, job->gid, error);
	if (rc == 0)
		rc = attempt_config_write(dir_fd, config, error);
	json_decref(config);
	return rc;
}

bool launch_is_hopeless(int rc)
{
	return rc == -ESRCH || rc == -ENAMETOOLONG || rc == -EFBIG || rc == -EINVAL;
}

int launch_prepare(struct local *local, struct local_task *task, const struct local_job *job, struct error *error)
{
	char name[DIRECTORY_BYTES], attempt[16];
	int fd, rc;

	task->attempt = ++local->attempt;
	strcpy(task->boot, local->boot);
	snprintf(attempt, sizeof(attempt), "%u", task->attempt);
	rc = store_meta_put(local->store, "attempt", attempt, error);
	if (rc)
		return rc;
	local_task_directory(task, name);
	if (mkdirat(local->active_fd, name, 0755))
		return error_set(error, -errno, "%s/%s: %m", local->active_path, name);
	fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return error_set(error, -errno, "%s/%s: %m", local->active_path, name);
	rc = directory_fill(local, fd, task, job, error);
	close(fd);
	return rc;
}

/*
 * Remove the remains of an attempt as its user. This may take long. Returns 0 if the errand was
 * accepted; it also removes the directory of the attempt.
 */
static int attempt_tidy(struct local *local, const char *name, int dir_fd)
{
	char path[sizeof(local->active_path) + DIRECTORY_BYTES];
	const char *const words[] = { local->shepherd, "--tidy", path, NULL };

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", local->active_path, name) >= sizeof(path))
		return -ENAMETOOLONG;
	return errand_send(local, ERRAND_TIDY, attempt_uid(dir_fd), words, NULL);
}

void launch_sweep(struct local *local, const char *name)
{
	int fd = openat(local->active_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	char *cgroup = fd < 0 ? NULL : attempt_cgroup(fd);
	struct attempt attempt;
	struct error error;

	if (cgroup)
		/* cgroup of a task that ended before the host knew it */
		rmdir(cgroup);
	free(cgroup);
	/* a shepherd that is still running does this itself */
	if (fd >= 0 && attempt_is_untidy(fd) && attempt_look(fd, &attempt, &error) == 0 && !attempt.lock_held &&
	    attempt_tidy(local, name, fd) == 0) {
		close(fd);
		return;
	}
	if (fd >= 0) {
		attempt_sweep(fd);
		close(fd);
	}
	if (unlinkat(local->active_fd, name, AT_REMOVEDIR) && errno == ENOTDIR)
		unlinkat(local->active_fd, name, 0);
}

void attempt_remove(struct local *local, const struct local_task *task, uint32_t attempt)
{
	char name[DIRECTORY_BYTES];

	snprintf(name, sizeof(name), "%u.%u.%u", task->job_number, task->id, attempt);
	launch_sweep(local, name);
}

/* Shepherd */

int local_task_watch(struct local *local, struct local_task *task, int pid_fd, struct error *error)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = task };

	if (epoll_ctl(local->ends.fd, EPOLL_CTL_ADD, pid_fd, &event)) {
		close(pid_fd);
		return error_set(error, -errno, "epoll: %m");
	}
	task->shepherd.fd = pid_fd;
	return 0;
}

static int spawn(const char *program, const char *directory, pid_t *pid)
{
	char *const arguments[] = { (char *)program, (char *)directory, NULL }, *const environment[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t blocked, defaults;
	int rc;

	/* the shepherd waits for this signal, which may be sent at once: record.h */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &blocked);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	rc = -posix_spawn(pid, program, &files, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/*
 * Start the shepherd and watch it. A started shepherd is never started twice, even if it cannot be
 * watched at once.
 */
int launch_spawn(struct local *local, struct local_task *task, struct error *error)
{
	char name[DIRECTORY_BYTES], path[sizeof(local->active_path) + DIRECTORY_BYTES];
	pid_t *pid = &task->shepherd.unwatched;
	int rc = 0, fd;

	local_task_directory(task, name);
	snprintf(path, sizeof(path), "%s/%s", local->active_path, name);
	if (*pid == 0)
		rc = spawn(local->shepherd, path, pid);
	if (rc) {
		*pid = 0;
		return error_set(error, rc, "%s: %s", local->shepherd, strerror(-rc));
	}
	fd = (int)syscall(SYS_pidfd_open, *pid, 0);
	rc = fd < 0 ? error_set(error, -errno, "pidfd_open: %m") : local_task_watch(local, task, fd, error);
	if (rc == 0)
		*pid = 0;
	return rc;
}
