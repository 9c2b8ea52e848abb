/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts and shepherds started by a test. As root the commands run as `nobody`, otherwise as the
 * user of the test. TEST_AS_USER() also does the scheduler's part as `nobody`.
 */
#ifndef TESTS_SHEPHERD_SHEPHERD_H
#define TESTS_SHEPHERD_SHEPHERD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <jansson.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/shepherd/record.h"

#define HELPER static __attribute__((unused))
#define PATIENCE_MS 120000		/* until a test gives up: no expectation of speed */

static char scratch[64];		/* attempts, and the user's directory home/ */
static struct passwd job_user;		/* user of the command */
static int attempts_made;
static char attempt_path[128], output_path[128];	/* paths of the last attempt_make() */

HELPER const char *scratch_path(const char *name)
{
	static char paths[4][200];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

HELPER const char *program(void)
{
	static char path[4096];

	if (!*path) {
		const char *b = getenv("B") ? getenv("B") : "build";
		char *real = realpath(b, NULL);

		snprintf(path, sizeof(path), "%s/fairlead-shepherd", real ? real : b);
		free(real);
	}
	return path;
}

static int program_fd = -1;	/* a copy that the user may run whatever the modes of the build are */

static int program_copy(const char *to)
{
	char command[5000];
	int fd;

	snprintf(command, sizeof(command), "cp %s %s && chmod 755 %s", program(), to, to);
	if (system(command))
		return -1;
	fd = open(to, O_PATH | O_CLOEXEC);
	return unlink(to) ? -1 : fd;
}

HELPER int scratch_create(void **state)
{
	const struct passwd *user = geteuid() == 0 ? getpwnam("nobody") : getpwuid(geteuid());

	(void)state;
	if (access(program(), X_OK) || !user) {
		puts(user ? "there is no fairlead-shepherd" : "there is no user nobody");
		exit(77);
	}
	job_user = *user;
	job_user.pw_name = strdup(user->pw_name);
	strcpy(scratch, "/tmp/fairlead-test-XXXXXX");
	umask(022);
	if (!mkdtemp(scratch) || chmod(scratch, 0777) || mkdir(scratch_path("home"), 0755))
		return -1;
	program_fd = program_copy(scratch_path("shepherd"));
	if (program_fd < 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	/* Descendants of a killed shepherd become our children. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return geteuid() == 0 ? chown(scratch_path("home"), job_user.pw_uid, job_user.pw_gid) : 0;
}

HELPER int scratch_destroy(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (*scratch)
		(void)!system(command);
	return 0;
}

/* Teardown: end everything that a test has started. */
HELPER int processes_end(void **state)
{
	(void)state;
	if (seteuid(getuid()))
		return -1;
	for (int k = 0; k < 1000; k++) {
		char path[64], text[4096] = "";
		FILE *f;
		pid_t pid;

		snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
		f = fopen(path, "r");
		while (f && fscanf(f, "%4095s", text) == 1)
			kill((pid_t)atoi(text), SIGKILL);
		if (f)
			fclose(f);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			return 0;
		usleep(1000);
	}
	return -1;
}

/* Attempts */

HELPER json_t *config_default(void)
{
	json_t *config =
		json_pack("{s:i,s:i,s:s,s:i,s:i,s:[s],s:s,s:{s:s,s:s},s:s,s:s}", "job_number", 17, "task", 0, "user",
			  job_user.pw_name, "uid", (int)job_user.pw_uid, "gid", (int)job_user.pw_gid, "command", "true",
			  "cwd", scratch_path("home"), "environment", "PATH", "/usr/bin:/bin", "JOB_ID", "17",
			  "stdout_path", output_path, "stderr_path", scratch_path("home/err"));

	assert_non_null(config);
	if (geteuid() == 0)
		json_object_set_new(config, "groups", json_string("init"));
	return config;
}

/*
 * A command waits for a file in its directory, made by itself or by let_go(). No attempt finds the
 * files of the previous one.
 */
#define UNTIL_GO "until [ -e go ]; do sleep 0.01; done; "

HELPER void let_go(void)
{
	close(open(scratch_path("home/go"), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
}


/*
 * Make a directory with a config: the default one with the members of `changes`. A null removes a
 * member. Return its descriptor.
 */
HELPER int attempt_make(const char *changes)
{
	json_t *config, *with = json_loads(changes, 0, NULL), *value;
	const char *name;
	struct error error;
	char *text;
	int dirfd;

	assert_non_null(with);
	snprintf(attempt_path, sizeof(attempt_path), "%s/17.1.%d", scratch, ++attempts_made);
	snprintf(output_path, sizeof(output_path), "%s/home/out%d", scratch, attempts_made);
	unlink(scratch_path("home/go"));
	unlink(scratch_path("home/last"));
	config = config_default();
	json_object_foreach(with, name, value)
		json_is_null(value) ? json_object_del(config, name) : json_object_set(config, name, value);
	assert_int_equal(mkdir(attempt_path, 0755), 0);
	dirfd = open(attempt_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dirfd >= 0);
	text = json_dumps(config, JSON_COMPACT);
	assert_int_equal(attempt_config_write(dirfd, text, &error), 0);
	free(text);
	json_decref(with);
	json_decref(config);
	return dirfd;
}

/* Make an attempt with a shell's command line as the command. */
HELPER int attempt_make_shell(const char *line, const char *changes)
{
	json_t *with = json_loads(changes, 0, NULL);
	char *text;
	int dirfd;

	assert_non_null(with);
	json_object_set_new(with, "command", json_pack("[s,s,s]", "sh", "-c", line));
	text = json_dumps(with, 0);
	dirfd = attempt_make(text);
	free(text);
	json_decref(with);
	return dirfd;
}

HELPER pid_t shepherd_start(const char *path)
{
	char *const arguments[] = { (char *)"fairlead-shepherd", (char *)path, NULL };
	uid_t uid = geteuid();
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	if (uid != getuid() &&
	    (seteuid(0) || setgroups(0, NULL) || setresgid(job_user.pw_gid, job_user.pw_gid, job_user.pw_gid) ||
	     setresuid(uid, uid, uid)))
		_exit(99);
	fexecve(program_fd, arguments, environ);
	_exit(98);
}

/* Return the exit status of a process, or 128 + signal. */
HELPER int process_wait(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

HELPER struct attempt look(int dirfd)
{
	struct attempt attempt;
	struct error error = { "" };

	if (attempt_look(dirfd, &attempt, &error))
		fail_msg("%s", error.text);
	return attempt;
}

/* Run the attempt to its recorded end. Closes the directory. */
HELPER struct attempt run_to_its_end(int dirfd)
{
	struct attempt attempt;

	assert_int_equal(process_wait(shepherd_start(attempt_path)), 0);
	attempt = look(dirfd);
	close(dirfd);
	assert_int_equal(attempt.begun, ATTEMPT_BY_SHEPHERD);
	assert_true(attempt.exited);
	assert_false(attempt.lock_held);
	assert_int_not_equal(attempt.shepherd.pid, 0);
	return attempt;
}

HELPER struct attempt run_shell(const char *line, const char *changes)
{
	return run_to_its_end(attempt_make_shell(line, changes));
}

HELPER bool wait_until(bool (*holds)(void *context), void *context)
{
	for (int ms = 0; ms < PATIENCE_MS; ms++) {
		if (holds(context))
			return true;
		usleep(1000);
	}
	return false;
}

HELPER bool file_exists(void *path)
{
	return access(path, F_OK) == 0;
}

HELPER bool file_has_text(void *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

HELPER const char *file_text(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");

	text[0] = '\0';
	if (f) {
		text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

/*
 * Return the time in us until a shepherd has begun, as the shortest of a few measurements. Tests
 * that kill it early aim by this time.
 */
HELPER int time_to_begin(void)
{
	long best = LONG_MAX;

	for (int k = 0; k < 5; k++) {
		int dirfd = attempt_make("{}");
		struct timespec from, to;
		pid_t shepherd;

		clock_gettime(CLOCK_MONOTONIC, &from);
		shepherd = shepherd_start(attempt_path);
		do
			clock_gettime(CLOCK_MONOTONIC, &to);
		while (faccessat(dirfd, "begun", F_OK, 0) && to.tv_sec - from.tv_sec < PATIENCE_MS / 1000);
		assert_int_equal(process_wait(shepherd), 0);
		close(dirfd);
		long us = (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;

		best = us < best ? us : best;
	}
	return (int)best;
}

/* Return whether a process exists and is not a zombie. */
HELPER bool is_alive(pid_t pid)
{
	char path[64], state;
	FILE *f;
	bool alive = false;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1)
		alive = state != 'Z' && state != 'X';
	if (f)
		fclose(f);
	return alive;
}

/* Repeat a test with a scheduler that is not root. */
HELPER int become_user(void **state)
{
	(void)state;
	return seteuid(job_user.pw_uid);
}

#define TEST(name) cmocka_unit_test_teardown(name, processes_end)
#define TEST_AS_USER(name) { #name "_as_user", name, become_user, processes_end, NULL }

#endif
