/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace is looked through first: what is wrong with it is said before hours are spent, and it
 * is known how much there is to do.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/cli/replay.h"

static int spool_copy(int to)
{
	char buffer[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno == EINTR && !replay_stopped())
			continue;
		if (n < 0)
			return -errno;
		for (ssize_t at = 0, wrote; at < n; at += wrote)
			if ((wrote = write(to, buffer + at, (size_t)(n - at))) < 0)
				return -errno;
	}
	return 0;
}

/* Standard input can be read once, and each policy reads the trace. */
static int spool(struct replay_trace *t)
{
	const char *folder = getenv("TMPDIR");
	int rc;

	t->spool = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (t->spool < 0)
		t->spool = memfd_create("trace", MFD_CLOEXEC);
	rc = t->spool < 0 ? -errno : spool_copy(t->spool);
	if (!rc && asprintf(&t->path, "/proc/self/fd/%d", t->spool) < 0)
		rc = -ENOMEM;
	return rc ? cli_fail(EXIT_NO_DATA, "replay: keeping standard input: %s", strerror(-rc)) : EXIT_OK;
}

static int fail(struct replay_trace *t, int rc)
{
	size_t own = t->spool >= 0 ? strlen(t->path) : 0;
	bool ours = own > 0 && !strncmp(t->error.text, t->path, own);

	return cli_fail(rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "%s%s", ours ? "standard input" : "", t->error.text + (ours ? own : 0));
}

static int look_through(struct replay_trace *t, const struct trace_options *options)
{
	struct trace_job job;
	int rc = trace_open(&t->trace, t->path, options, &t->error);

	while (rc == 0 && !replay_stopped())
		rc = trace_next(t->trace, &job, &t->error);
	if (rc < 0)
		return fail(t, rc);
	t->about = trace_about(t->trace);
	return rc == 0 ? cli_fail(EXIT_NO_DATA, "stopped while the trace was looked through: nothing was replayed") : EXIT_OK;
}

int replay_trace_open(struct replay_trace *t, const struct replay_query *q)
{
	bool standard = !strcmp(q->path, "-");
	const char *slash = strrchr(q->path, '/');
	int code = EXIT_OK;

	*t = (struct replay_trace){ .name = standard ? "standard input" : slash ? slash + 1 : q->path, .spool = -1 };
	if (standard) {
		code = spool(t);
	} else {
		t->path = strdup(q->path);
		if (!t->path)
			code = cli_fail(EXIT_NO_DATA, "no memory");
	}
	return code ? code : look_through(t, &q->trace);
}

void replay_trace_close(struct replay_trace *t)
{
	trace_close(t->trace);
	if (t->spool >= 0)
		close(t->spool);
	free(t->path);
}
