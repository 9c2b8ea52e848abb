/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/errands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/shepherd/tmpdir.h"
#include "sched/shepherd/user.h"

#define TIDY_S 600		/* a process may add files while we remove them */
/* delivery may wait for another machine; the scheduler kills both errands a little later */
#define MAIL_S 300

static int failed(const char *what, const char *why)
{
	fprintf(stderr, "fairlead-shepherd: %s: %s\n", what, why);
	return 1;
}

static void signals_default(void)
{
	sigset_t none;

	for (int k = 1; k < NSIG; k++)
		signal(k, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Tidying */

static int tidy(int dirfd, const char *path)
{
	struct failure failure = { .code = FAILED_NOT };
	struct shepherd_task task;
	struct tmpdir tmpdir = { .inode = 0 };
	int rc = task_read(&task, dirfd, &failure);

	if (rc == 0)
		rc = tmpdir_recall(dirfd, &tmpdir);
	if (rc == 0)
		rc = tmpdir_remove(dirfd, &task, &tmpdir, TIDY_S);
	if (rc && failure.code == FAILED_NOT)
		fprintf(stderr, "fairlead-shepherd: %s: cannot remove %s/%s, which a task has left: %s\n", path,
			task.tmpdir ? task.tmpdir : "", tmpdir.name, strerror(-rc));
	task_free(&task);
	attempt_sweep(dirfd);
	return rc ? 1 : 0;
}

int errand_tidy(const char *path)
{
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = errno, status;

	setsid();
	signals_default();
	signal(SIGPIPE, SIG_IGN);	/* the scheduler, which reads our output, may have ended */
	if (dirfd < 0)
		return error == ENOENT ? 0 : failed(path, strerror(error));
	status = tidy(dirfd, path);
	close(dirfd);
	if (rmdir(path) && errno != ENOENT)
		return failed(path, strerror(errno));
	return status;
}

/* Mail */

/* Send a message of the scheduler with the rights of the job's owner. */
int errand_mail(int argc, char **argv)
{
	struct shepherd_task task = { .init_groups = geteuid() == 0 };
	struct failure failure = { .code = FAILED_NOT };
	char name[300], *const environment[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", (char *)"LC_ALL=C", name,
						 NULL };

	if (argc < 5)
		return failed("--mail", "USER UID GID PROGRAM WORD... are expected");
	task.user = argv[0];
	task.uid = (uid_t)strtoul(argv[1], NULL, 10);
	task.gid = (gid_t)strtoul(argv[2], NULL, 10);
	snprintf(name, sizeof(name), "LOGNAME=%s", task.user);
	setsid();
	signals_default();
	keyring_leave();
	alarm(MAIL_S);
	if (user_become(&task, &failure))
		return failed("mail", failure.text);
	execve(argv[3], argv + 3, environment);
	return failed(argv[3], strerror(errno));
}
