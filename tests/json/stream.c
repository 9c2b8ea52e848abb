/* SPDX-License-Identifier: Apache-2.0 */
/* fairlead-schedd --once on streams: numbers, snapshots, lines, and random input. */
#include "tests/daemon/process.h"

#include <jansson.h>

static char answers[1 << 20], counted[200];

static size_t read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	return used;
}

/*
 * Return the exit code. `answers`: received answers; `counted`: counts of the run, "2 pending jobs,
 * 2 pending and 0 started tasks".
 */
static int stream_run(const char *stream, size_t length)
{
	const char *file = scratch_path("stream");
	struct process *process;
	char log[1 << 16], *from, *to;
	FILE *f = fopen(file, "w");

	assert_int_equal(fwrite(stream, 1, length, f), length);
	fclose(f);
	process = process_start((const char *const[]){ "--once", "--now", "1700000100", "-v", "--events", file, NULL });
	read_all(process->out, answers, sizeof(answers));
	read_all(process->err, log, sizeof(log));
	from = strstr(log, "run at 1700000100: ");
	to = from ? strstr(from, "; ms") : NULL;
	snprintf(counted, sizeof(counted), "%.*s", to ? (int)(to - from) - 19 : 0, to ? from + 19 : "");
	return process_end(process);
}

static void check_stream(const char *stream, int code, const char *expected_answers, const char *expected_count)
{
	assert_int_equal(stream_run(stream, strlen(stream)), code);
	assert_string_equal(answers, expected_answers);
	if (!strstr(counted, expected_count))
		fail_msg("counted %s instead of %s", counted, expected_count);
}

#define JOB(seq, number) "{\"seq\":" #seq ",\"event\":\"job_add\",\"job_number\":" #number ",\"owner\":\"ann\",\"submission_time\":1}\n"
#define EVENT(seq, name) "{\"seq\":" #seq ",\"event\":\"" #name "\"}\n"
#define ACK(seq) "{\"answer\":\"ack\",\"seq\":" #seq "}\n"
#define ERROR(seq, text) "{\"answer\":\"error\",\"seq\":" #seq ",\"text\":\"" text "\"}\n"
#define REQUEST(seq, text) "{\"answer\":\"error\",\"seq\":" #seq ",\"text\":\"" text "\",\"request\":\"snapshot\"}\n"

static void test_an_empty_input_is_not_acknowledged(void **state)
{
	(void)state;
	check_stream("", 0, "", "0 pending jobs");
	check_stream("\n  \n\r\n", 0, "", "0 pending jobs");
}

static void test_a_gap_is_answered_and_the_event_after_it_is_applied(void **state)
{
	(void)state;
	check_stream(JOB(1, 1) JOB(3, 3) JOB(7, 7) JOB(8, 8), 1,
		     REQUEST(3, "event 2 is missing before it") REQUEST(7, "events 4 to 6 are missing before it")
			     ACK(8),
		     "4 pending jobs");
}

static void test_a_stream_must_begin_with_one_or_a_snapshot(void **state)
{
	(void)state;
	check_stream(JOB(5, 1), 1, REQUEST(5, "events 1 to 4 are missing before it") ACK(5), "1 pending jobs");
	check_stream(EVENT(500, snapshot_begin) JOB(501, 1) EVENT(502, snapshot_end), 0, ACK(502) ACK(502),
		     "1 pending jobs");
}

static void test_a_repeated_event_is_acknowledged_and_ignored(void **state)
{
	(void)state;
	check_stream(JOB(1, 1) JOB(2, 2) JOB(1, 1) JOB(2, 77) EVENT(2, nonsense) JOB(3, 3), 0, ACK(3) ACK(3),
		     "3 pending jobs");
}

static void test_a_snapshot_replaces_everything_and_restarts_the_numbers(void **state)
{
	(void)state;
	check_stream(JOB(1, 1) JOB(2, 2) JOB(3, 3) EVENT(1, snapshot_begin) JOB(2, 9) EVENT(3, snapshot_end) JOB(4, 10),
		     0, ACK(4) ACK(4), "2 pending jobs");
}

static void test_an_open_snapshot_changes_no_state(void **state)
{
	(void)state;
	check_stream(JOB(1, 1) JOB(2, 2) EVENT(3, snapshot_begin) JOB(4, 9), 0, ACK(2), "2 pending jobs");
	check_stream(JOB(1, 1) EVENT(2, snapshot_begin) JOB(3, 8) JOB(4, 9) EVENT(5, snapshot_begin) JOB(6, 9)
			     JOB(7, 10) EVENT(8, snapshot_end),
		     0, ACK(8) ACK(8), "2 pending jobs");
}

