/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler is killed at any moment of its life, repeatedly, while readers run without a pause.
 *
 * writer_killed [times]
 *
 * After each kill the readers must continue with complete generations, numbers must never go back,
 * and if the killed scheduler had announced its segment they must have moved to it without help.
 * The test fails otherwise, and also if a new scheduler cannot start. Two minutes without progress
 * count as a failure. First the same is done with schedulers that each have a flaw, which must be
 * detected: one changes published data, one numbers its runs from 1 again, one does not send its
 * predecessor's readers to its segment, and one cannot start when another has left files.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/shm/cell.h"
#include "tests/torture/rows.h"

#define READERS 3
#define PATIENCE_MS 120000
#define FLAW_MS 1000			/* readers that wait for so long are kept by a flaw */
#define CONTROL_ROUNDS 200		/* a flaw shows in one of the first */

enum flaw { SOUND, REWRITES, FORGETS_NUMBERS, KEEPS_READERS, MINDS_LEFTOVERS, FLAWS };

struct counts {				/* shared by all processes */
	/* Newest generation that was current when a segment got its name. */
	_Atomic uint64_t announced;
	_Atomic uint64_t violations, backwards, stale;
	_Atomic uint64_t sections[READERS], newest[READERS];
};

static const struct segment_options options = { .file_bytes = (uint64_t)1 << 30, .group = -1 };
static struct shm_cell cell;
static struct counts *counts;
static enum flaw flaw;

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000l }, NULL);
}

static void reader_run(unsigned i)
{
	struct attachment attachment;
	struct view view;

	while (attach_open(&attachment, cell.directory, 0))
		sleep_ms(1);
	for (;;) {
		attach_begin(&attachment, &view);
		bool intact = rows_intact(&view);

		if (attach_end(&attachment, &view)) {
			atomic_fetch_add(&counts->stale, 1);
			continue;
		}
		atomic_fetch_add(&counts->violations, !intact);
		atomic_fetch_add(&counts->backwards, view.gen < counts->newest[i]);
		atomic_store(&counts->newest[i], view.gen);
		atomic_fetch_add(&counts->sections[i], 1);
	}
}

/* Spoil a published run while readers see it. A scheduler killed at this point leaves a mixture. */
static void published_spoil(struct segment *segment)
{
	uint64_t current = ((const struct segment_header *)segment->base)->current;
	const struct generation *directory =
		(const struct generation *)(segment->base + PAGE_BYTES) + current % GENERATIONS;

	((uint32_t *)(segment->base + directory->tables[TABLE_ROWS].offset))[0]++;
}

static void flaw_show(struct segment *segment, uint64_t published)
{
	if (flaw == REWRITES && published > 0)
		published_spoil(segment);
	if (flaw == FORGETS_NUMBERS && published == 0)
		segment->last_gen = 0;
	if (flaw == KEEPS_READERS && published == 0 && segment->old_fd >= 0) {
		close(segment->old_fd);
		segment->old_fd = -1;
	}
}

/* Return whether files of a killed scheduler are left, under the lock of the real one. */
static bool leftovers_there(void)
{
	struct segment_paths paths;
	char name[SEGMENT_PATH_BYTES + 8];

	segment_paths(&paths, cell.directory);
	snprintf(name, sizeof(name), "%s.new", paths.state);
	return access(name, F_OK) == 0;
}

/* Run until killed. An exit is a failure. */
static void writer_run(unsigned seed)
{
	struct segment segment;
	struct strings *strings;
	struct facts facts = { .segment = &segment, .chunk_bytes = EXTENT_BYTES };
	uint32_t text = NONE;

	if (flaw == MINDS_LEFTOVERS && leftovers_there())
		_exit(1);
	if (segment_create(&segment, cell.directory, &options, NULL) || strings_create(&strings, &segment))
		_exit(1);
	for (uint64_t n = 0;; n++) {
		flaw_show(&segment, n);
		if (rows_publish(&segment, strings, &facts, 256u << rand_r(&seed) % 10, &text))
			_exit(2);
		if (n == 0 && segment_announce(&segment))
			_exit(3);
		if (n == 0)
			atomic_store(&counts->announced, ((const struct segment_header *)segment.base)->current);
	}
}

