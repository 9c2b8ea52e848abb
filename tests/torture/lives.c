/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers that attach, detach, fork and exec in the middle of a section, and that the writer stops
 * and kills at any time.
 *
 * lives [seconds]
 *
 * The test fails when a section that ended well has seen a mixture, when a reader with a slot gets
 * -ESTALE more often than the writer evicted a reader, when a child disturbs its parent's slot,
 * when a stopped reader gets no error or does not recover, when the state file grows beyond the
 * size of its generations, or when some of these events never happened. The duration of a
 * publication is printed for a writer alone, with undisturbed readers, and under load, by the clock
 * and in the writer's own processor time. Readers may take only the processor and cache memory from
 * the writer. First, readers that do not check the end of a section must be detected.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/shm/cell.h"
#include "tests/torture/rows.h"

#define READERS 6
#define ROWS 65536u
#define PAUSE_NS 200000			/* between publications */
#define DISTURB_NS 1000000
#define MOST_TIMES (1u << 20)
/*
 * Memory of each generation: both parts of a chunk and its table; the changed chunk; the texts, of
 * which old ones may wait; the header.
 */
#define MOST_BYTES ((GENERATIONS * 3 + 1 + 4) * (uint64_t)EXTENT_BYTES)

struct counts {				/* shared by all processes, also after exec */
	_Atomic uint64_t sections, violations, stale, recovered, failures;
	_Atomic uint64_t attached, forks, disturbed, execs;
	_Atomic bool trusting;		/* readers do not check the end of a section */
};

static struct counts *counts;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec timespec;

	clock_gettime(clock, &timespec);
	return timespec.tv_sec * 1000000000ll + timespec.tv_nsec;
}

static void sleep_ns(long ns)
{
	nanosleep(&(struct timespec) { 0, ns }, NULL);
}

static int counts_open(const char *directory)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/../counts", directory);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*counts)))
		return -1;
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return counts == MAP_FAILED ? -1 : 0;
}

/* A reader's life */

static int section_count(struct attachment *attachment, const struct view *view, bool intact)
{
	int err = attach_end(attachment, view);

	atomic_fetch_add(&counts->sections, 1);
	atomic_fetch_add(&counts->violations, !err && !intact);
	atomic_fetch_add(&counts->stale, err && attachment->readers.slot);
	return err;
}

static int section_read(struct attachment *attachment, unsigned *seed)
{
	struct view view;

	attach_begin(attachment, &view);
	bool intact = rows_intact(&view);

	if (rand_r(seed) % 16 == 0) {
		sleep_ns(rand_r(seed) % 2000000);
		intact = intact && rows_intact(&view);
	}
	return section_count(attachment, &view, intact);
}

/*
 * A child may close its inherited attachment, leave it, or attach itself. While it lives it may
 * keep a dead parent's lock.
 */
static void child_run(struct attachment *attachment, const char *directory, unsigned seed)
{
	unsigned what = (unsigned)rand_r(&seed) % 3;
	struct attachment own;

	if (what)
		attach_close(attachment);
	if (what == 2 && attach_open(&own, directory, 0) == 0) {
		for (unsigned i = 0; i < 3; i++)
			section_read(&own, &seed);
		attach_close(&own);
	}
	sleep_ns(rand_r(&seed) % 3000000);
	_exit(0);
}

static void section_fork(struct attachment *attachment, const char *directory, unsigned *seed)
{
	struct view view;
	pid_t child;

	attach_begin(attachment, &view);
	child = fork();
	if (child == 0)
		child_run(attachment, directory, (unsigned)rand_r(seed));
	bool intact = rows_intact(&view);

	waitpid(child, NULL, 0);
	atomic_fetch_add(&counts->forks, 1);
	if (attachment->readers.slot)
		atomic_fetch_add(&counts->disturbed,
				 atomic_load(&attachment->readers.slot->pin) != (view.gen << 1 | 1));
	section_count(attachment, &view, intact && rows_intact(&view));
}

static void section_exec(struct attachment *attachment, const char *directory, unsigned seed)
{
	struct view view;
	char number[16];

	snprintf(number, sizeof(number), "%u", seed);
	attach_begin(attachment, &view);
	atomic_fetch_add(&counts->execs, 1);
	execl("/proc/self/exe", "lives", "--reader", directory, number, (char *)NULL);
	_exit(1);
}

static void reader_run(const char *directory, unsigned seed)
{
	struct attachment attachment;

	for (bool stale = false;;) {
		if (attach_open(&attachment, directory, 0)) {
			atomic_fetch_add(&counts->failures, 1);
			_exit(1);
		}
		atomic_fetch_add(&counts->attached, 1);
		for (unsigned n = (unsigned)rand_r(&seed) % 300; n > 0; n--) {
			int err = section_read(&attachment, &seed);

			atomic_fetch_add(&counts->recovered, stale && !err);
			stale = err != 0;
		}
		if (rand_r(&seed) % 3 == 0)
			section_fork(&attachment, directory, &seed);
		if (rand_r(&seed) % 3 == 0)
			section_exec(&attachment, directory, (unsigned)rand_r(&seed));
		attach_close(&attachment);
	}
}

