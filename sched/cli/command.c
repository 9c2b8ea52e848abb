/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/utf8.h"
#include "sched/cli/cli.h"

#define SAID_MOST (256u << 20)

extern char **environ;

/* Files without a name: whatever it says there is nobody who has to read in time. */
struct streams {
	int output, error, file;
};

static void streams_close(const struct streams *s)
{
	if (s->output >= 0)
		close(s->output);
	if (s->error >= 0)
		close(s->error);
	if (s->file >= 0)
		close(s->file);
}

/* Away from the numbers that the command is to have them under. */
static int stream_make(void)
{
	int fd = memfd_create("fairlead-import", MFD_CLOEXEC), high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 16);

	if (fd >= 0)
		close(fd);
	return high;
}

static int command_spawn(const struct command *c, const struct streams *s, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, s->output, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, s->error, STDERR_FILENO);
	if (!rc && c->file_fd)
		rc = posix_spawn_file_actions_adddup2(&actions, s->file, c->file_fd);
	if (!rc)
		rc = posix_spawnp(pid, c->argv[0], &actions, NULL, (char *const *)(uintptr_t)c->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

static int stream_read(int fd, char **text, size_t *bytes)
{
	struct stat st;
	size_t size, got = 0;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > SAID_MOST)
		return -EFBIG;
	size = (size_t)st.st_size;
	*text = malloc(size + 1);
	if (!*text)
		return -ENOMEM;
	while (got < size && n > 0) {
		n = pread(fd, *text + got, size - got, (off_t)got);
		got += n > 0 ? (size_t)n : 0;
	}
	(*text)[got] = '\0';
	*bytes = got;
	return n < 0 ? -errno : 0;
}

static void complaint_take(struct command *c, const char *error)
{
	const char *from = error + strspn(error, "\n \t");

	from = *from ? from : c->output + strspn(c->output, "\n \t");
	snprintf(c->complaint, sizeof(c->complaint), "%.*s", (int)strcspn(from, "\n"), from);
	utf8_clean(c->complaint);
}

static int said_take(struct command *c, const struct streams *s)
{
	char *error = NULL;
	size_t bytes = 0;
	int rc = stream_read(s->output, &c->output, &c->output_bytes);

	if (!rc && c->file_fd)
		rc = stream_read(s->file, &c->file, &c->file_bytes);
	if (!rc)
		rc = stream_read(s->error, &error, &bytes);
	if (!rc)
		complaint_take(c, error);
	free(error);
	return rc;
}

int command_run(struct command *c)
{
	struct streams s = { stream_make(), stream_make(), c->file_fd ? stream_make() : -1 };
	int rc = s.output < 0 || s.error < 0 || (c->file_fd && s.file < 0) ? -EMFILE : 0, status = 0;
	pid_t pid;

	c->complaint[0] = '\0';
	if (!rc)
		rc = command_spawn(c, &s, &pid);
	if (!rc) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		rc = said_take(c, &s);
	}
	streams_close(&s);
	return rc;
}

const char *command_name(const struct command *c, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t k = 0; k < COMMAND_WORDS && c->argv[k] && n < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", k ? " " : "", c->argv[k]);
	return text;
}

int command_failed(const struct command *c, int rc)
{
	char name[400];

	command_name(c, name, sizeof(name));
	errno = -rc;
	if (rc == -ENOENT)
		return cli_fail(EXIT_NO_DATA, "import: %s: there is no such command%s", c->argv[0],
				strchr(c->argv[0], '/') ? "" : " in PATH");
	if (rc == -EFBIG)
		return cli_fail(EXIT_NO_DATA, "import: %s: it prints more than %u MiB", name, SAID_MOST >> 20);
	if (rc)
		return cli_fail(rc == -EACCES || rc == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "import: %s: %m", name);
	return cli_fail(EXIT_NO_DATA, "import: %s: exit status %d%s%s", name, c->status, *c->complaint ? ": " : "", c->complaint);
}

void command_free(struct command *c)
{
	free(c->output);
	free(c->file);
	c->output = c->file = NULL;
}
