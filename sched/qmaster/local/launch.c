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

#define CONFIG_BYTES (64u << 20)	/* more than a shepherd accepts: ATTEMPT_CONFIG_BYTES */

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

/*
 * Write the paths of the files. `asked` NULL: the default path; stdin has none. Returns 0 or
 * -ENAMETOOLONG.
 */
static int paths_write(struct out *out, const struct path_names *names, const char *cwd, struct error *error)
{
	const struct execution *execution = &names->job->execution;
	const struct { const char *member, *key, *asked; char kind; } files[] = {
		{ "stdout_path", ",\"stdout_path\":", execution->stdout_path, 'o' },
		{ "stderr_path", ",\"stderr_path\":", execution->stderr_path, 'e' },
		{ "stdin_path", ",\"stdin_path\":", execution->stdin_path, 'i' },
	};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (files[i].kind == 'i' && !files[i].asked)
			continue;
		if (path_write(names, files[i].asked, files[i].kind, cwd, path))
			return error_set(error, -ENAMETOOLONG, "%s: longer than %d bytes after expansion",
					 files[i].member, PATH_MAX - 1);
		json_write_plain(out, files[i].key, path);
	}
	return 0;
}

/* Write the file names for paths that are directories: the default names. */
static void names_write(struct out *out, const struct path_names *names)
{
	char name[4096];

	if (path_default(names, 'o', names->job->is_array, name, sizeof(name)) == 0)
		json_write_plain(out, ",\"stdout_name\":", name);
	if (path_default(names, 'e', names->job->is_array, name, sizeof(name)) == 0)
		json_write_plain(out, ",\"stderr_name\":", name);
}

/*
 * Write the directory for temporary files: TMPDIR/JOB.TASK.QUEUE below tmpdir of the queue. If the
 * queue has no tmpdir, tasks have no directory of their own and share /tmp.
 */
static void tmpdir_write(struct out *out, const struct local *local, const struct local_task *task)
{
	const char *below = machine_queue_value(local, local_task_queue(task), "tmpdir", "NONE");
	char name[600];

	if (*below != '/')
		return;
	snprintf(name, sizeof(name), "%u.%u.%.*s", task->job_number, task->id,
		 (int)strcspn(local_task_queue(task), "@"), local_task_queue(task));
	json_write_plain(out, ",\"tmpdir\":", below);
	json_write_plain(out, ",\"tmpdir_name\":", name);
}

/* Write the configuration of the shepherd. Returns 0, or -ENAMETOOLONG with the reason. */
static int config_write(struct out *out, struct local *local, const struct local_task *task,
			const struct path_names *names, const struct person *user, struct error *error)
{
	const struct execution *execution = &names->job->execution;
	const char *cwd = execution->cwd ? execution->cwd : user->home;
	uint32_t id = task->is_array ? task->id : 0;
	char cgroup[4096];
	int rc;

	json_write_number(out, "{\"job_number\":", task->job_number);
	json_write_number(out, ",\"task\":", id);
	json_write_plain(out, ",\"user\":", user->name);
	json_write_number(out, ",\"uid\":", names->job->uid);
	json_write_number(out, ",\"gid\":", names->job->gid);
	json_write_plain(out, ",\"cwd\":", cwd);
	json_write_literal(out, ",\"environment\":");
	environment_write(out, local, task, names, user);
	rc = paths_write(out, names, cwd, error);
	if (rc)
		return rc;
	json_write_plain(out, ",\"umask\":", execution->umask ? execution->umask : "022");
	json_write_number(out, ",\"nice\":", local_task_nice(local, task));
	json_write_literal(out, ",\"limits\":");
	limits_write(out, local, task, names->job);
	json_write_bool(out, ",\"join\":", execution->join);
	if (geteuid() == 0)
		json_write_plain(out, ",\"groups\":", "init");
	if (host_cgroup_make(local->host, task->job_number, id, cgroup, sizeof(cgroup)) == 0)
		json_write_plain(out, ",\"cgroup\":", cgroup);
	names_write(out, names);
	tmpdir_write(out, local, task);
	rc = command_write(out, local, task, names);
	json_write_literal(out, "}");
	return rc ? error_set(error, rc, "shell: the path is too long after expansion") : 0;
}

/* Write the configuration of the shepherd to its file. */
static int config_put(struct local *local, int dir_fd, const struct local_task *task, const struct path_names *names,
		      const struct person *user, struct error *error)
{
	struct out out;
	char *config;
	int rc;

	if (out_open_memory(&out, CONFIG_BYTES))
		return error_set(error, -ENOMEM, "out of memory");
	rc = config_write(&out, local, task, names, user, error);
	config = out_detach(&out);
	rc = rc ? rc : attempt_config_write(dir_fd, config, error);
	free(config);
	return rc;
}

static int directory_fill(struct local *local, int dir_fd, const struct local_task *task, const struct local_job *job,
			  struct error *error)
{
	const struct person *user = person_of(&local->people, job->uid);
	const char *script = job->execution.script;
	struct path_names names;
	int rc;

	if (!user || strcmp(user->name, job->owner) != 0)
		return error_set(error, -ESRCH, "the owner \"%.60s\" of job %u is not a user of this machine",
				 job->owner,
				 job->number);
	path_names_set(&names, local, task, job, user);
	if (task->granted.pe && pe_hostfile_write(local, dir_fd, task))
		return error_set(error, -errno, "pe_hostfile: %m");
	rc = script ? attempt_script_write(dir_fd, script, job->uid, job->gid, error) : 0;
	return rc ? rc : config_put(local, dir_fd, task, &names, user, error);
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
