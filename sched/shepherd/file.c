/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_trusted(int fd, size_t most)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & 022 ||
	    (size_t)st.st_size > most)
		return -EUCLEAN;
	return 0;
}

/*
 * Read to the end of the file, which may grow in the meantime. Fails if that is more than `most`
 * bytes.
 */
static int read_all(int fd, size_t most, char **bytes, size_t *length)
{
	size_t size = 0, n = 0;
	char *text = NULL;

	for (;;) {
		if (n + 1 >= size) {
			char *more = realloc(text, size ? 2 * size : 4096);

			if (!more)
				goto undo;
			text = more;
			size = size ? 2 * size : 4096;
		}
		ssize_t got = read(fd, text + n, size - 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || n + (size_t)got > most) {
			errno = got < 0 ? errno : EUCLEAN;
			goto undo;
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	text[n] = '\0';
	*bytes = text;
	*length = n;
	return 0;
undo:
	free(text);
	return errno ? -errno : -ENOMEM;
}

int file_read(int dirfd, const char *name, size_t most, char **bytes, size_t *length)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int rc;

	*bytes = NULL;
	*length = 0;
	if (fd < 0)
		return errno == ELOOP || errno == ENXIO ? -EUCLEAN : -errno;
	rc = is_trusted(fd, most);
	if (rc == 0)
		rc = read_all(fd, most, bytes, length);
	close(fd);
	return rc;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			bytes += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

int file_write(int dirfd, const char *name, const char *bytes, size_t length, mode_t mode, bool sync)
{
	int fd, rc;

	if (unlinkat(dirfd, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, bytes, length);
	if (rc == 0 && fchmod(fd, mode))	/* regardless of our umask */
		rc = -errno;
	if (rc == 0 && sync && fsync(fd))
		rc = -errno;
	if (close(fd) && rc == 0)
		rc = -errno;
	if (rc)
		unlinkat(dirfd, name, 0);
	return rc;
}
