/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receipt: how many commits were acknowledged, in a small file beside the store, which counts
 * its commits itself (`commits` of meta). A store with fewer has lost some: its log was damaged or
 * taken away, an older copy stands in its place, or it is gone altogether.
 *
 * The receipt is written after the disk has the commit, in place, and is itself not waited for. So
 * it never says more than there is; after the death of the process it says all, after a power
 * failure perhaps less.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/store/base.h"
#include "sched/store/page.h"

#define TEXT_BYTES 38			/* "00000000000000000017 0123456789abcdef\n" */

static void receipt_text(uint64_t commits, char text[TEXT_BYTES + 1])
{
	snprintf(text, TEXT_BYTES + 1, "%020llu %016llx\n", (unsigned long long)commits, (unsigned long long)page_mix(7, commits));
}

/* An empty file, or one that has only 0: the power has failed after it was made. */
static int receipt_parse(const char *found, size_t n, uint64_t *commits)
{
	char text[TEXT_BYTES + 1];

	*commits = 0;
	for (size_t i = 0; i <= n; i++)
		if (i == n)
			return 0;
		else if (found[i])
			break;
	*commits = strtoull(found, NULL, 10);
	receipt_text(*commits, text);
	return n == TEXT_BYTES && memcmp(found, text, TEXT_BYTES) == 0 ? 0 : -EUCLEAN;
}

int receipt_read(const char *store, uint64_t *commits, struct error *error)
{
	char *path = path_beside(store, "-receipt"), found[TEXT_BYTES + 2] = { 0 };
	ssize_t n = 0;
	int fd, code = 0;

	*commits = 0;
	if (!path)
		return error_set(error, -ENOMEM, "out of memory");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if ((fd < 0 && errno != ENOENT) || (fd >= 0 && (n = read(fd, found, TEXT_BYTES + 1)) < 0))
		code = error_set(error, -errno, "%.120s: %m", path);
	if (fd >= 0)
		close(fd);
	if (code == 0 && receipt_parse(found, (size_t)n, commits) != 0)
		code = error_set(error, -EUCLEAN, "%.60s is damaged; if %.40s is sound (fairlead doctor store), remove it", path, store);
	free(path);
	return code;
}

/* Half a receipt is worse than none. */
static int receipt_put(struct store *s)
{
	char text[TEXT_BYTES + 1];
	ssize_t n;

	receipt_text(s->commits, text);
	n = pwrite(s->receipt_fd, text, TEXT_BYTES, 0);
	if (n < 0)
		return -errno;
	if (n < TEXT_BYTES)
		return ftruncate(s->receipt_fd, 0) ? -errno : -ENOSPC;
	return 0;
}

int receipt_open(struct store *s, struct error *error)
{
	char *path = path_beside(s->path, "-receipt");
	int code = 0;

	if (!path)
		return error_set(error, -ENOMEM, "out of memory");
	s->receipt_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	code = s->receipt_fd < 0 ? -errno : receipt_put(s);
	if (code == 0 && fsync(s->receipt_fd))
		code = -errno;
	if (code != 0)
		error_set(error, code, "%.120s: %s", path, strerror(-code));
	free(path);
	return code;
}

/* If that fails the receipt says less than it could. */
void receipt_write(struct store *s)
{
	receipt_put(s);
}
