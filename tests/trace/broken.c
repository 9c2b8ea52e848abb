/* SPDX-License-Identifier: Apache-2.0 */
/* Invalid traces: FILE:LINE, the found text, and the allowed text. */
#include "tests/trace/given.h"

#include <errno.h>
#include <zlib.h>

#define LINE(NUMBER, SUBMIT) NUMBER " " SUBMIT " 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n"
#define NO_TRACE "allowed: 18 numbers of SWF or its ';', accounting(5) of 45 fields, or a header of sacct -P with JobID"

static const struct broken {
	const char *text, *words;
} broken[] = {
	{ "hello\n", ":1: \"hello\" is not a line of a trace; " NO_TRACE },
	{ "# a remark\n\nroot:x:0:0:root:/root:/bin/bash\n", ":3: \"root:x:0:0:root:/root:/bin/bash\" is not a line of a trace; " NO_TRACE },
	{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", ":1: \"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\" is not a line of a trace; " NO_TRACE },
	{ "", " has no line of a trace: it is empty or has only comments" },
	{ "# one\n\n# two\n", " has no line of a trace: it is empty or has only comments" },
	{ "; x\n1 2 3 4 5 6 7 8 9 10 1 12 13 14 15 16\n", ":2: 16 columns; allowed: 18 numbers, 17 without a think time, or anything after them" },
	{ "; x\n" LINE("1", "5") "2 6 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1\n", ":3: 17 columns; the lines above have 18" },
	{ "; x\n" LINE("1", "5") "2 6 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1 7\n", ":3: 19 columns; the lines above have 18" },
	{ "; x\n" LINE("1", "5") "2 6 0 1 1\n", ":3: 5 columns; the lines above have 18" },
	{ "; x\n" LINE("1", "-5"), ":2: field 2, Submit Time, is \"-5\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },
	{ "; x\n" LINE("1", "253402300800"), ":2: field 2, Submit Time, is \"253402300800\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },
	{ "; x\n" LINE("x", "1"), ":2: field 1, Job Number, is \"x\"; allowed: 0 to 4294967295, -1 is unknown" },
	{ "; x\n" LINE("0x1f", "1"), ":2: field 1, Job Number, is \"0x1f\"; allowed: 0 to 4294967295, -1 is unknown" },
	{ "; x\n" LINE("1", "nan"), ":2: field 2, Submit Time, is \"nan\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },
	{ "; x\n" LINE("1", "1e999"), ":2: field 2, Submit Time, is \"1e999\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },
	{ "; x\n" LINE("1", "-"), ":2: field 2, Submit Time, is \"-\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },
	{ "; x\n" LINE("1", "12;"), ":2: field 2, Submit Time, is \"12;\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },
	{ "; x\n1 5 -3 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n",
	  ":2: field 3, Wait Time, is \"-3\"; allowed: seconds from 0 to 4000000000, -1 is unknown" },
	{ "; x\n1 5 0 1 1000000000000000000 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n",
	  ":2: field 5, Number of Allocated Processors, is \"1000000000000000000\"; allowed: 0 to 1000000000, -1 is unknown" },
	{ "; x\n1 5 0 1 1 -1 -1 1 9 -1 6 1 1 -1 -1 -1 -1 -1\n", ":2: field 11, Status, is \"6\"; allowed: 0 to 5, -1 is unknown" },
	{ "; x\n1 5 0 1 1 -1 -1 1 9 -1 1 99999999999999999999999999999999999999999999999999 1 -1 -1 -1 -1 -1\n",
	  ":2: field 12, User ID, is \"9999999999999999999999999999999999999999...\"; allowed: 0 to 2147483647, -1 is unknown" },
	{ "; x\n" LINE("1", "5\001"), ":2: field 2, Submit Time, is \"5?\"; allowed: seconds from 0 to 253402300799, -1 is unknown" },

	{ "a:b:c:d:e:1:sge:0:1:2:3:0:0:1\n", ":1: \"a:b:c:d:e:1:sge:0:1:2:3:0:0:1\" is not a line of a trace; " NO_TRACE },

	{ "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n",
	  ":1: no field User; sacct -aPX --format=JobID,User,Account,Partition,QOS,Submit,Start,End,ElapsedRaw,Timelimit,ReqCPUS,AllocCPUS,ReqMem,State" },
	{ "JobID|User|Submit|Start|AllocCPUS\n",
	  ":1: no field ElapsedRaw (or Elapsed, or Start and End); sacct -aPX --format=JobID,User,Account,Partition,QOS,Submit,Start,End,ElapsedRaw,Timelimit,"
	  "ReqCPUS,AllocCPUS,ReqMem,State" },
	{ "JobID|User|Submit|Elapsed|NCPUS|User\n", ":1: a second field User" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n1|ann|2024-01-02T03:04:05|10\n", ":2: 4 fields; the header has 5" },
	{ "JobID|User|Submit|Elapsed|NCPUS|WorkDir|SubmitLine|State\n1|ann|2024-01-02T03:04:05|10\n", ":2: 4 fields; the header has 8" },
	{ "JobID|User|Submit|Elapsed|NCPUS|SubmitLine|State\n1|ann|2024-01-02T03:04:05|10|4|sbatch x\nand y\n", ":2: 6 fields; the header has 7" },
	{ "JobID|User|Submit|Elapsed|NCPUS|SubmitLine|State\n1|ann|2024-01-02T03:04:05|10|4|sbatch x\n2|ann|2024-01-02T03:04:05|10|4|sbatch x|COMPLETED\n",
	  ":2: 6 fields; the header has 7" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n1|a|b|2024-01-02T03:04:05|10|1\n",
	  ":2: 6 fields; the header has 5; a '|' in a text looks like a separator" },
	{ "JobID|User|Submit|Elapsed|NCPUS\none|ann|2024-01-02T03:04:05|10|1\n",
	  ":2: JobID is \"one\"; allowed: 12, 12_3, 12_[4-6], 12+1, and steps of these, 12.batch" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n4294967296|ann|2024-01-02T03:04:05|10|1\n",
	  ":2: JobID is \"4294967296\"; allowed: 12, 12_3, 12_[4-6], 12+1, and steps of these, 12.batch" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n1|ann|yesterday|10|1\n", ":2: Submit is \"yesterday\"; allowed: 2024-01-31T23:59:59, Unknown, None, or epoch seconds" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n1|ann|2024-13-02T03:04:05|10|1\n",
	  ":2: Submit is \"2024-13-02T03:04:05\"; allowed: 2024-01-31T23:59:59, Unknown, None, or epoch seconds" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n1|ann|2024-12-02T03:04:05|-1|1\n",
	  ":2: Elapsed is \"-1\"; allowed: seconds, [days-]h:m:s, UNLIMITED, Partition_Limit" },
	{ "JobID|User|Submit|Elapsed|TimelimitRaw|NCPUS\n1|ann|2024-12-02T03:04:05|1|99999999|1\n",
	  ":2: TimelimitRaw is \"99999999\"; allowed: minutes, UNLIMITED, Partition_Limit" },
	{ "JobID|User|Submit|Elapsed|NCPUS\n1|ann|2024-12-02T03:04:05|1|1000000000000000000\n",
	  ":2: NCPUS is \"1000000000000000000\"; allowed: 0 to 1000000000" },
	{ "JobID|User|Submit|Elapsed|NCPUS|ReqMem\n1|ann|2024-12-02T03:04:05|1|1|much\n",
	  ":2: ReqMem is \"much\"; allowed: 4000M, 1.5G, followed by c for each CPU or n for each node" },
};

/*
 * The cost of a record without an end is proportional to its bytes: a megabyte of short lines is
 * read once.
 */
static void test_a_record_of_too_many_lines_is_refused(void **state)
{
	static const char head[] =
		"JobID|User|Submit|Elapsed|NCPUS|SubmitLine|Comment\n1|ann|2024-12-02T03:04:05|1|1|sbatch\n";
	size_t lines = 600000, used = sizeof(head) - 1;
	char *text = malloc(used + 2 * lines + 1);

	(void)state;
	assert_non_null(text);
	memcpy(text, head, used);
	for (size_t i = 0; i < lines; i++, used += 2)
		memcpy(text + used, "x\n", 2);
	text[used] = '\0';
	refused(text, ":2: 6 fields; the header has 7");
	free(text);
}

static void test_an_invalid_line_is_reported_with_its_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(broken); i++)
		refused(broken[i].text, broken[i].words);
}

#define START "all.q:node1:users:ann:job:"
#define REST ":0.1:0.1:0.0:0:0:0:0:0:0:0:0.0:0:0:0:0:0:0:NONE:defaultdepartment:NONE"

static void test_an_invalid_accounting_line_is_reported_with_its_number(void **state)
{
	static const struct broken lines[] = {
		{ START "7:sge:0:100:110:120:0:0:10" REST ":1\n",
		  "35 fields; allowed: 45 as in accounting(5), at least 36 in older files" },
		{ START "x:sge:0:100:110:120:0:0:10" REST ":1:0:1.0\n",
		  "field 6, job_number, is \"x\"; allowed: 0 to 4294967295" },
		{ START "7:sge:0:100:110:120:0:0:10" REST ":-4:0:1.0\n",
		  "field 35, slots, is \"-4\"; allowed: 0 to 1000000000" },
		{ START "7:sge:0:100:110:120:0:0:10" REST ":1e18:0:1.0\n",
		  "field 35, slots, is \"1e18\"; allowed: 0 to 1000000000" },
		{ START "7:sge:0:1700000000000:110:120:0:0:10" REST ":1:0:1.0\n",
		  "field 9, submission_time, is \"1700000000000\"; allowed: 0 to 253402300799" },
		{ START "7:sge:0:-100:110:120:0:0:10" REST ":1:0:1.0\n",
		  "field 9, submission_time, is \"-100\"; allowed: 0 to 253402300799" },
		{ START "7:sge:0:100:110:120:0:0:10" REST ":1:0:1.0:0:0:NONE:0:NONE:0:0:0:0\n",
		  "46 fields instead of 45, and the colons are not in a name or the category" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		char text[1000], words[300];

		snprintf(text, sizeof(text),
			 "# Version: 8.1.9\n" START "6:sge:0:100:110:120:0:0:10" REST ":1:0:1.0\n%s", lines[i].text);
		snprintf(words, sizeof(words), ":3: %s", lines[i].words);
		refused(text, words);
	}
}

static void test_a_fault_stays(void **state)
{
	char words[sizeof(error.text)];

	(void)state;
	given("; x\n" LINE("1", "5") LINE("x", "6") LINE("3", "7"));
	next();
	assert_int_equal(trace_next(trace, &job, &error), -EINVAL);
	strcpy(words, error.text);
	error.text[0] = '\0';
	assert_int_equal(trace_next(trace, &job, &error), -EINVAL);
	assert_string_equal(error.text, words);
	assert_int_equal(trace_next(trace, &job, NULL), -EINVAL);
}

static void test_a_truncated_compressed_file_gives_its_lines_and_then_a_fault(void **state)
{
	unsigned char bytes[200000];
	unsigned whole = 0, read = 0;
	size_t n;
	gzFile gz;
	FILE *file;
	int rc;

	(void)state;
	gz = gzopen(path, "wb");
	gzprintf(gz, "; x\n");
	for (unsigned i = 0; i < 20000; i++)
		gzprintf(gz, "%u %u %u 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\n", i, i, i * 7919 % 10007);
	assert_int_equal(gzclose(gz), Z_OK);
	assert_int_equal(opened(NULL), 0);
	assert_true(trace_about(trace)->compressed);
	assert_int_equal(whole = jobs(), 20000);
	file = fopen(path, "re");
	n = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_true(n > 1000 && n < sizeof(bytes));
	put(bytes, n / 2);
	assert_int_equal(opened(NULL), 0);
	while ((rc = trace_next(trace, &job, &error)) == 0)
		read++;
	assert_int_equal(rc, -EINVAL);
	assert_true(read > 1000 && read < whole);
	assert_non_null(strstr(error.text, ": the compressed data ends here: the file was cut short"));
	bytes[n / 3] ^= 0x55;
	put(bytes, n);
	rc = opened(NULL);
	while (rc == 0)
		rc = trace_next(trace, &job, &error);
	assert_int_equal(rc, -EINVAL);
}

static void test_lines_without_an_end_and_bytes_without_text_are_refused(void **state)
{
	size_t n = (size_t)3 << 20;
	char *bytes = malloc(n), words[160];

	(void)state;
	assert_non_null(bytes);
	memset(bytes, '1', n);
	memcpy(bytes, "; x\n", 4);
	put(bytes, n);
	assert_int_equal(opened(NULL), -EINVAL);
	snprintf(words, sizeof(words), "%s:2: a line of more than 1048576 bytes: not a trace", path);
	assert_string_equal(error.text, words);
	memset(bytes, 0, n);
	put(bytes, n);
	assert_int_equal(opened(NULL), -EINVAL);
	put("; x\n1\0002\n", 8);
	assert_int_equal(opened(NULL), -EINVAL);
	snprintf(words, sizeof(words), "%s:2: a NUL byte: not a text file", path);
	assert_string_equal(error.text, words);
	put("\x28\xb5\x2f\xfd\0\0\n", 7);
	assert_int_equal(opened(NULL), -EINVAL);
	assert_non_null(strstr(error.text, "zstd -dc FILE"));
	free(bytes);
}

static void test_an_invalid_path_is_reported(void **state)
{
	struct error e;

	(void)state;
	assert_int_equal(trace_open(&trace, "/nowhere/trace", NULL, &e), -ENOENT);
	assert_string_equal(e.text, "/nowhere/trace: No such file or directory");
	assert_null(trace);
	assert_int_equal(trace_open(&trace, "/tmp", NULL, &e), -EISDIR);
	put("", 0);
}

static void test_invalid_options_are_refused(void **state)
{
	static const double factors[] = { -1, 1e7, 0.0 / 0.0 };

	(void)state;
	put("; x\n", 4);
	for (size_t i = 0; i < COUNT(factors); i++)
		assert_int_equal(opened(&(struct trace_options){ .arrival_factor = factors[i] }), -EINVAL);
	assert_int_equal(
		opened(&(struct trace_options){
			.user_prefix = "0123456789012345678901234567890123456789012345678901234567890123456789" }),
		-EINVAL);
}

static void test_a_given_format_is_used(void **state)
{
	enum trace_format format;

	(void)state;
	refused_with("; x\n", &(struct trace_options){ .format = TRACE_ACCOUNTING },
		     ":1: 1 fields; allowed: 45 as in accounting(5), at least 36 in older files");
	refused_with("1|2\n", &(struct trace_options){ .format = TRACE_SWF },
		     ":1: 1 columns; allowed: 18 numbers, 17 without a think time, or anything after them");
	assert_true(trace_format_find("sacct", &format) && format == TRACE_SACCT);
	assert_false(trace_format_find("pbs", &format));
}

static void test_windows_line_ends_and_a_last_line_without_one_are_read(void **state)
{
	(void)state;
	given("; UnixStartTime: 5\r\n1 5 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1\r\n2 5 0 1 1 -1 -1 1 9 -1 1 1 1 -1 -1 -1 -1 -1");
	next();
	assert_int_equal(job.submit, 10);
	next();
	no_more();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_record_of_too_many_lines_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_invalid_line_is_reported_with_its_number, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_invalid_accounting_line_is_reported_with_its_number, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_fault_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_truncated_compressed_file_gives_its_lines_and_then_a_fault,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines_without_an_end_and_bytes_without_text_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_an_invalid_path_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(test_invalid_options_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_given_format_is_used, setup, teardown),
		cmocka_unit_test_setup_teardown(test_windows_line_ends_and_a_last_line_without_one_are_read, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
