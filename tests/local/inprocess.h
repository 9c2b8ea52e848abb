/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A local cell in this process, so that a test can order things that no policy would: conf/local in
 * a directory of its own, with real processes as jobs. Include after cmocka.h and its headers.
 */
#ifndef TESTS_LOCAL_INPROCESS_H
#define TESTS_LOCAL_INPROCESS_H

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/qmaster/local/inside.h"
#include "sched/qmaster/local/path.h"

#define HELPER static __attribute__((unused))
#define PATIENCE_S 120	/* until a test gives up: no expectation of speed */

struct inprocess {
	char top[64], cell[80], state[80], shepherd[4096];
	struct sched *sched;
	struct intake intake;
	struct qmaster *q;
	int64_t now;
};

static struct inprocess in;

HELPER struct local *local(void)
{
	return (struct local *)in.q;
}

HELPER void cell_open(void)
{
	const struct local_options options = { .state = in.state, .shepherd = in.shepherd, .lever = LEVER_NONE };
	const struct segment_options segment = { .file_bytes = 128u << 20, .group = -1 };
	struct report report = { 0 };
	struct error error = { "" };
	struct qmaster_setup setup = { .intake = &in.intake, .options = &options };

	if (sched_create(&in.sched, in.cell, &segment, &report, &error))
		fail_msg("%s", error.text);
	report_free(&report);
	in.intake = (struct intake){ .mirror = sched_mirror(in.sched), .orders = sched_orders(in.sched) };
	setup.sched = in.sched;
	if (local_open(&in.q, &setup, &error) || in.q->methods->begin(in.q, false, &error))
		fail_msg("%s", error.text);
}

HELPER void cell_close(void)
{
	in.q->methods->close(in.q);
	sched_destroy(in.sched);
	in.q = NULL;
}

/*
 * Restart the cell. A killed scheduler leaves the same state, because it writes no closing record.
 */
HELPER void cell_restart(void)
{
	cell_close();
	cell_open();
}

HELPER int cell_make(void **state)
{
	const char *b = getenv("B") ? getenv("B") : "build";
	char command[400], shm[80], *real = realpath(b, NULL);

	(void)state;
	in = (struct inprocess){ .now = (int64_t)time(NULL) };
	strcpy(in.top, "/tmp/fairlead-inprocess-XXXXXX");
	if (!mkdtemp(in.top) || chmod(in.top, 0755))
		return -1;
	snprintf(in.cell, sizeof(in.cell), "%s/cell", in.top);
	snprintf(in.state, sizeof(in.state), "%s/state", in.top);
	snprintf(in.shepherd, sizeof(in.shepherd), "%s/fairlead-shepherd", real ? real : b);
	free(real);
	snprintf(command, sizeof(command), "cp -r conf/local %s && mkdir %s/shm", in.cell, in.top);
	if (access(in.shepherd, X_OK) || system(command))
		return -1;
	snprintf(shm, sizeof(shm), "%s/shm", in.top);
	setenv("FAIRLEAD_SHM", shm, 1);
	prctl(PR_SET_CHILD_SUBREAPER, 1);	/* descendants of a killed shepherd become our children */
	cell_open();
	return 0;
}

/* Kill the shepherds, which are our children, and their descendants, which become our children. */
HELPER void processes_end(void)
{
	pid_t pid = 0;

	while (pid >= 0) {
		char path[64], text[32];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
		f = fopen(path, "r");
		while (f && fscanf(f, "%31s", text) == 1)
			kill((pid_t)atoi(text), SIGKILL);
		if (f)
			fclose(f);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		usleep(1000);
	}
}

HELPER int cell_destroy(void **state)
{
	char command[100];

	(void)state;
	if (in.q)
		cell_close();
	processes_end();
	snprintf(command, sizeof(command), "rm -rf %s", in.top);
	return system(command) < 0;
}

/* Make a turn of the process's loop. */
HELPER void turn(void)
{
	struct pollfd fds[QMASTER_FDS] = { { .fd = -1 }, { .fd = -1 }, { .fd = -1 }, { .fd = -1 } };

	in.q->methods->watch(in.q, fds);
	poll(fds, QMASTER_FDS, 10);
	in.q->methods->handle(in.q, fds);
	in.q->methods->settle(in.q);
}

HELPER void run(void)
{
	struct error error = { "" };

	if (sched_run(in.sched, ++in.now, in.q->methods->settled(in.q), &error))
		fail_msg("%s", error.text);
	in.q->methods->ran(in.q, in.now, true);
	in.q->methods->settle(in.q);
}

#define TURN_UNTIL(condition) do {					\
	time_t until_ = time(NULL) + PATIENCE_S;			\
									\
	while (!(condition) && time(NULL) < until_)			\
		turn();							\
	if (!(condition))						\
		fail_msg("not in time: %s", #condition);		\
} while (0)

/* Return the first result of a request. The caller frees it. */
HELPER json_t *ask(json_t *request)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *line = json_dumps(request, JSON_COMPACT), text[65536] = "";
	struct sockaddr_un at;
	json_t *answer, *result;
	size_t used = 0;
	ssize_t n;

	assert_int_equal(path_socket(&at, in.cell), 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(send(fd, line, strlen(line), 0), strlen(line));
	assert_int_equal(send(fd, "\n", 1, 0), 1);
	while (!strchr(text, '\n')) {
		turn();
		n = recv(fd, text + used, sizeof(text) - 1 - used, MSG_DONTWAIT);
		used += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	answer = json_loads(text, 0, NULL);
	result = json_incref(json_array_get(json_object_get(answer, "results"), 0));
	json_decref(answer);
	json_decref(request);
	free(line);
	return result;
}

/* Submit a shell's command line as a job with these members of job_add. Return its number. */
HELPER uint32_t submit(const char *line, const char *members)
{
	json_t *job = json_loads(members, 0, NULL), *result;
	char out[100];
	uint32_t number;

	snprintf(out, sizeof(out), "%s/$JOB_ID.out", in.top);
	result = ask(json_pack("{s:s,s:o,s:{s:[sss],s:s,s:s,s:s}}", "request", "submit", "job", job, "execution",
			       "command", "/bin/sh", "-c", line, "cwd", in.top, "stdout_path", out, "stderr_path",
			       "/dev/null"));
	number = (uint32_t)json_integer_value(json_object_get(result, "job_number"));
	if (!number)
		fail_msg("%s", json_string_value(json_object_get(result, "text")));
	json_decref(result);
	return number;
}

/* Return the output so far. */
HELPER const char *printed(uint32_t number)
{
	static char text[4096];
	char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u.out", in.top, number);
	text[0] = '\0';
	f = fopen(path, "r");
	if (f) {
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

#endif
