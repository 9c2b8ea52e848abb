/* SPDX-License-Identifier: Apache-2.0 */
/* Files between scheduler and shepherd: any contents, and either process first. */
#include "tests/shepherd/shepherd.h"

#define GOOD_BEGUN "{\"shepherd\":100,\"shepherd_start\":1,\"pid\":101,\"pid_start\":2}"
#define GOOD_USAGE \
	"{\"ru_wallclock\":1.5,\"ru_utime\":0.5,\"ru_stime\":0.25,\"ru_maxrss\":100,\"ru_ixrss\":0,\"ru_ismrss\":0,\"ru_idrss\":0," \
	"\"ru_isrss\":0,\"ru_minflt\":1,\"ru_majflt\":2,\"ru_nswap\":0,\"ru_inblock\":3,\"ru_oublock\":4,\"ru_msgsnd\":0," \
	"\"ru_msgrcv\":0,\"ru_nsignals\":0,\"ru_nvcsw\":5,\"ru_nivcsw\":6,\"cpu\":0.75,\"mem\":0,\"io\":0.125,\"maxvmem\":102400}"
#define EXIT_WITH(start, status, text, usage) \
	"{" start ",\"end_time\":20.5,\"wait_status\":" status ",\"exit_status\":1,\"signal\":0,\"core\":false,\"failed\":0," \
	"\"text\":" text ",\"usage\":" usage "}"
#define GOOD_EXIT EXIT_WITH("\"start_time\":10.5", "256", "\"fine\"", GOOD_USAGE)

static int dirfd = -1;

static int directory_create(void **state)
{
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/record%d", scratch, ++attempts_made);
	dirfd = mkdir(path, 0755) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dirfd < 0;
}

static int directory_close(void **state)
{
	close(dirfd);
	return processes_end(state);
}

static void put(const char *name, const char *bytes, size_t length)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	close(fd);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static void assert_damaged(const char *why)
{
	struct attempt attempt;
	struct error error = { "" };

	assert_int_equal(attempt_look(dirfd, &attempt, &error), -EUCLEAN);
	assert_non_null(strstr(error.text, why));
	if (!strcmp(why, "begun")) {
		assert_int_equal(attempt.begun, ATTEMPT_BY_SHEPHERD);
		assert_int_equal(attempt.leader.pid, 0);
		assert_int_equal(attempt.shepherd.pid, 0);
	} else {
		assert_false(attempt.exited);
		assert_int_equal(attempt.exit.wait_status, 0);
	}
}

/* Inspections */

static void test_an_empty_directory_is_an_attempt_that_has_not_begun(void **state)
{
	struct attempt attempt = look(dirfd);

	(void)state;
	assert_int_equal(attempt.begun, ATTEMPT_NOT_BEGUN);
	assert_false(attempt.lock_held);
	assert_false(attempt.exited);
}

static void test_a_record_of_the_shepherd_is_read_member_by_member(void **state)
{
	struct attempt attempt;

	(void)state;
	put_text("begun", GOOD_BEGUN);
	put_text("exit", GOOD_EXIT);
	attempt = look(dirfd);
	assert_int_equal(attempt.shepherd.pid, 100);
	assert_int_equal(attempt.shepherd.start, 1);
	assert_int_equal(attempt.leader.pid, 101);
	assert_int_equal(attempt.leader.start, 2);
	assert_true(attempt.exited);
	assert_int_equal(attempt.exit.wait_status, 256);
	assert_int_equal(attempt.exit.exit_status, 1);
	assert_string_equal(attempt.exit.text, "fine");
	assert_true(attempt.exit.start_time == 10.5 && attempt.exit.end_time == 20.5);
	assert_true(attempt.exit.usage.ru_wallclock == 1.5 && attempt.exit.usage.ru_utime == 0.5 &&
		    attempt.exit.usage.ru_stime == 0.25);
	assert_true(attempt.exit.usage.ru_maxrss == 100 && attempt.exit.usage.ru_minflt == 1 &&
		    attempt.exit.usage.ru_majflt == 2 && attempt.exit.usage.ru_inblock == 3);
	assert_true(attempt.exit.usage.ru_oublock == 4 && attempt.exit.usage.ru_nvcsw == 5 &&
		    attempt.exit.usage.ru_nivcsw == 6);
	assert_true(attempt.exit.usage.cpu_s == 0.75 && attempt.exit.usage.io_gb == 0.125 &&
		    attempt.exit.usage.maxvmem_bytes == 102400);
}

