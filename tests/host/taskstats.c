/* SPDX-License-Identifier: Apache-2.0 */
/* Usage in the kernel's records of ends, compared with the usage that wait4(2) returns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sched/host/taskstats.h"

static void *thread_burn(void *unused)
{
	struct timespec timespec;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &timespec);
	while (timespec.tv_sec == 0 && timespec.tv_nsec < 30000000);
	return unused;
}

static void test_records_of_threads_add_up_to_the_usage_of_their_process(void **state)
{
	struct taskstats_socket socket;
	struct taskstats_record record;
	struct error error;
	struct rusage usage;
	pthread_t threads[3];
	uint64_t reported_ns = 0, used_us;
	unsigned last = 0;
	pid_t child;

	(void)state;
	if (taskstats_open(&socket, &error)) {
		print_message("%s\n", error.text);
		skip();
	}
	child = fork();
	if (child == 0) {
		for (int k = 0; k < 3; k++)
			pthread_create(&threads[k], NULL, thread_burn, NULL);
		for (int k = 0; k < 3; k++)
			pthread_join(threads[k], NULL);
		thread_burn(NULL);
		_exit(0);
	}
	assert_int_equal(wait4(child, NULL, 0, &usage), child);
	while (taskstats_next(&socket, &record) > 0) {
		if (record.process != child)
			continue;
		assert_int_equal(record.parent, getpid());
		reported_ns += record.cpu_ns;
		last += record.last;
	}
	used_us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
		  (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	assert_int_equal(last, 1);
	assert_true(reported_ns <= (used_us + 2) * 1000);
	assert_true(reported_ns >= 4 * 30000000u);
	taskstats_close(&socket);
}

/* Create a storm of forks. */
static void test_records_beyond_the_kernels_buffer_are_counted(void **state)
{
	struct taskstats_socket socket;
	struct taskstats_record record;
	struct error error;
	uint32_t lost = 0, children = 100;
	int small = 16384, n;

	(void)state;
	if (taskstats_open(&socket, &error))
		skip();
	assert_int_equal(setsockopt(socket.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	for (uint32_t k = 0; k < children; k++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	while ((n = taskstats_next(&socket, &record)) != 0) {
		assert_true(n > 0 || n == -ENOBUFS);
		lost += n < 0 ? taskstats_lost(&socket) : 0;
		children -= n > 0 && record.parent == getpid();
	}
	assert_true(children > 0);
	assert_true(lost >= children);
	taskstats_close(&socket);
	assert_int_equal(socket.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_of_threads_add_up_to_the_usage_of_their_process),
		cmocka_unit_test(test_records_beyond_the_kernels_buffer_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
