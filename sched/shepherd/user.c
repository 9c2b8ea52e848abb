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

static int step_failed(struct failure *f, enum attempt_failed code, const char *step, const char *user)
{
	return failure_set(f, code, "%s %s: %s", step, user, strerror(errno));
}

static int user_check(const struct shepherd_task *t, struct failure *f)
{
	const struct passwd *user;

	if (geteuid() != 0)
		return t->uid == geteuid() ? 0 :
		       failure_set(f, FAILED_BEFORE_JOB, "the scheduler is not root and can't start processes of %s", t->user);
	errno = 0;
	user = getpwnam(t->user);
	if (!user && errno && errno != ENOENT && errno != ESRCH)
		return step_failed(f, FAILED_BEFORE_JOB, "looking up the user", t->user);
	if (!user)
		return failure_set(f, FAILED_BEFORE_JOB, "there is no user %s", t->user);
	if (user->pw_uid != t->uid)
		return failure_set(f, FAILED_BEFORE_JOB, "the user %s has the number %u now, not %u", t->user, user->pw_uid, t->uid);
	return 0;
}

/* The group of a job is one of those that its user has now, not when it was submitted. */
static int group_check(const struct shepherd_task *t, struct failure *f)
{
	gid_t groups[NGROUPS_MAX];
	int n = getgroups(NGROUPS_MAX, groups);

	for (int i = 0; i < n; i++)
		if (groups[i] == t->gid)
			return 0;
	return failure_set(f, FAILED_GROUPS, "%s is not in the group %u of the job", t->user, t->gid);
}

/* The groups of a user as initgroups(3) sets them; its argument is the primary one, of passwd(5). */
static int groups_set(const struct shepherd_task *t, struct failure *f)
{
	const struct passwd *user = t->init_groups ? getpwnam(t->user) : NULL;

	if (t->init_groups ? !user || initgroups(t->user, user->pw_gid) : setgroups(1, &t->gid))
		return step_failed(f, FAILED_GROUPS, "setting the groups of", t->user);
	return group_check(t, f);
}

void keyring_leave(void)
{
	(void)!syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
}

int user_become(const struct shepherd_task *t, struct failure *f)
{
	int rc = user_check(t, f);

	if (rc || geteuid() != 0)
		return rc;
	rc = groups_set(t, f);
	if (rc)
		return rc;
	if (setresgid(t->gid, t->gid, t->gid))
		return step_failed(f, FAILED_GROUPS, "setting the group of", t->user);
	if (setresuid(t->uid, t->uid, t->uid))
		return step_failed(f, FAILED_BEFORE_JOB, "becoming the user", t->user);
	return 0;
}
