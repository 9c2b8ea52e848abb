/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/process/append.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

static int append_all(int fd, const char *text, size_t length)
{
	struct stat before;
	int rc;

	if (fstat(fd, &before))
		return -errno;
	if (!S_ISREG(before.st_mode))
		return -EINVAL;
	if (before.st_uid != 0 && before.st_uid != geteuid())
		return -EPERM;
	rc = write_all(fd, text, length);
	if (rc)
		(void)!ftruncate(fd, before.st_size);
	return rc;
}

const char *append_error_text(int rc)
{
	switch (rc) {
	case -EINVAL:
		return "it is not a regular file";
	case -ELOOP:
		return "it is a symbolic link";
	case -EPERM:
		return "it belongs to another user";
	default:
		return strerror(-rc);
	}
}

/* Append with O_NONBLOCK, so that a pipe without a reader does not block the process. */
int append_text(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW, 0644);
	int rc;

	if (fd < 0)
		return -errno;
	rc = append_all(fd, text, length);
	if (close(fd) && rc == 0)
		rc = -errno;
	return rc;
}
