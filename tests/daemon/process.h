/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fairlead-schedd started by a test, with its own shared memory and cell. Its input and output
 * are pipes.
 */
#ifndef TESTS_DAEMON_PROCESS_H
#define TESTS_DAEMON_PROCESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HELPER static __attribute__((unused))	/* not every test program needs all of them */
#define PATIENCE_S 120		/* until a test gives up: no expectation of speed */

struct process {
	pid_t pid;
	int in, out, err;		/* our ends; -1 closed */
	char text[1 << 16];		/* output read so far, not yet matched */
};

static char scratch[64];		/* directory of this test program: cell/, shm/ */

HELPER const char *scratch_path(const char *name)
{
	static char paths[4][200];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", scratch, name);
	return path;
}

HELPER void scratch_remove(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (*scratch)
		(void)!system(command);
}

HELPER void scratch_write(const char *name, const char *text)
{
	FILE *f = fopen(scratch_path(name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

HELPER const char *program(void)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/fairlead-schedd", getenv("B") ? getenv("B") : "build");
	return path;
}

HELPER int scratch_create(void **state)
{
	(void)state;
	if (access(program(), X_OK))
		exit(77);
	strcpy(scratch, "/tmp/fairlead-test-XXXXXX");
	if (!mkdtemp(scratch) || mkdir(scratch_path("cell"), 0755) || mkdir(scratch_path("shm"), 0755))
		return -1;
	scratch_write("cell/sched_conf", "# the defaults\n");
	setenv("FAIRLEAD_SHM", scratch_path("shm"), 1);
	setenv("FAIRLEAD_CELL", scratch_path("cell"), 1);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("JOURNAL_STREAM");
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

HELPER int scratch_destroy(void **state)
{
	(void)state;
	scratch_remove();
	return 0;
}

/* Remove the state of earlier schedulers. */
HELPER void scratch_forget(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s/*", scratch_path("shm"));
	assert_int_equal(system(command), 0);
}

static pid_t running[8];		/* started and not yet ended; 0 = none */

/* Teardown of each test: it stops all schedulers and removes their last run. */
HELPER int process_kill_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(running) / sizeof(*running); i++) {
		if (running[i] && kill(running[i], SIGKILL) == 0)
			waitpid(running[i], NULL, 0);
		running[i] = 0;
	}
	scratch_forget();
	return 0;
}

static void running_replace(pid_t from, pid_t to)
{
	for (size_t i = 0; i < sizeof(running) / sizeof(*running); i++)
		if (running[i] == from) {
			running[i] = to;
			return;
		}
}

/* Fork a child with its standard descriptors on our pipes. Returns NULL in the child. */
HELPER struct process *process_fork(void)
{
	struct process *process = calloc(1, sizeof(*process));
	int in[2], out[2], err[2];

	assert_true(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	process->pid = fork();
	if (process->pid == 0) {
		/* A failing test leaves no process. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		close(in[1]);
		close(out[0]);
		close(err[0]);
		free(process);
		return NULL;
	}
	running_replace(0, process->pid);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	process->in = in[1];
	process->out = out[0];
	process->err = err[0];
	return process;
}

/* Arguments after the program's name, NULL at the end. */
HELPER struct process *process_start(const char *const *arguments)
{
	const char *argv[20] = { program() };
	struct process *process;

	for (int i = 0; arguments[i]; i++)
		argv[i + 1] = arguments[i];
	process = process_fork();
	if (!process) {
		execv(program(), (char *const *)argv);
		_exit(127);
	}
	return process;
}

/*
 * Return whether `wanted` is in the output of the descriptor from now on, or since the last call.
 * Output before its end is dropped.
 */
HELPER bool wait_for(struct process *process, int fd, const char *wanted)
{
	for (time_t end = time(NULL) + PATIENCE_S; time(NULL) < end;) {
		struct pollfd poll_in = { .fd = fd, .events = POLLIN };
		char *found = strstr(process->text, wanted);
		size_t used = strlen(process->text);
		ssize_t n;

		if (found) {
			found += strlen(wanted);
			memmove(process->text, found, strlen(found) + 1);
			return true;
		}
		if (used > sizeof(process->text) / 2) {
			memmove(process->text, process->text + used / 2, used - used / 2 + 1);
			used -= used / 2;
		}
		if (poll(&poll_in, 1, PATIENCE_S * 1000) != 1)
			return false;
		n = read(fd, process->text + used, sizeof(process->text) - 1 - used);
		if (n <= 0)
			return false;
		process->text[used + (size_t)n] = '\0';
	}
	return false;
}

HELPER void expect(struct process *process, int fd, const char *wanted)
{
	if (!wait_for(process, fd, wanted))
		fail_msg("\"%s\" did not come; last: %s", wanted, process->text);
}

HELPER void send_text(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t n = write(fd, text, length);

		assert_true(n > 0);
		text += n;
		length -= (size_t)n;
	}
}

/* Wait for the end. Return the exit code, or -signal. */
HELPER int process_end(struct process *process)
{
	int status;

	if (process->in >= 0)
		close(process->in);
	assert_int_equal(waitpid(process->pid, &status, 0), process->pid);
	running_replace(process->pid, 0);
	close(process->out);
	close(process->err);
	free(process);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

HELPER int process_stop(struct process *process)
{
	assert_int_equal(kill(process->pid, SIGTERM), 0);
	return process_end(process);
}

/* A service */

#define JOB(seq, number) "{\"seq\":" #seq ",\"event\":\"job_add\",\"job_number\":" #number ",\"owner\":\"ann\",\"submission_time\":1}\n"
#define EVENT(seq, name) "{\"seq\":" #seq ",\"event\":\"" #name "\"}\n"
#define ACK(seq) "{\"answer\":\"ack\",\"seq\":" #seq "}\n"

/*
 * Write the default sched_conf, where events and not the interval cause runs, with `line` in place
 * of the parameter that it begins with.
 */
HELPER void configure(const char *line)
{
	const char *const changes[] = { "schedule_interval 1:0:0\n", "flush_submit_sec 1\n", "flush_finish_sec 1\n",
					line };
	char text[8192] = "", row[1000];
	FILE *from = fopen("conf/default/sched_conf", "r");

	assert_non_null(from);
	while (fgets(row, sizeof(row), from)) {
		const char *use = row;

		for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
			if (*changes[i] && strncmp(row, changes[i], strcspn(changes[i], " ") + 1) == 0)
				use = changes[i];
		strcat(text, use);
	}
	fclose(from);
	scratch_write("cell/sched_conf", text);
}

HELPER struct process *serve(const char *source)
{
	return process_start((const char *const[]){ "-v", "--events", source, NULL });
}

HELPER int exit_of(const char *const *arguments, const char *complaint)
{
	struct process *process = process_start(arguments);

	expect(process, process->err, complaint);
	return process_end(process);
}

#define TEST(name) cmocka_unit_test_teardown(name, process_kill_all)

#endif
