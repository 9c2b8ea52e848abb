/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of users to the local cell: lines to its socket, with its store on a memory disk and
 * runs between them. A line is a request. "user " before it sends it as another user than the
 * scheduler's. "run" makes a run, and "restart" starts a new scheduler with the state of the
 * previous one. "begun ..." and "exit ..." write these files for all started tasks in place of
 * their shepherds, because no shepherd can be started.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/qmaster/members/execution.h"
#include "sched/qmaster/members/reply_reason.h"
#include "sched/qmaster/local/local.h"
#include "sched/qmaster/local/path.h"
#include "tests/fuzz/support.h"

#define RUNS 8
#define SOMEBODY 65534		/* nobody */

static char cell[256], state[256], active[256];
static uid_t asks;		/* the client that connects */

struct request_fuzz {
	struct fuzz_sched f;
	struct qmaster *local;
};

/* Replaces the function of the C library, so that no command of an input is executed. */
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
		const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	(void)pid, (void)path, (void)files, (void)attributes, (void)arguments, (void)environment;
	return EAGAIN;
}

/* Replaces the function of the C library: the input names the peer's user. */
int getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	if (level != SOL_SOCKET || name != SO_PEERCRED)
		return (int)syscall(SYS_getsockopt, fd, level, name, value, size);
	*(struct ucred *)value = (struct ucred){ .pid = getpid(), .uid = asks, .gid = asks };
	return 0;
}

static void start(struct request_fuzz *fuzz)
{
	const struct local_options options = { .state = state, .shepherd = "/bin/true", .lever = LEVER_NONE };
	struct qmaster_setup setup = { .intake = &fuzz->f.intake, .options = &options };
	struct error error = { "" };

	*fuzz = (struct request_fuzz){ .local = NULL };
	MUST(fuzz_sched_open(&fuzz->f, cell));
	setup.sched = fuzz->f.sched;
	if (local_open(&fuzz->local, &setup, &error))
		fprintf(stderr, "%s\n", error.text);
	MUST(fuzz->local);
	MUST(fuzz->local->methods->begin(fuzz->local, false, &error) == 0);
}

static void stop(struct request_fuzz *fuzz)
{
	fuzz->local->methods->close(fuzz->local);
	fuzz_sched_close(&fuzz->f);
}

static void run(struct request_fuzz *fuzz)
{
	fuzz_sched_run(&fuzz->f);
	fuzz->local->methods->ran(fuzz->local, fuzz->f.now, true);
	fuzz->local->methods->settle(fuzz->local);
}

/* Check the answer that the client gets: results, each with a code, a text and a reason. */
static bool answer_is_good(const char *text, size_t size)
{
	json_t *answer = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL),
	       *results = json_object_get(answer, "results"), *result;
	bool good = false;
	size_t i;

	MUST(json_array_size(results) > 0);
	json_array_foreach(results, i, result) {
		MUST(json_is_integer(json_object_get(result, "code")) &&
		     json_is_string(json_object_get(result, "text")) &&
		     reply_reason_find(json_string_value(json_object_get(result, "reason"))) != REPLY_OTHER);
		good |= json_integer_value(json_object_get(result, "code")) == 0;
	}
	json_decref(answer);
	return good;
}

static bool answer_read(struct request_fuzz *fuzz, int fd)
{
	size_t used = 0, room = 1 << 16;
	char *text = malloc(room), *end = NULL;
	bool good;
	ssize_t n;

	while (!end) {
		fuzz->local->methods->handle(fuzz->local, NULL);
		fuzz->local->methods->settle(fuzz->local);
		MUST(text != NULL);
		n = recv(fd, text + used, room - used, MSG_DONTWAIT);
		MUST(n > 0 || (n < 0 && errno == EAGAIN));
		used += n > 0 ? (size_t)n : 0;
		end = memchr(text, '\n', used);
		if (used == room)
			text = realloc(text, room *= 2);
	}
	good = answer_is_good(text, (size_t)(end - text));
	free(text);
	return good;
}

static int client_connect(bool somebody)
{
	struct sockaddr_un at;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	MUST(fd >= 0 && path_socket(&at, cell) == 0);
	asks = somebody ? SOMEBODY : geteuid();
	MUST(connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0);
	return fd;
}

static void ask(struct request_fuzz *fuzz, const char *line, size_t length, bool somebody)
{
	int fd = client_connect(somebody);
	ssize_t n;

	while (length > 0) {
		n = send(fd, line, length, MSG_DONTWAIT | MSG_NOSIGNAL);
		MUST(n > 0 || errno == EAGAIN);
		line += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
		fuzz->local->methods->handle(fuzz->local, NULL);
	}
	send(fd, "\n", 1, MSG_NOSIGNAL);
	fuzz_taken(answer_read(fuzz, fd));
	close(fd);
	fuzz->local->methods->handle(fuzz->local, NULL);
	fuzz->local->methods->settle(fuzz->local);
}

static void record_put(const char *name, const char *text, size_t length)
{
	DIR *dir = opendir(active);

	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		char path[600];

		snprintf(path, sizeof(path), "state/active_jobs/%s/%s", entry->d_name, name);
		if (entry->d_name[0] != '.')
			scratch_put(path, text, length);
	}
	if (dir)
		closedir(dir);
}

static void line_take(struct request_fuzz *fuzz, const struct piece *line, unsigned *runs)
{
	if (piece_is(line, "run")) {
		if ((*runs)++ < RUNS)
			run(fuzz);
	} else if (piece_is(line, "restart")) {
		if ((*runs)++ < RUNS) {
			stop(fuzz);
			start(fuzz);
		}
	} else if (piece_is(line, "begun ") || piece_is(line, "begun")) {
		record_put("begun", line->text + 5 + (line->length > 5), line->length - 5 - (line->length > 5));
	} else if (piece_is(line, "exit")) {
		record_put("exit", line->text + 4 + (line->length > 4), line->length - 4 - (line->length > 4));
	} else if (piece_is(line, "user")) {
		ask(fuzz, line->text + 4, line->length - 4, true);
	} else if (line->length > 0) {
		ask(fuzz, line->text, line->length, false);
	}
}

#ifdef BROKEN			/* the command is not executed */
int __wrap_execution_check(const struct execution *execution, struct error *error);

int __wrap_execution_check(const struct execution *execution, struct error *error)
{
	(void)execution, (void)error;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, line;
	struct request_fuzz fuzz;
	unsigned runs = 0;

	if (!*cell) {
		scratch_copy("conf/local", "cell");
		scratch_path(cell, "cell");
		scratch_path(state, "state");
		scratch_path(active, "state/active_jobs");
	}
	start(&fuzz);
	for (; piece_line(&rest, &line); piece_free(&line))
		line_take(&fuzz, &line, &runs);
	run(&fuzz);
	fuzz_print(cell);
	stop(&fuzz);
	scratch_remove("state");
	return 0;
}
