/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/cli/whole_file.h"

static int fail(const struct whole_file *file, int rc)
{
	return cli_fail(rc == -EACCES || rc == -EPERM || rc == -EROFS ? EXIT_PERMISSION : EXIT_NO_DATA, "%s: %s",
			file->path, strerror(-rc));
}

/* Return the mode that open(2) would use. */
static mode_t mode_due(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Create a file without a name until it is complete, so that a killed process leaves no file. File
 * systems without such files get a temporary name.
 */
static int open_beside(struct whole_file *file)
{
	const char *slash = strrchr(file->path, '/');
	char *folder = slash ? strndup(file->path, (size_t)(slash + 1 - file->path)) : strdup(".");
	int rc = 0;

	if (!folder || asprintf(&file->beside, "%s/.%s.XXXXXX", folder, slash ? slash + 1 : file->path) < 0) {
		file->beside = NULL;
		free(folder);
		return -ENOMEM;
	}
	file->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	file->nameless = file->fd >= 0;
	if (file->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		file->fd = mkostemp(file->beside, O_CLOEXEC);
	if (file->fd < 0 || (!file->nameless && fchmod(file->fd, mode_due())))
		rc = -errno;
	free(folder);
	return rc;
}

/* Link the file to a temporary name in the same directory, then rename it. */
static int file_name(struct whole_file *file)
{
	char own[40];
	int rc = 0;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", file->fd);
	for (unsigned k = 0; file->nameless && k < 1000; k++) {
		snprintf(strrchr(file->beside, '.'), sizeof(".XXXXXX"), ".%06u", ((unsigned)getpid() + k) % 1000000u);
		rc = linkat(AT_FDCWD, own, AT_FDCWD, file->beside, AT_SYMLINK_FOLLOW) ? -errno : 0;
		if (rc != -EEXIST)
			break;
	}
	if (rc)
		return rc;
	file->nameless = false;
	return rename(file->beside, file->path) ? -errno : 0;
}

int whole_file_begin(struct whole_file *file, const char *path)
{
	struct stat st;
	int rc = 0;

	*file = (struct whole_file){ .path = path, .fd = -1 };
	if (stat(path, &st) || S_ISREG(st.st_mode)) {
		rc = open_beside(file);
	} else if (S_ISFIFO(st.st_mode) && st.st_uid != 0 && st.st_uid != geteuid()) {
		rc = -EPERM;	/* another user's pipe could block us */
	} else {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
		rc = file->fd < 0 ? -errno : 0;
	}
	if (!rc)
		rc = out_open(&file->out, file->fd);
	if (!rc)
		return EXIT_OK;
	if (file->fd < 0) {
		free(file->beside);
		file->beside = NULL;
	}
	whole_file_drop(file);
	return fail(file, rc);
}

void whole_file_drop(struct whole_file *file)
{
	if (!file->path)
		return;
	out_close(&file->out);
	if (file->fd >= 0)
		close(file->fd);
	if (file->beside && !file->nameless)
		unlink(file->beside);
	free(file->beside);
	file->beside = NULL;
	file->fd = -1;
}

int whole_file_end(struct whole_file *file, int rc)
{
	int code = EXIT_OK;

	if (!file->path)
		return EXIT_OK;
	if (!rc)
		rc = out_flush(&file->out);
	if (!rc && file->beside && fsync(file->fd))
		rc = -errno;
	if (!rc && file->beside)
		rc = file_name(file);
	if (rc) {
		code = fail(file, rc);
	} else {
		free(file->beside);
		file->beside = NULL;
	}
	whole_file_drop(file);
	return code;
}
