/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading of the trace before the replay. Errors are reported before hours are spent, and the
 * amount of work is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/cli/replay/replay.h"

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

/* Copy standard input to a file, because each policy reads the trace. */
static int spool(struct replay_trace *trace)
{
	const char *folder = getenv("TMPDIR");
	int rc;

	trace->spool = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (trace->spool < 0)
		trace->spool = memfd_create("trace", MFD_CLOEXEC);
	rc = trace->spool < 0 ? -errno : spool_copy(trace->spool);
	if (!rc && asprintf(&trace->path, "/proc/self/fd/%d", trace->spool) < 0)
		rc = -ENOMEM;
	return rc ? cli_fail(EXIT_NO_DATA, "replay: keeping standard input: %s", strerror(-rc)) : EXIT_OK;
}

static int fail(struct replay_trace *trace, int rc)
{
	size_t own = trace->spool >= 0 ? strlen(trace->path) : 0;
	bool ours = own > 0 && !strncmp(trace->error.text, trace->path, own);

	return cli_fail(rc == -EACCES ? EXIT_PERMISSION : EXIT_NO_DATA, "%s%s", ours ? "standard input" : "",
			trace->error.text + (ours ? own : 0));
}

static int look_through(struct replay_trace *trace, const struct trace_options *options)
{
	struct trace_job job;
	int rc = trace_open(&trace->trace, trace->path, options, &trace->error);

	while (rc == 0 && !replay_stopped())
		rc = trace_next(trace->trace, &job, &trace->error);
	if (rc < 0)
		return fail(trace, rc);
	trace->about = trace_about(trace->trace);
	return rc == 0 ? cli_fail(EXIT_NO_DATA, "stopped while the trace was read: nothing was replayed")
		       : EXIT_OK;
}

int replay_trace_open(struct replay_trace *trace, const struct replay_query *query)
{
	bool standard = !strcmp(query->path, "-");
	const char *slash = strrchr(query->path, '/');
	int code = EXIT_OK;

	*trace = (struct replay_trace){ .name = standard ? "standard input"
						: slash	 ? slash + 1
							 : query->path,
					.spool = -1 };
	if (standard) {
		code = spool(trace);
	} else {
		trace->path = strdup(query->path);
		if (!trace->path)
			code = cli_fail(EXIT_NO_DATA, "no memory");
	}
	return code ? code : look_through(trace, &query->trace);
}

void replay_trace_close(struct replay_trace *trace)
{
	trace_close(trace->trace);
	if (trace->spool >= 0)
		close(trace->spool);
	free(trace->path);
}
