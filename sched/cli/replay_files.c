/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/replay.h"

static int fail(const struct replay_file *f, int rc)
{
	return cli_fail(rc == -EACCES || rc == -EPERM || rc == -EROFS ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %s", f->path, strerror(-rc));
}

/* As open(2) would make it. */
static mode_t mode_due(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * A file that has no name until it is complete, so that whoever kills us leaves nothing behind; on
 * file systems that have no such thing, one with a name of its own.
 */
static int open_beside(struct replay_file *f)
{
	const char *slash = strrchr(f->path, '/');
	char *folder = slash ? strndup(f->path, (size_t)(slash + 1 - f->path)) : strdup(".");
	int rc = 0;

	if (!folder || asprintf(&f->beside, "%s/.%s.XXXXXX", folder, slash ? slash + 1 : f->path) < 0) {
		f->beside = NULL;
		free(folder);
		return -ENOMEM;
	}
	f->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	f->nameless = f->fd >= 0;
	if (f->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		f->fd = mkostemp(f->beside, O_CLOEXEC);
	if (f->fd < 0 || (!f->nameless && fchmod(f->fd, mode_due())))
		rc = -errno;
	free(folder);
	return rc;
}

/* The file gets a name beside that which it is to have, and then that one. */
static int file_name(struct replay_file *f)
{
	char own[40];
	int rc = 0;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", f->fd);
	for (unsigned k = 0; f->nameless && k < 1000; k++) {
		snprintf(strrchr(f->beside, '.'), sizeof(".XXXXXX"), ".%06u", ((unsigned)getpid() + k) % 1000000u);
		rc = linkat(AT_FDCWD, own, AT_FDCWD, f->beside, AT_SYMLINK_FOLLOW) ? -errno : 0;
		if (rc != -EEXIST)
			break;
	}
	if (rc)
		return rc;
	f->nameless = false;
	return rename(f->beside, f->path) ? -errno : 0;
}

int replay_file_begin(struct replay_file *f, const char *path)
{
	struct stat st;
	int rc = 0;

	*f = (struct replay_file){ .path = path, .fd = -1 };
	if (stat(path, &st) || S_ISREG(st.st_mode)) {
		rc = open_beside(f);
	} else if (S_ISFIFO(st.st_mode) && st.st_uid != 0 && st.st_uid != geteuid()) {
		rc = -EPERM;	/* another user's pipe could keep us waiting */
	} else {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
		rc = f->fd < 0 ? -errno : 0;
	}
	if (!rc)
		rc = out_open(&f->out, f->fd);
	if (!rc)
		return EXIT_OK;
	if (f->fd < 0) {
		free(f->beside);
		f->beside = NULL;
	}
	replay_file_drop(f);
	return fail(f, rc);
}

void replay_file_drop(struct replay_file *f)
{
	if (!f->path)
		return;
	out_close(&f->out);
	if (f->fd >= 0)
		close(f->fd);
	if (f->beside && !f->nameless)
		unlink(f->beside);
	free(f->beside);
	f->beside = NULL;
	f->fd = -1;
}

int replay_file_end(struct replay_file *f, int rc)
{
	int code = EXIT_OK;

	if (!f->path)
		return EXIT_OK;
	if (!rc)
		rc = out_flush(&f->out);
	if (!rc && f->beside && fsync(f->fd))
		rc = -errno;
	if (!rc && f->beside)
		rc = file_name(f);
	if (rc) {
		code = fail(f, rc);
	} else {
		free(f->beside);
		f->beside = NULL;
	}
	replay_file_drop(f);
	return code;
}
