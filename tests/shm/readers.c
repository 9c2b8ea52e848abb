/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>

#include "shm/readers.h"
#include "tests/shm/cell.h"

struct fixture {
	struct shm_cell cell;
	char path[128];
	int fd;			/* file with the locks */
	struct readers writer;
};

static int setup(void **state)
{
	static struct fixture fixture;

	*state = &fixture;
	if (shm_cell_make(&fixture.cell))
		return -1;
	snprintf(fixture.path, sizeof(fixture.path), "%s/state", fixture.cell.shm);
	fixture.fd = open(fixture.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	readers_create(&fixture.writer, fixture.fd, 0600, -1);
	return fixture.writer.table ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	readers_close(&fixture->writer);
	close(fixture->fd);
	shm_cell_clear(&fixture->cell);
	return 0;
}

static void pin(struct readers *readers, uint64_t gen, bool confirmed)
{
	atomic_store(&readers->slot->pin, gen << 1 | confirmed);
}

static void claim_any(const struct fixture *fixture, struct readers *readers)
{
	readers_claim(readers, open(fixture->path, O_RDONLY | O_CLOEXEC), &fixture->writer.place);
}

static void claim(const struct fixture *fixture, struct readers *readers)
{
	claim_any(fixture, readers);
	assert_non_null(readers->slot);
}

/* Run `body` in a child. Return its exit status. */
static int in_child(int (*body)(struct fixture *), struct fixture *fixture)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(body(fixture));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
	struct fixture *fixture = *state;
	struct readers late;

	for (unsigned i = 0; i < READER_SLOTS; i++)
		claim(fixture, &all[i]);
	claim_any(fixture, &late);
	assert_null(late.slot);
	readers_close(&late);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_close(&all[i]);
	claim(fixture, &late);
	readers_close(&late);
}

static bool has_slot(const struct fixture *fixture, const struct reader_place *place)
{
	struct readers readers;

	readers_claim(&readers, open(fixture->path, O_RDONLY | O_CLOEXEC), place);
	bool has = readers.slot != NULL;

	assert_true(has == (readers.table != NULL));
	readers_close(&readers);
	return has;
}

static void test_a_missing_or_foreign_table_is_refused(void **state)
{
	struct fixture *fixture = *state;
	const struct reader_place none = { .shmid = -1 },
				  other = { fixture->writer.place.shmid, 0, fixture->writer.place.nonce + 1 };
	struct reader_table *table = fixture->writer.table;
	struct readers readers;

	assert_true(has_slot(fixture, &fixture->writer.place));
	assert_false(has_slot(fixture, &none));
	assert_false(has_slot(fixture, &other));
	table->version++;
	assert_false(has_slot(fixture, &fixture->writer.place));
	table->version--;
	table->slots--;
	assert_false(has_slot(fixture, &fixture->writer.place));
	table->slots++;
	table->magic++;
	assert_false(has_slot(fixture, &fixture->writer.place));
	table->magic--;
	assert_true(has_slot(fixture, &fixture->writer.place));
	readers_claim(&readers, -1, &fixture->writer.place);
	assert_null(readers.slot);
	readers_close(&readers);
}

/* Correct except for its size: a store to a slot after the end would crash. */
static void test_a_table_of_another_size_is_refused(void **state)
{
	static const size_t sizes[] = { PAGE_BYTES, sizeof(struct reader_table) - CACHELINE,
					sizeof(struct reader_table) + CACHELINE };
	struct fixture *fixture = *state;

	for (size_t i = 0; i < 3; i++) {
		const struct reader_place place = { shmget(IPC_PRIVATE, sizes[i], IPC_CREAT | 0600), 0, 7 };
		struct reader_table *table = shmat(place.shmid, NULL, 0);

		assert_true(table != (void *)-1);
		table->magic = READERS_MAGIC;
		table->version = SEGMENT_VERSION;
		table->slots = READER_SLOTS;
		table->nonce = place.nonce;
		assert_int_equal(shmctl(place.shmid, IPC_RMID, NULL), 0);
		assert_false(has_slot(fixture, &place));
		shmdt(table);
	}
}

