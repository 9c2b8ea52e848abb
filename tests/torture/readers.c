/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer that publishes as fast as it can, and reader processes that are killed and stopped at
 * random.
 *
 *     readers [seconds]
 *
 * It fails when a section that ended well has seen more than one generation, when a reader with a
 * slot is told -ESTALE more often than the writer evicted somebody, when the writer's memory does
 * not return to its level, or when nothing happened.
 *
 * Built with -DBROKEN_READER the readers neither take a slot nor look whether their generation was
 * still there at the end: then it fails when that goes unnoticed, since a torture that can't find a
 * broken reader proves nothing.
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
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static unsigned any(struct torture *t, unsigned below)
{
	return (unsigned)rand_r(&t->seed) % below;
}

/* The reader's process */

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

static void reader_begin(struct attachment *a, struct view *view)
{
	attach_begin(a, view);
}

static int reader_end(struct attachment *a, const struct view *view)
{
	(void)a;
	(void)view;
	return 0;
}

#else

static const bool broken = false;

static void reader_begin(struct attachment *a, struct view *view)
{
	attach_begin(a, view);
}

static int reader_end(struct attachment *a, const struct view *view)
{
	return attach_end(a, view);
}

#endif

static void reader_section(struct attachment *a, struct counts *counts)
{
	struct view view;

	stores_delay();
	reader_begin(a, &view);
	bool intact = rows_intact(&view);

	if (reader_end(a, &view) == 0)
		atomic_fetch_add(&counts->violations, !intact);
	else
		atomic_fetch_add(a->readers.slot ? &counts->stale : &counts->stale_without_slot, 1);
	atomic_fetch_add(&counts->sections, 1);
}

static void reader_run(const struct torture *t, bool slot)
{
	struct attachment a;

	if (attach_open(&a, t->cell.directory, 0))
		_exit(1);
	if (!slot || broken)
		readers_close(&a.readers);
	for (;;)
		reader_section(&a, t->counts);
}

/* The writer's process */

static void reader_start(struct torture *t, unsigned i)
{
	t->readers[i] = (struct reader) { .pid = fork() };
	if (t->readers[i].pid == 0)
		reader_run(t, i < READERS - 1);
}

static void reader_kill(struct torture *t, unsigned i)
{
	kill(t->readers[i].pid, SIGKILL);
	waitpid(t->readers[i].pid, NULL, 0);
	t->kills++;
}

static void disturb(struct torture *t)
{
	unsigned i = any(t, READERS);
	struct reader *reader = &t->readers[i];

	if (any(t, 3) == 0) {
		reader_kill(t, i);
		reader_start(t, i);
	} else if (any(t, 2)) {
		kill(reader->pid, reader->stopped ? SIGCONT : SIGSTOP);
		t->stops += !reader->stopped;
		reader->stopped = !reader->stopped;
	}
}

static void publish(struct torture *t, uint64_t rows)
{
	if (rows_publish(&t->segment, t->strings, &t->facts, rows, &t->text)) {
		fprintf(stderr, "readers: no memory\n");
		exit(1);
	}
	t->published++;
}

static uint64_t any_size(struct torture *t)
{
	return any(t, 200) ? 1024u << any(t, 7) : BIG_ROWS;
}

/* The same memory whatever was before: big everywhere, then small everywhere, old arenas gone. */
static void settle(struct torture *t, uint64_t *extents, int64_t *blocks)
{
	struct stat st;

	for (unsigned i = 0; i < 2 * GENERATIONS; i++)
		publish(t, BIG_ROWS);
	for (unsigned i = 0; i < 4 * RESERVE_RUNS; i++)
		publish(t, 1024);
	fstat(t->segment.fd, &st);
	*extents = t->segment.extents_held + t->segment.extents_idle;
	*blocks = st.st_blocks;
}

