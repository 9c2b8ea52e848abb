/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories and files of a job. Variables in paths, such as the job number, are expanded when the
 * job starts.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/client/job_inside.h"

#define PATH_BYTES 4096		/* limit of the system, NUL included */

static const struct {
	/* `name`: name of the file in a directory; NULL: the path must not be a directory */
	const char *option, *member, *name;
} files[JOB_FILES] = {
	{ "-i", "stdin_path", NULL }, { "-o", "stdout_path", "$JOB_NAME.o$JOB_ID" }, { "-e", "stderr_path", "$JOB_NAME.e$JOB_ID" },
};

static const char *home_directory(void)
{
	const struct passwd *user = getpwuid(getuid());

	return user ? user->pw_dir : "/";
}

/* Set an absolute directory. Relative directories, such as ".", start from the current one. */
static int directory_finish(struct job *job, char *path)
{
	char *here = *job->directory == '/' ? NULL : getcwd(NULL, 0);
	const char *option = strcmp(job->directory, ".") ? "-wd" : "-cwd";
	int n;

	if (*job->directory != '/' && !here)
		return job_wrong(job, option, job->directory, strerror(errno));
	n = snprintf(path, PATH_BYTES, "%s%s%s", here ? here : "", here && strcmp(job->directory, ".") ? "/" : "",
		     strcmp(job->directory, ".") ? job->directory : "");
	free(here);
	if (n >= PATH_BYTES)
		return job_wrong(job, option, job->directory, "the path is too long");
	return job_execute_text(job, "cwd", option, path);
}

bool job_host_is_here(const char *name, size_t length)
{
	char host[256] = "";

	if (length == 0 || (length == strlen("localhost") && !memcmp(name, "localhost", length)))
		return true;
	gethostname(host, sizeof(host) - 1);
	return length < sizeof(host) && !strncmp(name, host, length) && (!host[length] || host[length] == '.');
}

/*
 * Skip the host of [[HOST]:]PATH, which must be this machine. Return the path, or NULL after a
 * message.
 */
static const char *host_skip(const struct job *job, const char *option, const char *value)
{
	size_t length = strcspn(value, ":/");

	if (value[length] != ':')
		return value;
	if (!job_host_is_here(value, length)) {
		job_wrong(
			job, option, value,
			"all jobs of a local cell run on this machine; a path with a \":\" is written with one "
			"in front");
		return NULL;
	}
	return value + length + 1;
}

/* Replace "~/x" by "$HOME/x" and "~ann/x" by a path in ann's home directory. */
static int tilde_replace(const struct job *job, const char *option, const char *value, char *path)
{
	size_t length = strcspn(value, "/");
	const struct passwd *user;
	char name[256];
	int n;

	if (*value != '~') {
		n = snprintf(path, PATH_BYTES, "%s", value);
	} else if (length == 1) {
		n = snprintf(path, PATH_BYTES, "$HOME%s", value + 1);
	} else {
		snprintf(name, sizeof(name), "%.*s", (int)length - 1, value + 1);
		user = getpwnam(name);
		if (!user)
			return job_wrong(job, option, value, "there is no such user");
		n = snprintf(path, PATH_BYTES, "%s%s", user->pw_dir, value + length);
	}
	return n < PATH_BYTES ? EXIT_OK : job_wrong(job, option, value, "the path is too long");
}

/*
 * Return whether a path is a directory now. A path with "$" is not known yet and counts as a
 * directory only if it ends with "/".
 */
static bool is_directory(const char *path, const char *from)
{
	char whole[2 * PATH_BYTES + 2];
	size_t length = strlen(path);
	struct stat st;

	if (path[length - 1] == '/')
		return true;
	if (!strncmp(path, "$HOME", 5) && (!path[5] || path[5] == '/'))
		snprintf(whole, sizeof(whole), "%s%s", home_directory(), path + 5);
	else
		snprintf(whole, sizeof(whole), "%s%s%s", *path == '/' ? "" : from, *path == '/' ? "" : "/", path);
	return stat(whole, &st) == 0 && S_ISDIR(st.st_mode);
}

static int file_finish(struct job *job, int k, const char *from)
{
	const char *option = files[k].option, *value = host_skip(job, option, job->files[k]);
	char path[PATH_BYTES], whole[2 * PATH_BYTES];
	int code;

	if (!value)
		return EXIT_USAGE;
	if (!*value || strchr(value, ','))
		return job_wrong(job, option, job->files[k], "one path is expected");
	code = tilde_replace(job, option, value, path);
	if (code)
		return code;
	if (!is_directory(path, from))
		return job_execute_text(job, files[k].member, option, path);
	/* an existing job may or may not be an array */
	if (!files[k].name || job->alters)
		return job_wrong(job, option, value, "it is a directory; the name of a file is expected");
	snprintf(whole, sizeof(whole), "%s%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", files[k].name,
		 job->is_array ? ".$TASK_ID" : "");
	return job_execute_text(job, files[k].member, option, whole);
}

int job_paths_finish(struct job *job)
{
	char directory[PATH_BYTES];
	int code = EXIT_OK;

	if (job->directory)
		code = directory_finish(job, directory);
	else
		snprintf(directory, sizeof(directory), "%s", home_directory());
	for (int k = 0; !code && k < JOB_FILES; k++)
		if (job->files[k])
			code = file_finish(job, k, directory);
	return code;
}
