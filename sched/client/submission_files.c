/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/client/option_lines.h"
#include "sched/client/submission.h"
#include "sched/client/text_file.h"

#define REQUEST_FILE "sge_request"

char *submission_keep(struct submission *submission, char *text)
{
	char **texts = text ? reallocarray(submission->kept.texts, submission->kept.n + 1, sizeof(*texts)) : NULL;

	if (!texts) {
		free(text);
		return NULL;
	}
	submission->kept.texts = texts;
	return texts[submission->kept.n++] = text;
}

static int no_memory(const struct submission *submission)
{
	return message_no_memory(submission->job.messages);
}

/*
 * Parse the options of one line. `place` is its location for messages. As with qsub, -soft ends
 * with its line. Each line begins with hard requests, and the enclosing source keeps its own state.
 */
static int line_take(struct submission *submission, const char *place, char **words, size_t n)
{
	char *argv[LINE_WORDS_MOST + 2] = { "submit" };
	struct words w = { .table = submit_options,
			   .argc = (int)n + 1,
			   .argv = argv,
			   .next = 1,
			   .keeps_order = true,
			   .place = place,
			   .messages = submission->job.messages };
	const char *verb = submission->job.verb;
	bool soft = submission->job.soft;
	int code;

	memcpy(argv + 1, words, n * sizeof(*words));
	submission->job.verb = place;
	submission->job.soft = false;
	code = options_read(&w, submission);
	submission->job.verb = verb;
	submission->job.soft = soft;
	if (!code && w.next < w.argc)
		return message_add(submission->job.messages, EXIT_USAGE, place,
				   "\"%.100s\" is not an option; the command line has the command to run",
				   argv[w.next]);
	return code;
}

/* Parse the lines of `text`, which is modified and must stay valid. */
static int lines_take(struct submission *submission, const char *name, char *text, size_t bytes, const char *prefix)
{
	struct option_lines lines = { .text = text, .bytes = bytes, .prefix = prefix };
	char *words[LINE_WORDS_MOST + 1], place[PATH_MAX + 16];
	struct error error = { "" };
	int code = EXIT_OK;
	ssize_t n = 1;

	while (!code && (n = option_lines_next(&lines, words, &error)) > 0) {
		snprintf(place, sizeof(place), "%s:%u", name, lines.number);
		code = line_take(submission, place, words, (size_t)n);
	}
	return !code && n < 0 ? message_add(submission->job.messages, EXIT_USAGE, NULL, "%s:%u: %s", name, lines.number,
					    error.text)
			      : code;
}

int submission_take_script(struct submission *submission)
{
	enum option_source before = submission->source;
	char *text;
	int code;

	if (!*submission->directive)
		return EXIT_OK;
	text = malloc(submission->script_bytes + 1);
	if (text)
		memcpy(text, submission->script, submission->script_bytes + 1);
	text = submission_keep(submission, text);
	if (!text)
		return no_memory(submission);
	job_begin_source(&submission->job);
	submission->source = SOURCE_SCRIPT;
	code = lines_take(submission, submission->script_name, text, submission->script_bytes, submission->directive);
	submission->source = before;
	return code;
}

/* Files */

static int descriptor_take(struct submission *submission, const char *name, int fd, const struct stat *st)
{
	enum option_source before = submission->source;
	size_t bytes;
	char *text;
	int rc = text_file_read(fd, &text, &bytes), code;

	if (rc == -EFBIG)
		return message_add(submission->job.messages, EXIT_USAGE, NULL,
				   "%s: a file of options has at most %u bytes", name, TEXT_FILE_BYTES);
	if (rc)
		return message_add(submission->job.messages, EXIT_USAGE, NULL, "%s: %s", name, strerror(-rc));
	if (!submission_keep(submission, text))
		return no_memory(submission);
	submission->open[submission->nopen].device = st->st_dev;
	submission->open[submission->nopen++].inode = st->st_ino;
	submission->source = before == SOURCE_SCRIPT ? before : SOURCE_FILE;
	code = lines_take(submission, name, text, bytes, NULL);
	submission->source = before;
	submission->nopen--;
	return code;
}

static bool is_open(const struct submission *submission, const struct stat *st)
{
	for (size_t k = 0; k < submission->nopen; k++)
		if (submission->open[k].device == st->st_dev && submission->open[k].inode == st->st_ino)
			return true;
	return false;
}

int submission_take_file(void *submission, struct words *words)
{
	struct submission *s = submission;
	const struct job *job = &s->job;
	int fd = open(words->value, O_RDONLY | O_CLOEXEC | O_NOCTTY), code;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		code = job_wrong(job, "-@", words->value, strerror(errno));
	else if (is_open(s, &st))
		code = job_wrong(job, "-@", words->value, "this file names itself, or one that names it");
	else if (s->nopen == FILES_DEEP)
		code = job_wrong(job, "-@", words->value, "files of options are nested deeper than 8");
	else if (++s->nfiles > FILES_MOST)
		code = job_wrong(job, "-@", words->value, "more than 1000 files of options");
	else
		code = descriptor_take(s, words->value, fd, &st);
	if (fd >= 0)
		close(fd);
	return code;
}

/* Default options */

/*
 * Return why a file of default options is not trusted, or NULL. The author of such a file controls
 * the jobs of all users who submit in its directory.
 */
static const char *stranger(const struct stat *st, uid_t also)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_uid != 0 && st->st_uid != geteuid() && st->st_uid != also)
		return "it belongs to another user";
	return st->st_mode & S_IWOTH ? "any user may write it" : NULL;
}

/* Read a file of default options. `also` is a trusted owner besides root and the caller. */
static int default_take(struct submission *submission, const char *directory, const char *file, uid_t also,
			struct stat *st)
{
	char path[PATH_MAX];
	const char *fault;
	int fd, code = EXIT_OK;

	if (snprintf(path, sizeof(path), "%s/%s", directory, file) >= (int)sizeof(path))
		return EXIT_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return EXIT_OK;
	fault = fd < 0 || fstat(fd, st) ? strerror(errno) : stranger(st, also);
	if (!fault) {
		job_begin_source(&submission->job);
		code = descriptor_take(submission, path, fd, st);
	} else if (!submission->again) {
		message_add(submission->job.messages, EXIT_OK, "submit", "%s is left out: %s", path, fault);
	}
	if (fd >= 0)
		close(fd);
	return code;
}

int submission_take_defaults(struct submission *submission)
{
	struct stat of_cell = { .st_uid = 0 }, of_home = { .st_ino = 0 }, here;
	const char *home = getenv("HOME");
	int code = EXIT_OK;

	if (submission->cell && stat(submission->cell, &of_cell) == 0)
		code = default_take(submission, submission->cell, REQUEST_FILE, of_cell.st_uid, &here);
	if (!code && home && *home)
		code = default_take(submission, home, "." REQUEST_FILE, geteuid(), &of_home);
	if (!code &&
	    !(stat("." REQUEST_FILE, &here) == 0 && here.st_ino == of_home.st_ino && here.st_dev == of_home.st_dev))
		code = default_take(submission, ".", "." REQUEST_FILE, geteuid(), &here);
	return code;
}