static void test_a_damaged_begun_counts_as_begun(void **state)
{
	static const char *const damaged[] = {
		" ",
		"{",
		"[]",
		"{}",
		"null",
		"\377",
		GOOD_BEGUN "x",
		"{\"shepherd\":100,\"shepherd_start\":1,\"pid\":101}",
		"{\"shepherd\":-1,\"shepherd_start\":1,\"pid\":101,\"pid_start\":2}",
		"{\"shepherd\":4294967296,\"shepherd_start\":1,\"pid\":1,\"pid_start\":2}",
		"{\"shepherd\":100,\"shepherd_start\":1.5,\"pid\":101,\"pid_start\":2}",
		"{\"shepherd\":100,\"shepherd_start\":1,\"pid\":\"1\",\"pid_start\":2}",
		"{\"shepherd\":100,\"shepherd_start\":1,\"pid\":101,\"pid_start\":-2}",
		"{\"shepherd\":1,\"shepherd\":1,\"shepherd_start\":1,\"pid\":1,\"pid_start\":2}",
	};
	static char zeros[4096];

	(void)state;
	for (size_t k = 0; k < sizeof(damaged) / sizeof(*damaged); k++) {
		put_text("begun", damaged[k]);
		assert_damaged("begun");
	}
	put("begun", zeros, sizeof(zeros));
	assert_damaged("begun");
}

static void test_a_damaged_exit_counts_as_missing(void **state)
{
	static const char *const damaged[] = {
		"",
		"{",
		"[]",
		"{}",
		"\377",
		GOOD_EXIT "{",
		EXIT_WITH("\"start_time\":30", "256", "\"\"", GOOD_USAGE),
		EXIT_WITH("\"start_time\":-1", "256", "\"\"", GOOD_USAGE),
		EXIT_WITH("\"start_time\":1e300", "256", "\"\"", GOOD_USAGE),
		EXIT_WITH("\"x\":0", "256", "\"\"", GOOD_USAGE),
		EXIT_WITH("\"start_time\":10", "1e9", "\"\"", GOOD_USAGE),
		EXIT_WITH("\"start_time\":10", "4294967296", "\"\"", GOOD_USAGE),
		EXIT_WITH("\"start_time\":10", "256", "7", GOOD_USAGE),
		EXIT_WITH("\"start_time\":10", "256", "\"\"", "{}"),
		EXIT_WITH("\"start_time\":10", "256", "\"\"", "[]"),
		EXIT_WITH("\"start_time\":10", "256,\"exit_status\":256", "\"\"", GOOD_USAGE),
	};

	(void)state;
	put_text("begun", GOOD_BEGUN);
	for (size_t k = 0; k < sizeof(damaged) / sizeof(*damaged); k++) {
		put_text("exit", damaged[k]);
		assert_damaged("exit");
	}
}

static void test_each_member_of_exit_is_needed_and_checked(void **state)
{
	json_t *good = json_loads(GOOD_EXIT, 0, NULL), *usage = json_object_get(good, "usage"), *value;
	const char *name;
	int n = 0;

	(void)state;
	put_text("begun", GOOD_BEGUN);
	json_object_foreach(usage, name, value) {
		json_t *bad = json_deep_copy(good);
		char *text;

		json_object_set_new(json_object_get(bad, "usage"), name, n++ % 2 ? json_real(-1) : json_string("1"));
		text = json_dumps(bad, 0);
		put_text("exit", text);
		assert_damaged("exit");
		free(text);
		json_decref(bad);
	}
	assert_int_equal(n, 22);
	json_decref(good);
}

