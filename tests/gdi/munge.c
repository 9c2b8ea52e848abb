/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials of a munged of our own: fresh for each packet, with a limited wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <munge.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/qmaster/gdi/cell.h"

static char directory[64], socket_path[100];
static struct gdi_cell cell = { .security = GDI_SECURITY_MUNGE, .munge_socket = socket_path };
static struct error why;
static pid_t munged;

static void munged_run(void)
{
	char options[4][120];
	static const char *const names[] = { "key-file", "pid-file", "log-file", "seed-file" };
	char socket[120];

	for (int k = 0; k < 4; k++)
		snprintf(options[k], sizeof(options[k]), "--%s=%s/%s", names[k], directory, names[k]);
	snprintf(socket, sizeof(socket), "--socket=%s", socket_path);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execlp("munged", "munged", "--foreground", "--force", options[0], options[1], options[2], options[3], socket,
	       NULL);
	_exit(127);
}

/* Start munged. Exit with 77 if it is not installed. */
static void munged_start(void)
{
	char path[100];
	int fd;

	strcpy(directory, "/tmp/fairlead-munge-XXXXXX");
	if (!mkdtemp(directory))
		exit(1);
	snprintf(socket_path, sizeof(socket_path), "%s/socket", directory);
	snprintf(path, sizeof(path), "%s/key-file", directory);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, "0123456789abcdef0123456789abcdef0123456789abcdef", 48) != 48 || close(fd))
		exit(1);
	munged = fork();
	if (munged == 0)
		munged_run();
	for (int k = 0; k < 2400 && waitpid(munged, NULL, WNOHANG) == 0; k++) {
		char *credential;

		if (access(socket_path, F_OK) == 0 && gdi_credential(&cell, &credential, &why) == 0) {
			free(credential);
			return;
		}
		usleep(50000);
	}
	puts("no munged can be started here");
	exit(77);
}

static munge_err_t decoded(const char *credential, int *length, uid_t *uid)
{
	munge_ctx_t context = munge_ctx_create();
	void *payload = NULL;
	munge_err_t rc;
	gid_t gid;

	munge_ctx_set(context, MUNGE_OPT_SOCKET, socket_path);
	rc = munge_decode(credential, context, &payload, length, uid, &gid);
	free(payload);
	munge_ctx_destroy(context);
	return rc;
}

static void test_each_packet_has_a_credential_of_its_own(void **state)
{
	char *first, *second;
	uid_t uid = (uid_t)-1;
	int length = -1;

	(void)state;
	assert_int_equal(gdi_credential(&cell, &first, &why), 0);
	assert_int_equal(gdi_credential(&cell, &second, &why), 0);
	assert_string_not_equal(first, second);
	assert_int_equal(decoded(first, &length, &uid), EMUNGE_SUCCESS);
	assert_int_equal(length, 0);
	assert_int_equal(uid, geteuid());
	assert_int_equal(decoded(second, &length, &uid), EMUNGE_SUCCESS);
	assert_int_equal(decoded(second, &length, &uid), EMUNGE_CRED_REPLAYED);
	first[strlen(first) / 2] ^= 1;
	assert_int_not_equal(decoded(first, &length, &uid), EMUNGE_SUCCESS);
	free(first);
	free(second);
}

static void test_a_daemon_that_hangs_is_not_waited_for_without_end(void **state)
{
	char *credential;

	(void)state;
	kill(munged, SIGSTOP);
	for (int k = 0; k < 6; k++) {	/* after four the daemon is not asked again */
		assert_int_equal(gdi_credential(&cell, &credential, &why), -ETIMEDOUT);
		assert_null(credential);
		assert_non_null(strstr(why.text, "MUNGE: its daemon does not answer"));
	}
	kill(munged, SIGCONT);
	for (int k = 0; k < 2400 && gdi_credential(&cell, &credential, &why); k++)
		usleep(50000);
	assert_non_null(credential);
	free(credential);
}

static void test_a_missing_munge_daemon_is_reported(void **state)
{
	static char elsewhere[] = "/nonexistent/socket";
	const struct gdi_cell other = { .security = GDI_SECURITY_MUNGE, .munge_socket = elsewhere };
	char *credential;

	(void)state;
	assert_int_equal(gdi_credential(&other, &credential, &why), -EIO);
	assert_null(credential);
	assert_non_null(strstr(why.text, "MUNGE: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_packet_has_a_credential_of_its_own),
		cmocka_unit_test(test_a_daemon_that_hangs_is_not_waited_for_without_end),
		cmocka_unit_test(test_a_missing_munge_daemon_is_reported),
	};
	char command[100];
	int failed;

	munged_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kill(munged, SIGKILL);
	waitpid(munged, NULL, 0);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) || failed;
}