static bool writer_live(unsigned seed, unsigned ms)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		writer_run(seed);
	if (flaw == SOUND && counts->announced == 0)	/* wait for the first one for any time */
		for (unsigned k = 0; k < PATIENCE_MS && counts->announced == 0; k++)
			sleep_ms(1);
	sleep_ms(ms);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && flaw == SOUND)
		fprintf(stderr, "writer_killed: writer ended with %d\n", WEXITSTATUS(status));
	return !WIFEXITED(status);
}

/* Wait for a section that begins after this call and ends well, in the last announced segment. */
static bool reader_goes_on(unsigned i)
{
	uint64_t before = counts->sections[i];

	for (unsigned ms = 0; ms < (flaw == SOUND ? PATIENCE_MS : FLAW_MS); ms++) {
		if (counts->announced == 0 ||
		    (counts->sections[i] >= before + 2 && counts->newest[i] >= counts->announced))
			return true;
		sleep_ms(1);
	}
	if (flaw == SOUND)
		fprintf(stderr, "writer_killed: reader %u is stuck in %llu, announced is %llu\n", i,
			(unsigned long long)counts->newest[i], (unsigned long long)counts->announced);
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

/* Check that the killed schedulers have left only the two files of a cell. */
static bool files_clean(void)
{
	struct segment_paths paths;
	char name[SEGMENT_PATH_BYTES + 8];
	struct segment segment;

	if (segment_create(&segment, cell.directory, &options, NULL))
		return false;
	segment_close(&segment);
	segment_paths(&paths, cell.directory);
	snprintf(name, sizeof(name), "%s.new", paths.state);
	return access(name, F_OK) != 0 && access(paths.state, F_OK) == 0;
}

static bool torture_run(unsigned times, unsigned seed)
{
	static const char *const names[FLAWS] = { "", " rewrites", " forgets_numbers", " keeps_readers",
						  " minds_leftovers" };
	pid_t readers[READERS];
	unsigned round = 0;
	bool good = true;

	for (unsigned i = 0; i < READERS; i++) {
		readers[i] = fork();
		if (readers[i] == 0)
			reader_run(i);
	}
	memset(counts, 0, sizeof(*counts));
	for (; round < times && good; round++)
		good = round_run(&seed) && (flaw == SOUND || (counts->violations == 0 && counts->backwards == 0));
	for (unsigned i = 0; i < READERS; i++) {
		kill(readers[i], SIGKILL);
		waitpid(readers[i], NULL, 0);
	}
	uint64_t violations = counts->violations, backwards = counts->backwards;

	printf("writer_killed%s kills %u generation %llu sections %llu violations %llu backwards %llu stale %llu\n",
	       flaw == SOUND ? "" : names[flaw], round, (unsigned long long)counts->newest[0],
	       (unsigned long long)counts->sections[0], (unsigned long long)violations, (unsigned long long)backwards,
	       (unsigned long long)counts->stale);
	return good && violations == 0 && backwards == 0 && counts->announced > 0 && files_clean();
}

/* Run each flawed scheduler in a cell of its own, because some leave readers forever. */
static bool flaws_found(unsigned seed)
{
	bool found = true;

	for (flaw = SOUND + 1; flaw < FLAWS && found; flaw++) {
		found = shm_cell_make(&cell) == 0 && !torture_run(CONTROL_ROUNDS, seed);
		shm_cell_clear(&cell);
	}
	flaw = SOUND;
	return found;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %u\n", seed);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED || !flaws_found(seed)) {
		printf("FAIL: a flaw was not found\n");
		return 1;
	}
	if (shm_cell_make(&cell)) {
		perror("writer_killed");
		return 1;
	}
	bool good = torture_run(times, seed);

	shm_cell_clear(&cell);
	printf("%s\n", good ? "ok" : "FAIL");
	return !good;
}
