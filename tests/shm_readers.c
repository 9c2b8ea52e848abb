/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "shm/readers.h"
#include "tests/shm_cell.h"

struct fixture {
	struct shm_cell cell;
	char path[128];
	struct readers writer;
};

static int setup(void **state)
{
	static struct fixture f;

	*state = &f;
	if (shm_cell_make(&f.cell))
		return -1;
	snprintf(f.path, sizeof(f.path), "%s/readers", f.cell.shm);
	return readers_create(&f.writer, f.path, 0600, -1);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	readers_close(&f->writer);
	shm_cell_clear(&f->cell);
	return 0;
}

static void pin(struct readers *r, uint64_t gen, bool confirmed)
{
	atomic_store(&r->slot->pin, gen << 1 | confirmed);
}

static void claim(struct fixture *f, struct readers *r)
{
	assert_int_equal(readers_claim(r, f->path), 0);
	assert_non_null(r->slot);
}

static void test_each_handle_gets_a_slot_of_its_own(void **state)
{
	struct readers a, b;

	claim(*state, &a);
	claim(*state, &b);
	assert_int_not_equal(a.slot - a.table->slot, b.slot - b.table->slot);
	readers_close(&a);
	claim(*state, &a);
	assert_int_equal(a.slot - a.table->slot, 0);
	readers_close(&a);
	readers_close(&b);
	readers_close(&b);
}

static void test_a_full_table_leaves_a_reader_without_a_slot(void **state)
{
	static struct readers all[READER_SLOTS];
	struct fixture *f = *state;
	struct readers late;

	for (unsigned i = 0; i < READER_SLOTS; i++)
		claim(f, &all[i]);
	assert_int_equal(readers_claim(&late, f->path), 0);
	assert_null(late.slot);
	readers_close(&late);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_close(&all[i]);
	claim(f, &late);
	readers_close(&late);
}

static void test_no_table_is_no_error_but_another_version_is(void **state)
{
	struct fixture *f = *state;
	const uint32_t version = SEGMENT_VERSION + 1;
	struct readers r;

	assert_int_equal(readers_claim(&r, "/nonexistent/readers"), 0);
	assert_null(r.slot);
	readers_close(&r);
	assert_int_equal(pwrite(f->writer.fd, &version, sizeof(version), offsetof(struct reader_table, version)), sizeof(version));
	assert_int_equal(readers_claim(&r, f->path), -EPROTO);
	readers_close(&r);
}

static void test_a_reader_is_in_the_generation_it_has_confirmed_and_in_no_other(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	claim(f, &r);
	assert_false(readers_busy(&f->writer, 5));
	pin(&r, 5, true);
	assert_false(readers_busy(&f->writer, 4));
	assert_true(readers_busy(&f->writer, 5));
	assert_false(readers_busy(&f->writer, 6));
	readers_close(&r);
	assert_false(readers_busy(&f->writer, 5));
}

static void test_an_unconfirmed_pin_may_be_in_any_later_generation(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	claim(f, &r);
	pin(&r, 5, false);
	assert_false(readers_busy(&f->writer, 4));
	assert_true(readers_busy(&f->writer, 5));
	assert_true(readers_busy(&f->writer, 9));
	readers_close(&r);
}

