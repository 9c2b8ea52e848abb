/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MUNGE on top of CURVE, with a munged of our own. A peer without a credential, or with an old or a
 * foreign one, gets no session.
 */
#include "tests/wire/peer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "sched/wire/notary.h"

static char munge_dir[64], socket_path[100];
static pid_t munged;

static const char *in_dir(const char *name)
{
	static char paths[4][120];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", munge_dir, name);
	return path;
}

static void munged_run(void)
{
	char key[200], pid[200], log[200], seed[200], socket[200];

	snprintf(key, sizeof(key), "--key-file=%s", in_dir("key"));
	snprintf(pid, sizeof(pid), "--pid-file=%s", in_dir("pid"));
	snprintf(log, sizeof(log), "--log-file=%s", in_dir("log"));
	snprintf(seed, sizeof(seed), "--seed-file=%s", in_dir("seed"));
	snprintf(socket, sizeof(socket), "--socket=%s", socket_path);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execlp("munged", "munged", "--foreground", "--force", key, pid, log, seed, socket, NULL);
	_exit(127);
}

static bool munged_answers(void)
{
	struct error error;
	char *credential = notary_make(socket_path, "x", &error);
	bool made = credential != NULL;

	free(credential);
	return made;
}

/* Start munged. Exit with 77 if it is not installed. */
static void munged_start(void)
{
	int fd;

	strcpy(munge_dir, "/tmp/fairlead-munge-XXXXXX");
	if (!mkdtemp(munge_dir))
		exit(1);
	snprintf(socket_path, sizeof(socket_path), "%s/socket", munge_dir);
	fd = open(in_dir("key"), O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, "0123456789abcdef0123456789abcdef0123456789abcdef", 48) != 48 || close(fd))
		exit(1);
	munged = fork();
	if (munged == 0)
		munged_run();
	for (int k = 0; k < 2400 && waitpid(munged, NULL, WNOHANG) == 0; k++) {
		if (access(socket_path, F_OK) == 0 && munged_answers())
			return;
		usleep(50000);
	}
	puts("no munged can be started here");
	exit(77);
}

static int teardown(void **state)
{
	char command[100];

	kill(munged, SIGKILL);
	waitpid(munged, NULL, 0);
	snprintf(command, sizeof(command), "rm -rf %s", munge_dir);
	return system(command) || keys_teardown(state);
}

static void hub_with_munge(void)
{
	hub_start_with(&(struct hub_options){
		.endpoint = LOCAL, .keys = keys_dir, .away_s = 5, .munge = true, .munge_socket = socket_path });
}

static void test_a_host_with_a_credential_gets_in(void **state)
{
	(void)state;
	hub_with_munge();
	spoke_start_with(0, &(struct spoke_options){ .scheduler = hub_endpoint(hub),
						     .keys = keys_dir,
						     .name = "node1",
						     .report_s = 1,
						     .munge = true,
						     .munge_socket = socket_path });
	PUMP_UNTIL(reported.ups == 1 && heard.ups == 1);
}

static void test_a_host_without_a_credential_gets_the_reason(void **state)
{
	(void)state;
	hub_with_munge();
	spoke_start(0, "node1");
	PUMP_UNTIL(*heard.odd);
	assert_string_equal(heard.odd, "a MUNGE credential is expected");
	assert_int_equal(reported.ups, 0);
	assert_int_equal(hub_counts(hub).no_credential, 1);
	assert_string_equal(reported.odd, heard.odd);
}

/* Send a hello with this credential and return the answer. */
static const char *answer_to(struct peer *peer, const char *credential)
{
	static char text[10000], answer[300];
	json_t *message;

	snprintf(text, sizeof(text), "{\"hello\":1,\"from\":\"%s\",\"number\":1,\"munge\":\"%s\"}", peer->session.own,
		 credential);
	peer_say(peer, text);
	message = peer_hear(peer, PATIENCE_S * 1000);
	assert_non_null(message);
	snprintf(answer, sizeof(answer), "%s",
		 json_object_get(message, "welcome") ? "welcome"
						     : json_string_value(json_object_get(message, "refused")));
	json_decref(message);
	return answer;
}

