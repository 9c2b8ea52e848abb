/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages with fields to a journal. Its socket is in a name space of mounts, if this machine
 * permits one.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/process/log.h"
#include "sched/process/log_journal.h"

static char directory[] = "/tmp/fairlead-journal-XXXXXX", path[100];
static char got[8192];

static int bound_socket(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(at.sun_path, name);
	unlink(name);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* Return the next message, "" if there is none. */
static const char *message(int fd)
{
	ssize_t n = recv(fd, got, sizeof(got) - 1, 0);

	got[n < 0 ? 0 : n] = '\0';
	return got;
}

static int setup(void **unused)
{
	(void)unused;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", directory);
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	unlink(path);
	return rmdir(directory);
}

static void test_a_message_is_one_datagram_and_a_full_socket_does_not_block(void **unused)
{
	int journal = bound_socket(path), fd = log_journal_open(path), sent = 0, rc;

	(void)unused;
	assert_true(fd >= 0);
	while ((rc = log_journal_send(fd, "MESSAGE=a\n", 10)) == 0)
		sent++;
	assert_int_equal(rc, -EAGAIN);
	assert_true(sent > 0);
	for (int i = 0; i < sent; i++)
		assert_string_equal(message(journal), "MESSAGE=a\n");
	assert_string_equal(message(journal), "");
	close(journal);
	assert_int_equal(log_journal_send(fd, "MESSAGE=a\n", 10), -ECONNREFUSED);
	close(fd);
	unlink(path);
	assert_int_equal(log_journal_open(path), -ENOENT);
}

static void test_only_the_stream_that_the_variable_names_is_the_journal(void **unused)
{
	char stream[64];
	struct stat status;

	(void)unused;
	assert_int_equal(fstat(STDERR_FILENO, &status), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_true(log_journal_is_stderr());
	strcat(stream, "0");
	setenv("JOURNAL_STREAM", stream, 1);
	assert_false(log_journal_is_stderr());
	setenv("JOURNAL_STREAM", "x", 1);
	assert_false(log_journal_is_stderr());
	unsetenv("JOURNAL_STREAM");
	assert_false(log_journal_is_stderr());
}

/*
 * Make LOG_JOURNAL_SOCKET a socket of this process. Returns its descriptor, or -1 if that is not
 * permitted.
 */
static int journal_play(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/run", "tmpfs", 0, NULL))
		return -1;
	assert_int_equal(mkdir("/run/systemd", 0755), 0);
	assert_int_equal(mkdir("/run/systemd/journal", 0755), 0);
	return bound_socket(LOG_JOURNAL_SOCKET);
}

static void test_a_line_of_the_log_has_fields_for_job_task_host_and_run(void **unused)
{
	const struct log_event event = {
		.name = "start", .uid = -1, .job_number = 17, .task = 3, .host = "no\nde" };
	int journal = journal_play(), again;
	char stream[64];
	struct stat status;

	(void)unused;
	if (journal < 0)
		skip();
	fstat(STDERR_FILENO, &status);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log_open("program", false);
	log_line(LOG_ODD, "a\nFAIRLEAD_JOB=1");
	assert_string_equal(message(journal), "PRIORITY=4\nSYSLOG_IDENTIFIER=program\nMESSAGE=a?FAIRLEAD_JOB=1\n");
	log_run(9);
	log_event(LOG_NOTE, &event, "text");
	assert_string_equal(message(journal), "PRIORITY=5\nSYSLOG_IDENTIFIER=program\nFAIRLEAD_RUN=9\nFAIRLEAD_JOB=17\n"
					      "FAIRLEAD_TASK=3\nFAIRLEAD_HOST=no?de\nMESSAGE=start: text\n");
	log_event(LOG_NOTE, LOG_JOB(5), "job 5: text");
	assert_string_equal(message(journal), "PRIORITY=5\nSYSLOG_IDENTIFIER=program\nFAIRLEAD_RUN=9\nFAIRLEAD_JOB=5\n"
					      "MESSAGE=job 5: text\n");
	close(journal);		/* another journald begins */
	again = bound_socket(LOG_JOURNAL_SOCKET);
	log_run(0);
	log_line(LOG_NOTE, "b");
	assert_string_equal(message(again), "PRIORITY=5\nSYSLOG_IDENTIFIER=program\nMESSAGE=b\n");
	close(again);
	unsetenv("JOURNAL_STREAM");
	log_open("program", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message_is_one_datagram_and_a_full_socket_does_not_block),
		cmocka_unit_test(test_only_the_stream_that_the_variable_names_is_the_journal),
		cmocka_unit_test(test_a_line_of_the_log_has_fields_for_job_task_host_and_run),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
