/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line with a scheduler of the test on the socket of a cell. The scheduler records the
 * requests and sends the answers that the test has set.
 */
#ifndef TESTS_CLI_SUBMIT_H
#define TESTS_CLI_SUBMIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/qmaster/local/path.h"
#include "shm/place.h"

#define HELPER static __attribute__((unused))
#define SUBMITTED \
	"{\"reply\":\"done\",\"results\":[{\"job_number\":17,\"code\":0,\"text\":\"Your job 17 (\\\"x\\\") has been submitted\"}]}"

static char scratch[64];
static struct sockaddr_un address;
static int listen_fd = -1;
static uid_t server_uid;		/* user of the scheduler */
static int signal_before_answer;	/* signal that the scheduler sends to a client before it answers; 0: none */
static int code;			/* exit code of the last run */
static char out[1 << 16], err[1 << 16];
static char *requests;			/* lines */

HELPER const char *scratch_path(const char *name)
{
	static char paths[4][200];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

static const char *program(void)
{
	static char path[PATH_MAX];		/* absolute path, because tests change the directory */
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/fairlead", getenv("B") ? getenv("B") : "build");
	return *path || realpath(name, path) ? path : "";
}

/* Return the contents of a file, or "" if it does not exist. The caller frees them. */
static char *file_load(const char *name)
{
	int fd = open(scratch_path(name), O_RDONLY);
	struct stat st = { .st_size = 0 };
	char *text;

	if (fd >= 0)
		assert_int_equal(fstat(fd, &st), 0);
	text = calloc(1, (size_t)st.st_size + 1);
	assert_true(text && (fd < 0 || read(fd, text, (size_t)st.st_size) == st.st_size));
	if (fd >= 0)
		close(fd);
	return text;
}

static void client_signal(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) || kill(peer.pid, signal_before_answer))
		_exit(1);
}

/* Answer one line with one line, on any number of connections. */
static void server_serve(const char *reply)
{
	int to = open(scratch_path("requests"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666), fd;
	char bytes[4096];
	ssize_t n;

	if (server_uid != getuid() && setresuid(server_uid, server_uid, server_uid))
		_exit(1);
	while ((fd = accept(listen_fd, NULL, NULL)) >= 0) {
		while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
			if (write(to, bytes, (size_t)n) != n)
				_exit(1);
			if (signal_before_answer)
				client_signal(fd);
			if (bytes[n - 1] == '\n' && reply)
				(void)!write(fd, reply, strlen(reply)), (void)!write(fd, "\n", 1);
			if (bytes[n - 1] == '\n' && !reply)
				break;		/* the client has left without an answer */
		}
		close(fd);
	}
	_exit(0);
}

HELPER int listen_open(void **state)
{
	(void)state;
	unlink(address.sun_path);
	listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listen_fd < 0)
		return -1;
	return bind(listen_fd, (struct sockaddr *)&address, sizeof(address)) || chmod(address.sun_path, 0666) ||
	       listen(listen_fd, 16);
}

HELPER int scratch_create(void **state)
{
	if (access(program(), X_OK))
		exit(77);
	umask(022);	/* other users pass through the directory */
	strcpy(scratch, "/tmp/fairlead-test-XXXXXX");
	if (!mkdtemp(scratch) || chmod(scratch, 0755) || mkdir(scratch_path("cell"), 0755) ||
	    mkdir(scratch_path("shm"), 0755))
		return -1;
	FILE *conf = fopen(scratch_path("cell/sched_conf"), "w");

	if (!conf || fputs("# the defaults\n", conf) < 0 || fclose(conf))
		return -1;
	setenv("FAIRLEAD_SHM", scratch_path("shm"), 1);
	setenv("FAIRLEAD_CELL", scratch_path("cell"), 1);
	setenv("TZ", "UTC", 1);
	signal(SIGPIPE, SIG_IGN);
	server_uid = getuid();
	struct segment_paths paths;

	return segment_paths(&paths, scratch_path("cell")) || mkdir(paths.directory, 0755) ||
	       path_socket(&address, scratch_path("cell")) || listen_open(state);
}

HELPER int scratch_destroy(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return *scratch ? system(command) : 0;
}

static void client_run(char *const argv[])
{
	dup2(open(scratch_path("in"), O_RDONLY | O_CREAT, 0666), 0);
	dup2(open(scratch_path("out"), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
	dup2(open(scratch_path("err"), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
	execv(program(), argv);
	_exit(126);
}

/*
 * Run fairlead with these words, NULL at the end. The scheduler answers with `reply`; NULL: it
 * closes the connection.
 */
HELPER void ask(const char *reply, const char *const words[])
{
	pid_t server = fork(), client;
	char *text;
	int status;

	if (server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		server_serve(reply);
	}
	client = fork();
	if (client == 0)
		client_run((char *const *)words);
	assert_int_equal(waitpid(client, &status, 0), client);
	assert_true(WIFEXITED(status));
	code = WEXITSTATUS(status);
	kill(server, SIGKILL);
	assert_int_equal(waitpid(server, NULL, 0), server);
	text = file_load("out");
	snprintf(out, sizeof(out), "%s", text);
	free(text);
	text = file_load("err");
	snprintf(err, sizeof(err), "%s", text);
	free(text);
	free(requests);
	requests = file_load("requests");
	unlink(scratch_path("requests"));
}

#define ASK(reply, ...) ask(reply, (const char *const[]){ "fairlead", __VA_ARGS__, NULL })
#define SUBMIT(...) ASK(SUBMITTED, "submit", __VA_ARGS__, "--", "true")

/* Check that the client itself refuses the command and sends no request. */
#define ASSERT_REFUSED(text, ...)                                                                  \
	do {                                                                                       \
		ASK(SUBMITTED, __VA_ARGS__);                                                       \
		if (code != 2 || !strstr(err, text) || *requests)                                  \
			fail_msg("exit %d, no \"%s\" in: %s; sent: %s", code, text, err, requests); \
	} while (0)

/* Return the n-th request. The caller drops it. */
HELPER json_t *request(int n)
{
	json_error_t why;
	char *line = requests;
	json_t *object;

	for (; n > 0 && line; n--)
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
	object = line ? json_loads(line, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &why) : NULL;
	if (!object)
		fail_msg("exit %d, %s; no such request in: %s", code, err, requests);
	return object;
}

HELPER void assert_same(json_t *is, const char *wanted)
{
	json_t *should = json_loads(wanted, 0, NULL);

	assert_non_null(should);
	if (!json_equal(is, should))
		fail_msg("is %s\nshould be %s", json_dumps(is, JSON_SORT_KEYS), json_dumps(should, JSON_SORT_KEYS));
	json_decref(should);
}

HELPER void assert_request(int n, const char *wanted)
{
	json_t *is = request(n);

	assert_same(is, wanted);
	json_decref(is);
}

/* Check the members of the job and of its execution except the environment. */
HELPER void assert_submitted(const char *job, const char *execution)
{
	json_t *is = request(0);

	assert_int_equal(code, 0);
	assert_string_equal(json_string_value(json_object_get(is, "request")), "submit");
	assert_int_equal(json_object_size(is), 3);
	assert_same(json_object_get(is, "job"), job);
	json_object_del(json_object_get(is, "execution"), "environment");
	assert_same(json_object_get(is, "execution"), execution);
	json_decref(is);
}

#endif