/* The writer */

struct writer {
	struct shm_cell cell;
	struct segment segment;
	struct strings *strings;
	struct facts facts;
	uint32_t text;			/* id */
	unsigned seed;
	uint64_t published, kills, stops, peak_bytes;
	pid_t readers[READERS];
	bool stopped[READERS];
};

static float times_us[MOST_TIMES], cpu_us[MOST_TIMES];

static void publish(struct writer *writer)
{
	struct stat st;

	if (rows_publish(&writer->segment, writer->strings, &writer->facts, ROWS, &writer->text)) {
		fprintf(stderr, "lives: no memory\n");
		exit(1);
	}
	writer->published++;
	if (fstat(writer->segment.fd, &st) == 0 && (uint64_t)st.st_blocks * 512 > writer->peak_bytes)
		writer->peak_bytes = (uint64_t)st.st_blocks * 512;
}

static pid_t child_start(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void reader_start(struct writer *writer, unsigned i)
{
	writer->stopped[i] = false;
	writer->readers[i] = child_start();
	if (writer->readers[i] == 0)
		reader_run(writer->cell.directory, writer->seed + (unsigned)writer->kills * READERS + i);
}

static void reader_kill(struct writer *writer, unsigned i)
{
	kill(writer->readers[i], SIGKILL);
	waitpid(writer->readers[i], NULL, 0);
	writer->kills++;
}

static void disturb(struct writer *writer)
{
	unsigned i = (unsigned)rand_r(&writer->seed) % READERS;

	if (rand_r(&writer->seed) % 8 == 0) {
		reader_kill(writer, i);
		reader_start(writer, i);
		return;
	}
	kill(writer->readers[i], writer->stopped[i] ? SIGCONT : SIGSTOP);
	writer->stops += !writer->stopped[i];
	writer->stopped[i] = !writer->stopped[i];
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

static void times_print(const char *what, size_t n)
{
	if (n == 0)
		return;
	qsort(times_us, n, sizeof(*times_us), by_value);
	qsort(cpu_us, n, sizeof(*cpu_us), by_value);
	printf("publish %s n %zu p50_us %.1f p99_us %.1f max_us %.1f cpu_p50_us %.1f cpu_p99_us %.1f cpu_max_us %.1f\n",
	       what, n, times_us[n / 2], times_us[n * 99 / 100], times_us[n - 1], cpu_us[n / 2], cpu_us[n * 99 / 100],
	       cpu_us[n - 1]);
}

static void publish_for(struct writer *writer, const char *what, double seconds, bool fire)
{
	int64_t end = clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9), next = 0;
	size_t n = 0;

	for (int64_t now = clock_ns(CLOCK_MONOTONIC); now < end; now = clock_ns(CLOCK_MONOTONIC)) {
		int64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		publish(writer);
		if (n < MOST_TIMES) {
			cpu_us[n] = (float)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / 1000.0f;
			times_us[n++] = (float)(clock_ns(CLOCK_MONOTONIC) - now) / 1000.0f;
		}
		if (fire && now > next) {
			disturb(writer);
			next = clock_ns(CLOCK_MONOTONIC) + DISTURB_NS;
		}
		sleep_ns(PAUSE_NS);
	}
	times_print(what, n);
}

/* Stopped in a section, each in another generation */

enum outcome { KEPT = 10, REPORTED = 11, WRONG = 12 };

static enum outcome section_stopped(const char *directory)
{
	struct attachment attachment;
	struct view view;

	if (attach_open(&attachment, directory, 0) || !attachment.readers.slot)
		return WRONG;
	attach_begin(&attachment, &view);
	raise(SIGSTOP);
	bool intact = rows_intact(&view);
	int err = attach_end(&attachment, &view);

	if (!err || counts->trusting)
		return intact ? KEPT : WRONG;
	attach_begin(&attachment, &view);
	intact = rows_intact(&view);
	return err == -ESTALE && attach_end(&attachment, &view) == 0 && intact ? REPORTED : WRONG;
}

static bool stopped_are_reported(struct writer *writer)
{
	uint64_t before = writer->segment.readers.evictions, outcomes[WRONG + 1] = { 0 };
	pid_t pids[GENERATIONS];
	int status;

	for (unsigned i = 0; i < GENERATIONS; i++) {
		pids[i] = child_start();
		if (pids[i] == 0)
			_exit(section_stopped(writer->cell.directory));
		waitpid(pids[i], &status, WUNTRACED);
		publish(writer);
	}
	for (unsigned i = 0; i < 2 * GENERATIONS; i++)
		publish(writer);
	for (unsigned i = 0; i < GENERATIONS; i++) {
		kill(pids[i], SIGCONT);
		waitpid(pids[i], &status, 0);
		outcomes[WIFEXITED(status) && WEXITSTATUS(status) <= WRONG ? WEXITSTATUS(status) : WRONG]++;
	}
	printf("stopped evicted %llu kept %llu evictions %llu\n", (unsigned long long)outcomes[REPORTED],
	       (unsigned long long)outcomes[KEPT], (unsigned long long)(writer->segment.readers.evictions - before));
	return outcomes[REPORTED] > 0 && outcomes[KEPT] > 0 && outcomes[REPORTED] + outcomes[KEPT] == GENERATIONS &&
	       outcomes[REPORTED] == writer->segment.readers.evictions - before;
}

/* The whole test */

#define MORE_MOST 120

/* Return whether all tested events have happened. */
static bool all_seen(const struct writer *writer)
{
	return counts->stale > 0 && counts->recovered > 0 && writer->segment.readers.reaped > 0 && counts->forks > 0 &&
	       counts->execs > 0;
}

static bool verdict(const struct writer *writer)
{
	const struct readers *readers = &writer->segment.readers;
	uint64_t sections = counts->sections, violations = counts->violations, stale = counts->stale,
		 disturbed = counts->disturbed;

	printf("lives sections %llu violations %llu stale %llu recovered %llu evictions %llu reaped %llu kills %llu stops %llu attached %llu "
	       "forks %llu disturbed %llu execs %llu failures %llu published %llu peak_bytes %llu most_bytes %llu\n",
	       (unsigned long long)sections, (unsigned long long)violations, (unsigned long long)stale,
	       (unsigned long long)counts->recovered, (unsigned long long)readers->evictions,
	       (unsigned long long)readers->reaped, (unsigned long long)writer->kills,
	       (unsigned long long)writer->stops, (unsigned long long)counts->attached,
	       (unsigned long long)counts->forks, (unsigned long long)disturbed, (unsigned long long)counts->execs,
	       (unsigned long long)counts->failures, (unsigned long long)writer->published,
	       (unsigned long long)writer->peak_bytes, (unsigned long long)MOST_BYTES);
	return violations == 0 && disturbed == 0 && counts->failures == 0 && stale <= readers->evictions &&
	       all_seen(writer) && writer->peak_bytes <= MOST_BYTES;
}

static bool torture_run(struct writer *writer, double seconds)
{
	counts->trusting = true;
	bool reported = !stopped_are_reported(writer);

	if (!reported)
		fprintf(stderr, "lives: readers that do not check the end of a section were not detected\n");
	counts->trusting = false;
	reported = stopped_are_reported(writer) && reported;

	publish_for(writer, "alone", seconds / 6, false);
	for (unsigned i = 0; i < READERS; i++)
		reader_start(writer, i);
	publish_for(writer, "with_readers", seconds / 6, false);
	publish_for(writer, "under_fire", seconds * 2 / 3, true);
	for (int k = 0; k < MORE_MOST && !all_seen(writer); k++)	/* takes longer on a busy machine */
		publish_for(writer, "longer", 1, true);
	for (unsigned i = 0; i < READERS; i++)
		reader_kill(writer, i);
	return verdict(writer) && reported;
}

static int writer_open(struct writer *writer)
{
	const struct segment_options options = { .file_bytes = (uint64_t)1 << 30, .group = -1 };

	writer->text = NONE;
	if (shm_cell_make(&writer->cell) || counts_open(writer->cell.directory))
		return -1;
	if (segment_create(&writer->segment, writer->cell.directory, &options, NULL) ||
	    strings_create(&writer->strings, &writer->segment))
		return -1;
	writer->facts.segment = &writer->segment;
	writer->facts.chunk_bytes = EXTENT_BYTES;
	publish(writer);
	return segment_announce(&writer->segment);
}

int main(int argc, char **argv)
{
	static struct writer writer;

	if (argc == 4 && strcmp(argv[1], "--reader") == 0) {
		if (counts_open(argv[2]))
			return 1;
		reader_run(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	writer.seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	printf("seed %u\n", writer.seed);
	if (writer_open(&writer)) {
		perror("lives");
		return 1;
	}
	bool good = torture_run(&writer, argc > 1 ? atof(argv[1]) : 4.0);

	facts_free(&writer.facts);
	strings_destroy(writer.strings);
	segment_close(&writer.segment);
	shm_cell_clear(&writer.cell);
	printf("%s\n", good ? "ok" : "FAIL");
	return !good;
}
