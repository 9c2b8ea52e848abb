/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead submit: scripts, files of options, and the precedence of repeated words. */
#include "tests/cli/submit.h"

static void file_put(const char *name, const char *text, size_t bytes)
{
	int fd = open(scratch_path(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes);
	close(fd);
}

#define PUT(name, text) file_put(name, text, sizeof(text) - 1)

static int nothing_is_left(void **state)
{
	static const char *const names[] = { "job.sh",		"opt", "in", "home/.sge_request", "here/.sge_request",
					     "cell/sge_request" };

	(void)state;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		unlink(scratch_path(names[k]));
	return chdir(scratch_path("here"));
}

static int places_make(void **state)
{
	if (scratch_create(state) || mkdir(scratch_path("home"), 0755) || mkdir(scratch_path("here"), 0755))
		return -1;
	setenv("HOME", scratch_path("home"), 1);
	return 0;
}

static void test_a_readable_file_is_a_script_and_sent_with_the_job(void **state)
{
	(void)state;
	PUT("job.sh", "#!/bin/sh\n#$ -N named -j y\necho \303\274\n");
	ASK(SUBMITTED, "submit", "../job.sh", "-p", "x y");
	assert_submitted(
		"{\"job_name\":\"named\"}",
		"{\"command\":[\"../job.sh\",\"-p\",\"x y\"],\"script\":\"#!/bin/sh\\n#$ -N named -j y\\necho \303\274\\n\",\"join\":true}");
	ASK(SUBMITTED, "submit", "--", "../job.sh");
	assert_submitted(
		"{\"job_name\":\"named\"}",
		"{\"command\":[\"../job.sh\"],\"script\":\"#!/bin/sh\\n#$ -N named -j y\\necho \303\274\\n\",\"join\":true}");
	ASK(SUBMITTED, "submit", "-b", "y", "-shell", "n", "../job.sh");
	assert_submitted("{}", "{\"command\":[\"../job.sh\"]}");
	ASK(SUBMITTED, "submit", "-b", "n", "-C", "", "../job.sh");
	assert_submitted(
		"{}", "{\"command\":[\"../job.sh\"],\"script\":\"#!/bin/sh\\n#$ -N named -j y\\necho \303\274\\n\"}");
}

static void test_a_script_may_come_from_standard_input(void **state)
{
	(void)state;
	PUT("in", "#$ -p -5\necho hi");
	ASK(SUBMITTED, "submit");
	assert_submitted("{\"priority\":-5}", "{\"command\":[\"STDIN\"],\"script\":\"#$ -p -5\\necho hi\"}");
	ASK(SUBMITTED, "submit", "-", "a");
	assert_submitted("{\"priority\":-5}", "{\"command\":[\"STDIN\",\"a\"],\"script\":\"#$ -p -5\\necho hi\"}");
	ASK(SUBMITTED, "submit", "true");
	assert_submitted("{}", "{\"command\":[\"true\"]}");
}

static void test_an_invalid_script_is_reported(void **state)
{
	(void)state;
	PUT("job.sh", "a\nb \377\n");
	ASSERT_REFUSED("../job.sh:2: this line is not UTF-8", "submit", "../job.sh");
	PUT("job.sh", "");
	ASSERT_REFUSED("../job.sh: the script is empty", "submit", "../job.sh");
	PUT("job.sh", "\177ELF\0\1");
	ASSERT_REFUSED("a program and not a script", "submit", "-b", "n", "../job.sh");
	ASSERT_REFUSED("this user may not execute it", "submit", "../job.sh");
	assert_int_equal(chmod(scratch_path("job.sh"), 0755), 0);
	ASK(SUBMITTED, "submit", "../job.sh", "1");
	assert_submitted("{}", "{\"command\":[\"../job.sh\",\"1\"]}");
	ASSERT_REFUSED("..: Is a directory", "submit", "..");
	PUT("job.sh", "#!/bin/sh\n#SBATCH -n 4\n#SBATCHING\n#SBATCH --time=1\n#PBS -l x\n#$ -N a\n");
	ASK(SUBMITTED, "submit", "../job.sh");
	assert_int_equal(code, 0);
	assert_string_equal(
		err,
		"fairlead: submit: ../job.sh: its lines that begin with #SBATCH are options for Slurm and have no effect; lines of options begin with #$ here\n"
		"fairlead: submit: ../job.sh: its lines that begin with #PBS are options for PBS and have no effect; lines of options begin with #$ here\n");
	ASK(SUBMITTED, "submit", "-C", "#SBATCHING", "../job.sh");
	assert_non_null(strstr(err, "lines of options begin with #SBATCHING here"));
	PUT("job.sh", "#!/bin/sh\r\n#$ -N a\r\n");
	ASK(SUBMITTED, "submit", "../job.sh");
	assert_int_equal(code, 0);
	assert_non_null(strstr(err, "carriage returns"));
	assert_int_equal(truncate(scratch_path("job.sh"), 1 << 20), 0);
	ASSERT_REFUSED("a script has at most 983040 bytes", "submit", "-b", "n", "../job.sh");
}

static void test_a_command_outside_the_job_s_path_is_sent_with_its_path(void **state)
{
	char *path = strdup(getenv("PATH")), whole[300], expected[400];

	(void)state;
	PUT("home/mine", "\177ELF\0");
	assert_int_equal(chmod(scratch_path("home/mine"), 0755), 0);
	snprintf(whole, sizeof(whole), "%s:%s", scratch_path("home"), path);
	setenv("PATH", whole, 1);
	ASK(SUBMITTED, "submit", "mine", "1");
	snprintf(expected, sizeof(expected), "{\"command\":[\"%s\",\"1\"]}", scratch_path("home/mine"));
	assert_submitted("{}", expected);
	ASK(SUBMITTED, "submit", "-V", "mine");
	assert_submitted("{}", "{\"command\":[\"mine\"]}");
	ASK(SUBMITTED, "submit", "--", "mine");
	assert_submitted("{}", "{\"command\":[\"mine\"]}");
	setenv("PATH", path, 1);
	ASSERT_REFUSED("nor such a command in PATH", "submit", "mine");
	unlink(scratch_path("home/mine"));
	free(path);
}

static void test_later_options_override_and_lists_grow_except_for_queues(void **state)
{
	(void)state;
	PUT("job.sh", "#$ -N script -A script -q a.q -q b.q -l h_rt=10 -v A=1,B=1 -hold_jid 1\n#$ -soft -l h_cpu=1\n");
	ASK(SUBMITTED, "submit", "-N", "line", "-q", "c.q", "-q", "d.q", "-l", "h_rt=20", "-v", "B=2", "-hold_jid", "2",
	    "../job.sh");
	json_t *is = request(0);

	assert_same(
		json_object_get(is, "job"),
		"{\"job_name\":\"line\",\"account\":\"script\",\"hard_queue_list\":\"c.q,d.q\","
		"\"hard_resource_list\":\"h_rt=10,h_rt=20\",\"soft_resource_list\":\"h_cpu=1\",\"hold_jid\":[1,2]}");
	json_t *environment = json_object_get(json_object_get(is, "execution"), "environment");

	assert_string_equal(json_string_value(json_object_get(environment, "A")), "1");
	assert_string_equal(json_string_value(json_object_get(environment, "B")), "2");
	json_decref(is);
}

static void test_soft_ends_with_its_line(void **state)
{
	(void)state;
	PUT("job.sh", "#$ -soft -l h_rt=600,s_rt=500\n#$ -l h_vmem=16G\n#$ -soft\n#$ -q long.q\n");
	ASK(SUBMITTED, "submit", "../job.sh");
	json_t *is = request(0);

	assert_same(
		json_object_get(is, "job"),
		"{\"soft_resource_list\":\"h_rt=600,s_rt=500\",\"hard_resource_list\":\"h_vmem=16G\",\"hard_queue_list\":\"long.q\"}");
	json_decref(is);
	PUT("opt", "-soft -l a=1\n-l b=2\n");
	ASK(SUBMITTED, "submit", "-@", "../opt", "-soft", "-l", "c=3", "-@", "../opt", "-l", "d=4", "true");
	is = request(0);
	assert_same(json_object_get(is, "job"),
		    "{\"soft_resource_list\":\"a=1,c=3,a=1,d=4\",\"hard_resource_list\":\"b=2,b=2\"}");
	json_decref(is);
}

static void test_clear_forgets_the_options_before_it(void **state)
{
	(void)state;
	PUT("home/.sge_request", "-A home -l h_rt=1\n");
	PUT("job.sh", "#$ -N script -h -t 1-3 -m e\n#$ -clear -p -3\n");
	ASK(SUBMITTED, "submit", "../job.sh");
	json_t *is = request(0);

	assert_same(json_object_get(is, "job"), "{\"priority\":-3}");
	assert_null(json_object_get(json_object_get(is, "execution"), "mail_options"));
	json_decref(is);
	ASK(SUBMITTED, "submit", "-c", scratch_path("cell"), "-P", "p", "-clear", "-p", "-7", "../job.sh");
	is = request(0);
	assert_same(json_object_get(is, "job"), "{\"priority\":-7}");
	json_decref(is);
}

static void test_defaults_are_read_from_the_cell_the_home_and_the_current_directory(void **state)
{
	(void)state;
	PUT("cell/sge_request", "# for all\n-A cell -P cell\n-p -1\n-q a.q\n");
	PUT("home/.sge_request", "-P home -p -2 -q b.q\n");
	PUT("here/.sge_request", "-p -3 -S /bin/sh\n");
	ASK(SUBMITTED, "submit", "true");
	assert_submitted("{\"account\":\"cell\",\"project\":\"home\",\"priority\":-3,\"hard_queue_list\":\"b.q\"}",
			 "{\"command\":[\"true\"],\"shell\":\"/bin/sh\"}");
	PUT("here/.sge_request", "-N ok\n-p 9999\n");
	ASSERT_REFUSED("./.sge_request:2: -p: \"9999\"", "submit", "true");
	assert_int_equal(chmod(scratch_path("here/.sge_request"), 0666), 0);
	ASK(SUBMITTED, "submit", "true");
	assert_int_equal(code, 0);
	assert_string_equal(err, "fairlead: submit: ./.sge_request is left out: any user may write it\n");
	assert_int_equal(chdir(scratch_path("home")), 0);
	ASK(SUBMITTED, "submit", "true");
	assert_submitted("{\"account\":\"cell\",\"project\":\"home\",\"priority\":-2,\"hard_queue_list\":\"b.q\"}",
			 "{\"command\":[\"true\"]}");
}

static void test_defaults_of_another_user_are_ignored(void **state)
{
	(void)state;
	if (getuid() != 0)
		skip();
	PUT("here/.sge_request", "-N evil\n");
	assert_int_equal(chown(scratch_path("here/.sge_request"), 65534, 65534), 0);
	ASK(SUBMITTED, "submit", "true");
	assert_submitted("{}", "{\"command\":[\"true\"]}");
	assert_non_null(strstr(err, "it belongs to another user"));
	unlink(scratch_path("here/.sge_request"));
	assert_int_equal(mkfifo(scratch_path("here/.sge_request"), 0644), 0);
	ASK(SUBMITTED, "submit", "true");
	assert_submitted("{}", "{\"command\":[\"true\"]}");
	assert_non_null(strstr(err, "it is not a regular file"));
}

#define TEN(text) text text text text text text text text text text

static void test_few_files_of_options_cannot_name_each_other_without_an_end(void **state)
{
	(void)state;
	PUT("home/.sge_request", "");
	PUT("in", TEN("-@ ../home/.sge_request\n"));
	PUT("job.sh", TEN("-@ ../in\n"));
	PUT("opt", TEN("-@ ../job.sh\n"));
	ASSERT_REFUSED("more than 1000 files of options", "submit", "-@", "../opt", "true");
}

static void test_option_files_may_include_others_but_not_themselves(void **state)
{
	(void)state;
	PUT("opt", "# comment\n-A opt -@ ../here/.sge_request\n-N opt # why\n");
	PUT("here/.sge_request", "-p -3 -N no\n");
	ASK(SUBMITTED, "submit", "-N", "no", "-@", "../opt", "-A", "line", "true");
	assert_submitted("{\"account\":\"line\",\"priority\":-3,\"job_name\":\"opt\"}", "{\"command\":[\"true\"]}");
	PUT("here/.sge_request", "\n-@ ../opt\n");
	ASSERT_REFUSED("../here/.sge_request:2: -@: \"../opt\": this file names itself", "submit", "-@", "../opt",
		       "true");
	PUT("here/.sge_request", "");
	PUT("opt", "-N a b\n");
	ASSERT_REFUSED("../opt:1: \"b\" is not an option", "submit", "-@", "../opt", "true");
	PUT("opt", "-N\n");
	ASSERT_REFUSED("../opt:1: -N needs an argument", "submit", "-@", "../opt", "true");
	PUT("opt", "\n-nosuch\n");
	ASSERT_REFUSED("../opt:2: no option -nosuch", "submit", "-@", "../opt", "true");
	PUT("opt", "-N 'a\n");
	ASSERT_REFUSED("../opt:1: a quotation has no end", "submit", "-@", "../opt", "true");
	ASSERT_REFUSED("-@: \"nofile\": No such file", "submit", "-@", "nofile", "true");
	ASSERT_REFUSED("..: Is a directory", "submit", "-@", "..", "true");
}

static void test_wrong_options_of_a_script_are_reported_with_their_line(void **state)
{
	(void)state;
	PUT("job.sh", "#!/bin/sh\n\n#$ -p high\n");
	ASSERT_REFUSED("../job.sh:3: -p: \"high\"", "submit", "../job.sh");
	PUT("job.sh", "#$ -t 5-1\n");
	ASSERT_REFUSED("../job.sh:1: -t", "submit", "../job.sh");
	PUT("job.sh", "#$ -b y\n");
	ASSERT_REFUSED("../job.sh:1: -b: \"y\": only the command line can set this", "submit", "../job.sh");
	PUT("job.sh", "#$ -C %% -c sx -sync n\n%% -N no\n");
	ASK(SUBMITTED, "submit", "../job.sh");
	assert_string_equal(err, "fairlead: submit: -c has no effect: a local cell makes no checkpoints of its own\n");
	assert_int_equal(code, 0);
	ASK(SUBMITTED, "submit", "-C", "%%", "../job.sh");
	json_t *is = request(0);

	assert_same(json_object_get(is, "job"), "{\"job_name\":\"no\"}");
	json_decref(is);
}

static void test_verify_shows_and_submits_nothing(void **state)
{
	(void)state;
	PUT("job.sh", "#$ -N shown -verify -ac a=1,b\necho\n");
	ASK(SUBMITTED, "submit", "-l", "h_rt=5", "../job.sh", "x", "y");
	assert_int_equal(code, 0);
	assert_string_equal(requests, "");
	assert_non_null(strstr(out, "job_name:                   shown\n"));
	assert_non_null(strstr(out, "hard resource_list:         h_rt=5\n"));
	assert_non_null(strstr(out, "context:                    a=1,b=\n"));
	assert_non_null(strstr(
		out, "job_args:                   x,y\nscript_size:                35\nscript_ptr:\n#$ -N shown"));
	ASK(SUBMITTED, "submit", "-verify", "/bin/true");
	assert_non_null(strstr(out, "job_name:                   true\n"));
	ASK(SUBMITTED, "submit", "-w", "v", "true");
	json_t *is = request(0);

	assert_true(json_is_true(json_object_get(is, "verify")));
	json_decref(is);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, nothing_is_left, nothing_is_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_readable_file_is_a_script_and_sent_with_the_job),
		TEST(test_a_script_may_come_from_standard_input),
		TEST(test_an_invalid_script_is_reported),
		TEST(test_a_command_outside_the_job_s_path_is_sent_with_its_path),
		TEST(test_later_options_override_and_lists_grow_except_for_queues),
		TEST(test_soft_ends_with_its_line),
		TEST(test_clear_forgets_the_options_before_it),
		TEST(test_defaults_are_read_from_the_cell_the_home_and_the_current_directory),
		TEST(test_defaults_of_another_user_are_ignored),
		TEST(test_few_files_of_options_cannot_name_each_other_without_an_end),
		TEST(test_option_files_may_include_others_but_not_themselves),
		TEST(test_wrong_options_of_a_script_are_reported_with_their_line),
		TEST(test_verify_shows_and_submits_nothing),
	};

	return cmocka_run_group_tests(tests, places_make, scratch_destroy);
}
