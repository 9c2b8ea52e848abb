/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/user.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int step_failed(struct failure *failure, enum attempt_failed code, const char *step, const char *user)
{
	return failure_set(failure, code, "%s %s: %s", step, user, strerror(errno));
}

static int user_check(const struct shepherd_task *task, struct failure *failure)
{
	const struct passwd *user;

	if (geteuid() != 0)
		return task->uid == geteuid()
			       ? 0
			       : failure_set(failure, FAILED_BEFORE_JOB,
					     "the scheduler is not root and cannot start processes of %s", task->user);
	errno = 0;
	user = getpwnam(task->user);
	if (!user && errno && errno != ENOENT && errno != ESRCH)
		return step_failed(failure, FAILED_BEFORE_JOB, "looking up the user", task->user);
	if (!user)
		return failure_set(failure, FAILED_BEFORE_JOB, "there is no user %s", task->user);
	if (user->pw_uid != task->uid)
		return failure_set(failure, FAILED_BEFORE_JOB, "the user %s has the number %u now, not %u", task->user,
				   user->pw_uid, task->uid);
	return 0;
}

/*
 * Check that the user is now in the group of the job. Groups may have changed since the job was
 * submitted.
 */
static int group_check(const struct shepherd_task *task, struct failure *failure)
{
	gid_t groups[NGROUPS_MAX];
	int n = getgroups(NGROUPS_MAX, groups);

	for (int i = 0; i < n; i++)
		if (groups[i] == task->gid)
			return 0;
	return failure_set(failure, FAILED_GROUPS, "%s is not in the group %u of the job", task->user, task->gid);
}

/*
 * Set the groups of the user, as initgroups(3) does; its argument is the primary group of
 * passwd(5).
 */
static int groups_set(const struct shepherd_task *task, struct failure *failure)
{
	const struct passwd *user = task->init_groups ? getpwnam(task->user) : NULL;

	if (task->init_groups ? !user || initgroups(task->user, user->pw_gid) : setgroups(1, &task->gid))
		return step_failed(failure, FAILED_GROUPS, "setting the groups of", task->user);
	return group_check(task, failure);
}

void keyring_leave(void)
{
	(void)!syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
}

int user_become(const struct shepherd_task *task, struct failure *failure)
{
	int rc = user_check(task, failure);

	if (rc || geteuid() != 0)
		return rc;
	rc = groups_set(task, failure);
	if (rc)
		return rc;
	if (setresgid(task->gid, task->gid, task->gid))
		return step_failed(failure, FAILED_GROUPS, "setting the group of", task->user);
	if (setresuid(task->uid, task->uid, task->uid))
		return step_failed(failure, FAILED_BEFORE_JOB, "becoming the user", task->user);
	return 0;
}
