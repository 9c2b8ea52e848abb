/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
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

int user_become(const struct shepherd_task *t, struct failure *f)
{
	int rc = user_check(t, f);

	if (rc || geteuid() != 0)
		return rc;
	if (t->init_groups ? initgroups(t->user, t->gid) : setgroups(1, &t->gid))
		return step_failed(f, FAILED_GROUPS, "setting the groups of", t->user);
	if (setresgid(t->gid, t->gid, t->gid))
		return step_failed(f, FAILED_GROUPS, "setting the group of", t->user);
	if (setresuid(t->uid, t->uid, t->uid))
		return step_failed(f, FAILED_BEFORE_JOB, "becoming the user", t->user);
	return 0;
}
