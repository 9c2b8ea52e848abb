/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of jobs: complete ones, invalid ones, and a scheduler that is not there. */
#include "tests/client/talk.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "sched/client/description.h"
#include "sched/qmaster/local/path.h"
#include "shm/place.h"

static char scratch[] = "/tmp/fairlead-description-XXXXXX", cell[100];
static struct sockaddr_un address;
static int listening = -1;

static int scratch_create(void **state)
{
	struct segment_paths paths;
	char shm[100];

	(void)state;
	if (!mkdtemp(scratch))
		return -1;
	snprintf(cell, sizeof(cell), "%s/cell", scratch);
	snprintf(shm, sizeof(shm), "%s/shm", scratch);
	setenv("FAIRLEAD_SHM", shm, 1);
	if (mkdir(cell, 0755) || mkdir(shm, 0755) || segment_paths(&paths, cell) || mkdir(paths.directory, 0755) ||
	    path_socket(&address, cell))
		return -1;
	listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof(address)) || listen(listening, 4);
}

static int scratch_destroy(void **state)
{
	char command[100];

	(void)state;
	close(listening);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return system(command);
}

/* Answer one request in a child process. NULL: close the connection. */
static pid_t scheduler(const char *reply)
{
	pid_t child = fork();
	char request[1000];

	if (child)
		return child;
	int fd = accept(listening, NULL, NULL);

	if (read(fd, request, sizeof(request)) <= 0)
		_exit(1);
	if (reply && write(fd, reply, strlen(reply)) != (ssize_t)strlen(reply))
		_exit(1);
	_exit(0);
}

static struct descriptions ask(const char *reply)
{
	struct messages messages = { .items = NULL };
	struct descriptions descriptions = { .n = 0 };
	pid_t child = scheduler(reply);
	int status;

	descriptions_ask(&descriptions, cell, (const uint32_t[]){ 17, 18 }, 2, &messages);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(messages.n, 0);
	return descriptions;
}

static void test_a_description_is_typed(void **unused)
{
	struct descriptions descriptions =
		ask("{\"results\":[{\"code\":0,\"job_number\":17,\"description\":{\"uid\":5,\"gid\":6,\"group\":\"g\","
		    "\"request\":{\"account\":\"a\",\"tasks\":\"1-3\",\"hold_jid\":[3,4]},\"execution\":{\"command\":[\"x\",\"y\"],"
		    "\"join\":true,\"rerun\":false,\"script_bytes\":9,\"environment\":{\"B\":\"2\",\"A\":\"1\"},\"after_ok\":[2]},"
		    "\"memory\":[{\"task\":2,\"vmem\":1.5,\"maxvmem\":2}]}},{\"code\":3,\"job_number\":18,\"text\":\"no\"}]}\n");
	const struct job_description *job = description_of(&descriptions, 17);
	char *text;

	(void)unused;
	assert_non_null(job);
	assert_null(description_of(&descriptions, 18));
	assert_true(job->uid == 5 && job->gid == 6);
	assert_string_equal(job->group, "g");
	assert_string_equal(job->account, "a");
	assert_string_equal(job->tasks, "1-3");
	assert_true(job->hold_jid.n == 2 && job->hold_jid.items[1] == 4 && job->after_ok.items[0] == 2);
	assert_true(job->command.n == 2 && strcmp(job->command.items[1], "y") == 0);
	assert_true(job->join == DESCRIBED_YES && job->rerun == DESCRIBED_NO && job->notify == DESCRIBED_UNSET);
	assert_true(job->is_script && !job->use_shell && job->has_environment && !job->environment_hidden);
	assert_string_equal(description_variable(job, "A"), "1");
	assert_null(description_variable(job, "C"));
	assert_null(job->cwd);
	assert_true(job->nmemory == 1 && job->memory[0].task == 2 && job->memory[0].maxvmem == 2.0);
	text = description_json(job);
	assert_non_null(strstr(text, "\"environment\":{\"B\":\"2\",\"A\":\"1\"}"));
	free(text);
	descriptions_free(&descriptions);
}

static void test_members_of_wrong_types_are_not_set(void **unused)
{
	static const char *const invalid[] = {
		"{}", "null", "x", "{\"results\":[5]}", "{\"results\":[{\"job_number\":17,\"description\":5}]}"
	};
	struct descriptions descriptions =
		ask("{\"results\":[{\"job_number\":17,\"description\":{\"uid\":\"x\",\"group\":1,\"request\":[],\"execution\":"
		    "{\"command\":\"x\",\"mail_list\":[1,null],\"environment\":[1],\"context\":{\"a\":5},\"join\":1},\"memory\":[1]}}]}\n");
	const struct job_description *job = description_of(&descriptions, 17);

	(void)unused;
	assert_non_null(job);
	assert_true(job->uid == 0 && !job->group && !job->tasks && job->command.n == 0 && job->join == DESCRIBED_UNSET);
	assert_true(job->mail_list.n == 2 && strcmp(job->mail_list.items[0], "") == 0);
	assert_true(!job->has_environment && job->environment.n == 0 && job->nmemory == 1 && job->memory[0].vmem == 0.0);
	assert_string_equal(job->context.items[0].value, "");
	descriptions_free(&descriptions);
	for (size_t k = 0; k < sizeof(invalid) / sizeof(*invalid); k++) {
		char line[200];

		snprintf(line, sizeof(line), "%s\n", invalid[k]);
		descriptions = ask(line);
		assert_null(description_of(&descriptions, 17));
		descriptions_free(&descriptions);
	}
}

static void test_a_missing_reply_is_a_reason(void **unused)
{
	struct messages messages = { .items = NULL };
	struct descriptions descriptions = ask(NULL);

	(void)unused;
	assert_non_null(strstr(descriptions.missing, "Connection reset by peer: commands, directories"));
	descriptions_free(&descriptions);
	descriptions_ask(&descriptions, scratch, (const uint32_t[]){ 17 }, 1, &messages);
	assert_non_null(strstr(descriptions.missing, "no scheduler listens"));
	descriptions_free(&descriptions);
	messages_free(&messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_description_is_typed),
		cmocka_unit_test(test_members_of_wrong_types_are_not_set),
		cmocka_unit_test(test_a_missing_reply_is_a_reason),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
