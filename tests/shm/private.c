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
	static struct fixture f;

	(void)state;
	assert_int_equal(segment_create_private(&f.segment, 256 << 20, 0), 0);
	return &f;
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
	struct fixture *f = private_of(state);
	struct attachment a;
	struct view view;

	uint64_t last = 0;

	for (unsigned i = 0; i < 2 * GENERATIONS; i++)
		last = publish(f, 1000);
	assert_int_equal(attach_descriptor(&a, f->segment.fd, 0), 0);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);
	assert_null(a.readers.slot);
	assert_false(attach_writer_alive(&a));
	last = publish(f, 100000);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), last);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
	segment_close(&f->segment);
}

static void test_it_outlives_its_writer_in_a_reader(void **state)
{
	struct fixture *f = private_of(state);
	struct attachment a;
	struct view view;

	publish(f, 1000);
	assert_int_equal(attach_descriptor(&a, f->segment.fd, 0), 0);
	segment_close(&f->segment);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
}

static void test_it_has_no_name_and_no_directory(void **state)
{
	char shm[] = "/tmp/fairlead-shm-XXXXXX";
	struct fixture *f;
	struct stat status;

	assert_non_null(mkdtemp(shm));
	assert_int_equal(setenv("FAIRLEAD_SHM", shm, 1), 0);
	f = private_of(state);
	publish(f, 1000);
	assert_int_equal(names_in(shm), 2);	/* itself and the one above */
	assert_int_equal(fstat(f->segment.fd, &status), 0);
	assert_int_equal(status.st_nlink, 0);
	segment_close(&f->segment);
	assert_int_equal(rmdir(shm), 0);
}

static void test_two_of_them_know_nothing_of_each_other(void **state)
{
	struct fixture *f = private_of(state);
	struct fixture other = { .segment.fd = -1 };
	struct attachment a;
	struct view view;

	assert_int_equal(segment_create_private(&other.segment, 64 << 20, 0), 0);
	publish(f, 10);
	publish(f, 10);
	publish(&other, 10);
	assert_int_equal(attach_descriptor(&a, other.segment.fd, 0), 0);
	attach_begin(&a, &view);
	assert_int_equal(read_numbers(&view), 1);
	assert_int_equal(attach_end(&a, &view), 0);
	attach_close(&a);
	segment_close(&other.segment);
	segment_close(&f->segment);
}

static void test_what_is_no_segment_is_refused(void **state)
{
	struct fixture *f = private_of(state);
	struct attachment a;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(null >= 0);
	assert_int_equal(attach_descriptor(&a, null, 0), -EPROTO);
	assert_int_equal(attach_descriptor(&a, -1, 0), -EBADF);
	/* nothing is published yet */
	assert_int_equal(attach_descriptor(&a, f->segment.fd, 0), -ENOENT);
	close(null);
	segment_close(&f->segment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_private_segment_is_read_through_its_descriptor),
		cmocka_unit_test(test_it_outlives_its_writer_in_a_reader),
		cmocka_unit_test(test_it_has_no_name_and_no_directory),
		cmocka_unit_test(test_two_of_them_know_nothing_of_each_other),
		cmocka_unit_test(test_what_is_no_segment_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
