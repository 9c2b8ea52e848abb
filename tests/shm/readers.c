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
	int fd;			/* where the locks are */
	struct readers writer;
};

static int setup(void **state)
{
	static struct fixture f;

	*state = &f;
	if (shm_cell_make(&f.cell))
		return -1;
	snprintf(f.path, sizeof(f.path), "%s/state", f.cell.shm);
	f.fd = open(f.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	readers_create(&f.writer, f.fd, 0600, -1);
	return f.writer.table ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	readers_close(&f->writer);
	close(f->fd);
	shm_cell_clear(&f->cell);
	return 0;
}

static void pin(struct readers *r, uint64_t gen, bool confirmed)
{
	atomic_store(&r->slot->pin, gen << 1 | confirmed);
}

static void claim_any(const struct fixture *f, struct readers *r)
{
	readers_claim(r, open(f->path, O_RDONLY | O_CLOEXEC), &f->writer.place);
}

static void claim(const struct fixture *f, struct readers *r)
{
	claim_any(f, r);
	assert_non_null(r->slot);
}

/* Runs `body` in a child; its exit status. */
static int in_child(int (*body)(struct fixture *), struct fixture *f)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(body(f));
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
	struct fixture *f = *state;
	struct readers late;

	for (unsigned i = 0; i < READER_SLOTS; i++)
		claim(f, &all[i]);
	claim_any(f, &late);
	assert_null(late.slot);
	readers_close(&late);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		readers_close(&all[i]);
	claim(f, &late);
	readers_close(&late);
}

static bool has_slot(const struct fixture *f, const struct reader_place *place)
{
	struct readers r;

	readers_claim(&r, open(f->path, O_RDONLY | O_CLOEXEC), place);
	bool has = r.slot != NULL;

	assert_true(has == (r.table != NULL));
	readers_close(&r);
	return has;
}

static void test_no_table_or_one_of_another_make_is_none(void **state)
{
	struct fixture *f = *state;
	const struct reader_place none = { .shmid = -1 }, other = { f->writer.place.shmid, 0, f->writer.place.nonce + 1 };
	struct reader_table *table = f->writer.table;
	struct readers r;

	assert_true(has_slot(f, &f->writer.place));
	assert_false(has_slot(f, &none));
	assert_false(has_slot(f, &other));
	table->version++;
	assert_false(has_slot(f, &f->writer.place));
	table->version--;
	table->slots--;
	assert_false(has_slot(f, &f->writer.place));
	table->slots++;
	table->magic++;
	assert_false(has_slot(f, &f->writer.place));
	table->magic--;
	assert_true(has_slot(f, &f->writer.place));
	readers_claim(&r, -1, &f->writer.place);
	assert_null(r.slot);
	readers_close(&r);
}

/* Right in all but its size: a slot behind its end would kill whoever stores to it. */
static void test_a_table_of_another_size_is_none(void **state)
{
	static const size_t sizes[] = { PAGE_BYTES, sizeof(struct reader_table) - CACHELINE, sizeof(struct reader_table) + CACHELINE };
	struct fixture *f = *state;

	for (size_t i = 0; i < 3; i++) {
		const struct reader_place place = { shmget(IPC_PRIVATE, sizes[i], IPC_CREAT | 0600), 0, 7 };
		struct reader_table *table = shmat(place.shmid, NULL, 0);

		assert_true(table != (void *)-1);
		table->magic = READERS_MAGIC;
		table->version = SEGMENT_VERSION;
		table->slots = READER_SLOTS;
		table->nonce = place.nonce;
		assert_int_equal(shmctl(place.shmid, IPC_RMID, NULL), 0);
		assert_false(has_slot(f, &place));
		shmdt(table);
	}
}

/* Everything a neighbour can try who may write the table. */
static int spoil(struct fixture *f)
{
	struct reader_place place = f->writer.place;
	char *table = shmat(place.shmid, NULL, 0), name[100];

	if (setgid(65534) || setuid(65534))
		return 77;
	if (table == (void *)-1)
		return 1;
	snprintf(name, sizeof(name), "/proc/self/map_files/%lx-%lx", (long)table, (long)table + 40960);
	if (truncate(name, 0) == 0 || ftruncate(open(name, O_RDWR | O_CLOEXEC), 0) == 0 || shmctl(place.shmid, IPC_RMID, NULL) == 0)
		return 2;
	/* takes the pages, but not their places */
	madvise(table, 2 * PAGE_BYTES, MADV_REMOVE);
	memset(table + PAGE_BYTES, 0x55, sizeof(struct reader_table) - PAGE_BYTES);
	return 0;
}

