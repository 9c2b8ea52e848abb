/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/log_journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

bool log_journal_is_stderr(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;
	char rest;

	/* the variable may be that of a parent whose standard error was another one */
	return stream && sscanf(stream, "%llu:%llu%c", &device, &inode, &rest) == 2 &&
	       fstat(STDERR_FILENO, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

int log_journal_open(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, rc;

	if (strlen(path) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	rc = connect(fd, (const struct sockaddr *)&to, sizeof(to)) ? -errno : 0;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int log_journal_send(int fd, const char *message, size_t bytes)
{
	return send(fd, message, bytes, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
