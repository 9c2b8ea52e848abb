/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/cell/command.h"

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

#include "conf/base/utf8.h"
#include "sched/cli/cli.h"

#define SAID_MOST (256u << 20)

extern char **environ;

/* Output in unnamed files. The command never blocks, and no reader must keep up with it. */
struct streams {
	int output, error, file;
};

static void streams_close(const struct streams *streams)
{
	if (streams->output >= 0)
		close(streams->output);
	if (streams->error >= 0)
		close(streams->error);
	if (streams->file >= 0)
		close(streams->file);
}

/* Create a file with a number above those that the command uses. */
static int stream_make(void)
{
	int fd = memfd_create("fairlead-import", MFD_CLOEXEC), high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 16);

	if (fd >= 0)
		close(fd);
	return high;
}

static int command_spawn(const struct command *command, const struct streams *streams, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return -rc;
	rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, streams->output, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&actions, streams->error, STDERR_FILENO);
	if (!rc && command->file_fd)
		rc = posix_spawn_file_actions_adddup2(&actions, streams->file, command->file_fd);
	if (!rc)
		rc = posix_spawnp(pid, command->argv[0], &actions, NULL, (char *const *)(uintptr_t)command->argv,
				  environ);
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

static void complaint_take(struct command *command, const char *error)
{
	const char *from = error + strspn(error, "\n \t");

	from = *from ? from : command->output + strspn(command->output, "\n \t");
	snprintf(command->complaint, sizeof(command->complaint), "%.*s", (int)strcspn(from, "\n"), from);
	utf8_clean(command->complaint);
}

static int said_take(struct command *command, const struct streams *streams)
{
	char *error = NULL;
	size_t bytes = 0;
	int rc = stream_read(streams->output, &command->output, &command->output_bytes);

	if (!rc && command->file_fd)
		rc = stream_read(streams->file, &command->file, &command->file_bytes);
	if (!rc)
		rc = stream_read(streams->error, &error, &bytes);
	if (!rc)
		complaint_take(command, error);
	free(error);
	return rc;
}

int command_run(struct command *command)
{
	struct streams streams = { stream_make(), stream_make(), command->file_fd ? stream_make() : -1 };
	int rc = streams.output < 0 || streams.error < 0 || (command->file_fd && streams.file < 0) ? -EMFILE : 0,
	    status = 0;
	pid_t pid;

	command->complaint[0] = '\0';
	if (!rc)
		rc = command_spawn(command, &streams, &pid);
	if (!rc) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		command->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		rc = said_take(command, &streams);
	}
	streams_close(&streams);
	return rc;
}

const char *command_name(const struct command *command, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t k = 0; k < COMMAND_WORDS && command->argv[k] && n < size; k++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", k ? " " : "", command->argv[k]);
	return text;
}

int command_failed(const struct command *command, int rc)
{
	char name[400];

	command_name(command, name, sizeof(name));
	errno = -rc;
	if (rc == -ENOENT)
		return cli_fail(EXIT_NO_DATA, "import: %s: there is no such command%s", command->argv[0],
				strchr(command->argv[0], '/') ? "" : " in PATH");
	if (rc == -EFBIG)
		return cli_fail(EXIT_NO_DATA, "import: %s: it prints more than %u MiB", name, SAID_MOST >> 20);
	if (rc)
		return cli_fail(rc == -EACCES || rc == -EPERM ? EXIT_PERMISSION : EXIT_NO_DATA, "import: %s: %m", name);
	return cli_fail(EXIT_NO_DATA, "import: %s: exit status %d%s%s", name, command->status,
			*command->complaint ? ": " : "", command->complaint);
}

void command_free(struct command *command)
{
	free(command->output);
	free(command->file);
	command->output = command->file = NULL;
}
