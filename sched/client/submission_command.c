/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distinction between a script and a command for the first operand, as with qsub. A file that can
 * be read here is a script, unless it is a program. A word that is not a file may be a command in
 * PATH. -b overrides this decision.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/client/job_inside.h"
#include "sched/client/submission.h"
#include "sched/client/text_file.h"

#define FILE_BYTES 4096
/* PATH of jobs without a PATH of their own */
#define PATH_OF_JOBS "/usr/local/bin:/usr/bin:/bin"

static int wrong(const struct submission *submission, const char *word, const char *due)
{
	return message_add(submission->job.messages, EXIT_USAGE, "submit", "%.200s: %s", word, due);
}

/* Reading a script */

/* Report option lines for another system, once. They are comments here. */
static void foreign_lines_note(const struct submission *submission)
{
	static const struct {
		const char *prefix, *system;
	} foreign[] = { { "#SBATCH", "Slurm" }, { "#PBS", "PBS" }, { "#BSUB", "LSF" } };

	for (size_t k = 0; k < sizeof(foreign) / sizeof(*foreign); k++) {
		size_t n = strlen(foreign[k].prefix);

		for (const char *line = submission->script; line && *line;
		     line = strchr(line, '\n'), line += line != NULL)
			if (strncmp(line, foreign[k].prefix, n) == 0 && strchr(" \t", line[n]) &&
			    !(submission->prefix && strcmp(submission->prefix, foreign[k].prefix) == 0)) {
				message_add(
					submission->job.messages, EXIT_OK, "submit",
					"%s: its lines that begin with %s are options for %s and have no "
					"effect; lines of options begin with %s here",
					submission->script_name, foreign[k].prefix, foreign[k].system,
					submission->prefix && *submission->prefix ? submission->prefix : "#$");
				break;
			}
	}
}

static int script_check(const struct submission *submission)
{
	unsigned line;
	int rc = text_file_check(submission->script, submission->script_bytes, &line);

	if (rc == -ENOEXEC)
		return wrong(submission, submission->script_name, "this is a program and not a script: -b y runs it");
	if (rc == -EILSEQ)
		return message_add(
			submission->job.messages, EXIT_USAGE, "submit",
			"%s:%u: this line is not UTF-8, as a script must be: convert it with iconv -t "
			"UTF-8; or -b y runs "
			"the file without a copy",
			submission->script_name, line);
	if (submission->script_bytes == 0)
		return wrong(submission, submission->script_name, "the script is empty");
	if (memchr(submission->script, '\n', submission->script_bytes) &&
	    *((char *)memchr(submission->script, '\n', submission->script_bytes) - 1) == '\r')
		message_add(
			submission->job.messages, EXIT_OK, "submit",
			"%s: its lines end with carriage returns, as on Windows, which shells treat as "
			"part of the command",
			submission->script_name);
	foreign_lines_note(submission);
	return EXIT_OK;
}

static int script_read(struct submission *submission, int fd)
{
	int rc = text_file_read(fd, &submission->script, &submission->script_bytes);

	if (rc == -EFBIG)
		return message_add(
			submission->job.messages, EXIT_USAGE, "submit",
			"%s: a script has at most %u bytes, as it is stored with the job: -b y runs a "
			"file without a copy",
			submission->script_name, TEXT_FILE_BYTES);
	return rc ? wrong(submission, submission->script_name, strerror(-rc)) : EXIT_OK;
}

static int standard_input_take(struct submission *submission)
{
	int code;

	if (!*submission->command && isatty(STDIN_FILENO))
		return message_add(submission->job.messages, EXIT_USAGE, "submit",
				"name a script or a command; \"-\" reads a script from this terminal");
	submission->script_name = "STDIN";
	code = script_read(submission, STDIN_FILENO);
	if (!code && submission->script_bytes == 0)
		return message_add(submission->job.messages, EXIT_USAGE, "submit",
				"name a script or a command; standard input is empty");
	return code ? code : script_check(submission);
}

/* Files and commands */

