/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/daemon/schedule_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/process/log.h"

void schedule_file_close(struct schedule_file *f)
{
	schedule_free(&f->lines);
}

struct schedule_lines *schedule_file_begin(struct schedule_file *f, bool monitor)
{
	if (!f->path || !monitor) {
		schedule_free(&f->lines);
		return NULL;
	}
	schedule_begin(&f->lines);
	return &f->lines;
}

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

/* When the disk becomes full, nothing is left but what was there before: no half of a line. */
static int append_all(int fd, const struct schedule_lines *lines)
{
	struct stat before;
	int rc;

	if (fstat(fd, &before))
		return -errno;
	if (!S_ISREG(before.st_mode))
		return -EINVAL;
	rc = write_all(fd, lines->text, lines->length);
	if (rc)
		(void)!ftruncate(fd, before.st_size);
	return rc;
}

/* O_NONBLOCK: a pipe that nobody reads must not keep us. */
static int file_append(const struct schedule_file *f)
{
	int fd = open(f->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
	int rc;

	if (fd < 0)
		return -errno;
	rc = append_all(fd, &f->lines);
	if (close(fd) && rc == 0)
		rc = -errno;
	return rc;
}

void schedule_file_append(struct schedule_file *f)
{
	int rc;

	if (!f->lines.text && !f->lines.incomplete)
		return;
	rc = f->lines.incomplete ? -ENOMEM : file_append(f);
	if (rc && !f->failing)
		log_line(LOG_ODD, "%s: the bookings of this run are not written: %s", f->path,
			 rc == -EINVAL ? "it is no file" : strerror(-rc));
	else if (rc == 0 && f->failing)
		log_line(LOG_NOTE, "%s: written again", f->path);
	f->failing = rc != 0;
}