/* Members of vacating may be missing, because older shepherds have not written them. */
static void test_a_member_of_exit_with_another_type_or_range_is_refused(void **state)
{
	static const char *const wrong[][2] = {
		{ "wait_status", "1.5" },   { "wait_status", "null" }, { "exit_status", "-1" }, { "exit_status", "256" },
		{ "signal", "128" },	    { "signal", "-1" },	       { "core", "0" },		{ "core", "\"no\"" },
		{ "failed", "256" },	    { "failed", "true" },      { "text", "null" },	{ "start_time", "\"1\"" },
		{ "end_time", "1e17" },	    { "end_time", "\"1\"" },   { "usage", "null" },	{ "vacated", "-1" },
		{ "vacated", "true" },	    { "vacated", "99" },       { "vacated", "1" },
	};
	json_t *good = json_loads(GOOD_EXIT, 0, NULL);

	(void)state;
	put_text("begun", GOOD_BEGUN);
	for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
		json_t *bad = json_copy(good);
		char *text;

		json_object_set_new(bad, wrong[k][0], json_loads(wrong[k][1], JSON_DECODE_ANY, NULL));
		text = json_dumps(bad, 0);
		put_text("exit", text);
		assert_damaged("exit");
		free(text);
		json_decref(bad);
	}
	json_decref(good);
	put_text("exit", EXIT_WITH("\"vacated\":1,\"signalled\":12.5,\"start_time\":10", "256", "\"\"", GOOD_USAGE));
	assert_int_equal(look(dirfd).exit.vacated, 1);
	assert_true(look(dirfd).exit.signalled == 12.5);
}

static void test_words_are_made_safe_for_a_terminal_and_long_ones_refused(void **state)
{
	char text[4000], many[1000];

	(void)state;
	put_text("exit", EXIT_WITH("\"start_time\":1", "0", "\"a\\u001b[2Jb\\n\"", GOOD_USAGE));
	put_text("begun", GOOD_BEGUN);
	assert_string_equal(look(dirfd).exit.text, "a?[2Jb?");
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	snprintf(text, sizeof(text), EXIT_WITH("\"start_time\":1", "0", "\"%s\"", GOOD_USAGE), many);
	put_text("exit", text);
	assert_damaged("exit");
}

static void test_foreign_and_special_files_are_not_trusted(void **state)
{
	char *large = malloc(1 << 20);

	(void)state;
	put_text("begun", GOOD_BEGUN);
	assert_int_equal(fchmodat(dirfd, "begun", 0666, 0), 0);
	assert_damaged("begun");
	assert_int_equal(unlinkat(dirfd, "begun", 0) || mkfifoat(dirfd, "begun", 0600), 0);
	assert_damaged("begun");
	assert_int_equal(unlinkat(dirfd, "begun", 0) || symlinkat("elsewhere", dirfd, "begun"), 0);
	assert_damaged("begun");
	assert_int_equal(unlinkat(dirfd, "begun", 0) || mkdirat(dirfd, "begun", 0700), 0);
	assert_damaged("begun");
	assert_int_equal(unlinkat(dirfd, "begun", AT_REMOVEDIR), 0);
	memset(large, ' ', 1 << 20);
	put("begun", large, 1 << 20);
	assert_damaged("begun");
	free(large);
	put_text("begun", GOOD_BEGUN);
	if (geteuid() != 0)
		return;
	assert_int_equal(fchownat(dirfd, "begun", 65534, 65534, 0), 0);
	assert_damaged("begun");
}

static void test_a_lock_is_visible_while_it_is_held(void **state)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = openat(dirfd, "lock", O_RDWR | O_CREAT, 0600);

	(void)state;
	assert_false(look(dirfd).lock_held);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_true(look(dirfd).lock_held);
	close(fd);
	assert_false(look(dirfd).lock_held);
}

static void test_a_missing_directory_has_no_attempt(void **state)
{
	struct error error;
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/record%d", scratch, attempts_made);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(look(dirfd).begun, ATTEMPT_NOT_BEGUN);
	assert_int_equal(attempt_void(dirfd, &error), -ENOENT);
}