static void test_an_end_without_a_beginning_is_refused(void **state)
{
	(void)state;
	assert_int_equal(stream_run(EVENT(1, snapshot_end), strlen(EVENT(1, snapshot_end))), 1);
	assert_non_null(strstr(answers, "{\"answer\":\"error\",\"seq\":1,\"text\":\"snapshot_end: "));
}

static void test_a_broken_event_inside_a_snapshot_requests_no_other_one(void **state)
{
	(void)state;
	check_stream(EVENT(1, snapshot_begin) JOB(2, 0) JOB(3, 3) EVENT(4, snapshot_end), 1,
		     ERROR(2, "job_add: job_number: 0 is not in 1..4294967295") ACK(4) ACK(4), "1 pending jobs");
}

static void test_a_gap_inside_a_snapshot_requests_another_one(void **state)
{
	(void)state;
	check_stream(EVENT(1, snapshot_begin) JOB(4, 3) EVENT(5, snapshot_end), 1,
		     REQUEST(4, "events 2 to 3 are missing before it") ACK(5) ACK(5), "1 pending jobs");
}

static void test_the_last_line_needs_no_newline(void **state)
{
	(void)state;
	check_stream(JOB(1, 1) "{\"seq\":2,\"event\":\"job_delete\",\"job_number\":1}", 0, ACK(2), "0 pending jobs");
}

static void test_unknown_and_null_members_are_ignored(void **state)
{
	(void)state;
	check_stream(
		"{\"seq\":1,\"event\":\"job_add\",\"job_number\":1,\"owner\":\"ann\",\"submission_time\":1,\"priority\":null,"
		"\"colour\":{\"red\":[1,2]},\"hold\":{\"u\":null}}\r\n",
		0, ACK(1), "1 pending jobs");
}

static void check_padded(size_t padding, int code, const char *expected_answers, const char *expected_count)
{
	static const char end[] = "\"}\n" JOB(3, 3);
	size_t length, capacity = padding + 1000;
	char *stream = malloc(capacity);

	length = (size_t)snprintf(stream, capacity, "%s",
				  JOB(1, 1) "{\"seq\":2,\"event\":\"job_delete\",\"job_number\":1,\"padding\":\"");
	padding -= strlen(strchr(stream, '\n') + 1) + 2;
	memset(stream + length, 'x', padding);
	memcpy(stream + length + padding, end, sizeof(end));
	check_stream(stream, code, expected_answers, expected_count);
	free(stream);
}

static void test_a_line_of_one_mebibyte_is_accepted_and_a_longer_one_skipped(void **state)
{
	(void)state;
	check_padded(1 << 20, 0, ACK(3), "1 pending jobs");
	check_padded((1 << 20) + 1, 1, REQUEST(2, "the line is longer than 1048576 bytes") ACK(3), "2 pending jobs");
	check_padded(20 << 20, 1, REQUEST(2, "the line is longer than 1048576 bytes") ACK(3), "2 pending jobs");
}

