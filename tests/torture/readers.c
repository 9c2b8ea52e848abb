/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer that publishes as fast as possible, and reader processes that are killed and stopped at
 * random.
 *
 * readers [seconds]
 *
 * The test fails when a section that ended well has seen more than one generation, when a reader
 * with a slot gets -ESTALE more often than the writer evicted a reader, when the writer's memory
 * does not return to its level, or when no event happened. Built with -DBROKEN_READER the readers
 * neither take a slot nor check at the end whether their generation still exists. The test then
 * fails if this is not detected, because a test that cannot find a broken reader proves nothing.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/shm/cell.h"
#include "tests/torture/rows.h"

#define READERS 3			/* the last one works without a slot */
#define BIG_ROWS 1300000u		/* three extents */
#define DISTURB_NS 4000000

struct counts {				/* shared by all processes */
	_Atomic uint64_t sections, violations, stale, stale_without_slot;
};

struct reader {
	pid_t pid;
	bool stopped;
};

struct torture {
	struct shm_cell cell;
	struct segment segment;
	struct strings *strings;
	struct facts facts;
	uint32_t text;			/* id */
	unsigned seed;
	struct counts *counts;
	struct reader readers[READERS];
	uint64_t kills, stops, published;
};

static int64_t now_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_MONOTONIC, &timespec);
	return timespec.tv_sec * 1000000000ll + timespec.tv_nsec;
}

static unsigned any(struct torture *torture, unsigned below)
{
	return (unsigned)rand_r(&torture->seed) % below;
}

/* Reader process */

/*
 * Stores to lines that are in no cache keep the store buffer full, so that a slot's store without a
 * fence would come late.
 */
static void stores_delay(void)
{
	static _Alignas(64) volatile unsigned char lines[8][64];

	for (int i = 0; i < 8; i++) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_clflush((const void *)(uintptr_t)lines[i]);
#endif
		lines[i][0]++;
	}
}

#ifdef BROKEN_READER

static const bool broken = true;

static void reader_begin(struct attachment *attachment, struct view *view)
{
	attach_begin(attachment, view);
}

static int reader_end(struct attachment *attachment, const struct view *view)
{
	(void)attachment;
	(void)view;
	return 0;
}

#else

static const bool broken = false;

static void reader_begin(struct attachment *attachment, struct view *view)
{
	attach_begin(attachment, view);
}

static int reader_end(struct attachment *attachment, const struct view *view)
{
	return attach_end(attachment, view);
}

#endif

static void reader_section(struct attachment *attachment, struct counts *counts)
{
	struct view view;

	stores_delay();
	reader_begin(attachment, &view);
	bool intact = rows_intact(&view);

	if (reader_end(attachment, &view) == 0)
		atomic_fetch_add(&counts->violations, !intact);
	else
		atomic_fetch_add(attachment->readers.slot ? &counts->stale : &counts->stale_without_slot, 1);
	atomic_fetch_add(&counts->sections, 1);
}

static void reader_run(const struct torture *torture, bool slot)
{
	struct attachment attachment;

	if (attach_open(&attachment, torture->cell.directory, 0))
		_exit(1);
	if (!slot || broken)
		readers_close(&attachment.readers);
	for (;;)
		reader_section(&attachment, torture->counts);
}

/* Writer process */

static void reader_start(struct torture *torture, unsigned i)
{
	torture->readers[i] = (struct reader) { .pid = fork() };
	if (torture->readers[i].pid == 0)
		reader_run(torture, i < READERS - 1);
}

static void reader_kill(struct torture *torture, unsigned i)
{
	kill(torture->readers[i].pid, SIGKILL);
	waitpid(torture->readers[i].pid, NULL, 0);
	torture->kills++;
}

static void disturb(struct torture *torture)
{
	unsigned i = any(torture, READERS);
	struct reader *reader = &torture->readers[i];

	if (any(torture, 3) == 0) {
		reader_kill(torture, i);
		reader_start(torture, i);
	} else if (any(torture, 2)) {
		kill(reader->pid, reader->stopped ? SIGCONT : SIGSTOP);
		torture->stops += !reader->stopped;
		reader->stopped = !reader->stopped;
	}
}

static void publish(struct torture *torture, uint64_t rows)
{
	if (rows_publish(&torture->segment, torture->strings, &torture->facts, rows, &torture->text)) {
		fprintf(stderr, "readers: no memory\n");
		exit(1);
	}
	torture->published++;
}

static uint64_t any_size(struct torture *torture)
{
	return any(torture, 200) ? 1024u << any(torture, 7) : BIG_ROWS;
}

/*
 * Reach the same memory from any state: large generations, then small ones, with old arenas freed.
 */