static void test_config_is_private_and_replaced_as_a_whole(void **state)
{
	struct error error;
	struct stat st;
	char text[20] = "";
	int fd;

	(void)state;
	assert_int_equal(attempt_config_write(dirfd, "{\"a\":1}", &error), 0);
	assert_int_equal(attempt_config_write(dirfd, "{\"b\":2}", &error), 0);
	assert_int_equal(fstatat(dirfd, "config", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	fd = openat(dirfd, "config", O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 7);
	assert_string_equal(text, "{\"b\":2}");
	close(fd);
}

/* Order of shepherd and void */

static void test_a_void_attempt_stays_void(void **state)
{
	struct error error;

	(void)state;
	assert_int_equal(attempt_void(dirfd, &error), 0);
	assert_int_equal(look(dirfd).begun, ATTEMPT_VOID);
	assert_int_equal(attempt_void(dirfd, &error), -EEXIST);
	assert_int_equal(look(dirfd).begun, ATTEMPT_VOID);
}

static void test_a_shepherd_finds_a_void_attempt_and_writes_no_file(void **state)
{
	int attempt = attempt_make("{\"command\":[\"touch\",\"ran\"]}");
	struct error error;

	(void)state;
	assert_int_equal(attempt_void(attempt, &error), 0);
	assert_int_equal(process_wait(shepherd_start(attempt_path)), 1);
	assert_int_equal(look(attempt).begun, ATTEMPT_VOID);
	assert_false(look(attempt).exited);
	assert_int_not_equal(access(scratch_path("home/ran"), F_OK), 0);
	close(attempt);
}

#define RACES 200

static int oversight_us;

/*
 * Report "void" after seeing that no task has begun, and create the file without a second check:
 * attempt_void() must not do this.
 */
static int void_without_arbitration(int attempt, struct error *error)
{
	int fd;

	(void)error;
	if (faccessat(attempt, "begun", F_OK, 0) == 0)
		return -EEXIST;
	usleep((useconds_t)oversight_us);
	fd = openat(attempt, "begun", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	close(fd);
	return 0;
}

struct races {
	int voided, begun, both, neither;
};

/*
 * The pause before the void grows when it came first and shrinks when the shepherd did, so that
 * both arrive at about the same time.
 */
static struct races races_run(int (*make_void)(int, struct error *))
{
	struct races races = { 0 };
	int pause_us = time_to_begin();

	for (int k = 0; k < RACES; k++) {
		int attempt = attempt_make("{\"command\":[\"touch\",\"ran\"]}");
		pid_t shepherd = shepherd_start(attempt_path);
		bool voided, ran;
		struct error error;

		usleep((useconds_t)pause_us);
		voided = make_void(attempt, &error) == 0;
		int code = process_wait(shepherd);

		ran = access(scratch_path("home/ran"), F_OK) == 0;
		unlink(scratch_path("home/ran"));
		if (ran != (code == 0))
			fail_msg("the shepherd ended with %d, and the command did%s run", code, ran ? "" : " not");
		races.voided += voided;
		races.begun += ran;
		races.both += voided && ran;
		races.neither += !voided && !ran;
		pause_us += voided ? pause_us / 16 + 1 : -(pause_us + 15) / 16;
		close(attempt);
	}
	print_message("%d void, %d begun, %d both, %d neither; last pause %d us\n", races.voided, races.begun,
		      races.both, races.neither, pause_us);
	return races;
}

static void test_exactly_one_of_a_void_and_a_shepherd_wins(void **state)
{
	struct races races = races_run(attempt_void);

	(void)state;
	assert_int_equal(races.both, 0);
	assert_int_equal(races.neither, 0);
	assert_true(races.voided >= RACES / 10 && races.begun >= RACES / 10);	/* both orders have occurred */
}

static void test_a_void_that_does_not_arbitrate_is_found_out(void **state)
{
	(void)state;
	oversight_us = time_to_begin() / 4;
	for (int k = 0; k < 10; k++)
		if (races_run(void_without_arbitration).both > 0)
			return;
	fail();
}

#define RECORD_TEST(name) cmocka_unit_test_setup_teardown(name, directory_create, directory_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORD_TEST(test_an_empty_directory_is_an_attempt_that_has_not_begun),
		RECORD_TEST(test_a_record_of_the_shepherd_is_read_member_by_member),
		RECORD_TEST(test_a_damaged_begun_counts_as_begun),
		RECORD_TEST(test_a_damaged_exit_counts_as_missing),
		RECORD_TEST(test_each_member_of_exit_is_needed_and_checked),
		RECORD_TEST(test_a_member_of_exit_with_another_type_or_range_is_refused),
		RECORD_TEST(test_words_are_made_safe_for_a_terminal_and_long_ones_refused),
		RECORD_TEST(test_foreign_and_special_files_are_not_trusted),
		RECORD_TEST(test_a_lock_is_visible_while_it_is_held),
		RECORD_TEST(test_a_missing_directory_has_no_attempt),
		RECORD_TEST(test_config_is_private_and_replaced_as_a_whole),
		RECORD_TEST(test_a_void_attempt_stays_void),
		TEST(test_a_shepherd_finds_a_void_attempt_and_writes_no_file),
		TEST(test_exactly_one_of_a_void_and_a_shepherd_wins),
		TEST(test_a_void_that_does_not_arbitrate_is_found_out),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
