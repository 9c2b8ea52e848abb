/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler is killed at any moment of its life, again and again, under readers that never stop.
 *
 *     writer_killed [times]
 *
 * After each death the readers must go on with complete generations, numbers must never go back, and when the dead one had
 * announced its segment they must have come over to it by themselves. Fails otherwise, also when a new scheduler can't start. Ten seconds
 * without progress count as never.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/shm_cell.h"
#include "tests/torture/rows.h"

#define READERS 3
#define PATIENCE_MS 10000

struct counts {				/* shared by all processes */
	_Atomic uint64_t announced;	/* newest generation that was current when a segment got its name */
	_Atomic uint64_t violations, backwards, stale;
	_Atomic uint64_t sections[READERS], newest[READERS];
};

static const struct segment_options options = { .file_bytes = (uint64_t)1 << 30, .group = -1 };
static struct shm_cell cell;
static struct counts *counts;

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000l }, NULL);
}

static void reader_run(unsigned i)
{
	struct attachment a;
	struct view view;

	while (attach_open(&a, cell.directory))
		sleep_ms(1);
	for (;;) {
		attach_begin(&a, &view);
		bool intact = rows_intact(&view);

		if (attach_end(&a, &view)) {
			atomic_fetch_add(&counts->stale, 1);
			continue;
		}
		atomic_fetch_add(&counts->violations, !intact);
		atomic_fetch_add(&counts->backwards, view.gen < counts->newest[i]);
		atomic_store(&counts->newest[i], view.gen);
		atomic_fetch_add(&counts->sections[i], 1);
	}
}

/* Ends only by being killed; an exit is a failure. */
static void writer_run(unsigned seed)
{
	struct segment s;
	struct strings *strings;
	struct facts facts = { .segment = &s };
	uint32_t text = NONE;

	if (segment_create(&s, cell.directory, &options, NULL) || strings_create(&strings, &s))
		_exit(1);
	for (uint64_t n = 0;; n++) {
		if (rows_publish(&s, strings, &facts, 256u << rand_r(&seed) % 10, &text))
			_exit(2);
		if (n == 0 && segment_announce(&s))
			_exit(3);
		if (n == 0)
			atomic_store(&counts->announced, ((const struct segment_header *)s.base)->current);
	}
}

static bool writer_live(unsigned seed, unsigned ms)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		writer_run(seed);
	sleep_ms(ms);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		fprintf(stderr, "writer_killed: writer ended with %d\n", WEXITSTATUS(status));
	return !WIFEXITED(status);
}

/* One section begun after now and ended well, in what was announced last. */
static bool reader_goes_on(unsigned i)
{
	uint64_t before = counts->sections[i];

	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		if (counts->announced == 0 || (counts->sections[i] >= before + 2 && counts->newest[i] >= counts->announced))
			return true;
		sleep_ms(1);
	}
	fprintf(stderr, "writer_killed: reader %u is stuck in %llu, announced is %llu\n", i, (unsigned long long)counts->newest[i],
		(unsigned long long)counts->announced);
	return false;
}

static bool round_run(unsigned *seed)
{
	unsigned ms = rand_r(seed) % 3 ? (unsigned)rand_r(seed) % 60 : (unsigned)rand_r(seed) % 4;
	bool good = writer_live((unsigned)rand_r(seed), ms);

	for (unsigned i = 0; i < READERS && good; i++)
		good = reader_goes_on(i);
	return good;
}

/* Nothing of all the dead is left but the two files of a cell. */
static bool files_clean(void)
{
	struct segment_paths paths;
	char name[SEGMENT_PATH_BYTES + 8];
	struct segment s;

	if (segment_create(&s, cell.directory, &options, NULL))
		return false;
	segment_close(&s);
	segment_paths(&paths, cell.directory);
	snprintf(name, sizeof(name), "%s.new", paths.state);
	return access(name, F_OK) != 0 && access(paths.state, F_OK) == 0;
}

static bool torture_run(unsigned times, unsigned seed)
{
	pid_t readers[READERS];
	unsigned round = 0;
	bool good = true;

	for (unsigned i = 0; i < READERS; i++) {
		readers[i] = fork();
		if (readers[i] == 0)
			reader_run(i);
	}
	for (; round < times && good; round++)
		good = round_run(&seed);
	for (unsigned i = 0; i < READERS; i++) {
		kill(readers[i], SIGKILL);
		waitpid(readers[i], NULL, 0);
	}
	uint64_t violations = counts->violations, backwards = counts->backwards;

	printf("writer_killed kills %u generation %llu sections %llu violations %llu backwards %llu stale %llu\n", round,
	       (unsigned long long)counts->newest[0], (unsigned long long)counts->sections[0], (unsigned long long)violations,
	       (unsigned long long)backwards, (unsigned long long)counts->stale);
	return good && violations == 0 && backwards == 0 && counts->announced > 0 && files_clean();
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %u\n", seed);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || shm_cell_make(&cell)) {
		perror("writer_killed");
		return 1;
	}
	bool good = torture_run(times, seed);

	shm_cell_clear(&cell);
	printf("%s\n", good ? "ok" : "FAIL");
	return !good;
}