static void test_every_type_of_event_with_every_member_is_accepted(void **state)
{
	static const char stream[] =
		"{\"seq\":1,\"event\":\"queue_instance\",\"queue\":\"all.q@n1\",\"slots\":8,\"state\":\"\"}\n"
		"{\"seq\":2,\"event\":\"queue_instance\",\"queue\":\"all.q@n2\",\"state\":\"au\",\"slots\":2}\n"
		"{\"seq\":3,\"event\":\"host_state\",\"host\":\"n2\",\"available\":false}\n"
		"{\"seq\":4,\"event\":\"job_add\",\"job_number\":1,\"owner\":\"ann\",\"job_name\":\"a b\",\"project\":\"p\",\"department\":\"d\","
		"\"submission_time\":1700000000,\"priority\":-1023,\"jobshare\":4294967295,\"override_tickets\":5,\"deadline\":1800000000,"
		"\"execution_time\":1700000001,\"hold_jid\":[2,3],\"hard_resource_list\":\"h_vmem=2G\",\"soft_resource_list\":\"arch=lx*\","
		"\"pe\":\"mpi*\",\"pe_range\":\"1-4,8-,16\",\"tasks\":\"1-9:2\",\"task_concurrency\":2,"
		"\"hold\":{\"u\":\"1-3\",\"o\":\"5\",\"s\":\"\"},\"error\":false,\"hard_queue_list\":\"all.q,b*\",\"soft_queue_list\":\"c.q\","
		"\"master_queue_list\":\"all.q@n1\",\"checkpoint\":\"blcr\",\"group\":\"staff\",\"reserve\":true,\"now\":false}\n"
		"{\"seq\":5,\"event\":\"job_add\",\"job_number\":2,\"owner\":\"bob\",\"submission_time\":1700000000}\n"
		"{\"seq\":6,\"event\":\"job_modify\",\"job_number\":1,\"priority\":1024,\"jobshare\":0,\"override_tickets\":0,\"owner\":\"eve\"}\n"
		"{\"seq\":7,\"event\":\"task_start\",\"job_number\":2,\"task\":1,\"start_time\":1700000010,\"granted_pe\":\"mpi\","
		"\"granted\":[{\"queue\":\"all.q@n1\",\"slots\":2},{\"queue\":\"all.q@n2\",\"slots\":1}]}\n"
		"{\"seq\":8,\"event\":\"task_state\",\"job_number\":2,\"task\":1,\"state\":\"sST\"}\n"
		"{\"seq\":9,\"event\":\"usage\",\"job_number\":2,\"scaled_usage\":{\"cpu\":1e3,\"mem\":0.25,\"io\":0,\"acct_cpu\":7,\"ru_wallclock\":1}}\n"
		"{\"seq\":10,\"event\":\"task_requeue\",\"job_number\":2,\"task\":1}\n"
		"{\"seq\":11,\"event\":\"task_start\",\"job_number\":2,\"start_time\":1700000020,\"granted\":[{\"queue\":\"all.q@n1\",\"slots\":1}]}\n"
		"{\"seq\":12,\"event\":\"task_finish\",\"job_number\":2,\"task\":1,\"scaled_usage\":{\"cpu\":14,\"mem\":0.3,\"io\":0.001}}\n"
		"{\"seq\":13,\"event\":\"user_usage\",\"user\":\"ann\",\"time_stamp\":1700000000,\"usage\":{\"cpu\":1,\"mem\":2,\"io\":3},"
		"\"long_term_usage\":{\"cpu\":4},\"debited_job_usage\":{\"17\":{\"cpu\":16}},"
		"\"project\":[{\"project\":\"p\",\"usage\":{\"cpu\":1},\"long_term_usage\":{}}]}\n"
		"{\"seq\":14,\"event\":\"project_usage\",\"project\":\"p\",\"time_stamp\":1700000000,\"usage\":{\"cpu\":1},"
		"\"long_term_usage\":{\"cpu\":4},\"debited_job_usage\":{}}\n"
		"{\"seq\":15,\"event\":\"queue_instance_delete\",\"queue\":\"all.q@n2\"}\n"
		"{\"seq\":16,\"event\":\"config_changed\"}\n"
		"{\"seq\":17,\"event\":\"job_delete\",\"job_number\":1}\n"
		"{\"seq\":18,\"event\":\"host_load\",\"host\":\"n1\",\"load_values\":{\"np_load_avg\":\"0.3\",\"arch\":\"lx-amd64\",\"num_proc\":4}}\n"
		"{\"seq\":19,\"event\":\"order_refused\",\"number\":1,\"job_number\":1,\"task\":1,\"text\":\"unknown job\"}\n";

	(void)state;
	check_stream(stream, 1, REQUEST(19, "order_refused: order 1 was not issued; the last one is 0") ACK(19),
		     "0 pending jobs");
}

/* Chance */

static unsigned seed;

static size_t drawn(size_t below)
{
	return (size_t)rand_r(&seed) % below;
}

