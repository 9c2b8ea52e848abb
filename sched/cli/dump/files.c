/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/dump/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/cli.h"

static int failed(const char *directory, const char *name)
{
	return cli_fail(errno == EACCES || errno == EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "%s%s%s: %m", directory,
			*name ? "/" : "", name);
}

static bool is_empty(DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			return false;
	return true;
}

int dump_directory_make(const char *directory, int *fd)
{
	DIR *dir;
	bool empty;

	*fd = -1;
	if (mkdir(directory, 0777) && errno != EEXIST)
		return failed(directory, "");
	dir = opendir(directory);
	if (!dir)
		return failed(directory, "");
	empty = is_empty(dir);
	if (empty)
		*fd = fcntl(dirfd(dir), F_DUPFD_CLOEXEC, 0);
	closedir(dir);
	if (empty)
		return *fd < 0 ? failed(directory, "") : EXIT_OK;
	return cli_fail(EXIT_NO_DATA, "%s: it is not empty, and its files would become part of the cell", directory);
}

/* Return whether a path is relative and has no empty part and no part of dots. */
static bool stays_below(const char *name)
{
	for (const char *p = name;; p++) {
		size_t n = strcspn(p, "/");

		if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
		if (!*p)
			return true;
	}
}

/*
 * Return a descriptor of the file's directory, which is created if needed. The function takes
 * ownership of `fd`.
 */
static int folder_open(int fd, const char *name, const char **base)
{
	const char *slash;

	while (fd >= 0 && (slash = strchr(name, '/'))) {
		char *part = strndup(name, (size_t)(slash - name));
		int next = -1;

		if (part && (mkdirat(fd, part, 0777) == 0 || errno == EEXIST))
			next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		free(part);
		close(fd);
		fd = next;
		name = slash + 1;
	}
	*base = name;
	return fd;
}

static bool write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno != EINTR)
			return false;
		text += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static int file_write(int directory_fd, const char *directory, const struct cell_file *file)
{
	const char *base = file->name;
	int folder = folder_open(fcntl(directory_fd, F_DUPFD_CLOEXEC, 0), file->name, &base);
	int fd = folder < 0 ? -1 : openat(folder, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	bool written = fd >= 0 && write_all(fd, file->text);

	if (fd >= 0 && close(fd))
		written = false;
	if (folder >= 0)
		close(folder);
	return written ? EXIT_OK : failed(directory, file->name);
}

int dump_files(int fd, const char *directory, const struct cell_files *files)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < files->n && code == EXIT_OK; i++) {
		const struct cell_file *file = &files->items[i];

		if (*file->name == '/')
			cli_fail(EXIT_OK, "%s is outside of the cell, and is not copied", file->name);
		else if (stays_below(file->name))
			code = file_write(fd, directory, file);
		else
			code = cli_fail(
				EXIT_NO_DATA,
				"\"%s\" is not a name of a file in a cell: the state in shared memory is damaged",
				file->name);
	}
	return code;
}