/* Try everything that a neighbour with write access to the table can do. */
static int spoil(struct fixture *fixture)
{
	struct reader_place place = fixture->writer.place;
	char *table = shmat(place.shmid, NULL, 0), name[100];

	if (setgid(65534) || setuid(65534))
		return 77;
	if (table == (void *)-1)
		return 1;
	snprintf(name, sizeof(name), "/proc/self/map_files/%lx-%lx", (long)table, (long)table + 40960);
	if (truncate(name, 0) == 0 || ftruncate(open(name, O_RDWR | O_CLOEXEC), 0) == 0 ||
	    shmctl(place.shmid, IPC_RMID, NULL) == 0)
		return 2;
	/* Frees the pages, but not their addresses. */
	madvise(table, 2 * PAGE_BYTES, MADV_REMOVE);
	memset(table + PAGE_BYTES, 0x55, sizeof(struct reader_table) - PAGE_BYTES);
	return 0;
}

static void test_a_neighbour_that_spoils_the_table_crashes_no_process(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;

	if (geteuid() != 0)
		skip();		/* only root can simulate a neighbour */
	shmctl(fixture->writer.place.shmid, IPC_SET,
	       &(struct shmid_ds){ .shm_perm = { .mode = 0666, .uid = geteuid(), .gid = getegid() } });
	claim(fixture, &readers);
	assert_int_equal(in_child(spoil, fixture), 0);
	pin(&readers, 5, true);
	assert_true(readers_busy(&fixture->writer, 5));
	pin(&readers, 0, false);
	(void)readers_evict(&fixture->writer, 5);
	assert_false(readers_busy(&fixture->writer, 5));
	(void)readers_stray(&fixture->writer);
	readers_close(&readers);
}

static void test_a_check_tries_few_locks_for_any_number_of_pins(void **state)
{
	struct fixture *fixture = *state;
	struct flock all = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = READER_LOCKS, .l_len = READER_SLOTS };
	int holder = open(fixture->path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(fcntl(holder, F_OFD_SETLK, &all), 0);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		atomic_store(&fixture->writer.table->slot[i].pin, 1 << 1);
	assert_true(readers_busy(&fixture->writer, 5));
	assert_true(fixture->writer.tried <= REAPS);
	assert_int_equal(readers_evict(&fixture->writer, 5), READER_SLOTS);
	assert_true(fixture->writer.tried <= 2 * REAPS);
	assert_true(readers_stray(&fixture->writer));
	assert_true(fixture->writer.tried <= 3 * REAPS);
	assert_false(has_slot(fixture, &(struct reader_place){ .shmid = -1 }));
	close(holder);
	/* The readers are dead now and are reaped in turn. */
	for (unsigned i = 0; i < 2 * READER_SLOTS / REAPS; i++)
		(void)readers_stray(&fixture->writer);
	assert_int_equal(fixture->writer.reaped, READER_SLOTS);
	assert_true(has_slot(fixture, &fixture->writer.place));
}

static void test_the_table_is_freed_with_its_last_user(void **state)
{
	struct fixture *fixture = *state;
	struct readers other;

	assert_true(shmat(fixture->writer.place.shmid, NULL, 0) != (void *)-1);
	readers_create(&other, fixture->fd, 0600, -1);
	const struct reader_place gone = other.place;

	assert_true(has_slot(fixture, &gone));
	readers_close(&other);
	assert_false(has_slot(fixture, &gone));
	assert_true(shmat(gone.shmid, NULL, 0) == (void *)-1);
}

static void test_a_reader_is_only_in_the_generation_that_it_has_confirmed(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;

	claim(fixture, &readers);
	assert_false(readers_busy(&fixture->writer, 5));
	pin(&readers, 5, true);
	assert_false(readers_busy(&fixture->writer, 4));
	assert_true(readers_busy(&fixture->writer, 5));
	assert_false(readers_busy(&fixture->writer, 6));
	readers_close(&readers);
	assert_false(readers_busy(&fixture->writer, 5));
}

static void test_an_unconfirmed_pin_may_be_in_any_later_generation(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;

	claim(fixture, &readers);
	pin(&readers, 5, false);
	assert_false(readers_busy(&fixture->writer, 4));
	assert_true(readers_busy(&fixture->writer, 5));
	assert_true(readers_busy(&fixture->writer, 9));
	readers_close(&readers);
}

