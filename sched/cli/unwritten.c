/* SPDX-License-Identifier: Apache-2.0 */
/* Output that could not be written. A pipe that no process reads any more is not reported. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sched/cli/cli.h"

/*
 * Return whether standard output is a pipe or socket without a reader. errno of an earlier write
 * may be lost, so the kernel is asked.
 */
static bool has_no_reader(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO };

	return poll(&output, 1, 0) > 0 && output.revents & POLLERR;
}

int cli_add_unwritten(struct messages *messages, int error)
{
	if (error != EPIPE && !has_no_reader())
		return message_add(messages, EXIT_NO_DATA, NULL, "writing the output: %s", strerror(error));
	message_add(messages, EXIT_OK, NULL, "no process reads the output");
	return message_reason(messages, REASON_NO_READER, "");
}

int cli_unwritten(int error)
{
	struct messages messages = { .items = NULL };
	int code = cli_add_unwritten(&messages, error);

	cli_print(&messages);
	return code;
}

void cli_end_by_signal(void)
{
	sigset_t one;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(SIGPIPE);
}