static void test_a_dead_owner_is_reaped_when_it_is_in_the_way(void **state)
{
	struct fixture *f = *state;
	struct readers r;
	pid_t pid = fork();

	if (pid == 0) {
		if (readers_claim(&r, f->path) == 0 && r.slot)
			pin(&r, 7, true);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	assert_false(readers_busy(&f->writer, 6));
	assert_int_equal(f->writer.reaped, 0);
	assert_false(readers_busy(&f->writer, 7));
	assert_int_equal(f->writer.reaped, 1);
	claim(f, &r);
	assert_int_equal(atomic_load(&r.slot->pin), 0);
	readers_close(&r);
}

static void test_an_evicted_reader_is_waited_for_once(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	claim(f, &r);
	pin(&r, 5, true);
	assert_false(readers_stray(&f->writer));
	assert_int_equal(readers_evict(&f->writer, 5), 1);
	assert_int_equal(readers_evict(&f->writer, 5), 0);
	assert_false(readers_busy(&f->writer, 5));
	assert_true(readers_stray(&f->writer));
	assert_int_equal(f->writer.evictions, 1);
	pin(&r, 9, true);
	assert_true(readers_busy(&f->writer, 9));
	assert_false(readers_stray(&f->writer));
	readers_close(&r);
}

static void test_a_reader_evicted_before_it_confirmed_stays_evicted_until_its_section_ends(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	claim(f, &r);
	pin(&r, 5, false);
	assert_int_equal(readers_evict(&f->writer, 5), 1);
	pin(&r, 7, true);
	assert_true(readers_stray(&f->writer));
	assert_true(readers_stray(&f->writer));
	assert_int_equal(f->writer.evictions, 2);
	assert_false(readers_busy(&f->writer, 7));
	pin(&r, 9, false);
	assert_false(readers_stray(&f->writer));
	assert_true(readers_busy(&f->writer, 9));
	readers_close(&r);
}

static void test_an_evicted_reader_that_died_is_no_longer_there(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	claim(f, &r);
	pin(&r, 5, true);
	assert_int_equal(readers_evict(&f->writer, 5), 1);
	assert_true(readers_stray(&f->writer));
	int fd = r.fd;

	r.slot = NULL;				/* leaves its pin behind, as the dead do */
	readers_close(&r);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_false(readers_stray(&f->writer));
	assert_int_equal(f->writer.reaped, 1);
}

static void test_a_table_cut_short_reads_as_nobody(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	claim(f, &r);
	pin(&r, 5, true);
	assert_int_equal(truncate(f->path, 0), 0);
	assert_false(readers_busy(&f->writer, 5));
	r.slot = NULL;
	readers_close(&r);
}

static void test_a_successor_takes_over_the_table_with_its_readers(void **state)
{
	struct fixture *f = *state;
	struct readers r, successor;
	struct stat st;

	claim(f, &r);
	pin(&r, 5, true);
	assert_int_equal(readers_create(&successor, f->path, 0640, -1), 0);
	assert_true(readers_busy(&successor, 5));
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	readers_close(&successor);
	readers_close(&r);
}

static void test_what_is_no_table_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct readers r, successor;

	assert_int_equal(truncate(f->path, 100), 0);
	assert_int_equal(readers_create(&successor, f->path, 0600, -1), 0);
	claim(f, &r);
	readers_close(&r);
	readers_close(&successor);
}

static void test_a_forked_child_leaves_its_parents_slot_alone(void **state)
{
	struct fixture *f = *state;
	struct readers r;
	int status;

	claim(f, &r);
	pin(&r, 5, true);
	pid_t pid = fork();

	if (pid == 0) {
		readers_close(&r);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(readers_busy(&f->writer, 5));
	assert_int_equal(f->writer.reaped, 0);
	readers_close(&r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_handle_gets_a_slot_of_its_own),
		TEST(test_a_full_table_leaves_a_reader_without_a_slot),
		TEST(test_no_table_is_no_error_but_another_version_is),
		TEST(test_a_reader_is_in_the_generation_it_has_confirmed_and_in_no_other),
		TEST(test_an_unconfirmed_pin_may_be_in_any_later_generation),
		TEST(test_a_dead_owner_is_reaped_when_it_is_in_the_way),
		TEST(test_an_evicted_reader_is_waited_for_once),
		TEST(test_a_reader_evicted_before_it_confirmed_stays_evicted_until_its_section_ends),
		TEST(test_an_evicted_reader_that_died_is_no_longer_there),
		TEST(test_a_table_cut_short_reads_as_nobody),
		TEST(test_a_successor_takes_over_the_table_with_its_readers),
		TEST(test_what_is_no_table_is_replaced),
		TEST(test_a_forked_child_leaves_its_parents_slot_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