static void test_credentials_count_once_and_for_one_session_of_one_host(void **state)
{
	char tag[NOTARY_TAG], *good, *foreign;
	struct error error;
	struct peer peer;

	(void)state;
	hub_with_munge();
	peer_as(&peer, "node1");
	assert_int_equal(session_begin(&peer.session), 0);
	notary_tag(tag, "node2", peer.session.own);
	foreign = notary_make(socket_path, tag, &error);
	notary_tag(tag, "node1", peer.session.own);
	good = notary_make(socket_path, tag, &error);
	assert_true(good && foreign);
	assert_non_null(strstr(answer_to(&peer, foreign), "made for a different purpose"));
	assert_non_null(strstr(answer_to(&peer, "MUNGE:rubbish:"), "refused: Invalid credential"));
	assert_string_equal(answer_to(&peer, good), "welcome");
	assert_non_null(strstr(answer_to(&peer, good), "Replayed"));
	assert_int_equal(hub_counts(hub).no_credential, 3);
	free(good);
	free(foreign);
	peer_close(&peer);
}

static void test_another_users_credential_is_refused(void **state)
{
	char tag[NOTARY_TAG], *credential;
	struct error error;
	struct peer peer;

	(void)state;
	if (geteuid() != 0)
		skip();
	hub_with_munge();
	peer_as(&peer, "node1");
	assert_int_equal(session_begin(&peer.session), 0);
	notary_tag(tag, "node1", peer.session.own);
	assert_int_equal(chmod(munge_dir, 0755), 0);
	assert_int_equal(seteuid(12345), 0);
	credential = notary_make(socket_path, tag, &error);
	assert_int_equal(seteuid(0), 0);
	assert_non_null(credential);
	assert_non_null(strstr(answer_to(&peer, credential), "made by user 12345"));
	free(credential);
	peer_close(&peer);
}

static void test_a_daemon_that_hangs_does_not_delay_connected_hosts(void **state)
{
	const struct wire_task task = { .job_number = 1, .task = 1, .tickets = 1 };
	char text[1000];
	json_t *answer;
	struct peer peer;

	(void)state;
	hub_with_munge();
	spoke_start_with(0, &(struct spoke_options){ .scheduler = hub_endpoint(hub),
						     .keys = keys_dir,
						     .name = "node1",
						     .report_s = 1,
						     .munge = true,
						     .munge_socket = socket_path });
	PUMP_UNTIL(reported.ups == 1 && heard.ups == 1);
	assert_int_equal(kill(munged, SIGSTOP), 0);
	peer_as(&peer, "node2");
	assert_int_equal(session_begin(&peer.session), 0);
	snprintf(text, sizeof(text), "{\"hello\":1,\"from\":\"%s\",\"number\":1,\"munge\":\"MUNGE:AAAA:\"}",
		 peer.session.own);
	peer_say(&peer, text);
	assert_null(peer_hear(&peer, 500));		/* the check is under way */
	assert_int_equal(hub_tickets(hub, "node1", &task, 1), 0);
	PUMP_UNTIL(heard.sets == 1);
	assert_int_equal(kill(munged, SIGCONT), 0);
	answer = peer_hear(&peer, PATIENCE_S * 1000);
	assert_non_null(json_object_get(answer, "refused"));
	json_decref(answer);
	peer_close(&peer);
}

#define TEST(name) cmocka_unit_test_teardown(name, wire_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_host_with_a_credential_gets_in),
		TEST(test_a_host_without_a_credential_gets_the_reason),
		TEST(test_credentials_count_once_and_for_one_session_of_one_host),
		TEST(test_another_users_credential_is_refused),
		TEST(test_a_daemon_that_hangs_does_not_delay_connected_hosts),
	};

	munged_start();
	return cmocka_run_group_tests(tests, keys_setup, teardown);
}
