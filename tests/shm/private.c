/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>

#include "tests/shm/publish.h"

static struct fixture *private_of(void **state)
{
	static struct fixture fixture;

	(void)state;
	assert_int_equal(segment_create_private(&fixture.segment, 256 << 20, 0), 0);
	return &fixture;
}

static size_t names_in(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void test_a_private_segment_is_read_through_its_descriptor(void **state)
{
	struct fixture *fixture = private_of(state);
	struct attachment attachment;
	struct view view;

	uint64_t last = 0;

	for (unsigned i = 0; i < 2 * GENERATIONS; i++)
		last = publish(fixture, 1000);
	assert_int_equal(attach_descriptor(&attachment, fixture->segment.fd, 0), 0);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&attachment, &view), 0);
	assert_null(attachment.readers.slot);
	assert_false(attach_writer_alive(&attachment));
	last = publish(fixture, 100000);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_close(&attachment);
	segment_close(&fixture->segment);
}

static void test_a_private_segment_outlives_its_writer_in_a_reader(void **state)
{
	struct fixture *fixture = private_of(state);
	struct attachment attachment;
	struct view view;

	publish(fixture, 1000);
	assert_int_equal(attach_descriptor(&attachment, fixture->segment.fd, 0), 0);
	segment_close(&fixture->segment);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_close(&attachment);
}

static void test_a_private_segment_has_no_name_and_no_directory(void **state)
{
	char shm[] = "/tmp/fairlead-shm-XXXXXX";
	struct fixture *fixture;
	struct stat status;

	assert_non_null(mkdtemp(shm));
	assert_int_equal(setenv("FAIRLEAD_SHM", shm, 1), 0);
	fixture = private_of(state);
	publish(fixture, 1000);
	assert_int_equal(names_in(shm), 2);	/* itself and the one above */
	assert_int_equal(fstat(fixture->segment.fd, &status), 0);
	assert_int_equal(status.st_nlink, 0);
	segment_close(&fixture->segment);
	assert_int_equal(rmdir(shm), 0);
}

static void test_two_private_segments_are_independent(void **state)
{
	struct fixture *fixture = private_of(state);
	struct fixture other = { .segment.fd = -1 };
	struct attachment attachment;
	struct view view;

	assert_int_equal(segment_create_private(&other.segment, 64 << 20, 0), 0);
	publish(fixture, 10);
	publish(fixture, 10);
	publish(&other, 10);
	assert_int_equal(attach_descriptor(&attachment, other.segment.fd, 0), 0);
	attach_begin(&attachment, &view);
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&attachment, &view), 0);
	attach_close(&attachment);
	segment_close(&other.segment);
	segment_close(&fixture->segment);
}

static void test_a_descriptor_that_is_no_segment_is_refused(void **state)
{
	struct fixture *fixture = private_of(state);
	struct attachment attachment;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(null >= 0);
	assert_int_equal(attach_descriptor(&attachment, null, 0), -EPROTO);
	assert_int_equal(attach_descriptor(&attachment, -1, 0), -EBADF);
	/* Before the first publication. */
	assert_int_equal(attach_descriptor(&attachment, fixture->segment.fd, 0), -ENOENT);
	close(null);
	segment_close(&fixture->segment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_private_segment_is_read_through_its_descriptor),
		cmocka_unit_test(test_a_private_segment_outlives_its_writer_in_a_reader),
		cmocka_unit_test(test_a_private_segment_has_no_name_and_no_directory),
		cmocka_unit_test(test_two_private_segments_are_independent),
		cmocka_unit_test(test_a_descriptor_that_is_no_segment_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