static void settle(struct torture *torture, uint64_t *extents, int64_t *blocks)
{
	struct stat st;

	for (unsigned i = 0; i < 2 * GENERATIONS; i++)
		publish(torture, BIG_ROWS);
	for (unsigned i = 0; i < 4 * RESERVE_RUNS; i++)
		publish(torture, 1024);
	fstat(torture->segment.fd, &st);
	*extents = torture->segment.extents_held + torture->segment.extents_idle;
	*blocks = st.st_blocks;
}

/* Return the mean time of a publication in us. */
static double publish_for(struct torture *torture, double seconds, bool with_readers)
{
	int64_t start = now_ns(), end = start + (int64_t)(seconds * 1e9), next = start, working = 0;
	uint64_t before = torture->published;

	for (int64_t now = start; now < end;) {
		publish(torture, any_size(torture));
		int64_t done = now_ns();

		working += done - now;
		now = done;
		if (with_readers && now > next) {
			disturb(torture);
			now = now_ns();
			next = now + DISTURB_NS;
		}
	}
	return (double)working / 1000.0 / (double)(torture->published - before);
}

static bool memory_returned(struct torture *torture, uint64_t extents_before, int64_t blocks_before)
{
	uint64_t extents;
	int64_t blocks;

	settle(torture, &extents, &blocks);
	printf("memory extents_before %llu extents_after %llu blocks_before %lld blocks_after %lld\n",
	       (unsigned long long)extents_before, (unsigned long long)extents, (long long)blocks_before,
	       (long long)blocks);
	/* An arena may be about to be replaced. */
	return extents <= extents_before + 2 && blocks <= blocks_before + (int64_t)(2 * EXTENT_BYTES / 512);
}

static bool verdict(struct torture *torture)
{
	struct counts *counts = torture->counts;
	uint64_t violations = counts->violations, sections = counts->sections, stale = counts->stale,
		 evictions = torture->segment.readers.evictions;

	printf("torture sections %llu violations %llu stale %llu evictions %llu stale_without_slot %llu published %llu "
	       "kills %llu reaped %llu stops %llu\n",
	       (unsigned long long)sections, (unsigned long long)violations, (unsigned long long)stale,
	       (unsigned long long)evictions, (unsigned long long)counts->stale_without_slot,
	       (unsigned long long)torture->published, (unsigned long long)torture->kills,
	       (unsigned long long)torture->segment.readers.reaped, (unsigned long long)torture->stops);
	if (broken)
		return violations > 0;
	return violations == 0 && sections > 0 && stale <= evictions;
}

#define MORE_MOST 120

static bool torture_run(struct torture *torture, double seconds)
{
	uint64_t extents;
	int64_t blocks;

	settle(torture, &extents, &blocks);
	double alone = publish_for(torture, seconds / 10, false);

	for (unsigned i = 0; i < READERS; i++)
		reader_start(torture, i);
	double together = publish_for(torture, seconds * 0.9, true);

	for (int k = 0;
	     k < MORE_MOST && (torture->counts->sections == 0 || (broken && torture->counts->violations == 0)); k++)
		publish_for(torture, 1, true);	/* takes longer on a busy machine */

	for (unsigned i = 0; i < READERS; i++)
		reader_kill(torture, i);
	printf("publish_us without_readers %.1f with_readers %.1f\n", alone, together);
	bool returned = memory_returned(torture, extents, blocks);

	return verdict(torture) && returned;
}

static int torture_open(struct torture *torture)
{
	const struct segment_options options = { .file_bytes = (uint64_t)1 << 30, .group = -1 };

	torture->text = NONE;
	torture->counts =
		mmap(NULL, sizeof(*torture->counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (torture->counts == MAP_FAILED || shm_cell_make(&torture->cell))
		return -1;
	if (segment_create(&torture->segment, torture->cell.directory, &options, NULL) ||
	    strings_create(&torture->strings, &torture->segment))
		return -1;
	torture->facts.segment = &torture->segment;
	torture->facts.chunk_bytes = EXTENT_BYTES;
	publish(torture, 1024);
	return segment_announce(&torture->segment);
}

int main(int argc, char **argv)
{
	static struct torture torture;
	double seconds = argc > 1 ? atof(argv[1]) : 4.0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	torture.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	printf("seed %u\n", torture.seed);
	if (torture_open(&torture)) {
		perror("readers");
		return 1;
	}
	bool good = torture_run(&torture, seconds);

	facts_free(&torture.facts);
	strings_destroy(torture.strings);
	segment_close(&torture.segment);
	shm_cell_clear(&torture.cell);
	printf("%s\n", good ? "ok" : broken ? "FAIL: a broken reader went unnoticed" : "FAIL");
	return !good;
}