static const char good[] =
	EVENT(1, snapshot_begin) JOB(2, 1) JOB(3, 2)
	"{\"seq\":4,\"event\":\"queue_instance\",\"queue\":\"all.q@n1\",\"slots\":8}\n"
	"{\"seq\":5,\"event\":\"job_add\",\"job_number\":7,\"owner\":\"bob\",\"submission_time\":1700000000,\"tasks\":\"1-9:2\","
	"\"hold\":{\"u\":\"1-3\"},\"hold_jid\":[1,2],\"pe\":\"mpi\",\"pe_range\":\"2-4\",\"hard_resource_list\":\"h_vmem=2G,arch=lx\"}\n"
	EVENT(6, snapshot_end)
	"{\"seq\":7,\"event\":\"task_start\",\"job_number\":2,\"start_time\":1700000010,\"granted\":[{\"queue\":\"all.q@n1\",\"slots\":2}]}\n"
	"{\"seq\":8,\"event\":\"usage\",\"job_number\":2,\"scaled_usage\":{\"cpu\":12.5,\"mem\":0.25,\"io\":0.001}}\n"
	"{\"seq\":9,\"event\":\"task_state\",\"job_number\":2,\"state\":\"s\"}\n"
	"{\"seq\":10,\"event\":\"user_usage\",\"user\":\"ann\",\"time_stamp\":1700000000,\"usage\":{\"cpu\":1},\"debited_job_usage\":{\"2\":{\"cpu\":1}}}\n"
	"{\"seq\":11,\"event\":\"task_finish\",\"job_number\":2,\"scaled_usage\":{\"cpu\":14}}\n"
	"{\"seq\":12,\"event\":\"job_modify\",\"job_number\":1,\"priority\":5,\"tasks\":\"1-3\"}\n"
	"{\"seq\":13,\"event\":\"job_delete\",\"job_number\":7}\n"
	"{\"seq\":14,\"event\":\"host_load\",\"host\":\"n1\",\"load_values\":{\"np_load_avg\":0.3,\"arch\":\"lx-amd64\"}}\n"
	"{\"seq\":15,\"event\":\"order_refused\",\"number\":1,\"job_number\":1,\"text\":\"why not\"}\n";

static size_t mutate(char *text, size_t length)
{
	static const char *const odd[] = { "1e999", "-1", "null", "{}", "[]", "\"\"", "4294967296", "true", "\xff", "0", "\\", "\"", "\n", "}" };
	const char *piece = odd[drawn(sizeof(odd) / sizeof(*odd))];
	size_t at = drawn(length), n = drawn(12), from = drawn(length);

	n = at + n > length ? length - at : n;
	switch (drawn(4)) {
	case 0:
		text[at] ^= (char)(1 << drawn(8));
		return length;
	case 1:
		memmove(text + at, text + at + n, length - at - n);
		return length - n;
	case 2:
		n = from + n > length ? length - from : n;
		memmove(text + at + n, text + at, length - at);
		memmove(text + at, text + (from < at ? from : from + n), n);
		return length + n;
	default:
		n = strlen(piece);
		memmove(text + at + n, text + at, length - at);
		memcpy(text + at, piece, n);
		return length + n;
	}
}

static void check_answers_are_json(void)
{
	for (char *line = answers, *end; *line; line = end + 1) {
		json_t *answer;

		end = strchr(line, '\n');
		assert_non_null(end);
		answer = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(answer);
		assert_true(json_is_string(json_object_get(answer, "answer")));
		json_decref(answer);
	}
}

static void test_mutated_streams_end_in_answers_and_a_run(void **state)
{
	const char *given = getenv("SEED");
	char text[sizeof(good) * 4 + 1000];

	(void)state;
	seed = given ? (unsigned)strtoul(given, NULL, 10) : 20240602u;
	print_message("seed %u\n", seed);
	for (int i = 0; i < 150; i++) {
		size_t length = sizeof(good) - 1;
		int code;

		memcpy(text, good, length);
		for (size_t k = 1 + drawn(8); k > 0; k--)
			length = mutate(text, length);
		code = stream_run(text, length);
		if ((code != 0 && code != 1) || !*counted)
			fail_msg("stream %d: exit %d, counted \"%s\"", i, code, counted);
		assert_int_equal(code, strstr(answers, "\"error\"") != NULL);
		check_answers_are_json();
	}
}


int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_an_empty_input_is_not_acknowledged),
		TEST(test_a_gap_is_answered_and_the_event_after_it_is_applied),
		TEST(test_a_stream_must_begin_with_one_or_a_snapshot),
		TEST(test_a_repeated_event_is_acknowledged_and_ignored),
		TEST(test_a_snapshot_replaces_everything_and_restarts_the_numbers),
		TEST(test_an_open_snapshot_changes_no_state),
		TEST(test_an_end_without_a_beginning_is_refused),
		TEST(test_a_broken_event_inside_a_snapshot_requests_no_other_one),
		TEST(test_a_gap_inside_a_snapshot_requests_another_one),
		TEST(test_the_last_line_needs_no_newline),
		TEST(test_unknown_and_null_members_are_ignored),
		TEST(test_a_line_of_one_mebibyte_is_accepted_and_a_longer_one_skipped),
		TEST(test_every_type_of_event_with_every_member_is_accepted),
		TEST(test_mutated_streams_end_in_answers_and_a_run),
	};

	return cmocka_run_group_tests(tests, scratch_create, scratch_destroy);
}