static void test_a_dead_owner_is_reaped_when_its_slot_is_needed(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;
	pid_t pid = fork();

	if (pid == 0) {
		claim_any(fixture, &readers);
		if (readers.slot)
			pin(&readers, 7, true);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	assert_false(readers_busy(&fixture->writer, 6));
	assert_int_equal(fixture->writer.reaped, 0);
	assert_false(readers_busy(&fixture->writer, 7));
	assert_int_equal(fixture->writer.reaped, 1);
	claim(fixture, &readers);
	assert_int_equal(atomic_load(&readers.slot->pin), 0);
	readers_close(&readers);
}

static void test_an_evicted_reader_is_waited_for_once(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;

	claim(fixture, &readers);
	pin(&readers, 5, true);
	assert_false(readers_stray(&fixture->writer));
	assert_int_equal(readers_evict(&fixture->writer, 5), 1);
	assert_int_equal(readers_evict(&fixture->writer, 5), 0);
	assert_false(readers_busy(&fixture->writer, 5));
	assert_true(readers_stray(&fixture->writer));
	assert_int_equal(fixture->writer.evictions, 1);
	pin(&readers, 9, true);
	assert_true(readers_busy(&fixture->writer, 9));
	assert_false(readers_stray(&fixture->writer));
	readers_close(&readers);
}

static void test_a_reader_evicted_before_it_confirmed_stays_evicted_until_its_section_ends(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;

	claim(fixture, &readers);
	pin(&readers, 5, false);
	assert_int_equal(readers_evict(&fixture->writer, 5), 1);
	pin(&readers, 7, true);
	assert_true(readers_stray(&fixture->writer));
	assert_true(readers_stray(&fixture->writer));
	assert_int_equal(fixture->writer.evictions, 2);
	assert_false(readers_busy(&fixture->writer, 7));
	pin(&readers, 9, false);
	assert_false(readers_stray(&fixture->writer));
	assert_true(readers_busy(&fixture->writer, 9));
	readers_close(&readers);
}

static void test_an_evicted_reader_that_died_is_removed(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;

	claim(fixture, &readers);
	pin(&readers, 5, true);
	assert_int_equal(readers_evict(&fixture->writer, 5), 1);
	assert_true(readers_stray(&fixture->writer));
	int fd = readers.fd;

	readers.slot = NULL;				/* leaves its pin, like a killed reader */
	readers_close(&readers);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_false(readers_stray(&fixture->writer));
	assert_int_equal(fixture->writer.reaped, 1);
}

static int claim_again_and_again(struct fixture *fixture)
{
	struct readers readers;

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t mine = (uint64_t)getpid() << 20 | i;

		claim_any(fixture, &readers);
		if (!readers.slot)
			return 1;
		atomic_store(&readers.slot->pin, mine);
		sched_yield();
		if (atomic_load(&readers.slot->pin) != mine)
			return 2;
		readers_close(&readers);
	}
	return 0;
}

static void test_no_two_have_one_slot_at_the_same_time(void **state)
{
	struct fixture *fixture = *state;
	pid_t pids[4];
	int status;

	for (unsigned i = 0; i < 4; i++)
		if ((pids[i] = fork()) == 0)
			_exit(claim_again_and_again(fixture));
	for (unsigned i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
}

static void test_a_forked_child_leaves_its_parents_slot_unchanged(void **state)
{
	struct fixture *fixture = *state;
	struct readers readers;
	int status;

	claim(fixture, &readers);
	pin(&readers, 5, true);
	pid_t pid = fork();

	if (pid == 0) {
		readers_close(&readers);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(readers_busy(&fixture->writer, 5));
	assert_int_equal(fixture->writer.reaped, 0);
	readers_close(&readers);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_each_handle_gets_a_slot_of_its_own),
		TEST(test_a_full_table_leaves_a_reader_without_a_slot),
		TEST(test_a_missing_or_foreign_table_is_refused),
		TEST(test_a_table_of_another_size_is_refused),
		TEST(test_a_neighbour_that_spoils_the_table_crashes_no_process),
		TEST(test_a_check_tries_few_locks_for_any_number_of_pins),
		TEST(test_the_table_is_freed_with_its_last_user),
		TEST(test_no_two_have_one_slot_at_the_same_time),
		TEST(test_a_reader_is_only_in_the_generation_that_it_has_confirmed),
		TEST(test_an_unconfirmed_pin_may_be_in_any_later_generation),
		TEST(test_a_dead_owner_is_reaped_when_its_slot_is_needed),
		TEST(test_an_evicted_reader_is_waited_for_once),
		TEST(test_a_reader_evicted_before_it_confirmed_stays_evicted_until_its_section_ends),
		TEST(test_an_evicted_reader_that_died_is_removed),
		TEST(test_a_forked_child_leaves_its_parents_slot_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
