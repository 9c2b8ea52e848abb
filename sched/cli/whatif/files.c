/* SPDX-License-Identifier: Apache-2.0 */
/* Files that replace those of the cell. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/whatif/whatif.h"

#define FILE_MOST (64u << 20)		/* bytes */

static int failed(const char *path)
{
	return cli_fail(errno == EACCES || errno == EPERM ? EXIT_PERMISSION : EXIT_USAGE, "whatif: %s: %m", path);
}

/* Read a whole file. The caller frees the text. NULL: after a message. */
static char *text_read(int directory, const char *name, const char *path, int *code)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	size_t n = 0;
	ssize_t got = 1;

	*code = EXIT_OK;
	if (fd < 0 || fstat(fd, &st))
		*code = failed(path);
	else if (!S_ISREG(st.st_mode))
		*code = cli_fail(EXIT_USAGE, "whatif: %s: no file", path);
	else if (st.st_size > FILE_MOST)
		*code = cli_fail(EXIT_USAGE, "whatif: %s: it has %lld bytes: up to %u are allowed", path,
				 (long long)st.st_size, FILE_MOST);
	else if (!(text = malloc((size_t)st.st_size + 1)))
		*code = cli_fail(EXIT_NO_DATA, "no memory");
	while (text && n < (size_t)st.st_size && (got = read(fd, text + n, (size_t)st.st_size - n)) > 0)
		n += (size_t)got;
	if (text && got < 0)
		*code = failed(path);
	if (text)
		text[n] = '\0';
	if (text && strlen(text) < n)
		*code = cli_fail(EXIT_USAGE, "whatif: %s: it has a NUL byte and is not a text", path);
	if (fd >= 0)
		close(fd);
	if (*code) {
		free(text);
		return NULL;
	}
	return text;
}

static int file_take(struct whatif_query *query, const char *option, int directory, const char *name, const char *as,
		     const char *path)
{
	struct whatif_column *column = whatif_column_last(query);
	int code = column ? EXIT_OK : EXIT_NO_DATA;
	char *text = column ? text_read(directory, name, path, &code) : NULL;

	if (text && suppose_file(&column->suppositions, option, as, *text ? text : NULL))
		code = cli_fail(EXIT_NO_DATA, "no memory");
	free(text);
	return code;
}

int whatif_take_tree(void *query, struct words *words)
{
	char option[300];

	snprintf(option, sizeof(option), "--share-tree %s", words->value);
	return file_take(query, option, AT_FDCWD, words->value, "share_tree", words->value);
}

/*
 * Return whether a name is not part of a cell: a name that begins with a dot, a file for people, or
 * a file of the scheduler.
 */
static bool is_skipped(const char *name)
{
	size_t n = strlen(name);

	return *name == '.' || !strcmp(name, "README.md") || !strcmp(name, "spool") || name[n - 1] == '~';
}

/*
 * Take the files of a directory. For a cell, take also those of its subdirectories: `below` is ""
 * or "queue/".
 */
static int directory_take(struct whatif_query *query, const char *option, int parent, const char *name,
			  const char *path, const char *below, size_t *files)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), code = EXIT_OK;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	if (!dir)
		return failed(path);
	while (!code && (entry = readdir(dir))) {
		char inside[1024], as[600];
		struct stat st;

		if (is_skipped(entry->d_name))
			continue;
		snprintf(inside, sizeof(inside), "%.700s/%s", path, entry->d_name);
		snprintf(as, sizeof(as), "%s%s", below, entry->d_name);
		if (fstatat(dirfd(dir), entry->d_name, &st, 0))
			code = failed(inside);
		else if (S_ISDIR(st.st_mode) && !*below) {
			snprintf(as, sizeof(as), "%s/", entry->d_name);
			code = directory_take(query, option, dirfd(dir), entry->d_name, inside, as, files);
		} else if (!S_ISDIR(st.st_mode)) {
			code = file_take(query, option, dirfd(dir), entry->d_name, as, inside);
			++*files;
		}
	}
	closedir(dir);
	return code;
}

int whatif_take_cell(void *query, struct words *words)
{
	char option[300];
	size_t files = 0;
	int code;

	snprintf(option, sizeof(option), "--cell %s", words->value);
	code = directory_take(query, option, AT_FDCWD, words->value, words->value, "", &files);
	return code || files ? code : cli_fail(EXIT_USAGE, "whatif: %s: no file was found", option);
}