static void test_a_neighbour_that_spoils_the_table_kills_nobody(void **state)
{
	struct fixture *f = *state;
	struct readers r;

	if (geteuid() != 0)
		skip();		/* only root can be a neighbour */
	shmctl(f->writer.place.shmid, IPC_SET, &(struct shmid_ds){ .shm_perm = { .mode = 0666, .uid = geteuid(), .gid = getegid() } });
	claim(f, &r);
	assert_int_equal(in_child(spoil, f), 0);
	pin(&r, 5, true);
	assert_true(readers_busy(&f->writer, 5));
	pin(&r, 0, false);
	(void)readers_evict(&f->writer, 5);
	assert_false(readers_busy(&f->writer, 5));
	(void)readers_stray(&f->writer);
	readers_close(&r);
}

static void test_a_look_tries_few_locks_however_many_pins_are_in_the_way(void **state)
{
	struct fixture *f = *state;
	struct flock all = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = READER_LOCKS, .l_len = READER_SLOTS };
	int holder = open(f->path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(fcntl(holder, F_OFD_SETLK, &all), 0);
	for (unsigned i = 0; i < READER_SLOTS; i++)
		atomic_store(&f->writer.table->slot[i].pin, 1 << 1);
	assert_true(readers_busy(&f->writer, 5));
	assert_true(f->writer.tried <= REAPS);
	assert_int_equal(readers_evict(&f->writer, 5), READER_SLOTS);
	assert_true(f->writer.tried <= 2 * REAPS);
	assert_true(readers_stray(&f->writer));
	assert_true(f->writer.tried <= 3 * REAPS);
	assert_false(has_slot(f, &(struct reader_place){ .shmid = -1 }));
	close(holder);
	/* they are dead now, and each has its turn */
	for (unsigned i = 0; i < 2 * READER_SLOTS / REAPS; i++)
		(void)readers_stray(&f->writer);
	assert_int_equal(f->writer.reaped, READER_SLOTS);
	assert_true(has_slot(f, &f->writer.place));
}

static void test_the_table_goes_with_those_who_have_it(void **state)
{
	struct fixture *f = *state;
	struct readers other;

	assert_true(shmat(f->writer.place.shmid, NULL, 0) != (void *)-1);
	readers_create(&other, f->fd, 0600, -1);
	const struct reader_place gone = other.place;

	assert_true(has_slot(f, &gone));
	readers_close(&other);
	assert_false(has_slot(f, &gone));
	assert_true(shmat(gone.shmid, NULL, 0) == (void *)-1);
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
		claim_any(f, &r);
		if (r.slot)
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

static int claim_again_and_again(struct fixture *f)
{
	struct readers r;

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t mine = (uint64_t)getpid() << 20 | i;

		claim_any(f, &r);
		if (!r.slot)
			return 1;
		atomic_store(&r.slot->pin, mine);
		sched_yield();
		if (atomic_load(&r.slot->pin) != mine)
			return 2;
		readers_close(&r);
	}
	return 0;
}

static void test_no_two_have_one_slot_at_the_same_time(void **state)
{
	struct fixture *f = *state;
	pid_t pids[4];
	int status;

	for (unsigned i = 0; i < 4; i++)
		if ((pids[i] = fork()) == 0)
			_exit(claim_again_and_again(f));
	for (unsigned i = 0; i < 4; i++) {
		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
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
		TEST(test_no_table_or_one_of_another_make_is_none),
		TEST(test_a_table_of_another_size_is_none),
		TEST(test_a_neighbour_that_spoils_the_table_kills_nobody),
		TEST(test_a_look_tries_few_locks_however_many_pins_are_in_the_way),
		TEST(test_the_table_goes_with_those_who_have_it),
		TEST(test_no_two_have_one_slot_at_the_same_time),
		TEST(test_a_reader_is_in_the_generation_it_has_confirmed_and_in_no_other),
		TEST(test_an_unconfirmed_pin_may_be_in_any_later_generation),
		TEST(test_a_dead_owner_is_reaped_when_it_is_in_the_way),
		TEST(test_an_evicted_reader_is_waited_for_once),
		TEST(test_a_reader_evicted_before_it_confirmed_stays_evicted_until_its_section_ends),
		TEST(test_an_evicted_reader_that_died_is_no_longer_there),
		TEST(test_a_forked_child_leaves_its_parents_slot_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
