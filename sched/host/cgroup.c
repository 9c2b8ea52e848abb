/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sched/host/proc.h"

#define SELF "fairlead.self"
#define JOBS "fairlead.jobs"
#define PATH_BYTES (CGROUP_PATH_BYTES + 64)	/* a directory and a file in it */

static const char *path_of(char *path, const char *directory, const char *name)
{
	snprintf(path, PATH_BYTES, "%.*s/%.48s", CGROUP_PATH_BYTES, directory, name);
	return path;
}

static int file_write(const char *directory, const char *name, const char *line)
{
	char path[PATH_BYTES];

	return proc_write(AT_FDCWD, path_of(path, directory, name), line);
}

static bool file_exists(const char *directory, const char *name)
{
	char path[PATH_BYTES];

	return access(path_of(path, directory, name), F_OK) == 0;
}

/* Return whether a file of the directory lists the cpu controller. */
static bool names_cpu(const char *directory, const char *name)
{
	char path[PATH_BYTES], text[512], *rest = NULL;

	if (proc_read(AT_FDCWD, path_of(path, directory, name), text, sizeof(text)) <= 0)
		return false;
	for (const char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		if (!strcmp(word, "cpu"))
			return true;
	return false;
}

/* Division */

static int self_move(const char *directory)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return file_write(directory, "cgroup.procs", pid);
}

static int directory_make(const char *path)
{
	return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
}

/* Disable the controllers below the root. */
static void division_lift(const struct cgroup *cgroup)
{
	char jobs[PATH_BYTES];

	file_write(path_of(jobs, cgroup->root, JOBS), "cgroup.subtree_control", "-cpu");
	file_write(cgroup->root, "cgroup.subtree_control", "-cpu");
}

/*
 * Move this process into its leaf. If it was started in a directory that is already divided, for
 * example after a crash, the directories below it cannot be used, including the leaf. Therefore the
 * division is removed during the move. Weights are written again in the first round.
 */
static int leaf_enter(struct cgroup *cgroup)
{
	char path[PATH_BYTES];
	int rc = directory_make(path_of(path, cgroup->root, SELF));

	if (!rc)
		rc = self_move(path);
	if (rc == -EOPNOTSUPP) {
		division_lift(cgroup);
		rc = self_move(path);
	}
	cgroup->moved = !rc;
	return rc;
}

static void leaf_leave(struct cgroup *cgroup)
{
	char path[PATH_BYTES];

	if (cgroup->moved)
		self_move(cgroup->root);
	cgroup->moved = false;
	rmdir(path_of(path, cgroup->root, SELF));
}

static bool has_processes(const char *directory)
{
	char path[PATH_BYTES], text[16];

	return proc_read(AT_FDCWD, path_of(path, directory, "cgroup.procs"), text, sizeof(text)) != 0;
}

/*
 * Enable the cpu controller. The kernel permits this while the directory contains processes, but
 * then the directories below are unusable, except in the root cgroup. Processes of other programs
 * are not moved; the directory is then left unchanged.
 */
static int controller_enable(struct cgroup *cgroup, bool own, struct error *error)
{
	bool top = !file_exists(cgroup->root, "cgroup.type");
	int rc = !top && own ? leaf_enter(cgroup) : 0;

	if (!rc && !top && has_processes(cgroup->root))
		rc = -EBUSY;
	if (!rc && !names_cpu(cgroup->root, "cgroup.subtree_control")) {
		rc = file_write(cgroup->root, "cgroup.subtree_control", "+cpu");
		cgroup->enabled = !rc;
	}
	return rc ? error_set(error, -ENOTSUP, "%s cannot be divided: %s", cgroup->root,
			       rc == -EBUSY ? "other processes are in it" : strerror(-rc)) : 0;
}

static int jobs_make(const struct cgroup *cgroup, struct error *error)
{
	char path[PATH_BYTES], probe[PATH_BYTES + 32];
	int rc = directory_make(path_of(path, cgroup->root, JOBS));
	double cpu_s;

	if (!rc && cgroup->weighs)
		rc = file_write(path, "cgroup.subtree_control", "+cpu");
	snprintf(probe, sizeof(probe), "%s/probe.%d", path, (int)getpid());
	if (!rc)
		rc = mkdir(probe, 0755) ? -errno : 0;
	if (!rc) {
		rc = cgroup->weighs ? cgroup_weigh(probe, 100) : cgroup_cpu_s(probe, &cpu_s);
		rmdir(probe);
	}
	return rc ? error_set(error, -ENOTSUP, "%s/" JOBS " cannot be used: %s", cgroup->root, strerror(-rc)) : 0;
}