static bool is_executable_in(const char *name, const char *path, char file[FILE_BYTES])
{
	for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
		struct stat st;

		n = strcspn(path, ":");
		if (snprintf(file, FILE_BYTES, "%.*s%s%s", (int)n, path, n ? "/" : "./", name) < FILE_BYTES &&
		    access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return true;
	}
	return false;
}

/* Return the PATH that the options set for the job, otherwise the current one. */
static const char *search_path(const struct submission *submission)
{
	const char *said = job_variable(&submission->job, "PATH");

	return said ? said : getenv("PATH");
}

/*
 * Find a command without a slash, which the job will search in its own PATH. If only the current
 * PATH leads to it, the path found here is submitted.
 */
static bool is_found(struct submission *submission, const char *word)
{
	bool here = !job_variable(&submission->job, "PATH") && !submission->job.all_variables;
	char file[FILE_BYTES], *kept;

	if (!is_executable_in(word, search_path(submission), file))
		return false;
	if (here && *file == '/' && !is_executable_in(word, PATH_OF_JOBS, (char[FILE_BYTES]){ 0 }) &&
	    (kept = submission_keep(submission, strdup(file))) != NULL)
		*submission->command = kept;
	return true;
}

/*
 * Check an operand that is not a readable file. It is a command, unless it is certainly a mistake.
 * A path relative to the directory of -wd, or a word after "--", is assumed to exist when the job
 * runs.
 */
static int command_check(struct submission *submission, const char *word, int rc)
{
	bool whole = strchr(word, '/') != NULL;

	if (rc == -ESPIPE)
		return wrong(submission, word, "this is not a regular file; a script can be read from standard input");
	if (submission->dashes ||
	    (whole && *word != '/' && submission->job.directory && strcmp(submission->job.directory, ".")))
		return EXIT_OK;
	if (whole)
		return rc == -EACCES && access(word, X_OK) == 0 ? EXIT_OK : wrong(submission, word, strerror(-rc));
	if (is_found(submission, word))
		return EXIT_OK;
	if (rc == -EISDIR || rc == -EACCES)
		return wrong(submission, word, strerror(-rc));
	return wrong(submission, word,
		     "there is neither such a script here nor such a command in PATH; -b y submits it all the same");
}

/*
 * Check an operand that is a program, as it is not text. A name without a slash would be searched
 * in PATH and not in the current directory.
 */
static int program_check(struct submission *submission, const char *word)
{
	if (strchr(word, '/') || submission->dashes || is_found(submission, word))
		return strchr(word, '/') && access(word, X_OK)
			       ? wrong(submission, word,
				       "this is a program and not a script, and this user may not execute it")
			       : EXIT_OK;
	return wrong(submission, word,
		     "this is a program and not a script, and not a command in PATH: write its whole path to run it");
}

static int file_open(const char *word)
{
	int fd = open(word, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc = fd < 0 ? -errno : 0;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		rc = S_ISDIR(st.st_mode) ? -EISDIR : -ESPIPE;
	if (fd >= 0 && rc)
		close(fd);
	return rc ? rc : fd;
}

static int file_take(struct submission *submission, const char *word)
{
	int fd = file_open(word), code;
	char begin[256];
	ssize_t n;

	if (fd < 0)
		return submission->binary == NO ? wrong(submission, word, strerror(-fd))
						: command_check(submission, word, fd);
	/* a program may be larger than any script */
	n = submission->binary == NO ? 0 : pread(fd, begin, sizeof(begin), 0);
	if (n > 0 && memchr(begin, '\0', (size_t)n)) {
		code = program_check(submission, word);
	} else {
		submission->script_name = word;
		code = script_read(submission, fd);
		if (!code)
			code = script_check(submission);
	}
	close(fd);
	return code;
}

int submission_choose(struct submission *submission)
{
	const char *word = *submission->command;

	if (submission->binary == YES)
		return word && *word
			       ? EXIT_OK
			       : message_add(submission->job.messages, EXIT_USAGE, "submit", "-b y needs a command");
	if (!word || (!strcmp(word, "-") && !submission->dashes))
		return standard_input_take(submission);
	return *word ? file_take(submission, word)
		     : message_add(submission->job.messages, EXIT_USAGE, "submit",
				   "the command after the options is empty");
}
