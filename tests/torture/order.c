/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does this processor keep the order of a reader's pin and its check of the current generation (R1,
 * R2 in shm/readers.h)?
 *
 * order [seconds]
 *
 * A writer publishes without a pause, asks readers_busy() about the previous generation, and if it
 * has no reader spoils it at once: no spare generation, no check at the end. A reader that finds
 * its generation spoilt was overlooked. With section_begin() this must never happen. The same
 * reader without the order must then be caught, otherwise the test has no power on this processor.
 * The reader begins when the writer is about to publish. It first stores to lines that are in no
 * cache, which keeps the pin in the store buffer for longer.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "shm/read.h"
#include "tests/shm/cell.h"

#define LOOKS 200			/* checks of a section of its generation */
#define MOST_LINES 32			/* stores on their way */
#define SPOILT 0
#define PATIENCE_S 180			/* for the one without order, which shows itself on two free processors */
#define STATE_BYTES (PAGE_BYTES + GENERATIONS * sizeof(struct generation))

struct counts {				/* shared by all processes */
	_Atomic uint64_t sections, violations;
	/* The next generation, a moment before it is published. */
	_Alignas(64) _Atomic uint64_t soon;
};

static struct counts *counts;
static struct segment_header *header;
static char path[128];
static struct reader_place place;

static int64_t now_ns(void)
{
	struct timespec timespec;

	clock_gettime(CLOCK_MONOTONIC, &timespec);
	return timespec.tv_sec * 1000000000ll + timespec.tv_nsec;
}

static struct generation *directory_of(uint64_t gen)
{
	return (struct generation *)((uint8_t *)header + PAGE_BYTES) + gen % GENERATIONS;
}

static void stores_delay(unsigned lines)
{
	static _Alignas(64) volatile unsigned char line[MOST_LINES][64];

	for (unsigned i = 0; i < lines; i++) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_clflush((const void *)(uintptr_t)line[i]);
#endif
		line[i][0]++;
	}
}

/* Return the words at the head of a generation. */
static uint64_t *head_word(const struct generation *directory)
{
	return (uint64_t *)(uintptr_t)directory->head;
}

/* Wait up to about a microsecond, so that reader and writer meet at any distance. */
static void any_moment(unsigned *seed)
{
	for (volatile unsigned i = (unsigned)rand_r(seed) % 512; i > 0; i--)
		;
}

/*
 * Wait until the writer is about to publish, when sections begin. The wait is limited, because the
 * writer may have no processor.
 */
static uint64_t publication_wait(uint64_t last)
{
	for (unsigned i = 0; counts->soon == last && i < 20000; i++)
		;
	return counts->soon;
}

/* section_begin() as the compiler would leave it without seq_cst. */
static void unordered_begin(struct view *view, struct reader_slot *slot)
{
	uint64_t g = atomic_load_explicit(&header->current, memory_order_relaxed);

	atomic_store_explicit(&slot->pin, g << 1 | 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&header->current, memory_order_acquire) != g) {
		g = atomic_load_explicit(&header->current, memory_order_relaxed);
		atomic_store_explicit(&slot->pin, g << 1 | 1, memory_order_relaxed);
	}
	view_of(view, header, g);
}

static void reader_run(bool ordered)
{
	unsigned seed = (unsigned)getpid();
	uint64_t soon = 0;
	struct readers readers;
	struct view view;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	readers_claim(&readers, open(path, O_RDONLY | O_CLOEXEC), &place);
	if (!readers.slot)
		_exit(1);
	for (;;) {
		bool spoilt = false;

		soon = publication_wait(soon);
		any_moment(&seed);
		stores_delay((unsigned)rand_r(&seed) % MOST_LINES);
		if (ordered)
			section_begin(&view, header, STATE_BYTES, readers.slot);
		else
			unordered_begin(&view, readers.slot);
		for (unsigned i = 0; i < LOOKS && !spoilt; i++)
			spoilt = LOAD_ONCE(*head_word(view.directory)) != view.gen;
		section_end(&view, readers.slot);
		atomic_fetch_add(&counts->sections, 1);
		atomic_fetch_add(&counts->violations, spoilt);
	}
}

/*
 * Publish a generation. A directory is filled again only when it has no readers. Readers cannot be
 * evicted here, so the function waits for them.
 */
static void publish(struct readers *readers, uint64_t gen)
{
	static unsigned seed = 1;
	struct generation *directory = directory_of(gen);

	while (gen > GENERATIONS && readers_busy(readers, gen - GENERATIONS))
		sched_yield();
	*head_word(directory) = gen;
	atomic_store_explicit(&directory->gen, gen, memory_order_release);
	counts->soon = gen;
	any_moment(&seed);
	atomic_store_explicit(&header->current, gen, memory_order_seq_cst);	/* W1 */
	if (gen > 1 && !readers_busy(readers, gen - 1))
		*head_word(directory_of(gen - 1)) = SPOILT;
}

static cpu_set_t allowed;	/* processors of this process */

/* Run on the n-th of them: reader and writer share no processor. */
static void processor_take(int n)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	for (int cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && found++ == n)
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* Run for this long, or without the order until it is caught. */
static bool torture_run(struct readers *readers, bool ordered, double seconds)
{
	int64_t end = now_ns() + (int64_t)(seconds * 1e9);
	uint64_t gen = header->current;

	counts->sections = counts->violations = 0;
	pid_t pid = fork();

	if (pid == 0) {
		processor_take(1);
		reader_run(ordered);
	}
	processor_take(0);
	while (now_ns() < end && (ordered || counts->violations == 0))
		for (unsigned i = 0; i < 100; i++)
			publish(readers, ++gen);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	uint64_t sections = counts->sections, violations = counts->violations;

	printf("order %s sections %llu published %llu violations %llu\n", ordered ? "kept" : "left_out",
	       (unsigned long long)sections, (unsigned long long)gen, (unsigned long long)violations);
	return sections > 0 && (violations == 0) == ordered;
}

static void *shared_map(size_t bytes)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

int main(int argc, char **argv)
{
	struct shm_cell cell;
	struct readers writer;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) || CPU_COUNT(&allowed) < 2) {
		printf("one processor keeps every order\n");
		return 77;
	}
	counts = shared_map(sizeof(*counts));
	header = shared_map(STATE_BYTES);
	if (!counts || !header || shm_cell_make(&cell)) {
		perror("order");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/state", cell.shm);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	readers_create(&writer, fd, 0600, -1);
	place = writer.place;
	bool good = writer.table != NULL, shown = false;

	if (good) {
		publish(&writer, 1);
		good = torture_run(&writer, true, argc > 1 ? atof(argv[1]) : 3.0);
		shown = good && torture_run(&writer, false, PATIENCE_S);
		readers_close(&writer);
	}
	shm_cell_clear(&cell);
	if (good && !shown) {
		printf("no two processors were free at the same time for long enough: the error without the order was not observed\n");
		return 77;
	}
	printf("%s\n", good ? "ok" : "FAIL");
	return !good;
}