static int root_set(struct cgroup *cgroup, const char *root, struct error *error)
{
	struct statfs fs;

	if (!root) {
		int rc = cgroup_own(cgroup->root, sizeof(cgroup->root), error);
		char *end = cgroup->root + strlen(cgroup->root) - strlen("/" SELF);

		/* made by an earlier run, or by the process that started us */
		if (!rc && end > cgroup->root && !strcmp(end, "/" SELF))
			*end = '\0';
		return rc;
	}
	if (strlen(root) + 64 > sizeof(cgroup->root))
		return error_set(error, -EINVAL, "the cgroup's path is too long");
	strcpy(cgroup->root, root);
	if (statfs(root, &fs))
		return error_set(error, -EINVAL, "%s: %s", root, strerror(errno));
	return fs.f_type == CGROUP2_SUPER_MAGIC
		       ? 0
		       : error_set(error, -EINVAL, "%s is not in a file system of cgroup v2", root);
}

int cgroup_open(struct cgroup *cgroup, const char *root, struct error *error)
{
	int rc;

	*cgroup = (struct cgroup){ .weighs = true };
	rc = root_set(cgroup, root, error);
	if (!rc && !names_cpu(cgroup->root, "cgroup.controllers"))
		rc = error_set(error, -ENOTSUP, "%s has no cpu controller", cgroup->root);
	if (!rc)
		rc = controller_enable(cgroup, !root, error);
	if (!rc)
		rc = jobs_make(cgroup, error);
	if (rc)
		cgroup_close(cgroup);
	return rc;
}

int cgroup_count(struct cgroup *cgroup, const char *root, struct error *error)
{
	char jobs[PATH_BYTES];
	int rc;

	*cgroup = (struct cgroup){ .weighs = false };
	rc = root_set(cgroup, root, error);
	if (!rc)
		rc = jobs_make(cgroup, error);
	if (!rc && file_exists(path_of(jobs, cgroup->root, JOBS), "cpu.weight"))
		rc = error_set(error, -ENOTSUP, "tasks in %s would be weighted", cgroup->root);
	if (rc)
		cgroup_close(cgroup);
	return rc;
}

/*
 * Close the directory. If tasks remain, a service manager could not start this program again in a
 * divided directory. Therefore the division is removed until the next start.
 */
void cgroup_close(struct cgroup *cgroup)
{
	char path[PATH_BYTES];
	bool empty = cgroup->root[0] && (rmdir(path_of(path, cgroup->root, JOBS)) == 0 || errno == ENOENT);

	if (cgroup->moved || (empty && cgroup->enabled))
		division_lift(cgroup);
	if (cgroup->moved && empty)
		leaf_leave(cgroup);
	*cgroup = (struct cgroup){ .moved = false };
}

/* Tasks */

int cgroup_make(const struct cgroup *cgroup, uint32_t job, uint32_t task, char *path, size_t size)
{
	int n;

	if (!cgroup->root[0])
		return -ENOTSUP;
	n = snprintf(path, size, "%s/" JOBS "/%" PRIu32 ".%" PRIu32 ".%d", cgroup->root, job, task, (int)getpid());
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	if (mkdir(path, 0755) == 0)
		return 0;
	if (errno == ENOENT)		/* another process that divides the same cgroup has ended */
		return jobs_make(cgroup, NULL) || mkdir(path, 0755) ? -ENOENT : 0;
	if (errno != EEXIST)
		return -errno;
	if (rmdir(path))		/* directory of an earlier start; removed if it is empty */
		return errno == EBUSY ? -EEXIST : -errno;
	return mkdir(path, 0755) ? -errno : 0;
}

bool cgroup_is_made(const struct cgroup *cgroup, uint32_t job, uint32_t task, const char *path)
{
	char ours[PATH_BYTES];

	snprintf(ours, sizeof(ours), "%s/" JOBS "/%" PRIu32 ".%" PRIu32 ".", cgroup->root, job, task);
	return cgroup->root[0] && !strncmp(ours, path, strlen(ours));
}

int cgroup_remove(const char *path)
{
	return rmdir(path) ? -errno : 0;
}

int cgroup_weigh(const char *path, unsigned weight)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", weight);
	return file_write(path, "cpu.weight", number);
}

int cgroup_kill(const char *path)
{
	return file_write(path, "cgroup.kill", "1");
}

int cgroup_cpu_s(const char *directory, double *cpu_s)
{
	char path[PATH_BYTES], text[1024];
	unsigned long long us;
	ssize_t n = proc_read(AT_FDCWD, path_of(path, directory, "cpu.stat"), text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (sscanf(text, "usage_usec %llu", &us) != 1)
		return -EPROTO;
	*cpu_s = (double)us / 1e6;
	return 0;
}
