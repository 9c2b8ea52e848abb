/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions of the segment without --mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/daemon/options.h"

/* Return the mode that a separate process with this user and umask chooses. */
static unsigned mode_of(uid_t uid, mode_t mask, const char *mode)
{
	char *argv[] = { (char *)"fairlead-schedd",
			 (char *)"-c",
			 (char *)"/tmp",
			 (char *)"--events",
			 (char *)"fd:0",
			 (char *)"--mode",
			 (char *)mode,
			 NULL };
	struct schedd_options options = { .now = NOW_BY_CLOCK, .segment.group = -1 };
	unsigned taken = 0;
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		umask(mask);
		if (geteuid() != uid && setresuid(uid, uid, uid))
			_exit(1);
		if (options_parse(&options, mode ? 7 : 5, argv))
			_exit(2);
		_exit(write(ends[1], &options.segment.mode, sizeof(unsigned)) != sizeof(unsigned));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &taken, sizeof(taken)), sizeof(taken));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return taken;
}

static void test_a_users_segment_has_the_permissions_of_the_users_files(void **state)
{
	uid_t user = geteuid() ? geteuid() : 65534;

	(void)state;
	assert_int_equal(mode_of(user, 022, NULL), 0644);
	assert_int_equal(mode_of(user, 027, NULL), 0640);
	assert_int_equal(mode_of(user, 077, NULL), 0600);
	assert_int_equal(mode_of(user, 077, "0644"), 0644);
	if (geteuid() == 0)
		assert_int_equal(mode_of(0, 077, NULL), 0644);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_users_segment_has_the_permissions_of_the_users_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