/* Mean time of a publication in us. */
static double publish_for(struct torture *t, double seconds, bool with_readers)
{
	int64_t start = now_ns(), end = start + (int64_t)(seconds * 1e9), next = start, working = 0;
	uint64_t before = t->published;

	for (int64_t now = start; now < end;) {
		publish(t, any_size(t));
		int64_t done = now_ns();

		working += done - now;
		now = done;
		if (with_readers && now > next) {
			disturb(t);
			now = now_ns();
			next = now + DISTURB_NS;
		}
	}
	return (double)working / 1000.0 / (double)(t->published - before);
}

static bool memory_returned(struct torture *t, uint64_t extents_before, int64_t blocks_before)
{
	uint64_t extents;
	int64_t blocks;

	settle(t, &extents, &blocks);
	printf("memory extents_before %llu extents_after %llu blocks_before %lld blocks_after %lld\n", (unsigned long long)extents_before,
	       (unsigned long long)extents, (long long)blocks_before, (long long)blocks);
	/* one arena may be about to be replaced */
	return extents <= extents_before + 2 && blocks <= blocks_before + (int64_t)(2 * EXTENT_BYTES / 512);
}

static bool verdict(struct torture *t)
{
	struct counts *c = t->counts;
	uint64_t violations = c->violations, sections = c->sections, stale = c->stale, evictions = t->segment.readers.evictions;

	printf("torture sections %llu violations %llu stale %llu evictions %llu stale_without_slot %llu published %llu "
	       "kills %llu reaped %llu stops %llu\n", (unsigned long long)sections, (unsigned long long)violations, (unsigned long long)stale,
	       (unsigned long long)evictions, (unsigned long long)c->stale_without_slot, (unsigned long long)t->published,
	       (unsigned long long)t->kills, (unsigned long long)t->segment.readers.reaped, (unsigned long long)t->stops);
	if (broken)
		return violations > 0;
	return violations == 0 && sections > 0 && stale <= evictions;
}

#define MORE_MOST 120

static bool torture_run(struct torture *t, double seconds)
{
	uint64_t extents;
	int64_t blocks;

	settle(t, &extents, &blocks);
	double alone = publish_for(t, seconds / 10, false);

	for (unsigned i = 0; i < READERS; i++)
		reader_start(t, i);
	double together = publish_for(t, seconds * 0.9, true);

	for (int k = 0; k < MORE_MOST && (t->counts->sections == 0 || (broken && t->counts->violations == 0)); k++)
		publish_for(t, 1, true);	/* on a busy machine it takes longer */

	for (unsigned i = 0; i < READERS; i++)
		reader_kill(t, i);
	printf("publish_us without_readers %.1f with_readers %.1f\n", alone, together);
	bool returned = memory_returned(t, extents, blocks);

	return verdict(t) && returned;
}

static int torture_open(struct torture *t)
{
	const struct segment_options options = { .file_bytes = (uint64_t)1 << 30, .group = -1 };

	t->text = NONE;
	t->counts = mmap(NULL, sizeof(*t->counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->counts == MAP_FAILED || shm_cell_make(&t->cell))
		return -1;
	if (segment_create(&t->segment, t->cell.directory, &options, NULL) || strings_create(&t->strings, &t->segment))
		return -1;
	t->facts.segment = &t->segment;
	t->facts.chunk_bytes = EXTENT_BYTES;
	publish(t, 1024);
	return segment_announce(&t->segment);
}

int main(int argc, char **argv)
{
	static struct torture t;
	double seconds = argc > 1 ? atof(argv[1]) : 4.0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	t.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	printf("seed %u\n", t.seed);
	if (torture_open(&t)) {
		perror("readers");
		return 1;
	}
	bool good = torture_run(&t, seconds);

	facts_free(&t.facts);
	strings_destroy(t.strings);
	segment_close(&t.segment);
	shm_cell_clear(&t.cell);
	printf("%s\n", good ? "ok" : broken ? "FAIL: a broken reader went unnoticed" : "FAIL");
	return !good;
}
